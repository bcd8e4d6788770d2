// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An artifact in memory, verified. Immutable; shared by modules; any thread.
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_ARTIFACT_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_ARTIFACT_H

#include "heddle/contract/ArtifactVerifier.h"
#include "runtime/base/Status.h"

namespace heddle {

class Artifact {
public:
  enum class Access : uint8_t {
    Map, // privately and read-only; what is written over the file shows, and a shorter file is no memory any more
    Copy // read into memory: the file may become what it wants
  };
  // NotFound, Io, Malformed, Unsupported; OutOfMemory for a copy.
  static StatusOr<std::shared_ptr<const Artifact>> openFile(const std::string &path, Access access = Access::Map);
  // Borrows the bytes, which must be 64-byte aligned and outlive the artifact.
  static StatusOr<std::shared_ptr<const Artifact>> openMemory(std::span<const std::byte> bytes);
  ~Artifact();
  Artifact(const Artifact &) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  const contract::ArtifactView &view() const { return view_; }
  const fb::Module &module() const { return *view_.module; }
  std::span<const std::byte> metadata() const;
  // Of these bytes of the artifact maps those that the system's file cache holds, for a fifth of what faults when they
  // are read would cost, and has the system start reading the others from the file; all are others where the process
  // may not write it. Best effort: changes nothing but time. Does not block on the file. Nothing to do for an artifact
  // in memory.
  void prefetch(std::span<const std::byte> bytes) const;
  // Lets go of the memory of whole pages of these bytes: they are read anew from the file when they are needed again.
  // Best effort, nothing to do for an artifact in memory.
  void release(std::span<const std::byte> bytes) const;
  // Reads all parameters and compares their hashes.
  Status verifyParameters() const;
  // Reads the whole file and compares all hashes.
  Status verifyHashes() const;
  // Unsupported when a variant of an executable is machine code of a host processor: what runs with this process's
  // rights.
  Status refuseNative() const;

private:
  Artifact(std::span<const std::byte> bytes, bool mapped) : bytes_(bytes), mapped_(mapped) {}
  Status take(int fd, uint64_t size, Access access, const std::string &path);
  static StatusOr<std::shared_ptr<const Artifact>> verified(std::shared_ptr<Artifact> artifact);

  std::span<const std::byte> bytes_;
  bool mapped_;                 // the bytes are pages of this object's own
  bool copied_ = false;         // they are no file's
  bool knowsResidency_ = false; // of others' files the system says that all is in its cache (Linux 5.2)
  contract::ArtifactView view_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_ARTIFACT_H
