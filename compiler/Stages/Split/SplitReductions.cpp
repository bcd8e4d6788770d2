#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Split/PartCount.h"
#include "compiler/Stages/Split/Passes.h"
#include "compiler/Stages/Split/Reduction.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "compiler/Stages/Split/Passes.h.inc"
} // namespace mlir::heddle

namespace {

bool isInside(Value value, flow::RegionOp region) { return region.getBody().isAncestor(value.getParentRegion()); }

// The size of a tensor's dimension, outside of the region that may compute the tensor; none where only the region
// knows.
std::optional<OpFoldResult> sizeOutside(OpBuilder &builder, flow::RegionOp region, Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (!isInside(tensor, region))
    return OpFoldResult(builder.createOrFold<tensor::DimOp>(region.getLoc(), tensor, dim));
  auto known = [&](OpFoldResult size) -> std::optional<OpFoldResult> {
    auto value = dyn_cast<Value>(size);
    if (!value || !isInside(value, region))
      return size;
    auto inner = value.getDefiningOp<tensor::DimOp>();
    if (!inner || !inner.getConstantIndex())
      return std::nullopt;
    return sizeOutside(builder, region, inner.getSource(), *inner.getConstantIndex());
  };
  Operation *def = tensor.getDefiningOp();
  if (auto linalgOp = dyn_cast_if_present<linalg::LinalgOp>(def))
    return sizeOutside(builder, region, linalgOp.getDpsInits()[cast<OpResult>(tensor).getResultNumber()], dim);
  if (auto empty = dyn_cast_if_present<tensor::EmptyOp>(def))
    return known(empty.getMixedSizes()[dim]);
  if (auto slice = dyn_cast_if_present<tensor::ExtractSliceOp>(def); slice && slice.getDroppedDims().none())
    return known(slice.getMixedSizes()[dim]);
  return std::nullopt;
}

// The op on other operands; what its body uses from outside is what `mapping` makes of it.
Operation *cloneOn(OpBuilder &b, Operation *op, ArrayRef<Value> operands, const IRMapping &mapping) {
  Operation *made = clone(b, op, operands.back().getType(), operands);
  for (Region &region : made->getRegions())
    region.walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        operand.set(mapping.lookupOrDefault(operand.get()));
    });
  return made;
}

// One region and the reduction in it, while it is split.
class RegionSplitter {
public:
  RegionSplitter(flow::RegionOp region, const split::Reduction &reduction, int64_t number)
      : region(region), reduction(reduction), op(reduction.op), loc(op.getLoc()), builder(region), number(number) {}

