// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Split/SplitRegion.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Dialect/Flow/Transforms/Parts.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Split/RegionParts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::heddle;

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

} // namespace

Operation *split::cloneOn(OpBuilder &b, Operation *op, ArrayRef<Value> operands, const IRMapping &mapping) {
  Operation *made = clone(b, op, ValueRange(operands.take_back(op->getNumResults())).getTypes(), operands);
  for (Region &region : made->getRegions())
    region.walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        operand.set(mapping.lookupOrDefault(operand.get()));
    });
  return made;
}

flow::RegionOp split::emitRegion(OpBuilder &builder, flow::RegionOp like, ArrayRef<RegionResult> results) {
  SmallVector<Value> dims;
  SmallVector<Type> types;
  for (const RegionResult &result : results) {
    SmallVector<int64_t> extents;
    dispatchIndexOpFoldResults(result.sizes, dims, extents);
    types.push_back(RankedTensorType::get(extents, result.element));
  }
  auto made = flow::RegionOp::create(builder, like.getLoc(), types, ValueRange(), ValueRange(), dims);
  for (StringRef name : {kAffinityAttr, kPlacedByAttr})
    if (Attribute attribute = like->getAttr(name))
      made->setAttr(name, attribute);
  made.getBody().emplaceBlock();
  return made;
}

void split::cloneBefore(OpBuilder &b, Operation *end, IRMapping &mapping) {
  for (Operation &inner : llvm::make_range(end->getBlock()->begin(), end->getIterator()))
    b.clone(inner, mapping);
}

void split::eraseDead(flow::RegionOp made) {
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(made.getBody().front())))
    if (isOpTriviallyDead(&inner))
      inner.erase();
}

void split::shiftPositions(Operation *made, unsigned loop, Value begin) {
  SmallVector<linalg::IndexOp> positions;
  made->walk([&](linalg::IndexOp index) {
    if (index.getDim() == loop)
      positions.push_back(index);
  });
  for (linalg::IndexOp index : positions) {
    OpBuilder inner(made->getContext());
    inner.setInsertionPointAfter(index);
    auto whole = arith::AddIOp::create(inner, made->getLoc(), index, begin);
    index.getResult().replaceAllUsesExcept(whole, whole);
  }
}

