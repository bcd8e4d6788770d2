// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/HostMemory.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace heddle::hal {

Status refuseFill(uint64_t bytes, uint32_t patternBytes) {
  return Status(StatusCode::InvalidArgument, "a fill of " + std::to_string(bytes) +
                                                 " bytes is not a multiple of its pattern of " +
                                                 std::to_string(patternBytes));
}

Status fillHost(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) {
  if (bytes % patternBytes)
    return refuseFill(bytes, patternBytes);
  auto *out = static_cast<std::byte *>(to);
  if (patternBytes == 1 || pattern == 0) {
    if (bytes)
      std::memset(out, static_cast<int>(pattern & 0xff), bytes);
    return {};
  }
  // Doubling: copy what is filled behind itself.
  uint64_t filled = std::min<uint64_t>(patternBytes, bytes);
  std::memcpy(out, &pattern, filled);
  while (filled < bytes) {
    uint64_t next = std::min(filled, bytes - filled);
    std::memcpy(out + filled, out, next);
    filled += next;
  }
  return {};
}

uint64_t repeatPattern(uint64_t pattern, uint32_t patternBytes) {
  if (patternBytes >= 8)
    return pattern;
  uint64_t out = pattern & ((uint64_t{1} << (8 * patternBytes)) - 1);
  for (uint32_t width = patternBytes; width < 8; width *= 2)
    out |= out << (8 * width);
  return out;
}

} // namespace heddle::hal
