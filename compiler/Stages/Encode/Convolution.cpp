// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Convolution.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encode;

namespace {

class ConvolutionMatcher {
public:
  explicit ConvolutionMatcher(linalg::GenericOp op) : op(op), iterators(op.getIteratorTypesArray()) {}

  std::optional<Layouts> run() { return match() ? std::optional(layouts()) : std::nullopt; }

  bool isSmallDepthwise() {
    constexpr int64_t kMostTaps = 64, kMostStride = 4; // unrolled, and loaded at once
    if (!match() || !isDepthwise())
      return false;
    int64_t product = 1;
    for (unsigned loop : taps) {
      int64_t size = op.getStaticLoopRanges()[loop];
      product *= ShapedType::isDynamic(size) ? kMostTaps + 1 : size;
    }
    return product <= kMostTaps &&
           llvm::all_of(x.getResults(), [&](AffineExpr expr) { return strideOf(expr) <= kMostStride; });
  }

private:
  bool match() {
    if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
        !op.hasPureTensorSemantics() || !findWeights())
      return false;
    x = op.getMatchingIndexingMap(op.getDpsInputOperand(1 - weights));
    w = op.getMatchingIndexingMap(op.getDpsInputOperand(weights));
    y = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    return w.isProjectedPermutation() && y.isProjectedPermutation() && classifyOperand() && classifyRest();
  }

  bool isDepthwise() const { return filters.empty() && channels.empty(); }

  // The largest factor of a loop in a linear expression.
  static int64_t strideOf(AffineExpr expr) {
    int64_t stride = 1;
    expr.walk([&](AffineExpr part) {
      if (auto factor = dyn_cast<AffineConstantExpr>(part))
        stride = std::max(stride, factor.getValue());
    });
    return stride;
  }

  bool isReduced(unsigned loop) const { return iterators[loop] == utils::IteratorType::reduction; }

  // The operand has a window or a stride; without them, the weights are constant.
  bool findWeights() {
    SmallVector<unsigned> windowed, constant;
    for (unsigned i = 0; i < 2; ++i) {
      OpOperand *operand = op.getDpsInputOperand(i);
      if (!isa<RankedTensorType>(operand->get().getType()) || operand->get().getDefiningOp<tensor::EmptyOp>())
        return false;
      if (!op.getMatchingIndexingMap(operand).isProjectedPermutation())
        windowed.push_back(i);
      if (isConstant(operand->get()))
        constant.push_back(i);
    }
    if (windowed.size() > 1 || (windowed.empty() && constant.size() != 1))
      return false;
    weights = windowed.empty() ? constant[0] : 1 - windowed[0];
    return true;
  }

  // Each dimension of the operand: a position (batch, window, stride), a group or a channel.
  bool classifyOperand() {
    for (auto [dim, expr] : llvm::enumerate(x.getResults())) {
      SmallVector<unsigned> parallel, reduced;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (expr.isFunctionOfDim(loop))
          (isReduced(loop) ? reduced : parallel).push_back(loop);
      if (parallel.size() > 1 || reduced.size() > 1)
        return false;
      if (parallel.size() == 1 && y.isFunctionOfDim(parallel[0]) && !w.isFunctionOfDim(parallel[0])) {
        positions.push_back(parallel[0]);
        positionDims.push_back(dim);
        if (!reduced.empty())
          taps.push_back(reduced[0]);
      } else if (!isa<AffineDimExpr>(expr) || !w.isFunctionOfDim(parallel.empty() ? reduced[0] : parallel[0])) {
        return false;
      } else if (parallel.empty()) {
        channels.push_back(reduced[0]);
        channelDims.push_back(dim);
      } else {
        groups.push_back(parallel[0]);
        groupDims.push_back(dim);
      }
    }
    return groups.size() <= 1 && channels.size() <= 1;
  }

  // The loops that the operand does not walk are filters; every loop has one role.
  bool classifyRest() {
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!x.isFunctionOfDim(loop)) {
        if (isReduced(loop) || !w.isFunctionOfDim(loop) || !y.isFunctionOfDim(loop))
          return false;
        filters.push_back(loop);
      }
    if (filters.size() > 1 || !llvm::all_of(taps, [&](unsigned loop) { return w.isFunctionOfDim(loop); }))
      return false;
    llvm::SmallDenseSet<unsigned> seen;
    for (const SmallVector<unsigned> *list : {&positions, &groups, &filters, &taps, &channels})
      for (unsigned loop : *list)
        if (!seen.insert(loop).second)
          return false;
    return seen.size() == op.getNumLoops() && taps.size() + channels.size() == op.getNumReductionLoops() &&
           w.getNumResults() == groups.size() + filters.size() + taps.size() + channels.size() &&
           y.getNumResults() == positions.size() + groups.size() + filters.size();
  }

  // The order of a map's results that makes them the given loops.
  static Permutation orderOf(AffineMap map, ArrayRef<unsigned> loops) {
    Permutation order;
    for (unsigned loop : loops)
      order.push_back(*map.getResultPosition(getAffineDimExpr(loop, map.getContext())));
    return order;
  }

  Layouts layouts() {
    auto join = [](std::initializer_list<ArrayRef<unsigned>> lists) {
      SmallVector<unsigned> all;
      for (ArrayRef<unsigned> list : lists)
        llvm::append_range(all, list);
      return all;
    };
    Permutation operandOrder(positionDims);
    llvm::append_range(operandOrder, groupDims);
    llvm::append_range(operandOrder, channelDims);
    Permutation weightOrder =
        orderOf(w, isDepthwise() ? join({taps, groups}) : join({groups, taps, channels, filters}));
    Permutation resultOrder = orderOf(y, join({positions, groups, filters}));
    Layouts layouts;
    layouts.operands = {operandOrder, weightOrder, resultOrder};
    if (weights == 0)
      std::swap(layouts.operands[0], layouts.operands[1]);
    layouts.results = {resultOrder};
    layouts.loops = join({positions, groups, filters, taps, channels});
    return layouts;
  }

  linalg::GenericOp op;
  SmallVector<utils::IteratorType> iterators;
  unsigned weights = 1;
  AffineMap x, w, y;
  SmallVector<unsigned> positions, groups, filters, taps, channels; // loops
  SmallVector<int64_t> positionDims, groupDims, channelDims;        // dimensions of the operand
};

} // namespace

std::optional<Layouts> encode::channelsLastLayouts(linalg::GenericOp op) { return ConvolutionMatcher(op).run(); }

bool encode::isSmallDepthwise(linalg::GenericOp op) { return ConvolutionMatcher(op).isSmallDepthwise(); }
