// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of what loops and branches give.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_TRACETHROUGH_H
#define HEDDLE_COMPILER_STAGES_RANKS_TRACETHROUGH_H

#include "compiler/Dialect/Flow/Transforms/Extents.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::heddle {

// Follows sizes as flow::traceExtent does, and through branches whose sides give the same and through loops that keep
// them. A loop keeps a size if what it yields has the initial one, provided that what it carries has (so several
// carried tensors may change places). What a size is traced to is available wherever the size is.
//
// Remembers what it found: the program must not change while it lives. Where a program is so deep in loops that the
// answer would take long, it is the size itself.
class ExtentTracer {
public:
  flow::Extent trace(Value tensor, int64_t dim) { return follow(flow::traceExtent(tensor, dim)); }
  flow::Extent trace(OpFoldResult size) { return follow(flow::traceExtent(size)); }

  // Whether what the loop carries at `number` begins and ends each iteration with the same size along `dim`.
  bool isKept(scf::ForOp loop, unsigned number, int64_t dim);

private:
  using Key = std::pair<Value, int64_t>; // an index value at -1

  flow::Extent follow(const flow::Extent &extent);
  flow::Extent followNew(const flow::Extent &extent);
  flow::Extent traceAt(Value value, int64_t dim);
  flow::Extent carried(const flow::Extent &extent, Value init, Value yielded);
  flow::Extent given(const flow::Extent &extent, Operation *op, ValueRange values);

  llvm::DenseMap<Key, flow::Extent> known;
  llvm::DenseMap<Key, flow::Extent> assumed; // of loops that are being looked at: the initial size
  unsigned steps = 0;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_TRACETHROUGH_H
