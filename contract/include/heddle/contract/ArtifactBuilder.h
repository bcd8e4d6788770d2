// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembles an artifact file: header, sections, offsets, hashes. Used by the compiler's last stage and by tests.
// Deterministic: equal input, equal bytes. Does not verify; run verifyArtifact() on the result.
//
//   fb::ModuleT module; …                                  // names, functions, executables
//   ArtifactBuilder builder;
//   builder.addCode(*module.executables[0]->variants[0], elfBytes);    // sets code_offset, code_bytes
//   builder.addParameter(*module.parameters[0], weightBytes);          // sets offset, bytes, hash
//   builder.write(module, [&](const void *p, size_t n) { return out.write(p, n); });
#ifndef HEDDLE_CONTRACT_ARTIFACTBUILDER_H
#define HEDDLE_CONTRACT_ARTIFACTBUILDER_H

#include "heddle/contract/Artifact_generated.h"
#include "heddle/contract/Container.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace heddle::contract {

class ArtifactBuilder {
public:
  using Sink = std::function<bool(const void *data, size_t bytes)>;

  // Appends to the code section (64-byte aligned) and notes the place in `variant`. Copies the bytes; equal bytes are
  // stored once.
  void addCode(fb::VariantT &variant, std::span<const std::byte> code);
  // Appends to the data section and notes place and hash in `parameter`. Borrows the bytes until write() is done.
  void addParameter(fb::ParameterT &parameter, std::span<const std::byte> data);

  // Writes the file from its first byte to its last. False when the sink said false.
  bool write(const fb::ModuleT &module, const Sink &sink) const;
  // The same in memory. The vector's data is not aligned for verifyArtifact(): copy it to aligned memory.
  std::vector<std::byte> assemble(const fb::ModuleT &module) const;

private:
  struct Piece {
    uint64_t offset;
    std::span<const std::byte> bytes;
  };
  struct StoredCode {
    uint64_t hash, offset, bytes;
  };
  uint64_t hashData() const;

  std::vector<std::byte> code_;
  std::vector<StoredCode> stored_;
  std::vector<Piece> data_;
  uint64_t dataBytes_ = 0;
};

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_ARTIFACTBUILDER_H
