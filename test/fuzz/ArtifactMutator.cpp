// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/ArtifactMutator.h"

#include "heddle/contract/ArtifactBuilder.h"
#include "heddle/contract/ArtifactHash.h"
#include "heddle/contract/InstructionReader.h"

#include <algorithm>
#include <optional>

using namespace heddle;
using namespace heddle::contract;
using namespace heddle::fuzz;

namespace {

constexpr size_t kMostItems = 64; // lists do not grow beyond this

// The file in its parts.
struct Parts {
  Header header;
  Bytes metadata, code, data;
};

std::optional<Parts> takeApart(const Bytes &bytes) {
  Parts parts;
  if (bytes.size() < sizeof(Header))
    return std::nullopt;
  std::memcpy(&parts.header, bytes.data(), sizeof(Header));
  auto section = [&](const Section &s, Bytes &out) {
    if (s.offset > bytes.size() || s.bytes > bytes.size() - s.offset)
      return false;
    out.assign(bytes.begin() + s.offset, bytes.begin() + s.offset + s.bytes);
    return true;
  };
  if (!section(parts.header.metadata, parts.metadata) || !section(parts.header.code, parts.code) ||
      !section(parts.header.data, parts.data))
    return std::nullopt;
  return parts;
}

Bytes putTogether(Parts &parts) {
  auto alignUp = [](uint64_t value) { return (value + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment; };
  Header &header = parts.header;
  header.metadata = {sizeof(Header), parts.metadata.size()};
  header.code = {alignUp(sizeof(Header) + parts.metadata.size()), parts.code.size()};
  header.data = {alignUp(header.code.offset + header.code.bytes), parts.data.size()};
  header.fileBytes = header.data.offset + header.data.bytes;
  Bytes out(header.fileBytes);
  std::memcpy(out.data(), &header, sizeof(header));
  std::copy(parts.metadata.begin(), parts.metadata.end(), out.begin() + header.metadata.offset);
  std::copy(parts.code.begin(), parts.code.end(), out.begin() + header.code.offset);
  std::copy(parts.data.begin(), parts.data.end(), out.begin() + header.data.offset);
  rehash(std::as_writable_bytes(std::span(out)));
  return out;
}

// Drops, doubles or swaps elements of a list.
template <typename T, typename Copy> void mutateList(std::vector<T> &list, Random &random, Copy &&copy) {
  if (list.empty())
    return;
  size_t at = random.below(list.size());
  switch (random.below(3)) {
  case 0: list.erase(list.begin() + at); break;
  case 1: std::swap(list[at], random.pick(list)); break;
  default:
    if (list.size() < kMostItems)
      list.insert(list.begin() + at, copy(random.pick(list)));
  }
}
template <typename T> void mutateList(std::vector<std::unique_ptr<T>> &list, Random &random) {
  mutateList(list, random, [](const std::unique_ptr<T> &item) { return std::make_unique<T>(*item); });
}
template <typename T> void mutateValues(std::vector<T> &list, Random &random) {
  if (random.oneIn(2))
    return mutateList(list, random, [](const T &item) { return item; });
  if (!list.empty())
    random.pick(list) = static_cast<T>(random.number(random.pick(list)));
}
template <typename T> void mutateNumber(T &number, Random &random) { number = static_cast<T>(random.number(number)); }

void mutateText(std::string &text, Random &random) {
  static constexpr const char *kTexts[] = {"", "local", "null", "main", "elf-x86_64", "elf-aarch64", "avx2", "n"};
  text = random.oneIn(3) ? text + "x" : kTexts[random.below(std::size(kTexts))];
}

// A function's code as a list of instructions whose labels count instructions.
using Instructions = std::vector<std::vector<uint32_t>>;

// Calls `change(word)` for each label of an instruction.
template <typename Change> void forEachLabel(std::vector<uint32_t> &instruction, Change &&change) {
  size_t at = 1;
  for (const char *c = kInstructions[opcodeOf(instruction[0]) % kOpcodes].operands; *c && at < instruction.size();
       ++c) {
    if (c[1] == '*') {
      at += 1 + instruction[at];
      ++c;
      continue;
    }
    if (*c == 'l')
      change(instruction[at]);
    at += *c == 'k' || *c == 'o' ? 2 : 1;
  }
}

Instructions decode(const std::vector<uint32_t> &code) {
  Instructions out;
  std::vector<uint32_t> indexOf(code.size() + 1);
  for (size_t at = 0; at < code.size();) {
    size_t words = std::clamp<size_t>(instructionWords(code[at]), 1, code.size() - at);
    indexOf[at] = static_cast<uint32_t>(out.size());
    out.emplace_back(code.begin() + at, code.begin() + at + words);
    at += words;
  }
  for (auto &instruction : out)
    forEachLabel(instruction, [&](uint32_t &label) { label = label < indexOf.size() ? indexOf[label] : label; });
  return out;
}

std::vector<uint32_t> encode(Instructions instructions) {
  std::vector<uint32_t> code, offsets;
  uint32_t offset = 0;
  for (const auto &instruction : instructions) {
    offsets.push_back(offset);
    offset += instruction.size();
  }
  for (auto &instruction : instructions) {
    forEachLabel(instruction, [&](uint32_t &label) { label = label < offsets.size() ? offsets[label] : label; });
    code.insert(code.end(), instruction.begin(), instruction.end());
  }
  return code;
}

// Any instruction, with small numbers as operands.
std::vector<uint32_t> makeInstruction(Random &random) {
  uint32_t opcode = random.below(kOpcodes);
  std::vector<uint32_t> words = {0};
  auto add = [&] { words.push_back(random.oneIn(8) ? static_cast<uint32_t>(random.number(0)) : random.below(6)); };
  for (const char *c = kInstructions[opcode].operands; *c; ++c) {
    uint32_t count = *c == 'k' || *c == 'o' ? 2 : 1;
    if (c[1] == '*') {
      count = random.below(4);
      words.push_back(count);
      ++c;
    }
    for (uint32_t i = 0; i < count; ++i)
      add();
  }
  words[0] = opcode | static_cast<uint32_t>(words.size()) << 16;
  return words;
}

void mutateCode(fb::FunctionT &function, Random &random) {
  Instructions code = decode(function.code);
  if (code.empty())
    return;
  size_t at = random.below(code.size());
  switch (random.below(5)) {
  case 0: code.erase(code.begin() + at); break;
  case 1: code.insert(code.begin() + at, random.pick(code)); break;
  case 2: code.insert(code.begin() + at, makeInstruction(random)); break;
  case 3: std::swap(code[at], random.pick(code)); break;
  default: mutateNumber(code[at][random.below(code[at].size())], random);
  }
  if (code.size() < 1000)
    function.code = encode(std::move(code));
}

void mutateState(fb::ValueT &value, Random &random) {
  switch (random.below(5)) {
  case 0: return mutateNumber(value.state, random);
  case 1: return mutateNumber(value.donated, random);
  case 2: return mutateNumber(value.device, random);
  case 3: return value.default_value.resize(random.below(64));
  default: value.writable = !value.writable;
  }
}

void mutateFunction(fb::FunctionT &function, Random &random) {
  switch (random.below(10)) {
  case 0: return mutateNumber(random.oneIn(2) ? function.scalars : function.buffers, random);
  case 1: return mutateNumber(random.oneIn(2) ? function.streams : function.events, random);
  case 2: return mutateList(random.oneIn(2) ? function.arguments : function.results, random);
  case 3: return mutateList(function.symbols, random);
  case 4: return mutateValues(function.code_locations, random);
  case 5: {
    auto &values = random.oneIn(2) ? function.arguments : function.results;
    if (values.empty())
      return;
    fb::ValueT &value = *random.pick(values);
    if (random.oneIn(3))
      return mutateState(value, random);
    if (random.oneIn(3))
      return mutateNumber(value.type, random);
    if (random.oneIn(2))
      return mutateList(value.dims, random, [](const fb::Dim &dim) { return dim; });
    if (!value.dims.empty())
      random.pick(value.dims) = fb::Dim(random.number(1), static_cast<int32_t>(random.number(0)));
    return;
  }
  case 6:
    if (!function.symbols.empty())
      mutateNumber(random.oneIn(2) ? random.pick(function.symbols)->min : random.pick(function.symbols)->max, random);
    return;
  case 7: return random.oneIn(4) ? mutateText(function.name, random) : void(function.bind = !function.bind);
  default: return mutateCode(function, random);
  }
}

void mutateExecutable(fb::ExecutableT &executable, Random &random) {
  if (random.oneIn(3)) {
    mutateList(executable.exports, random);
    if (!executable.exports.empty()) {
      fb::ExportT &entry = *random.pick(executable.exports);
      mutateNumber(random.oneIn(2) ? entry.bindings : entry.constants, random);
      auto &flags = random.oneIn(2) ? entry.reads : entry.writes;
      flags.resize(random.oneIn(2) ? entry.bindings % kMostItems : flags.size(), true);
    }
    return;
  }
  if (executable.variants.empty() || random.oneIn(3))
    return mutateList(executable.variants, random);
  fb::VariantT &variant = *random.pick(executable.variants);
  auto copy = [](const std::string &text) { return text; };
  switch (random.below(5)) {
  case 0: return mutateText(random.oneIn(2) ? variant.target : variant.format, random);
  case 1: return mutateList(variant.features, random, copy);
  case 2: return mutateList(variant.symbols, random, copy);
  case 3: return mutateNumber(variant.code_offset, random);
  default: return mutateNumber(variant.code_bytes, random);
  }
}

void mutateParameter(fb::ParameterT &parameter, Random &random) {
  switch (random.below(4)) {
  case 0: return mutateNumber(parameter.offset, random);
  case 1: return mutateNumber(parameter.bytes, random);
  case 2: return mutateValues(parameter.shape, random);
  default: return mutateNumber(parameter.type, random);
  }
}

void mutateGlobal(fb::GlobalT &global, Random &random) {
  switch (random.below(5)) {
  case 0: return mutateNumber(global.type, random);
  case 1: return mutateValues(global.dims, random);
  case 2: return mutateNumber(global.device, random);
  case 3: return mutateNumber(global.initial, random);
  default: return mutateText(global.name, random);
  }
}

void mutateDevice(fb::DeviceT &device, Random &random) {
  if (device.alternatives.empty() || random.oneIn(3))
    return mutateList(device.alternatives, random);
  fb::DeviceTargetT &target = *random.pick(device.alternatives);
  if (random.oneIn(3))
    return mutateNumber(random.oneIn(2) ? target.ordinal : target.given, random);
  if (target.formats.empty() || random.oneIn(2))
    return mutateText(target.driver, random);
  mutateText(random.pick(target.formats), random);
}

template <typename T, typename Change> void mutateTables(std::vector<T> &list, Random &random, Change &&change) {
  if (list.empty() || random.oneIn(8))
    return mutateList(list, random);
  if (T &item = random.pick(list))
    change(*item, random);
}

void mutateModule(fb::ModuleT &module, Random &random) {
  switch (random.below(13)) {
  case 0: return mutateTables(module.devices, random, mutateDevice);
  case 1:
  case 2: return mutateTables(module.executables, random, mutateExecutable);
  case 3: return mutateTables(module.parameters, random, mutateParameter);
  case 4:
    return mutateTables(module.plans, random, [](fb::PlanSpecT &plan, Random &random) {
      if (plan.intervals.empty() || random.oneIn(2))
        return mutateList(plan.intervals, random, [](const fb::Interval &interval) { return interval; });
      random.pick(plan.intervals) =
          fb::Interval(static_cast<uint32_t>(random.number(0)), static_cast<uint32_t>(random.number(1)));
    });
  case 5: return mutateList(module.messages, random, [](const std::string &text) { return text; });
  case 6: return mutateTables(module.globals, random, mutateGlobal);
  default: return mutateTables(module.functions, random, mutateFunction);
  }
}

} // namespace

Bytes heddle::fuzz::mutateArtifact(const Bytes &artifact, Random &random, const MutateBytes &mutateBytes) {
  std::optional<Parts> parts = takeApart(artifact);
  if (!parts || random.oneIn(20)) {
    Bytes changed = artifact;
    mutateBytes(changed);
    return changed;
  }
  flatbuffers::Verifier verifier(parts->metadata.data(), parts->metadata.size());
  if (random.oneIn(4) || !fb::VerifyModuleBuffer(verifier)) {
    mutateBytes(parts->metadata);
    return putTogether(*parts);
  }
  std::unique_ptr<fb::ModuleT> module = fb::UnPackModule(parts->metadata.data());
  for (size_t n = 1 + random.below(3); n; --n)
    mutateModule(*module, random);
  flatbuffers::FlatBufferBuilder flat;
  fb::FinishModuleBuffer(flat, fb::Module::Pack(flat, module.get()));
  parts->metadata.assign(flat.GetBufferPointer(), flat.GetBufferPointer() + flat.GetSize());
  return putTogether(*parts);
}
