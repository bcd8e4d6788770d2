// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large values are, for estimates: what `heddle.expect` says of named dimensions, followed through index
// arithmetic, dispatches and control flow. What nothing tells is kUnknownSize. Without `heddle.expect` that is every
// free dimension.
//
//   SizeEstimates sizes(module);
//   uint64_t bytes = sizes.bytes(dispatch.getResult(0));
//   SizeEstimates inside = sizes.within(dispatch, executable.getFunction());
//
// Remembers what it computed: no rewriting in between.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_SIZEESTIMATES_H
#define HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_SIZEESTIMATES_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::flow {

class SizeEstimates {
public:
  explicit SizeEstimates(ModuleOp module);

  // Whether any size is expected.
  bool any() const { return static_cast<bool>(expected); }

  int64_t size(Value index);
  SmallVector<int64_t> shape(Value tensor);
  uint64_t bytes(Value tensor);
  // Those of values of `function`, the dispatch's executable, in that dispatch.
  SizeEstimates within(DispatchOp dispatch, func::FuncOp function);

private:
  SizeEstimates() = default;

  int64_t named(StringRef name) const;
  int64_t computeSize(Operation *op, Value index);
  int64_t mixed(OpFoldResult size);
  SmallVector<int64_t> computeShape(Value tensor);
  SmallVector<int64_t> shapeOfArgument(BlockArgument argument);
  SmallVector<int64_t> shapeOfResult(OpResult result);
  SmallVector<int64_t> merge(RankedTensorType type, ValueRange dims);

  DictionaryAttr expected;
  llvm::DenseMap<Value, int64_t> sizes;
  llvm::DenseMap<Value, SmallVector<int64_t>> shapes;
  llvm::DenseSet<Value> open; // asked for further up
};

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_SIZEESTIMATES_H