namespace {

// All results of the op with the same sizes.
std::vector<split::RegionResult> resultsOf(Operation *op, ArrayRef<OpFoldResult> sizes) {
  std::vector<split::RegionResult> results;
  for (Type type : op->getResultTypes())
    results.push_back({getElementTypeOrSelf(type), llvm::to_vector(sizes)});
  return results;
}

// How the operand reads the loop that is cut.
std::optional<unsigned> cutDim(const split::Reduction &reduction, OpOperand &operand) {
  linalg::LinalgOp op = reduction.op;
  for (auto [i, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && dim.getPosition() == reduction.loop)
      return i;
  return std::nullopt;
}

// One region and the reduction in it, while it is split.
class RegionSplitter {
public:
  RegionSplitter(flow::RegionOp region, const split::Reduction &reduction, const split::Shape &shape)
      : region(region), reduction(reduction), op(reduction.op), loc(op.getLoc()), builder(region), shape(shape),
        granules(split::countGranules(builder, loc, shape.problem)) {}

  void run(Value count, const std::string &why) {
    std::optional<int64_t> known = getConstantIntValue(count);
    auto parts = emitParts(count);
    note(parts, known ? "split into " + std::to_string(*known) + " parts: " + why : "split into parts: " + why);
    auto merged = emitMerge(parts.getResults());
    note(merged, "merges the parts");
    region.replaceAllUsesWith(merged);
    region.erase();
  }

private:
  //===--- Parts --------------------------------------------------------------------------------------------------===//

  flow::Part cut(OpBuilder &b, Value part, Value count) {
    return flow::cutPart(b, loc, part, count, granules, shape.problem.granule, shape.problem.length);
  }

  // A slice of what the region reads, or what it computes of slices where it is elementwise.
  Value slice(OpBuilder &b, Value tensor, unsigned dim, const flow::Part &cut, IRMapping &mapping) {
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

  Value sliceElementwise(OpBuilder &b, linalg::GenericOp generic, OpResult result, unsigned dim, const flow::Part &cut,
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
    return split::cloneOn(b, generic, operands, mapping)->getResult(0);
  }

  static void note(flow::RegionOp made, const std::string &text) {
    made->setAttr(kSplitNoteAttr, StringAttr::get(made.getContext(), text));
  }

  // A region whose results have one partial result after the other.
  flow::RegionOp emitParts(Value count) {
    SmallVector<OpFoldResult> sizes(shape.results);
    sizes.insert(sizes.begin(), getAsOpFoldResult(count));
    std::vector<split::RegionResult> results = resultsOf(op, sizes);
    flow::RegionOp parts = split::emitRegion(builder, region, results);
    OpBuilder b = OpBuilder::atBlockBegin(&parts.getBody().front());
    IRMapping mapping;
    split::cloneBefore(b, op, mapping);
    auto memory = llvm::map_to_vector(results, [&](const split::RegionResult &result) -> Value {
      return tensor::EmptyOp::create(b, loc, sizes, result.element);
    });
    auto loop = scf::ForallOp::create(b, loc, getAsOpFoldResult(ValueRange{count}), memory, std::nullopt);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop.getTerminator());
      ValueRange part = emitPart(b, loop.getInductionVar(0), count, mapping)->getResults();
      SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)), strides(sizes.size(), b.getIndexAttr(1));
      SmallVector<OpFoldResult> extent(sizes);
      offsets[0] = loop.getInductionVar(0);
      extent[0] = b.getIndexAttr(1);
      b.setInsertionPointToStart(loop.getTerminator().getBody());
      for (auto [value, result] : llvm::zip_equal(part, loop.getRegionIterArgs()))
        tensor::ParallelInsertSliceOp::create(b, loc, value, result, offsets, extent, strides);
    }
    flow::ReturnOp::create(b, loc, loop.getResults());
    split::eraseDead(parts);
    return parts;
  }

  // What the parts' results begin with.
  void appendInits(OpBuilder &b, IRMapping &mapping, SmallVectorImpl<Value> &operands) {
    if (reduction.combination.choice)
      for (Value init : op.getDpsInits())
        operands.push_back(mapping.lookupOrDefault(init));
    for (const flow::Combiner &combiner : reduction.combination.each) {
      Value empty = tensor::EmptyOp::create(b, loc, shape.results, combiner.neutral.getType());
      Value neutral = arith::ConstantOp::create(b, loc, combiner.neutral);
      operands.push_back(linalg::FillOp::create(b, loc, ValueRange{neutral}, ValueRange{empty}).getResult(0));
    }
  }

  Operation *emitPart(OpBuilder &b, Value number, Value count, IRMapping &mapping) {
    flow::Part cut = this->cut(b, number, count);
    SmallVector<Value> operands;
    for (OpOperand *input : op.getDpsInputOperands()) {
      std::optional<unsigned> dim = cutDim(reduction, *input);
      operands.push_back(dim ? slice(b, input->get(), *dim, cut, mapping) : mapping.lookupOrDefault(input->get()));
    }
    appendInits(b, mapping, operands);
    Operation *made = split::cloneOn(b, op, operands, mapping);
    split::shiftPositions(made, reduction.loop, cut.begin);
    return made;
  }

  //===--- Merge --------------------------------------------------------------------------------------------------===//

  // The region with a sum of the partial results in the op's place.
  flow::RegionOp emitMerge(ValueRange parts) {
    auto merged = cast<flow::RegionOp>(builder.clone(*region));
    Operation *old = nullptr;
    for (auto [from, to] : llvm::zip(region.getBody().front(), merged.getBody().front()))
      if (&from == op)
        old = &to;
    OpBuilder b(old);
    ValueRange inits = cast<linalg::LinalgOp>(old).getDpsInits();
    old->replaceAllUsesWith(split::mergeParts(b, loc, reduction.combination, parts, inits));
    old->erase();
    split::eraseDead(merged);
    return merged;
  }

  flow::RegionOp region;
  const split::Reduction &reduction;
  linalg::LinalgOp op;
  Location loc;
  OpBuilder builder;
  const split::Shape &shape;
  Value granules;
};

} // namespace

