// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/Fusion.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Analysis/Winograd.h"
#include "compiler/Dialect/BodyCost.h"
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Flow/Transforms/RankSlices.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Dialect/Heddle/IR/SplitRequest.h"
#include "compiler/Stages/Form/Chains.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

enum class Kind {
  Elementwise, // all loops parallel
  Reduction,   // parallel loops, then reduced ones, no products of two operands to speak of
  Contraction, // matmul and convolution: an operand's element is used many times
  Movement,    // pad, concatenate, insert: joins others as a pad only; a loop over parts: joins none
};

Kind classify(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return Kind::Movement;
  switch (Structure::of(linalgOp).kind) {
  case Structure::Kind::Elementwise: return Kind::Elementwise;
  case Structure::Kind::Reduction: return Kind::Reduction;
  case Structure::Kind::Contraction:
  case Structure::Kind::Convolution:
  case Structure::Kind::Window: return Kind::Contraction;
  }
  llvm_unreachable("a kind of Structure");
}

// Number of leading results that are d0, d1, … in order.
unsigned identityPrefix(AffineMap map) {
  unsigned n = 0;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || dim.getPosition() != n)
      break;
    ++n;
  }
  return n;
}

// Leading parallel loops of an op whose loops are parallel ones, then reduced ones.
unsigned leadingParallel(linalg::LinalgOp op) {
  unsigned n = 0;
  for (utils::IteratorType type : op.getIteratorTypesArray()) {
    if (type != utils::IteratorType::parallel)
      break;
    ++n;
  }
  return n;
}

// The rows the ops of an edge have in common: how many leading loops of the consumer walk the producer's result in
// order.
unsigned commonRows(OpResult result, linalg::LinalgOp consumer, OpOperand &use) {
  auto producer = cast<linalg::LinalgOp>(result.getOwner());
  AffineMap write = producer.getIndexingMapMatchingResult(result);
  unsigned rows = std::min(identityPrefix(write), leadingParallel(producer));
  AffineMap read = consumer.getMatchingIndexingMap(&use);
  return std::min({rows, identityPrefix(read), leadingParallel(consumer)});
}

bool isReadOnlyBy(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer) {
  for (Operation *op : producer)
    for (OpOperand *use : fusion::getUses(op)) {
      Operation *top = producer.front()->getBlock()->findAncestorOpInBlock(*use->getOwner());
      if (!llvm::is_contained(producer, top) && !llvm::is_contained(consumer, top))
        return false;
    }
  return true;
}

// An epilogue reads the contraction's result at the element it writes, or moves rows as they are (heads of attention).
bool isEpilogueUse(linalg::LinalgOp consumer, OpOperand &use) {
  AffineMap map = consumer.getMatchingIndexingMap(&use);
  if (!consumer.isDpsInput(&use) || !map.isPermutation() || map.getNumResults() == 0)
    return false;
  AffineMap write = consumer.getIndexingMapsArray().back();
  return map.isIdentity() || (map.getResults().back() == write.getResults().back() && write.isIdentity());
}

} // namespace

bool fusion::isEncodingChange(Operation *op) { return isa_and_present<encoding::SetOp, encoding::UnsetOp>(op); }

Value fusion::getPlain(Value value, llvm::function_ref<bool(Value)> follow) {
  while (isEncodingChange(value.getDefiningOp()) && (!follow || follow(value)))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

SmallVector<OpOperand *> fusion::getUses(Value value) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    if (isEncodingChange(use.getOwner()))
      uses.append(getUses(use.getOwner()->getResult(0)));
    else
      uses.push_back(&use);
  return uses;
}

SmallVector<OpOperand *> fusion::getUses(Operation *op) {
  SmallVector<OpOperand *> uses;
  for (Value result : op->getResults())
    uses.append(getUses(result));
  return uses;
}

// What the host program takes as a view.
static bool isView(Operation *op) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  return slice && (flow::isRankSlice(slice) || flow::isPieceSlice(slice));
}

