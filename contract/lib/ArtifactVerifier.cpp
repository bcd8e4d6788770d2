// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/ArtifactVerifier.h"

#include "VerifierContext.h"
#include "heddle/contract/ArtifactHash.h"
#include "heddle/contract/ElementType.h"
#include "heddle/contract/Launch.h"
#include "heddle/contract/Packing.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <unordered_map>
#include <unordered_set>

namespace heddle::contract {
namespace {

// Executable targets of one alternative of a device: each is compared with every variant.
constexpr uint64_t kMaxExecutableTargets = 64;

using Error = std::optional<ArtifactError>;

Error malformed(std::string message) { return ArtifactError{ArtifactError::Kind::Malformed, std::move(message)}; }
Error unsupported(std::string message) { return ArtifactError{ArtifactError::Kind::Unsupported, std::move(message)}; }
std::string number(uint64_t value) { return std::to_string(value); }

Error verifyVersions(const Header &header) {
  if (header.formatVersion < kOldestFormat || header.formatVersion > kFormatVersion)
    return unsupported("this runtime reads artifact formats " + number(kOldestFormat) + " to " +
                       number(kFormatVersion) + ", got " + number(header.formatVersion) +
                       "; compile the model again, or update the runtime");
  if (header.instructionSet == 0 || header.instructionSet > kInstructionSet)
    return unsupported("this runtime runs instruction sets 1 to " + number(kInstructionSet) + ", got " +
                       number(header.instructionSet) + "; update the runtime");
  if (header.kernelAbi != kKernelAbi)
    return unsupported("this runtime calls kernels by ABI " + number(kKernelAbi) + ", got " + number(header.kernelAbi) +
                       "; compile the model again");
  if (uint64_t unknown = header.featureBits & ~kKnownFeatures)
    return unsupported("the artifact needs features this runtime does not have (bits " + number(unknown) +
                       "); update the runtime");
  return std::nullopt;
}

Error verifySections(const Header &header) {
  struct Named {
    const char *name;
    Section section;
    uint64_t alignment;
  };
  uint64_t end = sizeof(Header);
  for (const Named &s : {Named{"metadata", header.metadata, 64}, Named{"code", header.code, kSectionAlignment},
                         Named{"data", header.data, kSectionAlignment}}) {
    if (s.section.offset % s.alignment)
      return malformed("the " + std::string(s.name) + " section must start at a multiple of " + number(s.alignment) +
                       ", got " + number(s.section.offset) + "; the file is damaged");
    if (s.section.offset < end || s.section.offset > header.fileBytes ||
        s.section.bytes > header.fileBytes - s.section.offset)
      return malformed("the " + std::string(s.name) + " section must lie between byte " + number(end) +
                       " and the end of the file at " + number(header.fileBytes) + ", got " + number(s.section.bytes) +
                       " bytes at " + number(s.section.offset) + "; the file is damaged");
    end = s.section.offset + s.section.bytes;
  }
  return std::nullopt;
}

Error verifyContainer(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(Header))
    return malformed("an artifact has a header of 128 bytes, got " + number(bytes.size()) +
                     " bytes in all; the file is cut off or not an artifact");
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    char got[32];
    const auto *m = reinterpret_cast<const unsigned char *>(header.magic);
    std::snprintf(got, sizeof(got), "%02x %02x %02x %02x", m[0], m[1], m[2], m[3]);
    return malformed(std::string("an artifact starts with 'HEDDLE', got bytes ") + got +
                     "; compile the model with `heddle compile` first");
  }
  if (Error error = verifyVersions(header))
    return error;
  if (header.headerBytes != sizeof(Header))
    return malformed("the header must say 128 bytes for itself, got " + number(header.headerBytes) +
                     "; the file is damaged");
  if (header.fileBytes != bytes.size())
    return malformed("the header says " + number(header.fileBytes) + " bytes, got " + number(bytes.size()) +
                     "; the file is cut off or has bytes appended");
  if (header.formatVersion < kFirstHashedFormat)
    for (uint64_t word : {header.metadataHash, header.codeHash, header.dataHash, header.headerHash})
      if (word != 0)
        return malformed("reserved header words must be zero, got " + number(word) + "; the file is damaged");
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 64)
    return malformed("an artifact in memory must be 64-byte aligned; copy it to aligned memory");
  return verifySections(header);
}

