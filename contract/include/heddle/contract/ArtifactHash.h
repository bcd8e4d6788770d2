// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hashes of an artifact (Container.h): XXH3-64, against damage, not against malice. Pure; any thread.
#ifndef HEDDLE_CONTRACT_ARTIFACTHASH_H
#define HEDDLE_CONTRACT_ARTIFACTHASH_H

#include "heddle/contract/ArtifactVerifier.h"

#include <memory>

namespace heddle::contract {

// Of bytes that come piece by piece.
class StreamHash {
public:
  StreamHash();
  ~StreamHash();
  void update(std::span<const std::byte> bytes);
  uint64_t digest() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

uint64_t hashBytes(std::span<const std::byte> bytes);
// The metadata followed by the code, as in Header::metaHash.
uint64_t hashArtifact(std::span<const std::byte> metadata, std::span<const std::byte> code);
// The header without its last word, as in Header::headerHash.
uint64_t hashHeader(const Header &header);

// Sets all hashes of the header of a file that was changed, where the header still names sections inside the file;
// those of format 2 only when it is of that format.
void rehash(std::span<std::byte> file);

// Compares the hash of every parameter's bytes (reads all of the data section, once for each parameter that names it).
std::optional<ArtifactError> verifyParameters(const ArtifactView &view);
// Reads the whole file, which verifyArtifact() accepted: the hashes of header, sections and parameters, and that what
// lies between them is zero, so that no changed byte goes unseen. Of format 1, which has no others, the parameters
// only.
std::optional<ArtifactError> verifyHashes(std::span<const std::byte> bytes);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_ARTIFACTHASH_H