bool fusion::isCompute(Operation *op) {
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op); insert && flow::isUpdate(insert))
    return false;
  if (isView(op))
    return false;
  return isa<linalg::LinalgOp, tensor::PadOp, tensor::ConcatOp, tensor::InsertSliceOp, tensor::ExtractSliceOp,
             tensor::GenerateOp, tensor::FromElementsOp, tensor::SplatOp, tensor::EmptyOp, tensor::GatherOp,
             tensor::ScatterOp, linalg::PackOp, linalg::UnPackOp, flow::RowsOp, scf::ForallOp>(op) ||
         (isa<linalg::SoftmaxOp>(op));
}

// Sizes do not count: once they are resolved nothing asks the op for them, and the answer must not change by that.
static bool hasOnlyComputeUsers(Operation *op) {
  return !op->use_empty() && llvm::all_of(fusion::getUses(op), [&](OpOperand *use) {
    Operation *top = op->getBlock()->findAncestorOpInBlock(*use->getOwner());
    return top && (fusion::isCompute(top) || isa<flow::RegionOp, tensor::DimOp>(top));
  });
}

bool fusion::isCloned(Operation *op) {
  if (isa<tensor::EmptyOp>(op))
    return true;
  if (isView(op))
    return false;
  return isa<linalg::FillOp, tensor::ExtractSliceOp, tensor::SplatOp>(op) && hasOnlyComputeUsers(op);
}

bool fusion::isClonedInto(Operation *op) {
  return isCloned(op) || (isa<arith::ConstantOp>(op) && !isa<ShapedType>(op->getResult(0).getType()));
}

static bool isInside(Value value, flow::RegionOp region) {
  return region.getBody().isAncestor(value.getParentRegion());
}

llvm::SetVector<Value> fusion::getCaptures(flow::RegionOp region) {
  llvm::SetVector<Value> captures;
  region.getBody().walk([&](Operation *op) {
    if (isEncodingChange(op))
      return;
    for (Value operand : op->getOperands()) {
      Value value = getPlain(operand, [&](Value changed) { return isInside(changed, region); });
      if (!isInside(value, region))
        captures.insert(value);
    }
  });
  return captures;
}

// Where the region clones a change of encoding outside: after the op of its own that it changes; at its begin if it
// makes an encoded value plain or changes what the region clones. Nothing if it captures the changed value.
static std::optional<OpBuilder> getClonePlace(Operation *change, flow::RegionOp region) {
  Value plain = fusion::getPlain(change->getResult(0));
  OpBuilder builder(region.getContext());
  if (isInside(plain, region)) {
    builder.setInsertionPointAfterValue(plain);
    return builder;
  }
  Operation *def = plain.getDefiningOp();
  if (!isa<encoding::UnsetOp>(change) && !(def && fusion::isClonedInto(def)))
    return std::nullopt;
  builder.setInsertionPointToStart(&region.getBody().front());
  return builder;
}

static std::optional<OpBuilder> getClonePlace(Value captured, flow::RegionOp region, bool changes) {
  Operation *def = captured.getDefiningOp();
  if (!def || fusion::isEncodingChange(def) != changes)
    return std::nullopt;
  if (changes)
    return getClonePlace(def, region);
  return fusion::isClonedInto(def) ? std::optional(OpBuilder::atBlockBegin(&region.getBody().front())) : std::nullopt;
}

void fusion::cloneIn(flow::RegionOp region) {
  // Changes of encoding first: then all else is cloned in the order in which it would be without them.
  for (bool changes : {true, false})
    for (bool cloned = true; cloned;) {
      cloned = false;
      for (Value value : getCaptures(region)) {
        std::optional<OpBuilder> place = getClonePlace(value, region, changes);
        if (!place)
          continue;
        Operation *def = value.getDefiningOp(), *clone = place->clone(*def);
        for (auto [from, to] : llvm::zip(def->getResults(), clone->getResults()))
          replaceAllUsesInRegionWith(from, to, region.getBody());
        cloned = true;
      }
    }
}

SmallVector<Value> fusion::getOperands(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, values);
  return values.takeVector();
}