bool verifyGiven(VerifierContext &context, const std::string &what, const fb::DeviceTarget &target) {
  if (target.given() < -1)
    return context.fail(what + ": a position is -1 (any) or more, got " + std::to_string(target.given()));
  if (target.given() >= 0 && (target.ordinal() >= 0 || !text(target.fallback()).empty()))
    return context.fail(what + " has an alternative with a position among the devices given and " +
                        (target.ordinal() >= 0 ? "an ordinal" : "a fallback"));
  return true;
}

bool verifyTarget(VerifierContext &context, const std::string &what, const fb::DeviceTarget &target) {
  if (!context.charge(sizeOf(target.formats()) + sizeOf(target.executables())))
    return false;
  if (text(target.driver()).empty() == text(target.fallback()).empty())
    return context.fail(what + (text(target.driver()).empty() ? " has an alternative without a driver"
                                                              : " has an alternative that is a target and a fallback"));
  if (target.ordinal() < -1)
    return context.fail(what + ": an ordinal is -1 (any) or more, got " + std::to_string(target.ordinal()));
  if (!verifyGiven(context, what, target))
    return false;
  if (sizeOf(target.executables()) > kMaxExecutableTargets)
    return context.fail(what + ": an alternative may list " + number(kMaxExecutableTargets) +
                        " executable targets, got " + number(sizeOf(target.executables())));
  for (uint64_t e = 0; e < sizeOf(target.executables()); ++e) {
    const fb::ExecutableTarget &executable = *target.executables()->Get(e);
    if (!context.charge(1 + sizeOf(executable.features())))
      return false;
    if (text(executable.format()).empty())
      return context.fail(what + ": executable target " + number(e) + " has no format");
  }
  return true;
}

// Every fallback names another device, and following fallbacks ends.
bool verifyFallbacks(VerifierContext &context) {
  auto count = static_cast<uint32_t>(sizeOf(context.module.devices()));
  auto nameOf = [&](uint32_t i) { return text(context.module.devices()->Get(i)->name()); };
  std::unordered_map<std::string_view, uint32_t> named; // the first of each name
  for (uint32_t i = 0; i < count; ++i) {
    if (!context.charge(1 + nameOf(i).size() / 8))
      return false;
    named.try_emplace(nameOf(i), i);
  }
  std::vector<std::vector<uint32_t>> fallenTo(count); // by device: who falls back to it, once for each alternative
  std::vector<uint32_t> open(count);                  // by device: how many of its fallbacks are not settled
  for (uint32_t i = 0; i < count; ++i)
    for (const fb::DeviceTarget *target : *context.module.devices()->Get(i)->alternatives()) {
      std::string_view name = text(target->fallback());
      if (name.empty())
        continue;
      if (!context.charge(1 + name.size() / 8))
        return false;
      auto to = named.find(name);
      if (to == named.end())
        return context.fail("device " + quoted(nameOf(i)) + " falls back to the unknown device " + quoted(name));
      fallenTo[to->second].push_back(i);
      ++open[i];
    }
  std::vector<uint32_t> settled;
  for (uint32_t i = 0; i < count; ++i)
    if (open[i] == 0)
      settled.push_back(i);
  for (size_t at = 0; at < settled.size(); ++at)
    for (uint32_t i : fallenTo[settled[at]])
      if (--open[i] == 0)
        settled.push_back(i);
  for (uint32_t i = 0; i < count; ++i)
    if (open[i])
      return context.fail("device " + quoted(nameOf(i)) + " falls back to itself in the end");
  return true;
}

