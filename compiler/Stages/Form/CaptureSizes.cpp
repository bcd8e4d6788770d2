// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CAPTURESIZES
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct CaptureSizes : mlir::heddle::impl::CaptureSizesBase<CaptureSizes> {
  void runOnOperation() override {
    getOperation().walk([](flow::RegionOp region) {
      OpBuilder builder(region);
      SmallVector<Value> tensors, sizes;
      for (Value value : fusion::getCaptures(region)) {
        auto type = dyn_cast<RankedTensorType>(value.getType());
        if (!type)
          continue;
        tensors.push_back(value);
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (type.isDynamicDim(dim))
            sizes.push_back(tensor::DimOp::create(builder, region.getLoc(), value, dim));
      }
      region.getCapturesMutable().assign(tensors);
      region.getCapturedDimsMutable().assign(sizes);
    });
  }
};

} // namespace