// The sizes of a pad's result from those of its source, which may be in the same region.
static std::optional<SmallVector<Value>> getPaddedSizes(OpBuilder &builder, tensor::PadOp pad) {
  auto source = dyn_cast<OpResult>(fusion::getPlain(pad.getSource()));
  SmallVector<Value> inner, sizes;
  if (!source || !isa<linalg::LinalgOp>(source.getOwner()) || failed(fusion::getDynamicSizes(builder, source, inner)))
    return std::nullopt;
  auto next = inner.begin();
  for (int64_t dim = 0; dim < pad.getResultType().getRank(); ++dim) {
    OpFoldResult known = builder.getIndexAttr(pad.getSourceType().getDimSize(dim));
    OpFoldResult from = pad.getSourceType().isDynamicDim(dim) ? OpFoldResult(*next++) : known;
    if (!pad.getResultType().isDynamicDim(dim))
      continue;
    AffineExpr size = builder.getAffineDimExpr(0), low = builder.getAffineSymbolExpr(0),
               high = builder.getAffineSymbolExpr(1);
    OpFoldResult padded =
        affine::makeComposedFoldedAffineApply(builder, pad.getLoc(), AffineMap::get(1, 2, size + low + high),
                                              {from, pad.getMixedLowPad()[dim], pad.getMixedHighPad()[dim]});
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, pad.getLoc(), padded));
  }
  return sizes;
}

LogicalResult fusion::getDynamicSizes(OpBuilder &builder, OpResult result, SmallVectorImpl<Value> &sizes) {
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type)
    return result.getOwner()->emitError("a dispatch gives tensors, got ") << result.getType();
  if (type.hasStaticShape())
    return success();
  if (auto empty = dyn_cast<tensor::EmptyOp>(result.getOwner())) {
    llvm::append_range(sizes, empty.getDynamicSizes());
    return success();
  }
  // Destination style: the result has the size of its init, which an empty tensor tells. What computes the init may be
  // of the same dispatch, so that nobody before it can ask for its size.
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(result.getOwner()))
    if (auto init = dyn_cast<OpResult>(linalgOp.getDpsInits()[result.getResultNumber()]))
      if (isa<tensor::EmptyOp, linalg::LinalgOp>(init.getOwner()))
        return getDynamicSizes(builder, init, sizes);
  if (auto loop = dyn_cast<scf::ForallOp>(result.getOwner()))
    if (auto memory = loop.getOutputs()[result.getResultNumber()].getDefiningOp<tensor::EmptyOp>())
      return getDynamicSizes(builder, memory->getResult(0), sizes);
  if (auto pad = dyn_cast<tensor::PadOp>(result.getOwner()))
    if (std::optional<SmallVector<Value>> padded = getPaddedSizes(builder, pad)) {
      llvm::append_range(sizes, *padded);
      return success();
    }
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(builder, result.getOwner(), shapes)))
    return result.getOwner()->emitError("does not know the size of its result ") << type;
  for (auto [i, size] : llvm::enumerate(shapes[result.getResultNumber()]))
    if (type.isDynamicDim(i))
      sizes.push_back(getValueOrCreateConstantIndexOp(builder, result.getOwner()->getLoc(), size));
  return success();
}

// Whether the ops are of one row, which is all there is: each walks what a reduction among them reduces, element by
// element, or one value. Such a row is worth one dispatch where it is short, and where it may be computed in parts.
static bool areOneRow(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer) {
  constexpr int64_t kShort = 1 << 12; // elements
  llvm::SmallPtrSet<Value, 8> row;
  auto isOfRow = [&](OpOperand *input, linalg::LinalgOp op) {
    return op.getMatchingIndexingMap(input).isIdentity() && row.contains(fusion::getPlain(input->get()));
  };
  for (Operation *op : llvm::concat<Operation *const>(producer, consumer)) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    SmallVector<int64_t> sizes = linalgOp.getStaticLoopRanges();
    if (linalgOp.getNumReductionLoops() == 0)
      continue;
    if (!mayBeSplit(op) && (llvm::is_contained(sizes, ShapedType::kDynamic) || llvm::product_of(sizes) >= kShort))
      return false;
    for (OpOperand *input : linalgOp.getDpsInputOperands())
      if (linalgOp.getMatchingIndexingMap(input).isIdentity())
        row.insert(fusion::getPlain(input->get()));
  }
  // A value that is computed of the row is the row, too.
  for (Operation *op : llvm::concat<Operation *const>(producer, consumer)) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    bool isWalked = llvm::any_of(linalgOp.getDpsInputOperands(), [&](OpOperand *in) { return isOfRow(in, linalgOp); });
    if (linalgOp.getNumReductionLoops() > 0
            ? !isWalked
            : linalgOp.getNumLoops() > 0 && !isWalked && !row.contains(op->getResult(0)))
      return false;
    if (linalgOp.getNumReductionLoops() == 0)
      row.insert_range(op->getResults());
  }
  return true;
}

