// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/Window.h"

#include "compiler/Codegen/Plan/ContractionOperands.h"
#include "compiler/Codegen/Plan/Strides.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

std::optional<unsigned> mlir::heddle::codegen::getLoopOf(const RowStep &step, int64_t dim) {
  return loopOf(step.op, step.position, dim);
}

int64_t mlir::heddle::codegen::evaluateAt(AffineExpr expr, ArrayRef<int64_t> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = evaluateAt(binary.getLHS(), dims), b = evaluateAt(binary.getRHS(), dims);
  return expr.getKind() == AffineExprKind::Add ? a + b : a * b;
}

// Sums of dimensions times constants.
static bool isLinear(AffineExpr expr) {
  bool linear = true;
  expr.walk([&](AffineExpr part) {
    AffineExprKind kind = part.getKind();
    linear &= kind == AffineExprKind::DimId || kind == AffineExprKind::Constant || kind == AffineExprKind::Add ||
              (kind == AffineExprKind::Mul && cast<AffineBinaryOpExpr>(part).getRHS().isSymbolicOrConstant());
  });
  return linear;
}

WindowInput mlir::heddle::codegen::getWindowInput(const RowStep &step, ArrayRef<unsigned> tileDims) {
  linalg::GenericOp op = step.op;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.getMatchingIndexingMap(input).isFunctionOfDim(*getLoopOf(step, tileDims.back())))
      return {input, input->get().getDefiningOp<tensor::PadOp>()};
  return {nullptr, {}};
}

// Whether the vectors' elements of every operand are neighbours, the window's as far apart as its positions.
static bool isSuitable(linalg::GenericOp op, unsigned lane, OpOperand *alongWindow) {
  SmallVector<int64_t> zero(op.getNumLoops(), 0), one = zero;
  one[lane] = 1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(input->get().getType()))
      return false;
    ArrayRef<AffineExpr> where = op.getMatchingIndexingMap(input).getResults();
    for (AffineExpr expr : where) {
      if (!isLinear(expr) || (expr.isFunctionOfDim(lane) && expr != where.back()))
        return false;
      if (!expr.isFunctionOfDim(lane) || isa<AffineDimExpr>(expr))
        continue;
      int64_t stride = evaluateAt(expr, one) - evaluateAt(expr, zero);
      if (input != alongWindow || stride < 1 || stride > kMostLoadStride)
        return false;
    }
  }
  return true;
}

bool mlir::heddle::codegen::liesAlongPositions(ArrayRef<unsigned> tileDims, unsigned lane) {
  return llvm::is_contained(tileDims, lane);
}

// Whether lanes of one vector may lie in the padding and others not, in a dimension that the window does not move
// along.
static bool isPaddedAlong(WindowInput input, AffineMap map, unsigned lane) {
  if (!input.pad)
    return false;
  return llvm::any_of(
      llvm::zip_equal(map.getResults(), input.pad.getMixedLowPad(), input.pad.getMixedHighPad()), [&](auto dim) {
        auto [expr, low, high] = dim;
        return expr.isFunctionOfDim(lane) && !(isConstantIntValue(low, 0) && isConstantIntValue(high, 0));
      });
}

static Size countInside(const WindowAxis &axis, WindowInput input, AffineMap map, unsigned loop) {
  if (!input.pad || !axis.size || axis.stride <= 0)
    return axis.size;
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(loop)) {
      if (input.pad.getSourceType().isDynamicDim(dim))
        return std::nullopt;
      int64_t room = input.pad.getSourceType().getDimSize(dim) - 1 - axis.reach;
      return room < 0 ? 0 : std::min(*axis.size, room / axis.stride + 1);
    }
  return axis.size;
}

std::optional<WindowShape> mlir::heddle::codegen::matchWindow(const RowStep &step, RankedTensorType type,
                                                              ArrayRef<unsigned> tileDims, unsigned lane) {
  linalg::GenericOp op = step.op;
  std::optional<unsigned> laneLoop = getLoopOf(step, lane);
  if (tileDims.empty() || !laneLoop || op.getNumDpsInits() != 1)
    return std::nullopt;
  for (unsigned dim : tileDims)
    if (!getLoopOf(step, dim))
      return std::nullopt;
  OpOperand *input = getWindowInput(step, tileDims).operand;
  bool alongPositions = liesAlongPositions(tileDims, lane);
  if (!input || !isSuitable(op, *laneLoop, alongPositions ? input : nullptr))
    return std::nullopt;
  AffineMap inputMap = op.getMatchingIndexingMap(input);
  if (alongPositions ? inputMap.isProjectedPermutation()
                     : isPaddedAlong(getWindowInput(step, tileDims), inputMap, *laneLoop))
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges(), last(op.getNumLoops(), 0);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  WindowShape shape;
  shape.taps = 1;
  for (unsigned dim : reductions) {
    if (ShapedType::isDynamic(sizes[dim]) || sizes[dim] < 1 || sizes[dim] > kMostTaps)
      return std::nullopt;
    last[dim] = sizes[dim] - 1;
    shape.taps *= sizes[dim];
  }
  if (shape.taps < 2 || shape.taps > kMostTaps)
    return std::nullopt;
  for (unsigned dim : tileDims) {
    unsigned loop = *getLoopOf(step, dim);
    WindowAxis axis{type.isDynamicDim(dim) ? Size() : Size(type.getDimSize(dim)), 1, 0, 0, {}};
    SmallVector<int64_t> zero(op.getNumLoops(), 0), one = zero;
    one[loop] = 1;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
      if (expr.isFunctionOfDim(loop)) {
        axis.stride += evaluateAt(expr, one) - evaluateAt(expr, zero);
        axis.reach += evaluateAt(expr, last) - evaluateAt(expr, zero);
        for (unsigned reduced : reductions)
          axis.taps *= expr.isFunctionOfDim(reduced) ? sizes[reduced] : 1;
      }
    axis.inside = countInside(axis, getWindowInput(step, tileDims), op.getMatchingIndexingMap(input), loop);
    shape.axes.push_back(axis);
  }
  return shape;
}
