// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SparseTensorProto to TensorData: dense, with zeros where nothing is given.
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Stages/Import/Emit/Sizes.h"
#include "compiler/Stages/Import/Onnx/Model/ReadTensor.h"
#include "onnx-ml.pb.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// A few bytes of a file may say any shape: larger tensors than this are refused.
static constexpr uint64_t kMostBytes = 1ull << 32;

// The number of the element that entry `i` of `indices` stands for; a reason if it is outside `dims`.
static std::string findPlace(const TensorData &indices, int64_t i, ArrayRef<int64_t> dims, int64_t count,
                             int64_t &place) {
  place = 0;
  if (indices.type.getRank() == 1) {
    place = indices.integer(i);
    if (place < 0 || place >= count)
      return ("index " + Twine(place) + " is outside " + Twine(count) + " elements").str();
    return "";
  }
  int64_t rank = static_cast<int64_t>(dims.size());
  for (int64_t d = 0; d < rank; ++d) {
    int64_t at = indices.integer(i * rank + d);
    if (at < 0 || at >= dims[d])
      return ("index " + Twine(at) + " is outside dimension " + Twine(d) + ", of size " + Twine(dims[d])).str();
    place = place * dims[d] + at;
  }
  return "";
}

TensorOrReason mlir::heddle::importer::readSparseTensor(MLIRContext *context, const onnx::SparseTensorProto &sparse,
                                                        const TensorSource &source) {
  TensorOrReason values = readTensor(context, sparse.values(), source);
  TensorOrReason indices = readTensor(context, sparse.indices(), source);
  auto refuse = [](const Twine &reason) { return TensorOrReason{std::nullopt, reason.str()}; };
  if (!values.tensor || !indices.tensor)
    return refuse(values.tensor ? "indices: " + Twine(indices.reason) : "values: " + Twine(values.reason));
  SmallVector<int64_t> dims(sparse.dims().begin(), sparse.dims().end());
  uint64_t count = 1, width = storageBytes(values.tensor->type.getElementType());
  for (int64_t dim : dims) {
    if (dim < 0)
      return refuse("has a negative dimension: " + Twine(dim));
    count = llvm::SaturatingMultiply<uint64_t>(count, dim);
  }
  if (llvm::SaturatingMultiply(count, width) > kMostBytes)
    return refuse("has more than 4 GiB when its zeros are stored");
  int64_t given = values.tensor->size(), rank = static_cast<int64_t>(dims.size());
  ArrayRef<int64_t> shape = indices.tensor->type.getShape();
  bool linear = shape.size() == 1 && shape[0] == given, listed = shape.size() == 2 && shape[0] == given;
  if (values.tensor->type.getRank() != 1 || !indices.tensor->type.getElementType().isSignlessInteger(64) ||
      !(linear || (listed && shape[1] == rank)))
    return refuse("needs values [n] and int64 indices [n] or [n, " + Twine(rank) + "]");
  auto bytes = std::make_shared<std::vector<char>>(count * width, 0);
  for (int64_t i = 0; i < given; ++i) {
    int64_t place = 0;
    if (std::string reason = findPlace(*indices.tensor, i, dims, static_cast<int64_t>(count), place); !reason.empty())
      return refuse(reason);
    std::copy_n(values.tensor->bytes.begin() + i * width, width, bytes->begin() + place * width);
  }
  return {TensorData{RankedTensorType::get(dims, values.tensor->type.getElementType()), *bytes, bytes}, ""};
}