bool verifyDevices(VerifierContext &context, const Header &header) {
  if (sizeOf(context.module.devices()) > kMaxDevices)
    return context.fail("an artifact may name " + number(kMaxDevices) + " devices, got " +
                        number(sizeOf(context.module.devices())));
  if (!context.charge(sizeOf(context.module.devices())))
    return false;
  for (uint64_t i = 0; i < sizeOf(context.module.devices()); ++i) {
    const fb::Device &device = *context.module.devices()->Get(i);
    std::string what = "device " + quoted(text(device.name()));
    if (text(device.name()).empty())
      return context.fail("device " + number(i) + " has no name");
    if (sizeOf(device.alternatives()) == 0)
      return context.fail(what + " must have at least one alternative, got none");
    if (!context.charge(sizeOf(device.alternatives())))
      return false;
    for (const fb::DeviceTarget *target : *device.alternatives()) {
      if (!verifyTarget(context, what, *target))
        return false;
      if (target->given() >= 0 && !(header.featureBits & kFeatureGiven))
        return context.fail("an artifact with devices given by their position says so in its feature bits");
    }
  }
  return verifyFallbacks(context);
}

bool verifyLaunches(VerifierContext &context, const std::string &what, const fb::Variant &variant, uint64_t exports) {
  if (!context.charge(sizeOf(variant.launches())))
    return false;
  if (sizeOf(variant.launches()) && sizeOf(variant.launches()) != exports)
    return context.fail(what + " must have one launch record per export (" + number(exports) + ") or none, got " +
                        number(sizeOf(variant.launches())));
  for (uint64_t i = 0; i < sizeOf(variant.launches()); ++i) {
    const fb::Launch &launch = *variant.launches()->Get(i);
    // None of them above the limit, so that their product does not overflow.
    uint64_t x = launch.block_x(), y = launch.block_y(), z = launch.block_z();
    if (std::max({x, y, z}) > kMaxInvocations || x * y * z == 0 || x * y * z > kMaxInvocations)
      return context.fail(what + ": the workgroup of export " + number(i) + " must have from 1 to " +
                          number(kMaxInvocations) + " invocations, got " + number(x) + " x " + number(y) + " x " +
                          number(z));
    if (launch.shared_bytes() > kMaxSharedBytes)
      return context.fail(what + ": the workgroup of export " + number(i) + " must share at most " +
                          number(kMaxSharedBytes) + " bytes, got " + number(launch.shared_bytes()));
  }
  return true;
}

bool verifyVariant(VerifierContext &context, const fb::Executable &executable, const fb::Variant &variant,
                   uint64_t codeBytes) {
  std::string what = "executable " + quoted(text(executable.name())) + ", variant " + quoted(text(variant.target()));
  if (!context.charge(1 + sizeOf(variant.symbols()) + sizeOf(variant.features())))
    return false;
  if (text(variant.format()).empty())
    return context.fail(what + " has no format");
  if (variant.code_offset() > codeBytes || variant.code_bytes() > codeBytes - variant.code_offset())
    return context.fail(what + " must lie in the code section of " + number(codeBytes) + " bytes, got " +
                        number(variant.code_bytes()) + " at " + number(variant.code_offset()));
  if (sizeOf(variant.symbols()) != sizeOf(executable.exports()))
    return context.fail(what + " must name one symbol per export (" + number(sizeOf(executable.exports())) + "), got " +
                        number(sizeOf(variant.symbols())));
  for (uint64_t i = 0; i < sizeOf(variant.symbols()); ++i)
    if (variant.symbols()->Get(i)->size() == 0)
      return context.fail(what + ": the symbol of export " + number(i) + " is empty");
  return verifyLaunches(context, what, variant, sizeOf(executable.exports()));
}