// Whether the groups' ops walk the same rows, so that one loop over rows can hold them all: every reduction reduces the
// loops after the first R, R the same for all, and every value that goes from `producer` to `consumer` is read row by
// row. Without a reduction each value must be read at the element it was written.
static bool shareRows(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer) {
  std::optional<unsigned> rows;
  for (Operation *op : llvm::concat<Operation *const>(producer, consumer)) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (linalgOp.getNumReductionLoops() == 0)
      continue;
    unsigned parallel = leadingParallel(linalgOp);
    if (parallel != linalgOp.getNumParallelLoops() || parallel != rows.value_or(parallel))
      return false;
    rows = parallel;
  }
  if (rows == 0u && !areOneRow(producer, consumer))
    return false;
  for (Operation *op : producer)
    for (OpResult result : op->getResults())
      for (OpOperand *use : fusion::getUses(result))
        if (llvm::is_contained(consumer, use->getOwner())) {
          unsigned rank = cast<RankedTensorType>(result.getType()).getRank();
          if (commonRows(result, cast<linalg::LinalgOp>(use->getOwner()), *use) < rows.value_or(rank))
            return false;
        }
  return true;
}

static bool areEpilogue(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer) {
  for (Operation *op : producer)
    for (OpOperand *use : fusion::getUses(op))
      if (llvm::is_contained(consumer, use->getOwner()) &&
          !isEpilogueUse(cast<linalg::LinalgOp>(use->getOwner()), *use))
        return false;
  return llvm::all_of(consumer, [](Operation *op) { return classify(op) == Kind::Elementwise; });
}

// Values read inside a body (gather) are needed whole, first.
static bool isReadInBody(ArrayRef<Operation *> producer) {
  return llvm::any_of(producer, [](Operation *op) {
    return llvm::any_of(fusion::getUses(op), [](OpOperand *use) { return !isa<linalg::LinalgOp>(use->getOwner()); });
  });
}

