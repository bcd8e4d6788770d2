// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The total verifier: any byte string gives OK or an error, in time and memory linear in its length.
//
// Checked: the container (magic, versions, section bounds, order, alignment, hash), the FlatBuffer, every index,
// offset, register number, jump target and operand of the metadata. Not checked: machine code, and what depends on the
// values of a call (the executor checks that: view bounds, sizes, dimension symbols). Pure; any thread.
#ifndef HEDDLE_CONTRACT_ARTIFACTVERIFIER_H
#define HEDDLE_CONTRACT_ARTIFACTVERIFIER_H

#include "heddle/contract/Container.h"
#include "heddle/contract/Packing.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace heddle::fb {
struct Layout;
struct Module;
struct Parameter;
} // namespace heddle::fb

namespace heddle::contract {

// Limits of an artifact: dimensions of a value, devices, extra streams of a device.
inline constexpr uint32_t kMaxRank = 16;
// Elements along a dimension: no machine addresses more.
inline constexpr int64_t kMostElements = int64_t(1) << 47;
inline constexpr uint32_t kMaxDevices = 4096;
inline constexpr uint32_t kMaxStreams = 64;
// Size of a result's dimension that is known only when the call is done.
inline constexpr int64_t kUnknownSize = -1;

struct ArtifactError {
  enum class Kind { Malformed, Unsupported };
  Kind kind = Kind::Malformed;
  std::string message; // one line: rule, got, remedy
};

// What a verified artifact consists of. Borrows the bytes.
struct ArtifactView {
  const Header *header = nullptr;
  const fb::Module *module = nullptr;
  std::span<const std::byte> code;
  std::span<const std::byte> data;
};

// `bytes` must be 64-byte aligned. nullopt: the artifact is well formed.
std::optional<ArtifactError> verifyArtifact(std::span<const std::byte> bytes);

// The parts of an artifact that verifyArtifact() accepted.
ArtifactView viewArtifact(std::span<const std::byte> bytes);

// A layout of a verified artifact as packBytes() takes it.
Tiling tilingOf(const fb::Layout &layout);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_ARTIFACTVERIFIER_H