  // Splits the region unless one part is known to be best. False where a size cannot be told before the region.
  bool run(Attribute asked) {
    if (!readSizes())
      return false;
    describe();
    Value count;
    if (auto parts = dyn_cast<IntegerAttr>(asked)) {
      count = split::countAsked(builder, loc, problem, parts.getInt());
    } else {
      Value units = flow::UnitsOp::create(builder, loc, builder.getIndexType(), builder.getI64IntegerAttr(number));
      count = split::countParts(builder, loc, problem, units);
    }
    granules = split::countGranules(builder, loc, problem);
    if (isConstantIntValue(count, 1))
      return true;
    if (getConstantIntValue(count))
      replaceWith(emitMerge(emitParts(count)));
    else
      choose(count);
    return true;
  }

private:
  // How the operand reads the loop that is cut.
  std::optional<unsigned> cutDim(OpOperand &operand) {
    for (auto [i, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && dim.getPosition() == reduction.loop)
        return i;
    return std::nullopt;
  }

  bool readSizes() {
    for (OpOperand *input : op.getDpsInputOperands())
      if (std::optional<unsigned> dim = cutDim(*input)) {
        std::optional<OpFoldResult> size = sizeOutside(builder, region, input->get(), *dim);
        if (!size)
          return false;
        length = getValueOrCreateConstantIndexOp(builder, loc, *size);
        break;
      }
    Value init = op.getDpsInits().front();
    for (int64_t dim = 0; dim < cast<RankedTensorType>(init.getType()).getRank(); ++dim) {
      std::optional<OpFoldResult> size = sizeOutside(builder, region, init, dim);
      if (!size)
        return false;
      resultSizes.push_back(*size);
    }
    return true;
  }

  void describe() {
    problem.length = length;
    problem.results = arith::ConstantIndexOp::create(builder, loc, 1);
    for (OpFoldResult size : resultSizes)
      problem.results = builder.createOrFold<arith::MulIOp>(loc, problem.results,
                                                            getValueOrCreateConstantIndexOp(builder, loc, size));
    int64_t inner = 1;
    for (auto [loop, size, kind] : llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction && loop != reduction.loop && !ShapedType::isDynamic(size))
        inner *= size;
    problem.inner = arith::ConstantIndexOp::create(builder, loc, inner);
    // Elements of eight and sixteen bits are multiplied in groups of four and two.
    Type element = getElementTypeOrSelf(op.getDpsInputs().front().getType());
    if (op.getNumDpsInputs() > 1 && element.isIntOrFloat())
      problem.granule = std::max<int64_t>(1, 32 / std::max(element.getIntOrFloatBitWidth(), 8u));
    problem.together = op.getNumDpsInputs() > 1 ? kResultsOfBlock : alongVectors() ? kResultsOfVectors : 1;
  }

  // Whether neighbours of the result, not of what is reduced, lie in one vector.
  bool alongVectors() {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
    if (map.getNumResults() == 0)
      return false;
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    return last && op.getIteratorTypesArray()[last.getPosition()] == utils::IteratorType::parallel;
  }

  //===--- Parts --------------------------------------------------------------------------------------------------===//

  struct Cut {
    Value begin, size;
  };

  Cut cut(OpBuilder &b, Value part, Value count) {
    int64_t granule = problem.granule;
    auto bound = [&](Value of) {
      Value first = arith::DivSIOp::create(b, loc, b.createOrFold<arith::MulIOp>(loc, of, granules), count);
      return granule == 1 ? first
                          : b.createOrFold<arith::MulIOp>(loc, first, arith::ConstantIndexOp::create(b, loc, granule));
    };
    Value begin = bound(part);
    Value next = arith::AddIOp::create(b, loc, part, arith::ConstantIndexOp::create(b, loc, 1));
    Value end = bound(next);
    if (granule != 1)
      end = arith::MinSIOp::create(b, loc, end, length);
    return {begin, arith::SubIOp::create(b, loc, end, begin)};
  }

  // A slice of what the region reads, or what it computes of slices where it is elementwise.
  Value slice(OpBuilder &b, Value tensor, unsigned dim, const Cut &cut, IRMapping &mapping) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (auto generic = tensor.getDefiningOp<linalg::GenericOp>(); generic && isInside(tensor, region))
      if (Value sliced = sliceElementwise(b, generic, cast<OpResult>(tensor), dim, cut, mapping))
        return sliced;
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), strides(type.getRank(), b.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes;
    Value source = mapping.lookupOrDefault(tensor);
    for (int64_t d = 0; d < type.getRank(); ++d)
      sizes.push_back(type.isDynamicDim(d) ? OpFoldResult(Value(tensor::DimOp::create(b, loc, source, d)))
                                           : OpFoldResult(b.getIndexAttr(type.getDimSize(d))));
    offsets[dim] = cut.begin;
    sizes[dim] = cut.size;
    return tensor::ExtractSliceOp::create(b, loc, source, offsets, sizes, strides);
  }

