// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory planner: one pure function, run by the compiler for static sizes and by the executor on first sight of a
// shape. Lifetimes are always known at compile time; only sizes may come late (design.md §3, point 6).
#ifndef HEDDLE_CONTRACT_PLAN_H
#define HEDDLE_CONTRACT_PLAN_H

#include <cstdint>
#include <span>

namespace heddle::contract {

// A buffer's life in program order, both ends included: two buffers may share memory iff their intervals are disjoint.
struct Interval {
  uint32_t first;
  uint32_t last;
};

inline constexpr int64_t kPlanAlignment = 64;

// Places every buffer in one slab. `intervals`, `sizes` (bytes, >= 0) and `offsets` have one length. Writes offsets
// (multiples of kPlanAlignment) and returns the slab's size in bytes, or -1 when a size is negative or the sum
// overflows. Deterministic: best fit, largest first, ties by index. O(n^2) in the worst case.
//
//   Interval life[] = {{0, 1}, {1, 2}, {2, 3}};  int64_t size[] = {100, 100, 100}, offset[3];
//   plan(life, size, offset) == 256;             // offset = {0, 128, 0}
int64_t plan(std::span<const Interval> intervals, std::span<const int64_t> sizes, std::span<int64_t> offsets);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_PLAN_H
