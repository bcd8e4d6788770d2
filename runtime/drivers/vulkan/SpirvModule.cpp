// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/SpirvModule.h"

#include <algorithm>
#include <cstring>

namespace heddle::vulkan {
namespace {

// Of the SPIR-V specification, sections 2.3 and 3.
constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpEntryPoint = 15, kOpCapability = 17, kOpDecorate = 71;
constexpr uint32_t kPhysicalStorageBufferAddresses = 5347;
constexpr uint32_t kGLCompute = 5;
constexpr uint32_t kBinding = 33;
constexpr uint32_t kMostDescriptors = 1 << 16;

Status malformed(const char *why) { return Status(StatusCode::Malformed, why); }

// A literal string: bytes up to a zero, in these words.
StatusOr<std::string> literal(std::span<const uint32_t> words) {
  const char *first = reinterpret_cast<const char *>(words.data());
  size_t length = strnlen(first, words.size_bytes());
  if (length == words.size_bytes())
    return malformed("a name has no end");
  return std::string(first, length);
}

// One module from the start of the words, up to the magic number of another one (which is no instruction).
StatusOr<SpirvModule> parseOne(std::span<const uint32_t> words) {
  SpirvModule module;
  if (words.size() < kHeaderWords || words[0] != kMagic)
    return malformed("it does not start as SPIR-V");
  std::span<const uint32_t> rest = words.subspan(kHeaderWords);
  while (!rest.empty() && rest[0] != kMagic) {
    uint32_t operation = rest[0] & 0xffff, length = rest[0] >> 16;
    if (length == 0 || length > rest.size())
      return malformed("it ends within an instruction");
    std::span<const uint32_t> operands = rest.subspan(1, length - 1);
    if (operation == kOpEntryPoint && operands.size() >= 3 && operands[0] == kGLCompute) {
      StatusOr<std::string> name = literal(operands.subspan(2));
      if (!name.ok())
        return name.takeStatus();
      module.entryPoints.push_back(std::move(*name));
    } else if (operation == kOpCapability && operands.size() == 1 && operands[0] == kPhysicalStorageBufferAddresses) {
      module.usesAddresses = true;
    } else if (operation == kOpDecorate && operands.size() >= 3 && operands[1] == kBinding) {
      if (operands[2] >= kMostDescriptors)
        return malformed("a binding's number is out of range");
      module.descriptors = std::max(module.descriptors, operands[2] + 1);
    }
    rest = rest.subspan(length);
  }
  module.words.assign(words.begin(), words.end() - static_cast<std::ptrdiff_t>(rest.size()));
  return module;
}

} // namespace

StatusOr<SpirvModule> SpirvModule::parse(std::span<const std::byte> code) {
  if (code.size() % 4 != 0 || code.size() < kHeaderWords * 4)
    return malformed("its size is not that of words");
  std::vector<uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), code.size());
  StatusOr<SpirvModule> module = parseOne(words);
  if (!module.ok() || module->words.size() == words.size())
    return module;
  StatusOr<SpirvModule> large = parseOne(std::span(words).subspan(module->words.size()));
  if (!large.ok())
    return large;
  if (module->words.size() + large->words.size() != words.size())
    return malformed("it has more than two modules");
  if (!large->usesAddresses || large->entryPoints != module->entryPoints)
    return malformed("its second module must have the entry points of the first and reach tensors by addresses");
  module->large = std::make_shared<SpirvModule>(std::move(*large));
  return module;
}

} // namespace heddle::vulkan
