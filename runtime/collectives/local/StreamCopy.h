// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of what is too large to be found in a cache afterwards: stores that go past it save reading what they
// overwrite, a third of the traffic.
#ifndef HEDDLE_RUNTIME_COLLECTIVES_LOCAL_STREAMCOPY_H
#define HEDDLE_RUNTIME_COLLECTIVES_LOCAL_STREAMCOPY_H

#include <cstddef>
#include <cstdint>

namespace heddle::collectives {

// As memcpy; what follows on this thread sees it, and so does who acquires what this thread releases afterwards.
void streamCopy(std::byte *to, const std::byte *from, uint64_t bytes);

// Bytes of all targets of a collective from where on streamCopy() is better: half of the last cache.
uint64_t streamThreshold();

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_LOCAL_STREAMCOPY_H
