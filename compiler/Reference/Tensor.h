// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor value outside the compiler: what the reference takes, gives and records.
#ifndef HEDDLE_COMPILER_REFERENCE_TENSOR_H
#define HEDDLE_COMPILER_REFERENCE_TENSOR_H

#include "heddle/contract/ElementType.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <memory>

namespace mlir::heddle::reference {

using ::heddle::contract::ElementType;

// Row-major contiguous elements. Copies share the bytes; `owner` keeps them alive, and is null where they belong to
// something that outlives the tensor (a model's resource). i1 takes a byte an element, 0 or 1.
//
//   Tensor x = Tensor::allocate(ElementType::F32, {2, 3});
//   x.elements<float>()[5] = 1.0f;
struct Tensor {
  ElementType type = ElementType::None;
  SmallVector<int64_t> shape;
  char *data = nullptr;
  std::shared_ptr<void> owner;

  // Zeroed, 64-byte aligned storage of its own.
  static Tensor allocate(ElementType type, ArrayRef<int64_t> shape);

  int64_t count() const;
  size_t byteCount() const { return static_cast<size_t>(count()) * ::heddle::contract::byteSize(type); }
  template <typename T> MutableArrayRef<T> elements() const {
    return {reinterpret_cast<T *>(data), static_cast<size_t>(count())};
  }
  // Element `i` as a double (integers of more than 53 bits are rounded).
  double asDouble(int64_t i) const;
  // Writes a double, converted to the element type.
  void setDouble(int64_t i, double value);
};

// None for a type that has no spelling at the boundary (i5, complex). index counts as i64.
ElementType elementTypeOf(Type type);

// The constant's elements: a view where the attribute holds them as plain bytes, else a copy. Fails without a message
// for element types outside ElementType.
FailureOr<Tensor> tensorOf(ElementsAttr value);

// "2x3xf32", "f32" for a scalar.
std::string spell(const Tensor &tensor);

} // namespace mlir::heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_TENSOR_H
