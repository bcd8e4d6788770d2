// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/ArtifactBuilder.h"

#include "heddle/contract/Collectives.h"

#include "heddle/contract/ArtifactHash.h"

#include <algorithm>
#include <cstring>

namespace heddle::contract {
namespace {

constexpr uint64_t kCodeAlignment = 64;

constexpr std::byte kZeros[kSectionAlignment] = {};

uint64_t alignUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

// Keeps count of the position so that gaps can be filled with zeros.
class Writer {
public:
  explicit Writer(const ArtifactBuilder::Sink &sink) : sink_(sink) {}
  void write(const void *data, size_t bytes) {
    ok_ = ok_ && (bytes == 0 || sink_(data, bytes));
    position_ += bytes;
  }
  void padTo(uint64_t offset) {
    while (position_ < offset)
      write(kZeros, std::min<uint64_t>(sizeof(kZeros), offset - position_));
  }
  bool ok() const { return ok_; }

private:
  const ArtifactBuilder::Sink &sink_;
  uint64_t position_ = 0;
  bool ok_ = true;
};

} // namespace

void ArtifactBuilder::addCode(fb::VariantT &variant, std::span<const std::byte> code) {
  variant.code_bytes = code.size();
  uint64_t hash = hashBytes(code);
  for (const StoredCode &stored : stored_)
    if (!code.empty() && stored.hash == hash && stored.bytes == code.size() &&
        std::memcmp(code_.data() + stored.offset, code.data(), code.size()) == 0) {
      variant.code_offset = stored.offset;
      return;
    }
  code_.resize(alignUp(code_.size(), kCodeAlignment));
  variant.code_offset = code_.size();
  stored_.push_back({hash, code_.size(), code.size()});
  code_.insert(code_.end(), code.begin(), code.end());
}

void ArtifactBuilder::addParameter(fb::ParameterT &parameter, std::span<const std::byte> data) {
  uint64_t offset = alignUp(dataBytes_, kParameterAlignment);
  parameter.offset = offset;
  parameter.bytes = data.size();
  parameter.hash = hashBytes(data);
  data_.push_back({offset, data});
  dataBytes_ = offset + data.size();
}

uint64_t ArtifactBuilder::hashData() const {
  StreamHash hash;
  uint64_t end = 0;
  for (const Piece &piece : data_) {
    hash.update(std::span(kZeros).first(piece.offset - end)); // parameters are aligned to less than kZeros has
    hash.update(piece.bytes);
    end = piece.offset + piece.bytes.size();
  }
  return hash.digest();
}

static bool tellsByPosition(const fb::ModuleT &module) {
  for (const auto &device : module.devices)
    for (const auto &target : device->alternatives)
      if (target->given >= 0)
        return true;
  return false;
}

static bool exchanges(const fb::ModuleT &module) {
  return std::any_of(module.collectives.begin(), module.collectives.end(), [](const auto &collective) {
    return static_cast<CollectiveKind>(collective->kind) == CollectiveKind::Exchange;
  });
}

bool ArtifactBuilder::write(const fb::ModuleT &module, const Sink &sink) const {
  flatbuffers::FlatBufferBuilder flat(1 << 16);
  fb::FinishModuleBuffer(flat, fb::Module::Pack(flat, &module));
  std::span<const std::byte> metadata(reinterpret_cast<const std::byte *>(flat.GetBufferPointer()), flat.GetSize());

  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.formatVersion = kFormatVersion;
  header.instructionSet = kInstructionSet;
  header.featureBits = (module.globals.empty() ? 0 : kFeatureState) | (tellsByPosition(module) ? kFeatureGiven : 0) |
                       (module.meshes.empty() ? 0 : kFeatureRanks) | (exchanges(module) ? kFeatureExchange : 0);
  header.kernelAbi = kKernelAbi;
  header.headerBytes = sizeof(Header);
  header.metadata = {sizeof(Header), metadata.size()};
  header.code = {alignUp(sizeof(Header) + metadata.size(), kSectionAlignment), code_.size()};
  header.data = {alignUp(header.code.offset + header.code.bytes, kSectionAlignment), dataBytes_};
  header.fileBytes = header.data.offset + header.data.bytes;
  header.metaHash = hashArtifact(metadata, code_);
  header.metadataHash = hashBytes(metadata);
  header.codeHash = hashBytes(code_);
  header.dataHash = hashData();
  header.headerHash = hashHeader(header);

  Writer out(sink);
  out.write(&header, sizeof(header));
  out.write(metadata.data(), metadata.size());
  out.padTo(header.code.offset);
  out.write(code_.data(), code_.size());
  for (const Piece &piece : data_) {
    out.padTo(header.data.offset + piece.offset);
    out.write(piece.bytes.data(), piece.bytes.size());
  }
  out.padTo(header.fileBytes);
  return out.ok();
}

std::vector<std::byte> ArtifactBuilder::assemble(const fb::ModuleT &module) const {
  std::vector<std::byte> out;
  write(module, [&](const void *data, size_t bytes) {
    const std::byte *first = static_cast<const std::byte *>(data);
    out.insert(out.end(), first, first + bytes);
    return true;
  });
  return out;
}

} // namespace heddle::contract