std::optional<SmallVector<OpFoldResult>> split::readResultSizes(OpBuilder &before, flow::RegionOp region,
                                                                linalg::LinalgOp op) {
  SmallVector<OpFoldResult> sizes;
  Value init = op.getDpsInits().front();
  for (int64_t dim = 0; dim < cast<RankedTensorType>(init.getType()).getRank(); ++dim) {
    std::optional<OpFoldResult> size = sizeOutside(before, region, init, dim);
    if (!size)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

// Problem::read.
static int64_t countRead(linalg::LinalgOp op, const split::Reduction &reduction) {
  int64_t read = 0;
  if (op.getNumDpsInputs() < 2)
    return 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    std::optional<unsigned> cut = type ? cutDim(reduction, *input) : std::nullopt;
    int64_t elements = cut ? 1 : 0;
    for (int64_t dim = 0; cut && dim < type.getRank(); ++dim) {
      if (dim != static_cast<int64_t>(*cut) && type.isDynamicDim(dim))
        return 0;
      elements *= dim == static_cast<int64_t>(*cut) ? 1 : type.getDimSize(dim);
    }
    read += elements;
  }
  return read;
}

std::optional<split::Shape> split::readShape(OpBuilder &before, flow::RegionOp region, const Reduction &reduction) {
  linalg::LinalgOp op = reduction.op;
  Location loc = op.getLoc();
  Shape shape;
  shape.loop = reduction.loop;
  Problem &problem = shape.problem;
  for (OpOperand *input : op.getDpsInputOperands())
    if (std::optional<unsigned> dim = cutDim(reduction, *input)) {
      std::optional<OpFoldResult> size = sizeOutside(before, region, input->get(), *dim);
      if (!size)
        return std::nullopt;
      problem.length = getValueOrCreateConstantIndexOp(before, loc, *size);
      break;
    }
  std::optional<SmallVector<OpFoldResult>> results = readResultSizes(before, region, op);
  if (!results)
    return std::nullopt;
  shape.results = std::move(*results);
  problem.results = arith::ConstantIndexOp::create(before, loc, 1);
  for (OpFoldResult size : shape.results)
    problem.results =
        before.createOrFold<arith::MulIOp>(loc, problem.results, getValueOrCreateConstantIndexOp(before, loc, size));
  int64_t inner = 1;
  for (auto [loop, size, kind] : llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && loop != reduction.loop && !ShapedType::isDynamic(size))
      inner *= size;
  problem.inner = arith::ConstantIndexOp::create(before, loc, inner);
  // Elements of eight and sixteen bits are multiplied in groups of four and two.
  Type element = getElementTypeOrSelf(op.getDpsInputs().front().getType());
  if (op.getNumDpsInputs() > 1 && element.isIntOrFloat())
    problem.granule = std::max<int64_t>(1, 4 / storageBytes(element)); // words
  problem.together = countTogether(op);
  problem.read = countRead(op, reduction);
  return shape;
}

flow::RegionOp split::peel(flow::RegionOp region, linalg::LinalgOp op, ArrayRef<OpFoldResult> sizes) {
  OpBuilder builder(region);
  flow::RegionOp made = emitRegion(builder, region, resultsOf(op, sizes));
  OpBuilder b = OpBuilder::atBlockBegin(&made.getBody().front());
  IRMapping mapping;
  cloneBefore(b, op, mapping);
  Operation *moved = b.clone(*op, mapping);
  flow::ReturnOp::create(b, op.getLoc(), moved->getResults());
  eraseDead(made);
  op->getResult(0).replaceAllUsesWith(made.getResult(0));
  eraseDead(region);
  return made;
}

void split::splitRegion(flow::RegionOp region, linalg::LinalgOp op, const Shape &shape, Value count,
                        const std::string &why) {
  Reduction reduction = std::get<Reduction>(findReduction(op, shape.loop));
  RegionSplitter(region, reduction, shape).run(count, why);
}
