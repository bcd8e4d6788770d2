// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a proof assumes of the devices: for each pair that a program asks about with host.same, whether they are one.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ASSUMPTIONS_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ASSUMPTIONS_H

#include "compiler/Dialect/Host/IR/HostOps.h"

#include "llvm/ADT/MapVector.h"

#include <vector>

namespace mlir::heddle::host {

class Assumptions {
public:
  // All combinations of answers to the questions a function asks that can be true at once; one empty one if it asks
  // none. Above a thousand combinations an empty one too, which leaves every answer open: a proof under it holds for
  // all of them, but may find a program wrong that is right under each.
  static std::vector<Assumptions> enumerate(FuncOp func);

  // The truth of a condition that is constant or follows from the assumptions; nothing if it is known only later.
  std::optional<bool> decide(Value condition) const;
  // Whether a region of a branch never runs.
  bool excludes(mlir::Region &region) const;
  // " (with @a and @b one device)", for messages; empty without assumptions.
  std::string describe() const;

private:
  using Pair = std::pair<StringRef, StringRef>;
  static Pair pairOf(SameOp op);
  bool isConsistent() const;

  llvm::MapVector<Pair, bool> same;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ASSUMPTIONS_H
