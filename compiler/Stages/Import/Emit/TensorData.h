// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of a constant tensor of an ONNX model.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_TENSORDATA_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_TENSORDATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <memory>
#include <optional>
#include <string>

namespace onnx {
class SparseTensorProto;
class TensorProto;
} // namespace onnx

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
// The MLIR type of an ONNX element type (TensorProto.DataType), unsigned where that is, signless where it is signed;
// null if it is not supported.
Type getElementType(MLIRContext *context, int64_t dataType);
// "float", "int64", "string" …; "17" if there is no such type.
std::string getDataTypeName(int64_t dataType);
// Whether ONNX has elements of this type and no program does: strings and complex numbers.
bool isForeignType(int64_t dataType);

// Where a tensor's elements may lie beside the message itself.
struct TensorSource {
  std::shared_ptr<void> owner;      // keeps the message and `rawData` alive
  std::optional<StringRef> rawData; // raw_data, if it was cut out of the message
  StringRef folder;                 // of the model; external data must lie in it
};

// The value of `tensor`. On failure gives a reason for the user, such as "raw_data has 12 bytes, but [2, 2] of float
// need 16".
struct TensorOrReason {
  std::optional<TensorData> tensor;
  std::string reason;
};
TensorOrReason readTensor(MLIRContext *context, const onnx::TensorProto &tensor, const TensorSource &source);
// The same for a sparse tensor, whose zeros are stored from then on.
TensorOrReason readSparseTensor(MLIRContext *context, const onnx::SparseTensorProto &tensor,
                                const TensorSource &source);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_TENSORDATA_H