// How many elements the op reduces to one, if that is known.
static std::optional<int64_t> countTaps(linalg::LinalgOp window) {
  int64_t taps = 1;
  for (auto [size, kind] : llvm::zip(window.getStaticLoopRanges(), window.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction) {
      if (ShapedType::isDynamic(size))
        return std::nullopt;
      taps *= size;
    }
  return taps;
}

// Whether windows read padding where it is: each element is read only by the windows it is under (pools, depthwise
// convolutions), not again for each filter. Padding of the last dimension, where vectors lie, is worth code of its own
// only for windows of few elements.
static bool isPadOfWindows(Operation *op, ArrayRef<Operation *> consumer) {
  constexpr int64_t kFewTaps = 64;
  auto pad = dyn_cast<tensor::PadOp>(op);
  if (!pad || pad.getResultType().getRank() == 0)
    return false;
  bool alongLast =
      !isConstantIntValue(pad.getMixedLowPad().back(), 0) || !isConstantIntValue(pad.getMixedHighPad().back(), 0);
  return llvm::all_of(fusion::getUses(op), [&](OpOperand *use) {
    auto window = dyn_cast<linalg::LinalgOp>(use->getOwner());
    if (!window || !llvm::is_contained(consumer, window) || classify(window) != Kind::Contraction)
      return false;
    if (std::optional<int64_t> taps = countTaps(window); alongLast && (!taps || *taps > kFewTaps))
      return false;
    if (winograd::hasRole(window, winograd::kInput))
      return true;
    AffineMap map = window.getMatchingIndexingMap(use);
    for (auto [dim, kind] : llvm::enumerate(window.getIteratorTypesArray()))
      if (kind == utils::IteratorType::parallel && !map.isFunctionOfDim(dim))
        return false;
    return true;
  });
}

// Not a step on the way to a convolution by fewer products.
static bool isContractionOfItsOwn(Operation *op) {
  return classify(op) == Kind::Contraction && !winograd::hasRole(op, winograd::kInput) &&
         !winograd::hasRole(op, winograd::kProduct);
}

// Whether the producer ends with the transform or the product that the consumer, of the same convolution by fewer
// products, reads: code generation computes a block of tiles of all three at a time.
static bool isPartOfWinograd(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer) {
  Operation *last = producer.back();
  StringRef next;
  if (winograd::hasRole(last, winograd::kInput))
    next = winograd::kProduct;
  else if (winograd::hasRole(last, winograd::kProduct))
    next = winograd::kOutput;
  return !next.empty() && llvm::all_of(fusion::getUses(last), [&](OpOperand *use) {
    return llvm::is_contained(consumer, use->getOwner()) && winograd::hasRole(use->getOwner(), next);
  });
}

// Whether a contraction, or its epilogue, can write its result where the pad has it: amounts are known, and no window
// reads the padding where it is.
static bool isPadOfContraction(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer) {
  auto pad = dyn_cast<tensor::PadOp>(consumer.front());
  if (!pad || consumer.size() != 1 || !pad.getConstantPaddingValue() ||
      fusion::getPlain(pad.getSource()).getDefiningOp() != producer.back() || !isa<linalg::LinalgOp>(producer.back()))
    return false;
  for (OpFoldResult amount : llvm::concat<OpFoldResult>(pad.getMixedLowPad(), pad.getMixedHighPad()))
    if (std::optional<int64_t> known = getConstantIntValue(amount); !known || *known < 0)
      return false;
  if (llvm::count_if(producer, isContractionOfItsOwn) != 1 ||
      llvm::any_of(producer, [](Operation *op) { return classify(op) == Kind::Reduction; }))
    return false;
  SmallVector<Operation *> readers =
      llvm::map_to_vector(fusion::getUses(pad.getOperation()), [](OpOperand *use) { return use->getOwner(); });
  return !isPadOfWindows(pad, readers);
}

bool fusion::fitsDispatch(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer) {
  constexpr size_t kMostTensors = 64, kMostOps = 512; // ops: of bodies, for one element
  size_t ops = 0;
  auto isIn = [](ArrayRef<Operation *> group, Operation *def) { return def && llvm::is_contained(group, def); };
  llvm::SmallPtrSet<Value, 16> read;
  for (Operation *op : llvm::concat<Operation *const>(producer, consumer)) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      ops += countBodyOps(*linalgOp.getBlock());
    if (ops > kMostOps)
      return false;
    for (Value operand : getOperands(op)) {
      Value value = getPlain(operand);
      Operation *def = value.getDefiningOp();
      if (!isa<RankedTensorType>(value.getType()) || isIn(producer, def) || isIn(consumer, def) ||
          (def && isCloned(def)))
        continue;
      if (read.insert(value).second && read.size() > kMostTensors)
        return false;
    }
  }
  return true;
}

bool fusion::shouldMerge(ArrayRef<Operation *> producer, ArrayRef<Operation *> consumer) {
  auto is = [](Kind kind) { return [kind](Operation *op) { return classify(op) == kind; }; };
  if (producer.size() == 1 && isPadOfWindows(producer.front(), consumer))
    return true;
  bool isPad = isPadOfContraction(producer, consumer), isPart = isPartOfWinograd(producer, consumer);
  // Padding of windows belongs to them; what reads the windows' results does not see it.
  auto isMovement = [&](Operation *op) { return classify(op) == Kind::Movement && !isPadOfWindows(op, producer); };
  // What a convolution by fewer products is padded with behind its epilogue stays with it.
  if (llvm::any_of(producer, isMovement) || (!isPad && !isPart && llvm::any_of(consumer, is(Kind::Movement))))
    return false;
  if (!isReadOnlyBy(producer, consumer) || (!isPad && isReadInBody(producer)))
    return false;
  if (isPad || isPart)
    return true;
  if (llvm::any_of(consumer, is(Kind::Contraction)))
    return isPartOfChain(producer, consumer);
  return llvm::any_of(producer, is(Kind::Contraction)) ? areEpilogue(producer, consumer)
                                                       : shareRows(producer, consumer);
}
