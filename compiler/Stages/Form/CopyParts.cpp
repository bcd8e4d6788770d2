// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/Parts.h"
#include "compiler/Stages/Form/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_COPYPARTS
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct CopyParts : mlir::heddle::impl::CopyPartsBase<CopyParts> {
  void runOnOperation() override {
    SmallVector<tensor::InsertSliceOp> inserts;
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](tensor::InsertSliceOp op) {
        if ((flow::isPartUpdate(op) || flow::isFill(op)) && flow::findForm(op)->outer > 0)
          inserts.push_back(op);
      });
    for (tensor::InsertSliceOp op : inserts)
      if (!isMadeInPlace(op))
        copy(op);
  }

  static bool isMadeInPlace(tensor::InsertSliceOp op) {
    std::optional<flow::InsertedValue> inserted = flow::findInserted(op);
    auto region = inserted ? inserted->value.getDefiningOp<flow::RegionOp>() : flow::RegionOp();
    return region && region.getBody().front().getOps<scf::ForallOp>().empty() && parts::isPlaceable(op, region);
  }

  // The source goes through a region of its own right before the op.
  static void copy(tensor::InsertSliceOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    RankedTensorType type = op.getSourceType();
    SmallVector<Value> dims;
    llvm::SmallBitVector dropped = op.getDroppedDims();
    for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
      if (auto value = dyn_cast<Value>(size); value && !dropped.test(dim))
        dims.push_back(value);
    auto region = flow::RegionOp::create(builder, loc, type, ValueRange(), ValueRange(), dims);
    Value source = op.getSource();
    op.getSourceMutable().assign(region.getResult(0));
    builder.setInsertionPointToEnd(&region.getBody().emplaceBlock());
    auto empty = tensor::EmptyOp::create(builder, loc, type, dims);
    Value copied = linalg::CopyOp::create(builder, loc, source, empty.getResult()).getResult(0);
    flow::ReturnOp::create(builder, loc, copied);
    fusion::cloneIn(region);
  }
};

} // namespace
