// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the decomposition of an op on lists is emitted, and what the decompositions share.
#ifndef HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_LISTPLACE_H
#define HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_LISTPLACE_H

#include "compiler/Dialect/Intent/IR/IntentLists.h"
#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::intent {

// In front of an op in a function.
class ListPlace {
public:
  ListPlace(Operation *op, const FormModel &forms);

  importer::Emitter emitter;

  // `sizes`: of its dynamic dimensions, as mixedSizes takes them. `views`: what transposes and reshapes made it of is
  // known to the emitter, whose own then join them.
  importer::Tensor tensorOf(Value value, ValueRange sizes, bool isUnsigned = false, bool views = false);
  // An index value as a size: a polynomial of what arithmetic made it of.
  OpFoldResult sizeOf(Value index, bool isExtent = true);
  // The sizes before dimension `dim`, its own, and those behind it, as three.
  importer::SizeList columnsOf(ArrayRef<OpFoldResult> sizes, int64_t dim);
  // The op's results, and the end of the op. What was emitted has its discardable attributes; scalar code says what it
  // is of.
  void replace(MutableArrayRef<importer::Tensor> results);

private:
  void rememberViews(Value value, ArrayRef<OpFoldResult> sizes);

  Operation *op, *before; // `before`: the last op that was there; null: none
};

// Each emits what the op means in front of it.
SmallVector<importer::Tensor> emitSort(ListPlace &place, SortOp op);
SmallVector<importer::Tensor> emitScan(ListPlace &place, ScanOp op);
SmallVector<importer::Tensor> emitScatter(ListPlace &place, ScatterOp op);

} // namespace mlir::heddle::intent

#endif // HEDDLE_COMPILER_DIALECT_INTENT_TRANSFORMS_LISTPLACE_H
