// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Structure.h"
#include "compiler/Stages/Encode/Convolution.h"
#include "compiler/Stages/Encode/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PADCHANNELS
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

// Products of 8-bit integers, summed in 32 bits: a weight of zero adds nothing.
static bool sumsBytes(linalg::GenericOp op) {
  if (Structure::of(op).arithmetic != Arithmetic::Integer)
    return false;
  auto isInteger = [](Value value, unsigned bits) { return getElementTypeOrSelf(value).isInteger(bits); };
  return isInteger(op->getOperand(0), 8) && isInteger(op->getOperand(1), 8) && isInteger(op->getResult(0), 32);
}

// A full convolution x[n, s…, c] · w[k…, c, f] of bytes with constant weights.
static bool isConvolution(linalg::GenericOp op) {
  std::optional<encode::Layouts> layouts =
      op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 ? encode::channelsLastLayouts(op) : std::nullopt;
  if (!layouts || !encode::areIdentity(*layouts) || !sumsBytes(op) || !encode::isConstant(op->getOperand(1)))
    return false;
  AffineMap x = op.getMatchingIndexingMap(op.getDpsInputOperand(0)),
            w = op.getMatchingIndexingMap(op.getDpsInputOperand(1));
  return w.getNumResults() >= 3 && w.getResult(w.getNumResults() - 2) == x.getResults().back() &&
         isa<AffineDimExpr>(x.getResults().back());
}

namespace {

struct PadChannels : mlir::heddle::impl::PadChannelsBase<PadChannels> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> found;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isConvolution(op) && missing(op) > 0)
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : found)
      pad(rewriter, op);
  }

  // Channels up to a whole group, where a pad of the operand can have them.
  static int64_t missing(linalg::GenericOp op) {
    constexpr int64_t kGroup = 4;
    auto pad = op->getOperand(0).getDefiningOp<tensor::PadOp>();
    int64_t channels = cast<RankedTensorType>(op->getOperand(0).getType()).getShape().back();
    bool extends =
        pad && pad->hasOneUse() && pad.getConstantPaddingValue() && getConstantIntValue(pad.getMixedHighPad().back());
    return extends && !ShapedType::isDynamic(channels) ? (kGroup - channels % kGroup) % kGroup : 0;
  }

  // `more` elements after the dimension of the tensor that the pad gives or that is padded.
  static RankedTensorType longer(Value value, int64_t dim, int64_t more) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] += more;
    return type.clone(shape);
  }

  static void pad(IRRewriter &rewriter, linalg::GenericOp op) {
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    int64_t more = missing(op);
    auto before = op->getOperand(0).getDefiningOp<tensor::PadOp>();
    Value weights = op->getOperand(1);
    int64_t last = before.getResultType().getRank() - 1,
            channel = cast<RankedTensorType>(weights.getType()).getRank() - 2;
    SmallVector<OpFoldResult> low = before.getMixedLowPad(), high = before.getMixedHighPad();
    high[last] = rewriter.getIndexAttr(*getConstantIntValue(high[last]) + more);
    Value x = tensor::PadOp::create(rewriter, before.getLoc(), longer(before, last, more), before.getSource(), low,
                                    high, before.getConstantPaddingValue(), before.getNofold());
    SmallVector<OpFoldResult> none(channel + 2, rewriter.getIndexAttr(0)), rows(none);
    rows[channel] = rewriter.getIndexAttr(more);
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getI8IntegerAttr(0));
    Value w = tensor::PadOp::create(rewriter, loc, longer(weights, channel, more), weights, none, rows, zero);
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(0, x);
      op->setOperand(1, w);
    });
    rewriter.eraseOp(before);
  }
};

} // namespace
