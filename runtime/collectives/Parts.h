// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the elements of an all_reduce are divided among its members, who reduce a part each. Pure.
#ifndef HEDDLE_RUNTIME_COLLECTIVES_PARTS_H
#define HEDDLE_RUNTIME_COLLECTIVES_PARTS_H

#include <algorithm>
#include <cstdint>

namespace heddle::collectives {

// Where the part of a member begins when `count` elements are divided on whole cache lines, as evenly as that goes; for
// `member` == `members` the end. Parts may be empty.
inline uint64_t partBegin(uint64_t count, uint64_t elementBytes, uint32_t members, uint32_t member) {
  constexpr uint64_t kLine = 64;
  const uint64_t perLine = std::max<uint64_t>(1, kLine / elementBytes), lines = (count + perLine - 1) / perLine;
  return std::min(count, (lines / members * member + std::min<uint64_t>(lines % members, member)) * perLine);
}

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_PARTS_H
