// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/QueueSets.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FILLCONCATS
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct FillConcats : heddle::impl::FillConcatsBase<FillConcats> {
  void runOnOperation() override {
    // What is written in parts by several devices or queues would need an order between them.
    if (flow::Topology::of(getOperation()).size() > 1 || flow::namesQueues(getOperation()))
      return;
    SmallVector<tensor::ConcatOp> concats;
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](tensor::ConcatOp op) {
        if (isFilledByParts(op))
          concats.push_back(op);
      });
    for (auto [number, op] : llvm::enumerate(concats))
      if (failed(fill(op, number)))
        return signalPassFailure();
  }

  // Sizes but those along the dimension are known alike.
  static bool isOfShape(RankedTensorType part, RankedTensorType whole, uint64_t axis) {
    return llvm::all_of(llvm::seq<uint64_t>(0, whole.getRank()),
                        [&](uint64_t d) { return d == axis || part.getDimSize(d) == whole.getDimSize(d); });
  }

  // Each part is the root of a region of its own.
  static bool isFilledByParts(tensor::ConcatOp op) {
    constexpr size_t kMost = 64;
    RankedTensorType type = op.getResultType();
    unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
    if (op.getInputs().size() < 2 || op.getInputs().size() > kMost || bits == 0 || (bits != 1 && bits % 8 != 0) ||
        type.getEncoding() || type.isDynamicDim(op.getDim()))
      return false;
    return llvm::all_of(op.getInputs(), [&](Value part) {
      Operation *def = part.getDefiningOp();
      auto partType = cast<RankedTensorType>(part.getType());
      return isa_and_present<linalg::LinalgOp>(def) && def->getBlock() == op->getBlock() && part.hasOneUse() &&
             !fusion::isCloned(def) && !partType.isDynamicDim(op.getDim()) && partType.getDimSize(op.getDim()) > 0 &&
             !partType.getEncoding() && isOfShape(partType, type, op.getDim());
    });
  }

  static LogicalResult fill(tensor::ConcatOp op, int64_t number) {
    auto first = cast<OpResult>(op.getInputs().front());
    for (Value part : op.getInputs())
      if (part.getDefiningOp()->isBeforeInBlock(first.getOwner()))
        first = cast<OpResult>(part);
    OpBuilder builder(first.getOwner());
    Location loc = op.getLoc();
    RankedTensorType type = op.getResultType();
    SmallVector<Value> dynamic;
    if (!type.hasStaticShape() && failed(fusion::getDynamicSizes(builder, first, dynamic)))
      return failure();
    SmallVector<OpFoldResult> sizes = getMixedValues(type.getShape(), dynamic, builder);
    Value filled = tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
    filled.getDefiningOp()->setAttr(flow::kFilledAttr, builder.getI64IntegerAttr(number));
    builder.setInsertionPoint(op);
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
        steps(type.getRank(), builder.getIndexAttr(1));
    int64_t begin = 0;
    for (Value part : op.getInputs()) {
      int64_t extent = cast<RankedTensorType>(part.getType()).getDimSize(op.getDim());
      offsets[op.getDim()] = builder.getIndexAttr(begin);
      sizes[op.getDim()] = builder.getIndexAttr(extent);
      filled = tensor::InsertSliceOp::create(builder, loc, part, filled, offsets, sizes, steps);
      begin += extent;
    }
    op.replaceAllUsesWith(filled);
    op.erase();
    return success();
  }
};

} // namespace
