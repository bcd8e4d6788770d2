// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Convolution.h"
#include "compiler/Stages/Encode/Layouts.h"
#include "compiler/Stages/Encode/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CHANNELSLAST
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct ChannelsLast : mlir::heddle::impl::ChannelsLastBase<ChannelsLast> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::LinalgOp op) {
      // Named convolutions and pools of other frontends are made general; other named ops have no channels.
      if (!isa<linalg::GenericOp>(op) && linalg::isaConvolutionOpInterface(op) && op.hasPureTensorSemantics()) {
        rewriter.setInsertionPoint(op);
        if (FailureOr<linalg::GenericOp> generic = linalg::generalizeNamedOp(rewriter, op); succeeded(generic))
          generics.push_back(*generic);
      } else if (auto generic = dyn_cast<linalg::GenericOp>(*op)) {
        generics.push_back(generic);
      }
    });
    for (linalg::GenericOp generic : generics)
      turn(rewriter, generic);
  }

  static void turn(IRRewriter &rewriter, linalg::GenericOp op) {
    std::optional<encode::Layouts> layouts = encode::channelsLastLayouts(op);
    if (!layouts || encode::areIdentity(*layouts) || encode::isSmallDepthwise(op))
      return;
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands;
    for (auto [operand, order] : llvm::zip_equal(op->getOperands(), layouts->operands))
      operands.push_back(encode::transposed(rewriter, operand, order));
    linalg::GenericOp turned = encode::rebuildGeneric(rewriter, op, *layouts, operands, {});
    rewriter.replaceOp(op, encode::transposed(rewriter, turned->getResult(0), encode::inverse(layouts->results[0])));
  }
};

} // namespace