bool verifyExecutables(VerifierContext &context, uint64_t codeBytes) {
  if (!context.charge(sizeOf(context.module.executables())))
    return false;
  uint64_t locations = sizeOf(context.module.locations());
  for (uint64_t i = 0; i < sizeOf(context.module.executables()); ++i) {
    const fb::Executable &executable = *context.module.executables()->Get(i);
    std::string what = "executable " + quoted(text(executable.name()));
    if (!context.charge(sizeOf(executable.exports()) + sizeOf(executable.variants())))
      return false;
    for (uint64_t e = 0; e < sizeOf(executable.exports()); ++e) {
      const fb::Export &entry = *executable.exports()->Get(e);
      std::string export_ = what + ", export " + quoted(text(entry.name()));
      if (entry.location() != UINT32_MAX && entry.location() >= locations && !(entry.location() == 0 && locations == 0))
        return context.fail(export_ + ": location " + number(entry.location()) + " of " + number(locations));
      for (uint64_t flags : {sizeOf(entry.reads()), sizeOf(entry.writes())})
        if (flags != entry.bindings())
          return context.fail(export_ + " must say of each of its " + number(entry.bindings()) +
                              " bindings whether it is read and written, got " + number(flags) + " flags");
    }
    if (sizeOf(executable.exports()) && sizeOf(executable.variants()) == 0)
      return context.fail(what + " must have at least one variant, got none");
    for (uint64_t v = 0; v < sizeOf(executable.variants()); ++v)
      if (!verifyVariant(context, executable, *executable.variants()->Get(v), codeBytes))
        return false;
  }
  return true;
}

bool verifyParameter(VerifierContext &context, const fb::Parameter &parameter, uint64_t dataBytes) {
  std::string what = "parameter " + quoted(text(parameter.key()));
  uint64_t rank = sizeOf(parameter.shape());
  if (!context.charge(1 + rank) || !verifyShape(context, parameter.type(), what, rank) ||
      !verifyAlignment(context, parameter.shape(), what))
    return false;
  uint64_t bytes = 0;
  if (!checkedBytes(parameter.type(), rank ? parameter.shape()->data() : nullptr, rank, bytes))
    return context.fail(what + " has a negative dimension, or more bytes than 64 bits count");
  if (text(parameter.layout()).empty() && bytes != parameter.bytes())
    return context.fail(what + " must have " + number(bytes) + " bytes by its type and shape, got " +
                        number(parameter.bytes()));
  if (parameter.offset() % kParameterAlignment)
    return context.fail(what + " must start at a multiple of 64 in the data section, got " +
                        number(parameter.offset()));
  if (parameter.offset() > dataBytes || parameter.bytes() > dataBytes - parameter.offset())
    return context.fail(what + " must lie in the data section of " + number(dataBytes) + " bytes, got " +
                        number(parameter.bytes()) + " at " + number(parameter.offset()));
  return true;
}

bool verifyLayouts(VerifierContext &context) {
  if (!context.charge(sizeOf(context.module.bounds()) + sizeOf(context.module.layouts())))
    return false;
  for (uint64_t i = 0; i < sizeOf(context.module.layouts()); ++i) {
    const fb::Layout &layout = *context.module.layouts()->Get(i);
    std::string what = "layout " + number(i);
    for (const auto *list : {layout.perm(), layout.inner_dims(), layout.inner_tiles(), layout.swizzle()}) {
      if (sizeOf(list) > kMaxRank)
        return context.fail(what + " may have 16 dimensions, got " + number(sizeOf(list)));
      if (!context.charge(sizeOf(list)) || !verifyAlignment(context, list, what))
        return false;
    }
    if (std::string why = explainTiling(tilingOf(layout), sizeOf(layout.perm())); !why.empty())
      return context.fail(what + ": " + why);
  }
  return true;
}

