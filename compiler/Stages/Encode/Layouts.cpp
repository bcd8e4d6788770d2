// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Layouts.h"
#include "compiler/Stages/Encode/Convolution.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encode;

static int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

SmallVector<Value> encode::capturedTensors(Operation *op) {
  llvm::SetVector<Value> values;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    generic.walk([&](tensor::ExtractOp extract) {
      if (!generic->isAncestor(extract.getTensor().getParentBlock()->getParentOp()) && rankOf(extract.getTensor()) > 1)
        values.insert(extract.getTensor());
    });
  return values.takeVector();
}

//===--- Generics ------------------------------------------------------------------------------------------------===//

namespace {

// The loops of an expression of an indexing map; a window has a parallel one and a reduced one.
SmallVector<unsigned> loopsOf(AffineExpr expr, unsigned numLoops) {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (expr.isFunctionOfDim(loop))
      loops.push_back(loop);
  return loops;
}

class GenericLayouts {
public:
  explicit GenericLayouts(linalg::GenericOp op) : op(op), iterators(op.getIteratorTypesArray()) {}

  std::optional<Layouts> run(Value value, ArrayRef<int64_t> permutation) {
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == value && !op.isDpsInit(&operand))
        return fromMap(op.getMatchingIndexingMap(&operand), permutation);
    for (OpResult result : op->getResults())
      if (result == value)
        return fromMap(op.getIndexingMapMatchingResult(result), permutation);
    // What the body reads lies as the loops are.
    if (static_cast<int64_t>(permutation.size()) == op.getNumParallelLoops() && op.getNumReductionLoops() == 0)
      return fromMap(AffineMap::getMultiDimIdentityMap(permutation.size(), op.getContext()), permutation);
    return std::nullopt;
  }

private:
  bool isReduced(unsigned loop) const { return iterators[loop] == utils::IteratorType::reduction; }

  bool isWindow(unsigned loop) {
    return llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
      return llvm::any_of(map.getResults(), [&](AffineExpr expr) {
        return loopsOf(expr, op.getNumLoops()).size() == 2 && expr.isFunctionOfDim(loop);
      });
    });
  }

  // The order of all loops when the dimensions of a map's value are permuted; windows before the innermost dimension,
  // so that weights for each channel lie along the channels where these are innermost.
  bool orderData(AffineMap map, ArrayRef<int64_t> permutation) {
    SmallVector<unsigned> windows;
    for (int64_t source : permutation) {
      SmallVector<unsigned> loops = loopsOf(map.getResult(source), op.getNumLoops());
      if (loops.empty() || loops.size() > 2)
        return false;
      if (loops.size() == 2) {
        if (isReduced(loops[0]) == isReduced(loops[1]))
          return false;
        windows.push_back(isReduced(loops[0]) ? loops[0] : loops[1]);
        data.push_back(isReduced(loops[0]) ? loops[1] : loops[0]);
      } else {
        data.push_back(loops[0]);
      }
    }
    llvm::sort(windows);
    if (!data.empty())
      data.insert(data.end() - 1, windows.begin(), windows.end());
    llvm::SmallDenseSet<unsigned> seen;
    for (unsigned loop : data)
      if (!seen.insert(loop).second)
        return false;
    return true;
  }

  // The place of an expression in the new order: of its parallel loop, or its only one.
  std::optional<size_t> placeOf(AffineExpr expr) {
    SmallVector<unsigned> loops = loopsOf(expr, op.getNumLoops());
    if (loops.size() == 2 && isReduced(loops[0]))
      std::swap(loops[0], loops[1]);
    if (loops.empty() || loops.size() > 2 || (loops.size() == 2 && !isReduced(loops[1])))
      return std::nullopt;
    return llvm::find(data, loops[0]) - data.begin();
  }

  std::optional<Permutation> permute(AffineMap map) {
    Permutation order = identity(map.getNumResults());
    SmallVector<size_t> places;
    for (AffineExpr expr : map.getResults()) {
      std::optional<size_t> place = placeOf(expr);
      if (!place)
        return std::nullopt;
      places.push_back(*place);
    }
    llvm::sort(order, [&](int64_t a, int64_t b) { return std::pair(places[a], a) < std::pair(places[b], b); });
    return order;
  }

  std::optional<Layouts> fromMap(AffineMap map, ArrayRef<int64_t> permutation) {
    if (!orderData(map, permutation))
      return std::nullopt;
    unsigned last = data.empty() ? 0 : data.back();
    // What the value does not tell keeps its order: windows where orderData() has them, the others after the rest.
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!llvm::is_contained(data, loop)) {
        if (!isReduced(loop))
          return std::nullopt;
        data.insert(isWindow(loop) ? llvm::find(data, last) : data.end(), loop);
      }
    Layouts layouts;
    for (OpOperand &operand : op->getOpOperands()) {
      layouts.operands.emplace_back();
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      std::optional<Permutation> order = permute(op.getMatchingIndexingMap(&operand));
      if (!order)
        return std::nullopt;
      layouts.operands.back() = *order;
      if (op.isDpsInit(&operand))
        layouts.results.push_back(*order);
    }
    for (Value value : capturedTensors(op)) {
      bool turns = rankOf(value) == static_cast<int64_t>(permutation.size()) && !isConstant(value);
      layouts.captured.push_back(turns ? Permutation(permutation) : identity(rankOf(value)));
    }
    for (bool reduced : {false, true})
      llvm::append_range(layouts.loops,
                         llvm::make_filter_range(data, [&](unsigned l) { return isReduced(l) == reduced; }));
    if (tearsApart(layouts))
      return std::nullopt;
    return layouts;
  }

  // Whether elements that the body reads side by side, along the innermost loop, would no longer lie so.
  bool tearsApart(const Layouts &layouts) {
    SmallVector<Value> captured = capturedTensors(op);
    auto isLoop = [](Value index, unsigned loop) {
      auto op = index.getDefiningOp<linalg::IndexOp>();
      return op && op.getDim() == loop;
    };
    WalkResult result = op.walk([&](tensor::ExtractOp extract) {
      auto found = llvm::find(captured, extract.getTensor());
      if (found == captured.end() || !isLoop(extract.getIndices().back(), op.getNumLoops() - 1))
        return WalkResult::advance();
      int64_t last = layouts.captured[found - captured.begin()].back();
      return isLoop(extract.getIndices()[last], layouts.loops.back()) ? WalkResult::advance() : WalkResult::interrupt();
    });
    return result.wasInterrupted();
  }

  linalg::GenericOp op;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<unsigned> data; // the loops in the order in which the values lie in memory
};

