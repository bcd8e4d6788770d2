// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Files.h"

#include "tools/lib/Error.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace heddle::tools {
namespace {

[[noreturn]] void fail(const char *what, const std::string &path) {
  throw Failure(std::string("cannot ") + what + " '" + path + "': " + std::strerror(errno));
}

constexpr size_t kChunk = size_t{1} << 30; // Linux moves at most 2 GiB per call

} // namespace

InputFile::InputFile(const std::string &path) : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0)
    fail("read", path);
  struct stat info;
  if (fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd_);
    throw Failure("cannot read '" + path + "': not a regular file");
  }
  bytes_ = static_cast<uint64_t>(info.st_size);
}

InputFile::~InputFile() { close(fd_); }

void InputFile::read(uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    ssize_t got = pread(fd_, to.data(), std::min(to.size(), kChunk), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      fail("read", path_);
    if (got == 0)
      throw Failure("cannot read '" + path_ + "': the file became shorter while it was read");
    offset += static_cast<uint64_t>(got);
    to = to.subspan(static_cast<size_t>(got));
  }
}

std::string readText(const std::string &path) {
  InputFile file(path);
  std::string text(file.bytes(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

OutputFile::OutputFile(const std::string &path) : path_(path), target_(path) {
  if (path.empty())
    throw UsageError("an output file needs a name");
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      errno = EISDIR;
      fail("write", path);
    }
    if (!S_ISREG(info.st_mode)) {
      fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd_ < 0)
        fail("write", path);
      return;
    }
    if (access(path.c_str(), W_OK) != 0)
      fail("write", path);
    if (char *real = realpath(path.c_str(), nullptr)) {
      target_ = real;
      std::free(real);
    }
  }
  temporary_ = target_ + ".tmp-XXXXXX";
  fd_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd_ < 0)
    fail("write", path);
  mode_t mask = umask(0);
  umask(mask);
  fchmod(fd_, 0666 & ~mask);
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : path_(std::move(other.path_)), target_(std::move(other.target_)), temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0)
    close(fd_);
  if (!temporary_.empty())
    unlink(temporary_.c_str());
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t done = ::write(fd_, bytes.data(), std::min(bytes.size(), kChunk));
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      fail("write", path_);
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
}

void OutputFile::commit() {
  if (close(std::exchange(fd_, -1)) != 0)
    fail("write", path_);
  if (temporary_.empty())
    return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0)
    fail("write", path_);
  temporary_.clear();
}

ScratchFolder::ScratchFolder(const std::string &prefix) {
  const char *given = std::getenv("TMPDIR");
  std::string place = given && *given ? given : "/tmp";
  path_ = place + "/" + prefix + "XXXXXX";
  if (!mkdtemp(path_.data()))
    throw Failure("cannot make a temporary folder in '" + place + "': " + std::strerror(errno) +
                  "; set TMPDIR to a folder that can be written");
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace heddle::tools
