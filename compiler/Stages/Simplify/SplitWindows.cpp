// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Stages/Simplify/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SPLITWINDOWS
#include "compiler/Stages/Simplify/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// One dimension of a window: element o of the result reads o * stride + tap * dilation of the operand's.
struct Axis {
  unsigned dim; // of operand and result
  int64_t taps, stride, dilation;
};

struct Window {
  OpOperand *operand = nullptr;
  SmallVector<Axis> axes; // in the order of the operand's dimensions
  Operation *combiner = nullptr;
  bool isIdempotent = false; // a sum otherwise
};

} // namespace

// The op that combines an element with the result so far, if the body is nothing else.
static Operation *getCombiner(linalg::LinalgOp op, OpOperand *operand) {
  Block *body = op.getBlock();
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || combiner->getNumOperands() != 2 || &body->front() != combiner)
    return nullptr;
  Value element = op.getMatchingBlockArgument(operand), sum = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  bool both = (combiner->getOperand(0) == element && combiner->getOperand(1) == sum) ||
              (combiner->getOperand(1) == element && combiner->getOperand(0) == sum);
  return both ? combiner : nullptr;
}

// The only operand that is read.
static OpOperand *getOnlyInput(linalg::LinalgOp op) {
  OpOperand *only = nullptr;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingBlockArgument(input).use_empty()) {
      if (only)
        return nullptr;
      only = input;
    }
  return only;
}

// What the loops of a map's result are multiplied with, one entry each; none where it is no such sum.
static std::optional<SmallVector<int64_t>> getFactors(AffineExpr expr, unsigned loops) {
  SmallVector<int64_t> factors;
  if (failed(getFlattenedAffineExpr(expr, loops, 0, &factors)) || factors.size() != loops + 1 || factors.back() != 0)
    return std::nullopt;
  factors.pop_back();
  return factors;
}

static std::optional<Window> matchWindow(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 || op.getNumReductionLoops() < 2)
    return std::nullopt;
  Window window{getOnlyInput(op), {}};
  if (!window.operand || !(window.combiner = getCombiner(op, window.operand)))
    return std::nullopt;
  window.isIdempotent = isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp,
                            arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(window.combiner);
  if (!window.isIdempotent && !isa<arith::AddFOp, arith::AddIOp>(window.combiner))
    return std::nullopt;
  AffineMap read = op.getMatchingIndexingMap(window.operand), write = op.getIndexingMapsArray().back();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  if (read.getNumResults() != write.getNumResults())
    return std::nullopt;
  for (auto [dim, in, out] : llvm::enumerate(read.getResults(), write.getResults())) {
    auto factors = getFactors(in, read.getNumDims());
    auto loop = dyn_cast<AffineDimExpr>(out);
    if (!factors || !loop)
      return std::nullopt;
    Axis axis{static_cast<unsigned>(dim), 1, (*factors)[loop.getPosition()], 0};
    for (auto [position, factor] : llvm::enumerate(*factors)) {
      if (factor == 0 || position == loop.getPosition())
        continue;
      if (kinds[position] != utils::IteratorType::reduction || axis.dilation != 0 || sizes[position] < 1)
        return std::nullopt;
      axis.taps = sizes[position], axis.dilation = factor;
    }
    if (axis.stride < 1 || axis.dilation < 0 || (axis.dilation == 0 && axis.stride != 1))
      return std::nullopt;
    if (axis.dilation > 0)
      window.axes.push_back(axis);
  }
  bool all = window.axes.size() == op.getNumReductionLoops();
  return all ? std::optional(window) : std::nullopt;
}

// Splitting changes each axis in turn, outermost first: rows of positions are read whole before vectors go along them.
// What a pass costs beside its taps, for memory between: as many taps.
static bool pays(linalg::LinalgOp op, const Window &window, tensor::PadOp pad) {
  constexpr double kPassTaps = 6;
  double whole = 1, parts = 0, positions = 1; // of the operand for one of the result
  ArrayRef<int64_t> to = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  ArrayRef<int64_t> from =
      (pad ? pad.getSourceType() : cast<RankedTensorType>(window.operand->get().getType())).getShape();
  auto ratio = [&](const Axis &axis) {
    bool known = !ShapedType::isDynamic(to[axis.dim]) && !ShapedType::isDynamic(from[axis.dim]) && to[axis.dim] > 0;
    return known ? static_cast<double>(from[axis.dim]) / static_cast<double>(to[axis.dim])
                 : static_cast<double>(axis.stride);
  };
  for (const Axis &axis : window.axes)
    positions *= ratio(axis);
  for (const Axis &axis : window.axes) {
    whole *= static_cast<double>(axis.taps);
    positions /= ratio(axis);
    parts += positions * (static_cast<double>(axis.taps) + kPassTaps);
  }
  return parts < whole;
}