// Products that sum have the layout they have: `channels-last` chose it.
bool keepsLayout(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || isSmallDepthwise(op))
    return false;
  if (reusesElements(op))
    return true;
  // Depthwise: both span the result, one through a window.
  return llvm::count_if(op.getDpsInputOperands(), [&](OpOperand *input) { return isReduced(op, *input); }) > 1 &&
         Structure::of(op).isComputed();
}

//===--- Reshapes ------------------------------------------------------------------------------------------------===//

// The fine side of a reshape in a new order, and what becomes of its groups. Dimensions of size 1 go anywhere.
struct FineOrder {
  Permutation coarse;                         // order of the groups
  SmallVector<ReassociationIndices> grouping; // of the permuted fine dimensions
};

std::optional<FineOrder> orderGroups(RankedTensorType fine, ArrayRef<ReassociationIndices> groups,
                                     ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> groupOf(fine.getRank());
  SmallVector<bool> isUnit(groups.size(), true);
  for (auto [g, group] : llvm::enumerate(groups))
    for (int64_t dim : group) {
      groupOf[dim] = g;
      isUnit[g] = isUnit[g] && fine.getDimSize(dim) == 1;
    }
  FineOrder order;
  int64_t current = -1, last = -1;
  order.grouping.emplace_back();
  for (auto [place, dim] : llvm::enumerate(permutation)) {
    int64_t group = groupOf[dim];
    bool floats = fine.getDimSize(dim) == 1 && (!isUnit[group] || llvm::is_contained(order.coarse, group));
    if (!floats && group != current) {
      if (llvm::is_contained(order.coarse, group))
        return std::nullopt; // torn apart
      order.coarse.push_back(group);
      if (current >= 0)
        order.grouping.emplace_back();
      current = group;
      last = -1;
    }
    if (!floats) {
      if (dim < last)
        return std::nullopt;
      last = dim;
    }
    order.grouping.back().push_back(place);
  }
  if (order.coarse.size() != groups.size())
    return std::nullopt;
  return order;
}