  Value sliceElementwise(OpBuilder &b, linalg::GenericOp generic, OpResult result, unsigned dim, const Cut &cut,
                         IRMapping &mapping) {
    AffineMap write = generic.getIndexingMapMatchingResult(result);
    auto loop = dyn_cast<AffineDimExpr>(write.getResult(dim));
    bool isSimple =
        generic.getNumReductionLoops() == 0 && generic->getNumResults() == 1 && loop &&
        llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(); }) &&
        !generic
             ->walk([](Operation *inner) {
               return isa<linalg::IndexOp, tensor::ExtractOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
             })
             .wasInterrupted();
    if (!isSimple)
      return {};
    SmallVector<Value> operands;
    for (OpOperand *input : generic.getDpsInputOperands()) {
      std::optional<unsigned> at;
      for (auto [i, expr] : llvm::enumerate(generic.getMatchingIndexingMap(input).getResults()))
        if (expr == loop)
          at = i;
      operands.push_back(at ? slice(b, input->get(), *at, cut, mapping) : mapping.lookupOrDefault(input->get()));
    }
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<OpFoldResult> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      std::optional<OpFoldResult> size = d == dim ? OpFoldResult(cut.size) : sizeOutside(b, region, result, d);
      if (!size)
        return {};
      sizes.push_back(*size);
    }
    operands.push_back(tensor::EmptyOp::create(b, loc, sizes, type.getElementType()));
    return cloneOn(b, generic, operands, mapping)->getResult(0);
  }

  flow::RegionOp emitRegion(RankedTensorType type, ArrayRef<OpFoldResult> sizes) {
    SmallVector<Value> dims;
    for (OpFoldResult size : sizes)
      if (auto value = dyn_cast<Value>(size))
        dims.push_back(value);
    auto made = flow::RegionOp::create(builder, region.getLoc(), TypeRange(type), ValueRange(), ValueRange(), dims);
    for (StringRef name : {kAffinityAttr, kPlacedByAttr})
      if (Attribute attribute = region->getAttr(name))
        made->setAttr(name, attribute);
    made.getBody().emplaceBlock();
    return made;
  }

  // A region whose result has one partial result after the other.
  Value emitParts(Value count) {
    Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    SmallVector<OpFoldResult> sizes(resultSizes);
    sizes.insert(sizes.begin(), getAsOpFoldResult(count));
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(sizes, dynamic, shape);
    flow::RegionOp parts = emitRegion(RankedTensorType::get(shape, element), sizes);
    OpBuilder b = OpBuilder::atBlockBegin(&parts.getBody().front());
    IRMapping mapping;
    for (Operation &inner : region.getBody().front().without_terminator())
      if (&inner != op)
        b.clone(inner, mapping);
      else
        break;
    Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
    auto loop = scf::ForallOp::create(b, loc, getAsOpFoldResult(ValueRange{count}), ValueRange{empty}, std::nullopt);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop.getTerminator());
      Value part = emitPart(b, loop.getInductionVar(0), count, mapping);
      SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)), strides(sizes.size(), b.getIndexAttr(1));
      SmallVector<OpFoldResult> extent(sizes);
      offsets[0] = loop.getInductionVar(0);
      extent[0] = b.getIndexAttr(1);
      b.setInsertionPointToStart(loop.getTerminator().getBody());
      tensor::ParallelInsertSliceOp::create(b, loc, part, loop.getRegionIterArgs()[0], offsets, extent, strides);
    }
    flow::ReturnOp::create(b, loc, loop.getResults());
    eraseDead(parts);
    return parts.getResult(0);
  }

  Value emitPart(OpBuilder &b, Value number, Value count, IRMapping &mapping) {
    Cut cut = this->cut(b, number, count);
    SmallVector<Value> operands;
    for (OpOperand *input : op.getDpsInputOperands()) {
      std::optional<unsigned> dim = cutDim(*input);
      operands.push_back(dim ? slice(b, input->get(), *dim, cut, mapping) : mapping.lookupOrDefault(input->get()));
    }
    Value empty = tensor::EmptyOp::create(b, loc, resultSizes, reduction.neutral.getType());
    Value neutral = arith::ConstantOp::create(b, loc, reduction.neutral);
    operands.push_back(linalg::FillOp::create(b, loc, ValueRange{neutral}, ValueRange{empty}).getResult(0));
    return cloneOn(b, op, operands, mapping)->getResult(0);
  }

  //===--- Merge --------------------------------------------------------------------------------------------------===//

  // The region with a sum of the partial results in the op's place.
  ValueRange emitMerge(Value parts) {
    auto merged = cast<flow::RegionOp>(builder.clone(*region));
    Operation *old = nullptr;
    for (auto [from, to] : llvm::zip(region.getBody().front(), merged.getBody().front()))
      if (&from == op)
        old = &to;
    OpBuilder b(old);
    auto type = cast<RankedTensorType>(old->getResult(0).getType());
    int64_t rank = type.getRank();
    SmallVector<AffineExpr> all;
    SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
    all.push_back(b.getAffineDimExpr(rank));
    for (int64_t d = 0; d < rank; ++d)
      all.push_back(b.getAffineDimExpr(d));
    kinds.push_back(utils::IteratorType::reduction);
    SmallVector<AffineMap> maps = {AffineMap::get(rank + 1, 0, all, b.getContext()),
                                   AffineMap::get(rank + 1, 0, ArrayRef(all).drop_front(), b.getContext())};
    Value init = cast<linalg::LinalgOp>(old).getDpsInits().front();
    auto sum = linalg::GenericOp::create(b, loc, TypeRange(type), ValueRange{parts}, ValueRange{init}, maps, kinds,
                                         [&](OpBuilder &inner, Location, ValueRange arguments) {
                                           Operation *combined = inner.clone(*reduction.combiner);
                                           combined->setOperands({arguments[1], arguments[0]});
                                           linalg::YieldOp::create(inner, loc, combined->getResults());
                                         });
    old->replaceAllUsesWith(sum.getResults());
    old->erase();
    eraseDead(merged);
    return merged.getResults();
  }

  static void eraseDead(flow::RegionOp made) {
    for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(made.getBody().front())))
      if (isOpTriviallyDead(&inner))
        inner.erase();
  }

  void replaceWith(ValueRange values) {
    region.replaceAllUsesWith(values);
    region.erase();
  }

  void choose(Value count) {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value whole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, count, one);
    auto branch = scf::IfOp::create(builder, loc, region.getResultTypes(), whole, /*withElseRegion=*/true);
    builder.setInsertionPointToEnd(&branch.getElseRegion().front());
    ValueRange merged = emitMerge(emitParts(count));
    scf::YieldOp::create(builder, loc, merged);
    region.replaceAllUsesWith(branch.getResults());
    region->moveBefore(&branch.getThenRegion().front(), branch.getThenRegion().front().end());
    builder.setInsertionPointToEnd(&branch.getThenRegion().front());
    scf::YieldOp::create(builder, loc, region.getResults());
  }

  // Results that a workgroup computes of a contraction, and of a reduction with vectors along the result.
  static constexpr int64_t kResultsOfBlock = 2048, kResultsOfVectors = 64;

  flow::RegionOp region;
  const split::Reduction &reduction;
  linalg::LinalgOp op;
  Location loc;
  OpBuilder builder;
  int64_t number;
  Value length, granules;
  split::Problem problem;
  SmallVector<OpFoldResult> resultSizes;
};

