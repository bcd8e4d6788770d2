// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of an ONNX file as TensorData (ReadTensor.cpp, ReadSparse.cpp), and names of element types.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_READTENSOR_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_READTENSOR_H

#include "compiler/Stages/Import/Emit/TensorData.h"

namespace onnx {
class SparseTensorProto;
class TensorProto;
} // namespace onnx

namespace mlir::heddle::importer {

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

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_READTENSOR_H
