// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory values of MLIR's types take in tensors and kernels, by the rule of heddle/contract/StorageBytes.h:
// numbers take whole bytes each, and one of less than a byte takes one. An index has 64 bits, a complex number is two
// of its part, a vector all its lanes.
//
//   storageBytes(i4) is 1, storageBytes(f32, 3) is 12, tensorBytes(tensor<2x3xbf16>) is 12
#ifndef HEDDLE_COMPILER_ANALYSIS_STORAGEBYTES_H
#define HEDDLE_COMPILER_ANALYSIS_STORAGEBYTES_H

#include "heddle/contract/StorageBytes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/ErrorHandling.h"

#include <optional>

namespace mlir::heddle {

// Whether the type is that of an element, so that storageBytes() knows it.
inline bool isStored(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return isStored(complex.getElementType());
  if (auto vector = dyn_cast<VectorType>(element))
    return !vector.isScalable() && isStored(vector.getElementType());
  return element.isIntOrIndexOrFloat();
}

// Bytes of one element. Another type than those of isStored(), such as a tensor's, is a bug of the caller.
inline int64_t storageBytes(Type element) {
  if (!isStored(element))
    llvm::report_fatal_error("storageBytes() of a type that is no element's");
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * storageBytes(complex.getElementType());
  if (auto vector = dyn_cast<VectorType>(element))
    return vector.getNumElements() * storageBytes(vector.getElementType());
  return ::heddle::contract::storageBytes(element.isIndex() ? 64 : element.getIntOrFloatBitWidth());
}

// Bytes of `count` elements; none for a negative count, and where they are 2^63 or more.
inline std::optional<int64_t> storageBytes(Type element, int64_t count) {
  int64_t bytes = 0;
  if (count < 0 || __builtin_mul_overflow(storageBytes(element), count, &bytes))
    return std::nullopt;
  return bytes;
}

// Bytes of all elements of a tensor or memref; none where a dimension is dynamic, and as above.
inline std::optional<int64_t> tensorBytes(ShapedType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  int64_t bytes = storageBytes(type.getElementType());
  bool overflows = false;
  for (int64_t size : type.getShape()) {
    if (size == 0)
      return 0;
    overflows |= __builtin_mul_overflow(bytes, size, &bytes);
  }
  return overflows ? std::nullopt : std::optional<int64_t>(bytes);
}

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_ANALYSIS_STORAGEBYTES_H
