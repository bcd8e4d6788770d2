// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of a constant tensor of a model.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_TENSORDATA_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_TENSORDATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <memory>
#include <optional>
#include <string>

namespace mlir::heddle::importer {

// Elements lie densely, row-major, little endian, those narrower than a byte as in contract/ElementType.h; not aligned.
// `owner` keeps them alive: usually it is the mapped file. Copies share the elements. Unsigned integers have an
// unsigned type here, as in Tensor.
struct TensorData {
  RankedTensorType type;
  ArrayRef<char> bytes;
  std::shared_ptr<void> owner;

  int64_t size() const { return type.getNumElements(); }
  // The same elements under another shape of as many elements.
  TensorData reshaped(ArrayRef<int64_t> shape) const;
  // Dimension i of the result is dimension permutation[i] of this; copies.
  TensorData transposed(ArrayRef<int64_t> permutation) const;
  // Element `i` as an integer (64 unsigned bits keep their pattern) or a float; the element type must fit.
  int64_t integer(int64_t i) const;
  double real(int64_t i) const;
  // Whether `holds(i, integer(i))` for all elements, asked in their order up to the first where it does not: weights
  // have millions.
  bool allIntegers(llvm::function_ref<bool(int64_t, int64_t)> holds) const;
  // The value as a literal (small ones) or as a resource that borrows the bytes, with elements of storageType().
  DenseElementsAttr literal() const;
  ElementsAttr resource(StringRef name) const;
};

// The type of an SSA value's elements: getStorageType (HeddleDialect.h).
Type storageType(Type elementType);
// f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN: SSA values hold them as i8.
bool isSmallFloat(Type type);
} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_TENSORDATA_H
