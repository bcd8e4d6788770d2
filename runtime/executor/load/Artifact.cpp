// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/Artifact.h"

#include "heddle/contract/ArtifactHash.h"
#include "heddle/contract/Artifact_generated.h"
#include "runtime/base/Guarded.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace heddle {
namespace {

Status toStatus(const contract::ArtifactError &error) {
  bool malformed = error.kind == contract::ArtifactError::Kind::Malformed;
  return Status(malformed ? StatusCode::Malformed : StatusCode::Unsupported, error.message);
}

Status systemError(const std::string &what, int error) {
  StatusCode code = error == ENOENT || error == ENOTDIR ? StatusCode::NotFound : StatusCode::Io;
  return Status(code, what + ": " + std::strerror(error));
}

std::string textOf(const flatbuffers::String *string) { return string ? string->str() : ""; }

// What a GPU's driver translates and runs on the device is not; a format nobody here knows is taken for machine code.
bool isNative(std::string_view format) { return format != "spirv" && format != "ptx"; }

} // namespace

StatusOr<std::shared_ptr<const Artifact>> Artifact::verified(std::shared_ptr<Artifact> artifact) {
  if (auto error = contract::verifyArtifact(artifact->bytes_))
    return toStatus(*error);
  artifact->view_ = contract::viewArtifact(artifact->bytes_);
  return std::shared_ptr<const Artifact>(std::move(artifact));
}

// By its name, as heddle compile tells.
static bool isModel(std::string_view path) {
  return path.ends_with(".onnx") || path.ends_with(".mlir") || path.ends_with(".mlirbc");
}

// The file's bytes into pages of the artifact's own.
Status Artifact::take(int fd, uint64_t size, Access access, const std::string &path) {
  copied_ = access == Access::Copy;
  if (!size)
    return {};
  void *memory = copied_ ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                         : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED && copied_)
    return Status(StatusCode::OutOfMemory,
                  "no memory for a copy of '" + path + "', which has " + std::to_string(size) + " bytes");
  if (memory == MAP_FAILED)
    return systemError("cannot map the artifact '" + path + "'", errno);
  bytes_ = {static_cast<const std::byte *>(memory), size};
  mapped_ = true;
  for (uint64_t done = 0; copied_ && done < size;) {
    ssize_t n = read(fd, static_cast<std::byte *>(memory) + done, size - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? systemError("cannot read the artifact '" + path + "'", errno)
                   : Status(StatusCode::Io, "the artifact '" + path + "' became shorter while it was read");
    done += static_cast<uint64_t>(n);
  }
  if (copied_)
    (void)mprotect(memory, size, PROT_READ);
  return {};
}

StatusOr<std::shared_ptr<const Artifact>> Artifact::openFile(const std::string &path, Access access) {
  std::shared_ptr<Artifact> artifact(new Artifact({}, false)); // owns what is mapped from the start
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return systemError("cannot open the artifact '" + path + "'", errno);
  struct stat info{};
  int failed = fstat(fd, &info);
  int error = errno;
  if (failed || !S_ISREG(info.st_mode)) {
    close(fd);
    return failed ? systemError("cannot read the artifact '" + path + "'", error)
                  : Status(StatusCode::InvalidArgument, "an artifact is a file, got '" + path + "'");
  }
  Status taken = guarded([&] { return artifact->take(fd, static_cast<uint64_t>(info.st_size), access, path); });
  close(fd);
  HEDDLE_RETURN_IF_ERROR(std::move(taken));
  artifact->knowsResidency_ = geteuid() == 0 || info.st_uid == geteuid() || ::access(path.c_str(), W_OK) == 0;
  StatusOr<std::shared_ptr<const Artifact>> result = verified(std::move(artifact));
  if (!result.ok() && isModel(path))
    return Status(StatusCode::InvalidArgument, "'" + path + "' is a model, not an artifact; compile it first: " +
                                                   "heddle compile " + path + " -o OUT.heddle");
  if (!result.ok())
    return result.takeStatus().prefix("'" + path + "': ");
  return result;
}

StatusOr<std::shared_ptr<const Artifact>> Artifact::openMemory(std::span<const std::byte> bytes) {
  return verified(std::shared_ptr<Artifact>(new Artifact(bytes, false)));
}

Artifact::~Artifact() {
  if (mapped_)
    munmap(const_cast<std::byte *>(bytes_.data()), bytes_.size());
}

std::span<const std::byte> Artifact::metadata() const {
  return bytes_.subspan(view_.header->metadata.offset, view_.header->metadata.bytes);
}

void Artifact::release(std::span<const std::byte> range) const {
  uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t begin = (reinterpret_cast<uintptr_t>(range.data()) + page - 1) / page * page;
  uintptr_t end = (reinterpret_cast<uintptr_t>(range.data()) + range.size()) / page * page;
  if (mapped_ && !copied_ && begin < end) // a copy is the only one there is
    (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

void Artifact::prefetch(std::span<const std::byte> range) const {
  if (!mapped_ || copied_ || range.empty())
    return;
  uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t first = reinterpret_cast<uintptr_t>(range.data()) / page * page;
  uintptr_t bytes = reinterpret_cast<uintptr_t>(range.data()) + range.size() - first;
  if (!knowsResidency_) {
    (void)madvise(reinterpret_cast<void *>(first), bytes, MADV_WILLNEED);
    return;
  }
  std::vector<unsigned char> resident((bytes + page - 1) / page);
  if (mincore(reinterpret_cast<void *>(first), bytes, resident.data()) != 0)
    return;
  for (size_t begin = 0; begin < resident.size();) {
    size_t end = begin + 1;
    while (end < resident.size() && (resident[end] & 1) == (resident[begin] & 1))
      ++end;
    int advice = resident[begin] & 1 ? MADV_POPULATE_READ : MADV_WILLNEED;
    (void)madvise(reinterpret_cast<void *>(first + begin * page), (end - begin) * page, advice);
    begin = end;
  }
}

Status Artifact::verifyParameters() const {
  if (auto error = contract::verifyParameters(view_))
    return toStatus(*error);
  return {};
}

Status Artifact::verifyHashes() const {
  if (auto error = contract::verifyHashes(bytes_))
    return toStatus(*error);
  return {};
}

Status Artifact::refuseNative() const {
  const auto *executables = module().executables();
  for (uint32_t e = 0; executables && e < executables->size(); ++e) {
    const auto *variants = executables->Get(e)->variants();
    for (uint32_t v = 0; variants && v < variants->size(); ++v) {
      std::string format = textOf(variants->Get(v)->format());
      if (!isNative(format))
        continue;
      return Status(StatusCode::Unsupported, "machine code is not allowed, got executable '" +
                                                 textOf(executables->Get(e)->name()) + "' with a variant of format '" +
                                                 format +
                                                 "'; allow it only for an artifact of someone you trust, or compile "
                                                 "the model yourself");
    }
  }
  return {};
}

} // namespace heddle