// The fine side's order when the groups are permuted. A leading 1, the batch, stays in front.
Permutation orderFine(RankedTensorType fine, ArrayRef<ReassociationIndices> groups, ArrayRef<int64_t> permutation) {
  Permutation order;
  bool keepsFirst = fine.getRank() > 0 && fine.getDimSize(0) == 1 && groups[0].size() > 1;
  if (keepsFirst)
    order.push_back(0);
  for (int64_t group : permutation)
    for (int64_t dim : groups[group])
      if (dim != 0 || !keepsFirst)
        order.push_back(dim);
  return order;
}

std::optional<Layouts> reshapeLayouts(RankedTensorType fine, ArrayRef<ReassociationIndices> groups, bool fineIsKnown,
                                      bool fineIsOperand, ArrayRef<int64_t> permutation) {
  if (groups.empty())
    return std::nullopt;
  Permutation fineOrder = fineIsKnown ? Permutation(permutation) : orderFine(fine, groups, permutation);
  std::optional<FineOrder> order = orderGroups(fine, groups, fineOrder);
  if (!order || (!fineIsKnown && order->coarse != Permutation(permutation)))
    return std::nullopt;
  return Layouts{{fineIsOperand ? fineOrder : order->coarse}, {fineIsOperand ? order->coarse : fineOrder}, {}, {}};
}

// All tensors are permuted alike; other operands are left alone.
Layouts sameForAll(Operation *op, ArrayRef<int64_t> permutation) {
  Layouts layouts;
  for (Value operand : op->getOperands())
    layouts.operands.push_back(isa<RankedTensorType>(operand.getType()) ? Permutation(permutation) : Permutation());
  layouts.results.emplace_back(permutation);
  return layouts;
}

bool keepsRank(Value from, Value to) { return rankOf(from) == rankOf(to); }

} // namespace

bool encode::isFlexible(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic.hasPureTensorSemantics() && !keepsLayout(generic);
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Value padding = pad.getConstantPaddingValue();
    return padding && padding.getParentBlock() != &pad.getRegion().front();
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return keepsRank(slice.getSource(), slice.getResult());
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return keepsRank(insert.getSource(), insert.getResult());
  return isa<tensor::ConcatOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp, linalg::TransposeOp,
             flow::TransferOp>(op);
}

std::optional<Layouts> encode::layoutsFor(Operation *op, Value value, ArrayRef<int64_t> permutation) {
  if (!isFlexible(op))
    return std::nullopt;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return GenericLayouts(generic).run(value, permutation);
  bool isResult = value.getDefiningOp() == op;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    std::optional<Layouts> layouts =
        reshapeLayouts(expand.getResultType(), expand.getReassociationIndices(), isResult, false, permutation);
    if (layouts)
      layouts->operands.resize(expand->getNumOperands()); // sizes
    return layouts;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return reshapeLayouts(collapse.getSrcType(), collapse.getReassociationIndices(), !isResult, true, permutation);
  return sameForAll(op, permutation);
}

Layouts encode::absorb(bool isResult, ArrayRef<int64_t> permutation) {
  Permutation given(permutation), other = identity(permutation.size());
  if (isResult)
    return Layouts{{other, given}, {given}, {}, {}};
  return Layouts{{given, other}, {other}, {}, {}};
}

//===--- Rebuilding ----------------------------------------------------------------------------------------------===//

linalg::GenericOp encode::rebuildGeneric(OpBuilder &builder, linalg::GenericOp op, const Layouts &layouts,
                                         ValueRange operands, ValueRange captured) {
  unsigned numLoops = op.getNumLoops();
  SmallVector<AffineExpr> place(numLoops);
  SmallVector<utils::IteratorType> iterators, before = op.getIteratorTypesArray();
  for (auto [now, loop] : llvm::enumerate(layouts.loops)) {
    place[loop] = builder.getAffineDimExpr(now);
    iterators.push_back(before[loop]);
  }
  SmallVector<AffineMap> maps;
  for (auto [map, order] : llvm::zip_equal(op.getIndexingMapsArray(), layouts.operands)) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr :
         order.empty() ? SmallVector<AffineExpr>(map.getResults()) : permuted<AffineExpr>(map.getResults(), order))
      results.push_back(expr.replaceDims(place));
    maps.push_back(AffineMap::get(numLoops, 0, results, builder.getContext()));
  }
  ValueRange inputs = operands.take_front(op.getNumDpsInputs()), inits = operands.drop_front(op.getNumDpsInputs());
  auto turned = linalg::GenericOp::create(builder, op.getLoc(), TypeRange(inits), inputs, inits, maps, iterators);
  turned->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  IRMapping mapping;
  op.getRegion().cloneInto(&turned.getRegion(), mapping);
  turned.walk([&](linalg::IndexOp index) { index.setDim(cast<AffineDimExpr>(place[index.getDim()]).getPosition()); });
  SmallVector<Value> sources = capturedTensors(op);
  turned.walk([&](tensor::ExtractOp extract) {
    auto it = llvm::find(sources, extract.getTensor());
    if (it == sources.end())
      return;
    size_t i = it - sources.begin();
    SmallVector<Value> indices = permuted<Value>(SmallVector<Value>(extract.getIndices()), layouts.captured[i]);
    extract.getTensorMutable().assign(captured[i]);
    extract.getIndicesMutable().assign(indices);
  });
  return turned;
}