namespace {

class WindowSplitter {
public:
  WindowSplitter(linalg::LinalgOp op, const Window &window, tensor::PadOp pad, Value start, RewriterBase &rewriter)
      : op(op), window(window), pad(pad), start(start), rewriter(rewriter), loc(op.getLoc()) {}

  Value run() {
    Value value = pad ? pad.getSource() : window.operand->get();
    for (const Axis &axis : window.axes) {
      if (pad)
        value = padAlong(value, axis.dim);
      value = reduceAlong(value, axis, &axis == &window.axes.back());
    }
    return value;
  }

private:
  Value padAlong(Value value, unsigned dim) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<OpFoldResult> low(type.getRank(), rewriter.getIndexAttr(0)), high = low;
    low[dim] = pad.getMixedLowPad()[dim];
    high[dim] = pad.getMixedHighPad()[dim];
    if (isConstantIntValue(low[dim], 0) && isConstantIntValue(high[dim], 0))
      return value;
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = pad.getResultType().getDimSize(dim);
    return tensor::PadOp::create(rewriter, loc, RankedTensorType::get(shape, type.getElementType()), value, low, high,
                                 pad.getConstantPaddingValue());
  }

  Value reduceAlong(Value value, const Axis &axis, bool last) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t rank = type.getRank();
    Value init = op.getDpsInits()[0];
    if (!last) {
      SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, value);
      sizes[axis.dim] = tensor::getMixedSize(rewriter, loc, init, axis.dim);
      Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
      init = linalg::FillOp::create(rewriter, loc, start, empty).getResult(0);
    }
    Value taps = tensor::EmptyOp::create(rewriter, loc, ArrayRef<int64_t>{axis.taps}, type.getElementType());
    AffineExpr tap = rewriter.getAffineDimExpr(rank);
    AffineMap write = AffineMap::getMultiDimIdentityMap(rank + 1, rewriter.getContext()).dropResult(rank);
    SmallVector<AffineExpr> read(write.getResults());
    read[axis.dim] = read[axis.dim] * axis.stride + tap * axis.dilation;
    SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
    kinds.push_back(utils::IteratorType::reduction);
    MLIRContext *context = rewriter.getContext();
    auto body = [&](OpBuilder &builder, Location loc, ValueRange v) {
      Operation *combined = builder.clone(*window.combiner);
      combined->setOperands({v[2], v[0]});
      linalg::YieldOp::create(builder, loc, combined->getResults());
    };
    return linalg::GenericOp::create(
               rewriter, loc, init.getType(), ValueRange{value, taps}, init,
               ArrayRef<AffineMap>{AffineMap::get(rank + 1, 0, read, context), AffineMap::get(rank + 1, 0, tap), write},
               kinds, body)
        .getResult(0);
  }

  linalg::LinalgOp op;
  const Window &window;
  tensor::PadOp pad; // whose padding each axis gets for itself; null: the operand is read as it is
  Value start;       // what the results of all axes but the last begin with
  RewriterBase &rewriter;
  Location loc;
};

// Each axis may have its own padding if what is padded first and then combined is the padding again.
tensor::PadOp getSplittablePad(linalg::LinalgOp op, const Window &window) {
  auto pad = window.operand->get().getDefiningOp<tensor::PadOp>();
  Value value = pad ? pad.getConstantPaddingValue() : Value();
  if (!value || (!window.isIdempotent && !matchPattern(value, m_Zero()) && !matchPattern(value, m_AnyZeroFloat())))
    return {};
  for (auto [dim, low, high] : llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad())) {
    bool isAxis = llvm::any_of(window.axes, [&](const Axis &axis) { return axis.dim == dim; });
    if (!isAxis && (!isConstantIntValue(low, 0) || !isConstantIntValue(high, 0)))
      return {};
  }
  return pad.getResult().hasOneUse() ? pad : tensor::PadOp();
}

struct SplitWindow : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &rewriter) const override {
    std::optional<Window> window = matchWindow(op);
    if (!window)
      return failure();
    auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    tensor::PadOp pad = getSplittablePad(op, *window);
    if (!fill || !pays(op, *window, pad))
      return failure();
    Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    Value start = fill.getInputs()[0];
    if (start.getType() != element)
      return failure();
    if (!window->isIdempotent)
      start = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(element));
    rewriter.replaceOp(op, WindowSplitter(op, *window, pad, start, rewriter).run());
    return success();
  }
};

struct SplitWindows : mlir::heddle::impl::SplitWindowsBase<SplitWindows> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SplitWindow>(&getContext());
    if (failed(rewriteGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
