// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cache/Folder.h"

#include "tools/lib/Error.h"
#include "tools/lib/Files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kDefaultLimit = uint64_t{2} << 30;
constexpr int64_t kLeftAfter = 3600; // seconds after which a file that no entry names is a killed process's

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

bool isOwn(const struct stat &info) { return info.st_uid == geteuid() || info.st_uid == 0; }

// A temporary file beside `path`; `write` fills it. Renamed when that went well.
template <typename Write> std::string replace(const std::string &path, Write write) {
  std::string temporary = path + ".tmp-XXXXXX";
  int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0)
    return std::strerror(errno);
  bool ok = write(fd) && fchmod(fd, 0600) == 0;
  int error = errno;
  ok &= close(fd) == 0;
  if (ok && rename(temporary.c_str(), path.c_str()) == 0)
    return "";
  error = ok ? errno : error;
  unlink(temporary.c_str());
  return std::strerror(error);
}

bool writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t done = write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return true;
}

bool copyAll(int from, int to) {
  ssize_t done = 0;
  while ((done = copy_file_range(from, nullptr, to, nullptr, size_t{1} << 30, 0)) > 0) {
  }
  if (done == 0)
    return true;
  if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
    return false;
  std::string buffer(1 << 20, '\0');
  while ((done = read(from, buffer.data(), buffer.size())) != 0) {
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0 || !writeAll(to, {buffer.data(), static_cast<size_t>(done)}))
      return false;
  }
  return true;
}

// By the names that Cache.h and the other caches give their files.
Stored::Kind kindOf(const fs::path &path) {
  std::string name = path.filename().string();
  if (name.find(".tmp-") != name.npos)
    return Stored::Leftover;
  if (path.parent_path().filename() == "compile")
    return Stored::Compilation;
  return path.parent_path().filename() == "kernels" ? Stored::Kernel : Stored::Packed;
}

void addFolder(const std::string &folder, bool (*isOurs)(const std::string &), std::map<std::string, Stored> &into) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    struct stat info;
    std::string path = at->path().string(), name = at->path().filename().string();
    if (!isOurs(name) || lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      continue;
    Stored::Kind kind = kindOf(at->path());
    Stored &stored = into[kind == Stored::Compilation ? folder + "/" + name.substr(0, name.find_first_of(".-")) : path];
    stored.kind = kind;
    // The entry first: without it the rest is nothing to anyone.
    stored.paths.insert(name.ends_with(".entry") ? stored.paths.begin() : stored.paths.end(), path);
    stored.bytes += static_cast<uint64_t>(info.st_size);
    stored.used =
        std::max<int64_t>(stored.used, kind == Stored::Packed ? std::max(info.st_atime, info.st_mtime) : info.st_mtime);
  }
}

} // namespace

std::string cacheFolder() {
  if (const char *given = std::getenv("HEDDLE_CACHE_DIR"))
    return given;
  if (std::string caches = variable("XDG_CACHE_HOME"); !caches.empty())
    return caches + "/heddle";
  std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/heddle";
}

std::optional<uint64_t> parseSize(std::string_view text) {
  double number = 0; // exact up to 8 PiB
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !(number >= 0))
    return std::nullopt;
  std::string unit(end, text.data() + text.size());
  unit.erase(0, unit.find_first_not_of(' ') == unit.npos ? unit.size() : unit.find_first_not_of(' '));
  uint64_t factor = 1;
  if (!unit.empty() && unit != "B") {
    size_t power = std::string_view("KMGT").find(unit[0]);
    bool isBinary = unit.size() == 3 && unit.substr(1) == "iB";
    if (power == std::string_view::npos || !(isBinary || (unit.size() == 2 && unit[1] == 'B')))
      return std::nullopt;
    for (size_t i = 0; i <= power; ++i)
      factor *= isBinary ? 1024 : 1000;
  }
  number *= static_cast<double>(factor);
  if (number >= 0x1p63)
    return std::nullopt;
  return static_cast<uint64_t>(number);
}

uint64_t cacheLimit() {
  std::string text = variable("HEDDLE_CACHE_SIZE");
  if (text.empty())
    return kDefaultLimit;
  if (std::optional<uint64_t> bytes = parseSize(text))
    return *bytes;
  throw UsageError("HEDDLE_CACHE_SIZE takes bytes, such as 500MB or 1.5GiB, got '" + text + "'");
}

std::string checkFolder(const std::string &folder) {
  for (size_t end = 1; end <= folder.size(); ++end)
    if (end == folder.size() || folder[end] == '/')
      (void)mkdir(folder.substr(0, end).c_str(), 0700); // what fails shows below
  struct stat info;
  if (stat(folder.c_str(), &info) != 0)
    return "'" + folder + "': " + std::strerror(errno);
  if (!S_ISDIR(info.st_mode))
    return "'" + folder + "' is not a folder";
  if (!isOwn(info))
    return "'" + folder + "' is another user's";
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return "others may write to '" + folder + "'";
  return "";
}

std::optional<std::string> readOwn(const std::string &path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return std::nullopt;
  struct stat info;
  std::optional<std::string> text;
  constexpr off_t kMost = off_t{64} << 20;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && isOwn(info) && info.st_size <= kMost) {
    text.emplace(static_cast<size_t>(info.st_size), '\0');
    for (size_t at = 0; text && at < text->size();) {
      ssize_t got = read(fd, text->data() + at, text->size() - at);
      if (got > 0)
        at += static_cast<size_t>(got);
      else if (got == 0 || errno != EINTR)
        text.reset();
    }
  }
  close(fd);
  return text;
}

std::string writeWhole(const std::string &path, std::string_view content) {
  return replace(path, [&](int fd) { return writeAll(fd, content); });
}

std::string copyWhole(const std::string &from, const std::string &to) {
  int source = open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (source < 0)
    return std::strerror(errno);
  std::string reason = replace(to, [&](int fd) { return copyAll(source, fd); });
  close(source);
  return reason;
}

void countUse(const std::string &path) {
  int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return;
  (void)!write(fd, "+", 1);
  close(fd);
}

std::vector<Stored> listStored(const std::string &folder) {
  std::map<std::string, Stored> found;
  addFolder(folder + "/compile", [](const std::string &) { return true; }, found);
  addFolder(folder + "/kernels", [](const std::string &) { return true; }, found);
  addFolder(folder, [](const std::string &name) { return name.starts_with("pack-"); }, found);
  std::vector<Stored> all;
  for (auto &[path, stored] : found) {
    if (stored.kind == Stored::Compilation && !stored.paths.front().ends_with(".entry"))
      stored.kind = Stored::Leftover;
    all.push_back(std::move(stored));
  }
  return all;
}

Pruned pruneStored(const std::string &folder, uint64_t limit) {
  std::vector<Stored> all = listStored(folder);
  std::sort(all.begin(), all.end(), [](const Stored &a, const Stored &b) { return a.used < b.used; });
  uint64_t total = 0;
  for (const Stored &stored : all)
    total += stored.bytes;
  Pruned pruned;
  int64_t now = std::time(nullptr);
  for (const Stored &stored : all) {
    bool isLeft = stored.kind == Stored::Leftover;
    if (isLeft ? stored.used > now - kLeftAfter && limit > 0 : total <= limit)
      continue;
    for (const std::string &path : stored.paths)
      unlink(path.c_str());
    total -= stored.bytes;
    pruned.bytes += stored.bytes;
    pruned.count += stored.paths.size();
  }
  return pruned;
}

} // namespace heddle::tools
