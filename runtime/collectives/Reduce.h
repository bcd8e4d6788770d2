// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of collectives: the sources of all members combined element by element, in the order of ranks. Every
// transport calls this one function, so all give the same bits (Group.h says which).
#ifndef HEDDLE_RUNTIME_COLLECTIVES_REDUCE_H
#define HEDDLE_RUNTIME_COLLECTIVES_REDUCE_H

#include "heddle/contract/Collectives.h"

#include <cstddef>
#include <span>

namespace heddle::collectives {

// Writes `count` elements to each of `targets` (at least one), each the reduction of those at its place in `sources`
// (at least one), in the default state of floats. What canReduce() refuses aborts the process. A target may be one of
// the sources, at the same address; else it overlaps no other memory. Reads and writes nothing beyond the elements;
// takes no memory. Thread safe.
void reduceElements(contract::Reduction reduction, contract::ElementType type,
                    std::span<const std::byte *const> sources, std::span<std::byte *const> targets, uint64_t count);
inline void reduceElements(contract::Reduction reduction, contract::ElementType type,
                           std::span<const std::byte *const> sources, std::byte *target, uint64_t count) {
  reduceElements(reduction, type, sources, std::span(&target, 1), count);
}

// Whether the reduction is there for the type: and, or, xor for i1 and integers of whole bytes; min and max for these
// and all floats of 8 bits and more but f8E8M0FNU, which has neither zero nor sign; sum and product for the same
// without i1.
bool canReduce(contract::Reduction reduction, contract::ElementType type);

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_REDUCE_H
