// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The artifact's container: what is where in a .heddle file. Little-endian, mapped, never copied.
//
//   [Header 128 bytes][metadata: FlatBuffer Module][code: executables][data: parameters]
//
// Sections start at multiples of 64 bytes (code and data at multiples of 4096 so that they can be mapped on their own).
// `metaHash` covers metadata and code: both are read in full at load. Parameters are mapped and touched on first use,
// so their hashes stand per parameter in the metadata and are checked on request (`heddle inspect --verify`). So are
// those of the sections and of the header, which format 2 added: they cover every byte but the gaps, which are zero.
// Hashes find damage; they do not prove who made the file.
#ifndef HEDDLE_CONTRACT_CONTAINER_H
#define HEDDLE_CONTRACT_CONTAINER_H

#include <cstdint>

namespace heddle::contract {

inline constexpr char kMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', '\r', '\n'};

// Bumped when an old reader would misread a new file. A new runtime reads all versions from kOldestFormat on.
inline constexpr uint32_t kFormatVersion = 2;
inline constexpr uint32_t kOldestFormat = 1;
inline constexpr uint32_t kFirstHashedFormat = 2; // with hashes of sections and header
// Version of Instructions.def and of KernelAbi.h. Instructions are only ever appended.
inline constexpr uint32_t kInstructionSet = 8;
inline constexpr uint32_t kKernelAbi = 1;

inline constexpr uint64_t kSectionAlignment = 4096;
inline constexpr uint64_t kParameterAlignment = 64;

// Bits of Header::featureBits: what a reader must know to run the artifact at all.
inline constexpr uint64_t kFeatureState = 1;    // entry points with values that the module keeps
inline constexpr uint64_t kFeatureGiven = 2;    // devices told by their position among those given
inline constexpr uint64_t kFeatureRanks = 4;    // meshes: the program runs on many ranks
inline constexpr uint64_t kFeatureExchange = 8; // ranks exchange what they need of each other's parts
inline constexpr uint64_t kKnownFeatures = kFeatureState | kFeatureGiven | kFeatureRanks | kFeatureExchange;

struct Section {
  uint64_t offset; // from the start of the file
  uint64_t bytes;
};

struct Header {
  char magic[8];
  uint32_t formatVersion;
  uint32_t instructionSet;
  uint32_t kernelAbi;
  uint32_t headerBytes; // sizeof(Header)
  uint64_t fileBytes;   // whole file
  uint64_t featureBits; // a reader refuses bits it does not know
  Section metadata;
  Section code;
  Section data;
  uint64_t metaHash; // XXH3-64 of metadata bytes then code bytes
  // XXH3-64 of each section, and of the header's bytes before this last word. Format 1: all zero.
  uint64_t metadataHash, codeHash, dataHash, headerHash;
};
static_assert(sizeof(Header) == 128, "the header's layout is part of the format");

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_CONTAINER_H