bool verifyPlans(VerifierContext &context) {
  for (uint64_t i = 0; i < sizeOf(context.module.plans()); ++i) {
    const fb::PlanSpec &plan = *context.module.plans()->Get(i);
    if (!context.charge(1 + sizeOf(plan.intervals())))
      return false;
    for (uint64_t n = 0; n < sizeOf(plan.intervals()); ++n)
      if (const fb::Interval *life = plan.intervals()->Get(n); life->first() > life->last())
        return context.fail("plan " + number(i) + ", interval " + number(n) + " must end after it starts, got " +
                            number(life->first()) + " to " + number(life->last()));
  }
  return true;
}

bool verifyGlobals(VerifierContext &context, const Header &header) {
  uint64_t count = sizeOf(context.module.globals()), parameters = sizeOf(context.module.parameters());
  if (!context.charge(count))
    return false;
  if (count && !(header.featureBits & kFeatureState))
    return context.fail("an artifact with globals says so in its feature bits");
  std::unordered_set<std::string_view> names;
  for (uint64_t i = 0; i < count; ++i) {
    const fb::Global &global = *context.module.globals()->Get(i);
    std::string what = "global " + quoted(text(global.name()));
    uint64_t rank = sizeOf(global.dims());
    if (!context.charge(1 + rank + text(global.name()).size() / 8) ||
        !verifyShape(context, global.type(), what, rank) || !verifyAlignment(context, global.dims(), what))
      return false;
    if (!names.insert(text(global.name())).second)
      return context.fail("two globals are named " + quoted(text(global.name())));
    if (global.device() >= std::max<uint64_t>(sizeOf(context.module.devices()), 1))
      return context.fail(what + " is on device " + number(global.device()) + " of " +
                          number(sizeOf(context.module.devices())));
    int64_t sizes[kMaxRank] = {};
    for (uint64_t d = 0; d < rank; ++d)
      sizes[d] = global.dims()->Get(d) == kUnknownSize ? 1 : global.dims()->Get(d);
    uint64_t bytes = 0;
    if (!checkedBytes(global.type(), sizes, rank, bytes))
      return context.fail(what + " has a negative dimension, or more bytes than 64 bits count");
    if (global.initial() < -1 || (global.initial() >= 0 && static_cast<uint64_t>(global.initial()) >= parameters))
      return context.fail(what + " begins as parameter " + std::to_string(global.initial()) + " of " +
                          number(parameters));
    if (global.initial() < 0)
      continue;
    const fb::Parameter &initial = *context.module.parameters()->Get(global.initial());
    if (initial.type() != global.type() || sizeOf(initial.shape()) != rank || !text(initial.layout()).empty())
      return context.fail(what + " begins as a parameter of another type or rank, or one that is laid out");
  }
  return true;
}

bool verifyFunctions(VerifierContext &context) {
  std::unordered_set<std::string_view> names;
  for (uint64_t i = 0; i < sizeOf(context.module.functions()); ++i) {
    const fb::Function &function = *context.module.functions()->Get(i);
    if (!context.charge(1 + text(function.name()).size() / 8))
      return false;
    if (text(function.name()).empty())
      return context.fail("function " + number(i) + " has no name");
    if (!names.insert(text(function.name())).second)
      return context.fail("two functions are named " + quoted(text(function.name())));
    if (!verifyFunction(context, function))
      return false;
  }
  return true;
}

bool verifyModule(VerifierContext &context, const Header &header) {
  for (uint64_t i = 0; i < sizeOf(context.module.parameters()); ++i)
    if (!verifyParameter(context, *context.module.parameters()->Get(i), header.data.bytes))
      return false;
  return verifyDevices(context, header) && verifyExecutables(context, header.code.bytes) && verifyPlans(context) &&
         verifyLayouts(context) && verifyGlobals(context, header) && verifyMeshes(context, header) &&
         verifyFunctions(context) && verifyCertificate(context);
}

} // namespace

std::string quoted(std::string_view name) {
  std::string out = "'";
  for (char c : name.substr(0, 80))
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out + (name.size() > 80 ? "…'" : "'");
}

