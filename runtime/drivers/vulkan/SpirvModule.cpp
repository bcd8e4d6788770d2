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

} // namespace

StatusOr<SpirvModule> SpirvModule::parse(std::span<const std::byte> code) {
  SpirvModule module;
  if (code.size() % 4 != 0 || code.size() < kHeaderWords * 4)
    return malformed("its size is not that of words");
  module.words.resize(code.size() / 4);
  std::memcpy(module.words.data(), code.data(), code.size());
  if (module.words[0] != kMagic)
    return malformed("it does not start as SPIR-V");
  std::span<const uint32_t> rest = std::span(module.words).subspan(kHeaderWords);
  while (!rest.empty()) {
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
  return module;
}

} // namespace heddle::vulkan
