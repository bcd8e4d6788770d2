// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filling memory that the host addresses. What drivers for host memory and for staging have in common.
#ifndef HEDDLE_RUNTIME_HAL_HOSTMEMORY_H
#define HEDDLE_RUNTIME_HAL_HOSTMEMORY_H

#include "runtime/base/Status.h"

namespace heddle::hal {

// The failure of a fill whose size is not a multiple of its pattern's.
Status refuseFill(uint64_t bytes, uint32_t patternBytes);
// As Commands::fill.
Status fillHost(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes);
// The pattern of 1, 2, 4 or 8 bytes, repeated over 8.
uint64_t repeatPattern(uint64_t pattern, uint32_t patternBytes);

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_HOSTMEMORY_H