bool verifyShape(VerifierContext &context, uint8_t type, std::string_view what, uint64_t rank) {
  if (type == 0 || type >= kElementTypes)
    return context.fail(std::string(what) + " has the unknown element type " + number(type));
  if (rank > kMaxRank)
    return context.fail(std::string(what) + " may have 16 dimensions, got " + number(rank));
  return true;
}

bool checkedBytes(uint8_t type, const int64_t *sizes, size_t rank, uint64_t &bytes) {
  // Zero sizes come last so that an overflow of the others is seen whatever the order.
  bytes = byteSize(static_cast<ElementType>(type));
  bool empty = false;
  for (size_t i = 0; i < rank; ++i) {
    if (sizes[i] < 0)
      return false;
    if (sizes[i] == 0)
      empty = true;
    else if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(sizes[i]), &bytes) || bytes > INT64_MAX)
      return false;
  }
  if (empty)
    bytes = 0;
  return true;
}

Tiling tilingOf(const fb::Layout &layout) {
  auto list = [](const flatbuffers::Vector<int64_t> *from) {
    return from ? std::vector<int64_t>(from->begin(), from->end()) : std::vector<int64_t>();
  };
  return {list(layout.perm()), list(layout.inner_dims()), list(layout.inner_tiles()), list(layout.swizzle())};
}

std::string explainPacking(VerifierContext &context, const fb::Parameter &parameter, const fb::Layout &layout) {
  if (!context.charge(1))
    return context.message();
  if (!text(parameter.layout()).empty())
    return "only rows can be packed, parameter " + quoted(text(parameter.key())) + " has a layout";
  if (sizeOf(layout.perm()) != sizeOf(parameter.shape()))
    return "the layout is for " + number(sizeOf(layout.perm())) + " dimensions, parameter " +
           quoted(text(parameter.key())) + " has " + number(sizeOf(parameter.shape()));
  std::vector<int64_t> shape;
  if (parameter.shape())
    shape.assign(parameter.shape()->begin(), parameter.shape()->end());
  std::vector<int64_t> physical = physicalShape(tilingOf(layout), shape);
  uint64_t bytes = 0;
  if (!checkedBytes(parameter.type(), physical.data(), physical.size(), bytes) ||
      bytes / VerifierContext::kMaxPadding > parameter.bytes() + VerifierContext::kMinPackedBytes)
    return "the layout has many times the bytes of parameter " + quoted(text(parameter.key()));
  if (!context.chargePacking(bytes))
    return "the module packs many times the bytes of its data section";
  return "";
}

Error verifyArtifact(std::span<const std::byte> bytes) {
  if (Error error = verifyContainer(bytes))
    return error;
  const Header &header = *reinterpret_cast<const Header *>(bytes.data());
  std::span<const std::byte> metadata = bytes.subspan(header.metadata.offset, header.metadata.bytes);
  if (hashArtifact(metadata, bytes.subspan(header.code.offset, header.code.bytes)) != header.metaHash)
    return malformed("the content does not match its hash; the file is damaged, copy or compile it again");

  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(metadata.data()), metadata.size(),
                                 /*max_depth=*/16, /*max_tables=*/static_cast<uint32_t>(metadata.size() / 4));
  if (metadata.size() < 8 || metadata.size() >= FLATBUFFERS_MAX_BUFFER_SIZE || !fb::VerifyModuleBuffer(verifier))
    return malformed("the metadata is not a well-formed FlatBuffer of type HDL1; the file is damaged");
  VerifierContext context(*fb::GetModule(metadata.data()), metadata.size(), header.data.bytes);
  if (!verifyModule(context, header))
    return malformed(context.message());
  return std::nullopt;
}

ArtifactView viewArtifact(std::span<const std::byte> bytes) {
  const Header &header = *reinterpret_cast<const Header *>(bytes.data());
  return {&header, fb::GetModule(bytes.data() + header.metadata.offset),
          bytes.subspan(header.code.offset, header.code.bytes), bytes.subspan(header.data.offset, header.data.bytes)};
}

} // namespace heddle::contract
