// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/ArtifactHash.h"

#include "VerifierContext.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstddef>

namespace heddle::contract {
namespace {

using Error = std::optional<ArtifactError>;

Error damaged(const std::string &what) {
  return ArtifactError{ArtifactError::Kind::Malformed, what + "; the file is damaged, copy or compile it again"};
}

std::span<const std::byte> bytesOf(std::span<const std::byte> file, const Section &section) {
  return file.subspan(section.offset, section.bytes);
}

Error verifyGap(std::span<const std::byte> file, uint64_t from, uint64_t to) {
  std::span<const std::byte> gap = file.subspan(from, to - from);
  auto wrong = std::find_if(gap.begin(), gap.end(), [](std::byte byte) { return byte != std::byte{0}; });
  if (wrong == gap.end())
    return std::nullopt;
  return damaged("bytes between the sections must be zero, got " + std::to_string(std::to_integer<int>(*wrong)) +
                 " at " + std::to_string(from + (wrong - gap.begin())));
}

} // namespace

struct StreamHash::State {
  XXH3_state_t xxh;
};

StreamHash::StreamHash() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh); }
StreamHash::~StreamHash() = default;
void StreamHash::update(std::span<const std::byte> bytes) {
  XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size());
}
uint64_t StreamHash::digest() const { return XXH3_64bits_digest(&state_->xxh); }

uint64_t hashBytes(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

uint64_t hashArtifact(std::span<const std::byte> metadata, std::span<const std::byte> code) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, metadata.data(), metadata.size());
  XXH3_64bits_update(&state, code.data(), code.size());
  return XXH3_64bits_digest(&state);
}

uint64_t hashHeader(const Header &header) { return XXH3_64bits(&header, offsetof(Header, headerHash)); }

void rehash(std::span<std::byte> file) {
  if (file.size() < sizeof(Header))
    return;
  Header &header = *reinterpret_cast<Header *>(file.data());
  for (const Section &section : {header.metadata, header.code, header.data})
    if (section.offset > file.size() || section.bytes > file.size() - section.offset)
      return;
  header.metaHash = hashArtifact(bytesOf(file, header.metadata), bytesOf(file, header.code));
  if (header.formatVersion < kFirstHashedFormat)
    return;
  header.metadataHash = hashBytes(bytesOf(file, header.metadata));
  header.codeHash = hashBytes(bytesOf(file, header.code));
  header.dataHash = hashBytes(bytesOf(file, header.data));
  header.headerHash = hashHeader(header);
}

Error verifyParameters(const ArtifactView &view) {
  if (const auto *parameters = view.module->parameters())
    for (const fb::Parameter *parameter : *parameters)
      if (hashBytes(view.data.subspan(parameter->offset(), parameter->bytes())) != parameter->hash())
        return damaged("parameter " + quoted(text(parameter->key())) + " does not match its hash");
  return std::nullopt;
}

Error verifyHashes(std::span<const std::byte> bytes) {
  ArtifactView view = viewArtifact(bytes);
  if (Error error = verifyParameters(view))
    return error;
  const Header &header = *view.header;
  if (header.formatVersion < kFirstHashedFormat)
    return std::nullopt;
  if (hashHeader(header) != header.headerHash)
    return damaged("the header does not match its hash");
  if (hashBytes(bytesOf(bytes, header.metadata)) != header.metadataHash)
    return damaged("the metadata section does not match its hash");
  if (hashBytes(view.code) != header.codeHash)
    return damaged("the code section does not match its hash");
  if (hashBytes(view.data) != header.dataHash)
    return damaged("the data section does not match its hash");
  uint64_t end = sizeof(Header);
  for (const Section &section : {header.metadata, header.code, header.data}) {
    if (Error error = verifyGap(bytes, end, section.offset))
      return error;
    end = section.offset + section.bytes;
  }
  return verifyGap(bytes, end, bytes.size());
}

} // namespace heddle::contract
