// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cache/CompileCache.h"

#include "tools/cache/Digest.h"
#include "tools/cache/Folder.h"
#include "tools/cache/Identity.h"
#include "tools/lib/Error.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::tools {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kHead = "heddle cache 1 ";
constexpr size_t kDigits = 64;

std::string toEntry(const Compilation &of) {
  Json json{{"model", of.model}, {"bytes", of.bytes},         {"made", of.made},    {"messages", of.messages},
            {"stats", of.stats}, {"libraries", of.libraries}, {"digest", of.digest}};
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return std::string(kHead) + digestText(text) + "\n" + text;
}

std::optional<Compilation> parseEntry(std::string_view text) {
  if (!text.starts_with(kHead) || text.size() <= kHead.size() + kDigits || text[kHead.size() + kDigits] != '\n')
    return std::nullopt;
  std::string_view json = text.substr(kHead.size() + kDigits + 1);
  if (digestText(json) != text.substr(kHead.size(), kDigits))
    return std::nullopt;
  try { // its digest is right, so only another version's writer can have got it wrong
    Json root = Json::parse(json);
    Compilation out;
    root.at("model").get_to(out.model);
    root.at("bytes").get_to(out.bytes);
    root.at("made").get_to(out.made);
    root.at("messages").get_to(out.messages);
    root.at("stats").get_to(out.stats);
    root.at("libraries").get_to(out.libraries);
    root.at("digest").get_to(out.digest);
    return out;
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

bool isWhole(const Compilation &entry) {
  struct stat info;
  if (lstat(entry.artifact.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
      static_cast<uint64_t>(info.st_size) != entry.bytes || (info.st_uid != geteuid() && info.st_uid != 0))
    return false;
  try {
    return digestFile(entry.artifact) == entry.digest;
  } catch (const Failure &) {
    return false;
  }
}

bool areSame(const std::vector<std::pair<std::string, std::string>> &libraries) {
  return std::all_of(libraries.begin(), libraries.end(), [](const auto &library) {
    try {
      return identifyBinary(library.first) == library.second;
    } catch (const Failure &) {
      return false;
    }
  });
}

// Control characters that no compiler prints: the mark of paths[i].
std::string mark(size_t i) { return "\x1d" + std::to_string(i) + "\x1e"; }

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

} // namespace

CompileCache::CompileCache(const std::string &folder) : root_(folder), folder_(folder + "/compile") {
  reason_ = folder.empty() ? "HEDDLE_CACHE_DIR is set to nothing, or there is no home folder" : checkFolder(folder);
  if (reason_.empty())
    reason_ = checkFolder(folder_);
}

std::optional<Compilation> CompileCache::readEntry(const std::string &key) const {
  std::optional<std::string> text = readOwn(folder_ + "/" + key + ".entry");
  std::optional<Compilation> entry = text ? parseEntry(*text) : std::nullopt;
  if (entry)
    entry->artifact = folder_ + "/" + key + "-" + entry->digest + ".heddle";
  return entry;
}

std::optional<Compilation> CompileCache::find(const std::string &key) const {
  std::optional<Compilation> entry = readEntry(key);
  if (!entry || !areSame(entry->libraries) || !isWhole(*entry))
    return std::nullopt;
  countUse(folder_ + "/" + key + ".uses");
  return entry;
}

std::string CompileCache::keep(const std::string &key, Compilation made, uint64_t limit) const {
  std::error_code error;
  made.bytes = std::filesystem::file_size(made.artifact, error);
  if (error)
    return error.message();
  if (made.bytes > limit)
    return "it is larger than HEDDLE_CACHE_SIZE";
  made.model = std::filesystem::path(made.model).filename().string();
  made.made = std::time(nullptr);
  made.libraries = identifyLibraries();
  made.digest = digestFile(made.artifact);
  std::string copy = folder_ + "/" + key + "-" + made.digest + ".heddle";
  if (std::string reason = copyWhole(made.artifact, copy); !reason.empty())
    return reason;
  if (std::string reason = writeWhole(folder_ + "/" + key + ".entry", toEntry(made)); !reason.empty()) {
    unlink(copy.c_str());
    return reason;
  }
  pruneStored(root_, limit);
  return "";
}

std::vector<CompileCache::Listed> CompileCache::list() const {
  std::vector<Listed> all;
  for (const Stored &stored : listStored(root_)) {
    if (stored.kind != Stored::Compilation)
      continue;
    Listed listed{std::filesystem::path(stored.paths.front()).stem().string(), {}, 0, stored.used};
    std::optional<Compilation> entry = readEntry(listed.key);
    if (!entry)
      continue;
    listed.compilation = std::move(*entry);
    std::error_code error;
    uint64_t uses = std::filesystem::file_size(folder_ + "/" + listed.key + ".uses", error);
    listed.uses = error ? 0 : uses;
    all.push_back(std::move(listed));
  }
  std::sort(all.begin(), all.end(), [](const Listed &a, const Listed &b) { return a.used > b.used; });
  return all;
}

std::string withMarks(std::string text, const std::vector<std::string> &paths) {
  std::vector<size_t> order(paths.size()); // the longest first: one may be the end of another
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return paths[a].size() > paths[b].size(); });
  for (size_t i : order)
    replaceAll(text, paths[i], mark(i));
  return text;
}

std::string withoutMarks(std::string text, const std::vector<std::string> &paths) {
  for (size_t i = 0; i < paths.size(); ++i)
    replaceAll(text, mark(i), paths[i]);
  return text;
}

} // namespace heddle::tools