struct SplitReductions : heddle::impl::SplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    SmallVector<flow::RegionOp> regions;
    getOperation().walk([&](flow::RegionOp region) { regions.push_back(region); });
    int64_t number = 0;
    for (flow::RegionOp region : regions)
      if (failed(split(region, number++)))
        return signalPassFailure();
  }

  static LogicalResult split(flow::RegionOp region, int64_t number) {
    SmallVector<linalg::LinalgOp> reductions;
    for (auto op : region.getBody().front().getOps<linalg::LinalgOp>())
      if (op.getNumReductionLoops() > 0)
        reductions.push_back(op);
    for (linalg::LinalgOp op : reductions) {
      Attribute asked = op->getAttr(kSplitAttr);
      if (!asked)
        continue;
      op->removeAttr(kSplitAttr);
      op->removeAttr(kKeepsLayoutAttr);
      std::string reason = split(region, reductions, op, asked, number);
      if (!reason.empty() && isa<IntegerAttr>(asked))
        return op.emitError() << "has heddle.split, but cannot be split: " << reason;
    }
    return success();
  }

  // "" if the region is right now, split or not; else why `op` cannot be split.
  static std::string split(flow::RegionOp region, ArrayRef<linalg::LinalgOp> reductions, linalg::LinalgOp op,
                           Attribute asked, int64_t number) {
    if (reductions.size() > 1)
      return "it shares its dispatch with another reduction";
    auto found = split::findReduction(op);
    if (auto *reason = std::get_if<std::string>(&found))
      return *reason;
    bool isKnown = RegionSplitter(region, std::get<split::Reduction>(found), number).run(asked);
    return isKnown ? "" : "its sizes are computed in its dispatch";
  }
};

} // namespace
