// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many parts: a formula of sizes and of the device's units, as IR.
#ifndef HEDDLE_COMPILER_STAGES_SPLIT_PARTCOUNT_H
#define HEDDLE_COMPILER_STAGES_SPLIT_PARTCOUNT_H

#include "compiler/Dialect/Heddle/IR/SplitRequest.h"

#include "mlir/IR/Builders.h"

namespace mlir::heddle::split {

// Sizes are index values.
struct Problem {
  Value results;        // elements of the result
  Value length;         // of the loop that is cut
  Value inner;          // products or elements of one iteration of it, for one result
  int64_t granule = 1;  // parts begin at multiples of it
  int64_t together = 1; // results that one workgroup computes
  int64_t read = 0;     // elements of the operands of a product that one iteration reads; 0: not known
};

// ceil(length / granule), which no count exceeds.
Value countGranules(OpBuilder &builder, Location loc, const Problem &problem);

// What a device has: units, each of which works on so many workgroups at the same time. Null `workgroups`: one.
struct Machine {
  Value units, workgroups;
};

// Units that the strategy `reproducible` counts on, whatever the device has.
inline constexpr int64_t kReproducibleUnits = 8;

// The count of strategy `default`, at least 1: docs/design/split-reduction.md has the reasons and the measurements.
Value countParts(OpBuilder &builder, Location loc, const Problem &problem, const Machine &machine);

// The parts that are asked for, or one for each granule if these are fewer; at least 1. `units` are the device's, and
// only read where the request is per unit.
Value countAsked(OpBuilder &builder, Location loc, const Problem &problem, const SplitRequest &request, Value units);

// In words, of countParts (`units`: what it counts on; `shares`: they may work on several workgroups) and of
// countAsked.
std::string describeParts(const Problem &problem, const std::string &units, bool shares = false);
std::string describeAsked(const Problem &problem, const SplitRequest &request);

} // namespace mlir::heddle::split

#endif // HEDDLE_COMPILER_STAGES_SPLIT_PARTCOUNT_H
