// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A constant tensor in memory: elements at an origin, a step for each dimension.
#ifndef HEDDLE_COMPILER_EVALUATION_ARRAY_H
#define HEDDLE_COMPILER_EVALUATION_ARRAY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <memory>

namespace mlir::heddle::evaluation {

// Bytes of one element as parameters hold it (i1 takes one, index eight); 0 for a type that cannot be computed with:
// sub-byte integers, 8-bit floats, complex numbers.
unsigned byteWidth(Type elementType);

// Views share elements: transposing, slicing and broadcasting cost nothing. A view whose strides are all zero is a
// splat. Elements are not aligned; what `owner` keeps alive is not written after it is shared.
//
//   Array weights = …;                                   // [f, c], row-major
//   Array t = weights.permuted({1, 0});                  // a view
//   std::shared_ptr<char> bytes = t.dense().owner;       // now row-major
struct Array {
  Type elementType;
  SmallVector<int64_t> shape;
  SmallVector<int64_t> strides; // in elements
  const char *origin = nullptr; // the element at index 0, 0, …
  std::shared_ptr<const void> owner = nullptr;

  // Row-major elements, uninitialised. The owner is the allocation, 64-byte aligned; `data` may be written until the
  // array is shared.
  static Array allocate(Type elementType, ArrayRef<int64_t> shape, char *&data);
  // All elements alike; `element` is copied.
  static Array splat(Type elementType, ArrayRef<int64_t> shape, const char *element);

  int64_t rank() const { return shape.size(); }
  int64_t count() const;
  int64_t bytes() const { return count() * byteWidth(elementType); }
  RankedTensorType type() const { return RankedTensorType::get(shape, elementType); }
  bool isSplat() const; // by its strides
  bool isDense() const; // row-major without gaps

  Array permuted(ArrayRef<int64_t> permutation) const;
  Array sliced(ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) const;
  // The same elements, row-major, under another shape of as many; a view wherever strides can say it, else a copy.
  Array reshaped(ArrayRef<int64_t> shape) const;
  // Itself if dense, else a copy.
  Array dense() const;
  // Whether all elements have equal bytes; reads them. False for an array without elements.
  bool hasEqualElements() const;
};

// Copies all elements of `source` to `target`, whose strides are in elements.
void copyElements(const Array &source, char *target, ArrayRef<int64_t> targetStrides);

// Row-major strides of a shape.
SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape);

} // namespace mlir::heddle::evaluation

#endif // HEDDLE_COMPILER_EVALUATION_ARRAY_H
