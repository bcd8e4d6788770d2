// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/ByteEstimate.h"

#include "compiler/Analysis/StorageBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

uint64_t mlir::heddle::flow::estimateBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  uint64_t bytes = storageBytes(tensor.getElementType());
  for (int64_t size : tensor.getShape())
    bytes = llvm::SaturatingMultiply<uint64_t>(bytes, ShapedType::isDynamic(size) ? kUnknownSize : size);
  return bytes;
}
