// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/PackCache.h"

#include "heddle/contract/ArtifactHash.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {
namespace {

constexpr char kMagic[8] = {'H', 'D', 'L', 'P', 'A', 'C', 'K', '2'};

// The head of an entry; the key and the source follow it, then at a multiple of 64 the packed bytes.
struct Head {
  char magic[8];
  uint64_t keyBytes, sourceBytes, packedBytes, packedHash;
};

uint64_t payloadOffset(uint64_t keyBytes, uint64_t sourceBytes) {
  return (sizeof(Head) + keyBytes + sourceBytes + 63) / 64 * 64;
}

class MappedBuffer final : public hal::Buffer {
public:
  MappedBuffer(void *file, uint64_t fileBytes, uint64_t offset)
      : Buffer(static_cast<std::byte *>(file) + offset, fileBytes - offset), file_(file), fileBytes_(fileBytes) {}
  ~MappedBuffer() override { munmap(file_, fileBytes_); }

private:
  void *file_;
  uint64_t fileBytes_;
};

bool isEntry(const std::byte *file, uint64_t fileBytes, std::string_view key, std::span<const std::byte> source,
             uint64_t bytes) {
  Head head;
  uint64_t offset = payloadOffset(key.size(), source.size());
  if (fileBytes != offset + bytes)
    return false;
  std::memcpy(&head, file, sizeof(head));
  return std::memcmp(head.magic, kMagic, sizeof(kMagic)) == 0 && head.keyBytes == key.size() &&
         head.sourceBytes == source.size() && head.packedBytes == bytes &&
         std::memcmp(file + sizeof(Head), key.data(), key.size()) == 0 &&
         std::memcmp(file + sizeof(Head) + key.size(), source.data(), source.size()) == 0 &&
         contract::hashBytes({file + offset, bytes}) == head.packedHash;
}

bool writeAll(int fd, const void *data, size_t bytes) {
  const char *at = static_cast<const char *>(data);
  while (bytes) {
    ssize_t n = write(fd, at, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

bool writeEntry(int fd, std::string_view key, std::span<const std::byte> source, std::span<const std::byte> packed) {
  Head head{{}, key.size(), source.size(), packed.size(), contract::hashBytes(packed)};
  std::memcpy(head.magic, kMagic, sizeof(kMagic));
  static constexpr char zeros[64] = {};
  return writeAll(fd, &head, sizeof(head)) && writeAll(fd, key.data(), key.size()) &&
         writeAll(fd, source.data(), source.size()) &&
         writeAll(fd, zeros, payloadOffset(key.size(), source.size()) - sizeof(head) - key.size() - source.size()) &&
         writeAll(fd, packed.data(), packed.size());
}

// Makes the folder and those above it. What fails shows when a file is made in it.
void makeFolders(const std::string &folder) {
  for (size_t end = 1; end <= folder.size(); ++end)
    if (end == folder.size() || folder[end] == '/')
      (void)mkdir(folder.substr(0, end).c_str(), 0700);
}

} // namespace

std::string PackCache::folder() {
  if (const char *given = std::getenv("HEDDLE_CACHE_DIR"))
    return given;
  if (const char *caches = std::getenv("XDG_CACHE_HOME"); caches && *caches)
    return std::string(caches) + "/heddle";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/heddle";
  return "";
}

std::string PackCache::pathOf(std::string_view key) const {
  char name[32];
  std::snprintf(name, sizeof(name), "/pack-%016llx",
                static_cast<unsigned long long>(contract::hashBytes(std::as_bytes(std::span(key)))));
  return folder_ + name;
}

hal::BufferRef PackCache::find(std::string_view key, std::span<const std::byte> source, uint64_t bytes) const {
  if (folder_.empty() || bytes == 0)
    return {};
  int fd = open(pathOf(key).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return {};
  struct stat status;
  void *file = MAP_FAILED;
  if (fstat(fd, &status) == 0 && status.st_size > 0)
    file = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (file == MAP_FAILED)
    return {};
  uint64_t size = static_cast<uint64_t>(status.st_size);
  if (!isEntry(static_cast<const std::byte *>(file), size, key, source, bytes)) {
    munmap(file, size);
    return {};
  }
  uint64_t begin = payloadOffset(key.size(), source.size());
  if (uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); begin >= page)
    (void)madvise(file, begin / page * page, MADV_DONTNEED); // the parameter's bytes were only compared
  return hal::BufferRef(new MappedBuffer(file, size, begin));
}

bool PackCache::isBroken() const {
  std::lock_guard lock(mutex_);
  return !warning_.empty();
}

void PackCache::keep(std::string_view key, std::span<const std::byte> source, std::span<const std::byte> packed) {
  if (!writes_ || folder_.empty() || isBroken() || packed.empty())
    return;
  makeFolders(folder_);
  std::string path = pathOf(key), temporary = path + ".XXXXXX";
  int fd = mkstemp(temporary.data());
  bool ok = fd >= 0 && writeEntry(fd, key, source, packed);
  int error = errno;
  if (fd >= 0)
    close(fd);
  if (ok && rename(temporary.c_str(), path.c_str()) == 0)
    return;
  error = ok ? errno : error;
  if (fd >= 0)
    unlink(temporary.c_str());
  std::lock_guard lock(mutex_);
  warning_ = "packed parameters cannot be kept in '" + folder_ + "': " + std::strerror(error) +
             "; they are packed again at each load. Set HEDDLE_CACHE_DIR to a folder that can be written";
}

} // namespace heddle
