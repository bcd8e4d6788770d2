// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtime must know of a SPIR-V module: read with all lengths checked. What its instructions compute is
// trusted, as machine code is.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_SPIRVMODULE_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_SPIRVMODULE_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <memory>
#include <span>

namespace heddle::vulkan {

struct SpirvModule {
  std::vector<uint32_t> words;
  std::vector<std::string> entryPoints; // of compute
  uint32_t descriptors = 0;             // 1 + the largest binding
  bool usesAddresses = false;           // reaches tensors by addresses, not by descriptors (SpirvAbi.h)

  std::shared_ptr<SpirvModule> large; // for tensors that descriptors do not reach; null: there is none

  // The failure's message says what is wrong, as the end of a sentence.
  static StatusOr<SpirvModule> parse(std::span<const std::byte> code);
};

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_SPIRVMODULE_H
