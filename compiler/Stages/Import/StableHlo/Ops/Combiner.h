// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reductions of every kind have in common: operands, initial values, and a region that combines.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_OPS_COMBINER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_OPS_COMBINER_H

#include "compiler/Stages/Import/StableHlo/Converter.h"

namespace mlir::heddle::hlo {

// What combining with leaves every element as it is; null if the combiner is none of those known.
TypedAttr neutralOf(StringRef combiner, Type type);
// That value as a tensor of rank 0.
importer::TensorData neutralTensor(TypedAttr neutral, Type type);

// An op of `count` operands, then `count` initial values, with a region of twice as many scalars.
struct Reducer {
  OpContext &op;
  unsigned count;
  ElementRegion body;
  TypedAttr neutral; // known and used as the start; the initial value then comes in at the end

  static FailureOr<Reducer> read(OpContext &op, unsigned count);

  // A tensor to accumulate result `i` in.
  Value start(unsigned i, ArrayRef<OpFoldResult> sizes);
  Tensor finish(unsigned i, Tensor result);
  // One linalg.generic over `inputs`: an element of each operand, then what only gives loops their sizes.
  SmallVector<Tensor> emit(ArrayRef<Value> inputs, ArrayRef<AffineMap> maps, AffineMap out,
                           ArrayRef<utils::IteratorType> iterators, ArrayRef<OpFoldResult> sizes);
};

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_OPS_COMBINER_H
