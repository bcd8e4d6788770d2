// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_RANKPART_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_RANKPART_H

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::heddle::flow {

// Positions [begin, begin + size) of `whole` that a rank has of a dimension or loop: numbers where known, else index
// values.
struct RankPart {
  OpFoldResult begin, size, whole;
  bool mayBeEmpty = true; // no proof that it has a position

  // Whether it is provably all of it.
  bool isWhole() const { return isConstantIntValue(begin, 0) && isEqualConstantIntOrValue(size, whole); }
};

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_RANKPART_H
