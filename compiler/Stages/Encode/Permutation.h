// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Permutations of dimensions as linalg.transpose has them: dimension i of the result is dimension p[i] of the operand.
//
//   compose({1, 2, 0}, inverse({1, 2, 0}))  is the identity
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_PERMUTATION_H
#define HEDDLE_COMPILER_STAGES_ENCODE_PERMUTATION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace mlir::heddle::encode {

using Permutation = SmallVector<int64_t>;

bool isIdentity(ArrayRef<int64_t> permutation);
Permutation identity(int64_t rank);
Permutation inverse(ArrayRef<int64_t> permutation);
// The transpose by `first` and then by `second` as one.
Permutation compose(ArrayRef<int64_t> first, ArrayRef<int64_t> second);

template <typename T> SmallVector<T> permuted(ArrayRef<T> list, ArrayRef<int64_t> permutation) {
  SmallVector<T> result;
  for (int64_t source : permutation)
    result.push_back(list[source]);
  return result;
}

RankedTensorType permuted(RankedTensorType type, ArrayRef<int64_t> permutation);

// Whether at most dimensions of size 1 change places: such a transpose is a view.
bool isView(RankedTensorType type, ArrayRef<int64_t> permutation);

// Whether the value depends on constants and parameters only, so that it is computed at compile time.
bool isConstant(Value value);

// `value` transposed, at the builder's place. Looks through what makes the value: a transpose is composed, an empty or
// filled tensor is made anew, a transpose that is a view becomes reshapes.
Value transposed(OpBuilder &builder, Value value, ArrayRef<int64_t> permutation);

} // namespace mlir::heddle::encode

#endif // HEDDLE_COMPILER_STAGES_ENCODE_PERMUTATION_H