static Operation *rebuildReshape(OpBuilder &builder, Operation *op, const Layouts &layouts, Value operand) {
  Location loc = op->getLoc();
  auto type = permuted(cast<RankedTensorType>(op->getResult(0).getType()), layouts.results[0]);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    auto order = orderGroups(expand.getResultType(), expand.getReassociationIndices(), layouts.results[0]);
    SmallVector<OpFoldResult> sizes = permuted<OpFoldResult>(expand.getMixedOutputShape(), layouts.results[0]);
    return tensor::ExpandShapeOp::create(builder, loc, type, operand, order->grouping, sizes);
  }
  auto collapse = cast<tensor::CollapseShapeOp>(op);
  auto order = orderGroups(collapse.getSrcType(), collapse.getReassociationIndices(), layouts.operands[0]);
  return tensor::CollapseShapeOp::create(builder, loc, type, operand, order->grouping);
}

// The same crossing of the turned value.
static Operation *rebuildTransfer(OpBuilder &builder, flow::TransferOp op, RankedTensorType type,
                                  ArrayRef<int64_t> order, Value operand) {
  SmallVector<Value> sizes(type.getRank()), dims;
  RankedTensorType before = op.getResult().getType();
  for (int64_t d = 0, next = 0; d < before.getRank(); ++d)
    if (before.isDynamicDim(d))
      sizes[d] = op.getDims()[next++];
  for (int64_t d : order)
    if (sizes[d])
      dims.push_back(sizes[d]);
  auto turned = flow::TransferOp::create(builder, op.getLoc(), type, operand, dims, op.getAffinity());
  turned->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return turned;
}

Operation *encode::rebuild(OpBuilder &builder, Operation *op, const Layouts &layouts, ValueRange operands,
                           ValueRange captured) {
  Location loc = op->getLoc();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return rebuildGeneric(builder, generic, layouts, operands, captured);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return rebuildReshape(builder, op, layouts, operands[0]);
  const Permutation &order = layouts.results[0];
  auto type = permuted(cast<RankedTensorType>(op->getResult(0).getType()), order);
  auto sorted = [&](SmallVector<OpFoldResult> list) { return permuted<OpFoldResult>(list, order); };
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return tensor::PadOp::create(builder, loc, type, operands[0], sorted(pad.getMixedLowPad()),
                                 sorted(pad.getMixedHighPad()), pad.getConstantPaddingValue(), pad.getNofold());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return tensor::ExtractSliceOp::create(builder, loc, type, operands[0], sorted(slice.getMixedOffsets()),
                                          sorted(slice.getMixedSizes()), sorted(slice.getMixedStrides()));
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return tensor::InsertSliceOp::create(builder, loc, operands[0], operands[1], sorted(insert.getMixedOffsets()),
                                         sorted(insert.getMixedSizes()), sorted(insert.getMixedStrides()));
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return tensor::ConcatOp::create(builder, loc, type, inverse(order)[concat.getDim()], operands);
  if (isa<tensor::CastOp>(op))
    return tensor::CastOp::create(builder, loc, type, operands[0]);
  if (auto transfer = dyn_cast<flow::TransferOp>(op))
    return rebuildTransfer(builder, transfer, type, order, operands[0]);
  auto transpose = cast<linalg::TransposeOp>(op);
  Permutation between = compose(compose(inverse(layouts.operands[0]), transpose.getPermutation()), order);
  return linalg::TransposeOp::create(builder, loc, operands[0], operands[1], between);
}
