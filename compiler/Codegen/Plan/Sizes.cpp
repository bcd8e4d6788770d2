// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/Sizes.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

Size mlir::heddle::codegen::staticReduction(linalg::GenericOp op) {
  int64_t elements = 1;
  for (auto [size, kind] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction) {
      if (ShapedType::isDynamic(size))
        return std::nullopt;
      elements *= size;
    }
  return elements;
}

Size mlir::heddle::codegen::sizeOf(RankedTensorType type, int64_t dim) {
  return type.isDynamicDim(dim) ? Size() : Size(type.getDimSize(dim));
}
