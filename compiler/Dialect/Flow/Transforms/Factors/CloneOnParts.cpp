// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Flow/Transforms/Factors.h"
#include "compiler/Dialect/Flow/Transforms/Factors/IndexWalks.h"
#include "compiler/Dialect/Flow/Transforms/Factors/ShiftedParts.h"
#include "compiler/Dialect/Flow/Transforms/Parts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::DimFactors;
using flow::Factor;
using flow::Factors;
using flow::RankPart;

// Whether combining a value twice is combining it once.
static bool isIdempotent(flow::Reduction reduction) {
  return reduction != flow::Reduction::Sum && reduction != flow::Reduction::Product &&
         reduction != flow::Reduction::Xor;
}

// As part of a type.
static int64_t sizeOf(OpFoldResult size) {
  auto known = dyn_cast<Attribute>(size);
  return known ? cast<IntegerAttr>(known).getInt() : ShapedType::kDynamic;
}

namespace {

class PartsOfOp {
public:
  PartsOfOp(OpBuilder &builder, Operation *op, const Factors &factors, ValueRange given, ArrayRef<RankPart> parts,
            Value place, ArrayRef<flow::Taken> taken)
      : b(builder), loc(op->getLoc()), op(op), factors(factors), operands(given), parts(parts), place(place),
        taken(taken) {}

  FailureOr<SmallVector<Value>> run() {
    for (auto [number, factor] : llvm::enumerate(factors.factors))
      if (isCut(number) && !factor.canBeCut())
        return op->emitError() << "cannot be cut along loop " << number << ": " << factor.reason;
    // Types are those of the op, but along dimensions that are cut.
    SmallVector<Value> whole(op->getOperands());
    llvm::append_range(whole, factors.captured);
    for (auto [number, value, dims] : llvm::enumerate(whole, factors.operands))
      if (isa<RankedTensorType>(value.getType()))
        operands[number] = castTo(operands[number], operandType(number, value.getType(), dims));
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      return onStructured(structured);
    if (auto split = dyn_cast<tensor::ExpandShapeOp>(op))
      return SmallVector<Value>{onSplit(split)};
    if (auto merge = dyn_cast<tensor::CollapseShapeOp>(op))
      return SmallVector<Value>{onMerge(merge)};
    if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
      return SmallVector<Value>{onExtract(extract)};
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      return SmallVector<Value>{onInsert(insert)};
    if (auto rows = dyn_cast<flow::RowsOp>(op))
      return onRows(rows);
    auto wholeOf = [&](unsigned operand, int64_t dim) {
      return hasTaken(operand, dim) ? taken[operand].whole[dim] : OpFoldResult();
    };
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      return SmallVector<Value>{flow::padOnParts(b, pad, operands, parts, wholeOf, cutType())};
    if (auto join = dyn_cast<tensor::ConcatOp>(op))
      return SmallVector<Value>{flow::joinOnParts(b, join, operands, parts, wholeOf, cutType())};
    return SmallVector<Value>{onDims()};
  }

private:
  bool hasTaken(unsigned operand, int64_t dim) const { return !taken.empty() && taken[operand].dims.test(dim); }

  bool isCut(unsigned factor) const { return !parts[factor].isWhole(); }
  Value index(OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, loc, value); }

  // The factor that a dimension of one factor walks, if that is cut.
  std::optional<unsigned> cutOf(ArrayRef<unsigned> dim) const {
    return !dim.empty() && isCut(dim.front()) ? std::optional(dim.front()) : std::nullopt;
  }

  // `whole`, with the parts' sizes along dimensions that are cut.
  SmallVector<OpFoldResult> cutSizes(ArrayRef<OpFoldResult> whole, const DimFactors &dims) const {
    SmallVector<OpFoldResult> sizes(whole);
    for (auto [size, dim] : llvm::zip_equal(sizes, dims))
      if (std::optional<unsigned> factor = cutOf(dim))
        size = parts[*factor].size;
    return sizes;
  }

  RankedTensorType typeOf(Type like, ArrayRef<OpFoldResult> sizes) const {
    SmallVector<int64_t> shape = llvm::map_to_vector(sizes, sizeOf);
    return RankedTensorType::get(shape, cast<RankedTensorType>(like).getElementType());
  }

  SmallVector<OpFoldResult> mixedSizes(tensor::SplatOp splat) {
    return getMixedValues(splat.getType().getShape(), splat.getDynamicSizes(), b);
  }

  // The part's type, known where the whole's and the part are.
  RankedTensorType cutType(Type whole, const DimFactors &dims) const {
    auto type = cast<RankedTensorType>(whole);
    SmallVector<int64_t> shape(type.getShape());
    for (auto [size, dim] : llvm::zip_equal(shape, dims)) {
      if (!cutOf(dim))
        continue;
      size = 1;
      for (unsigned factor : dim) {
        int64_t part = sizeOf(factor == dim.front() ? parts[factor].size : parts[factor].whole);
        size = ShapedType::isDynamic(size) || ShapedType::isDynamic(part) ? ShapedType::kDynamic : size * part;
      }
    }
    return RankedTensorType::get(shape, type.getElementType());
  }
  RankedTensorType operandType(unsigned number, Type whole, const DimFactors &dims) const {
    RankedTensorType type = cutType(whole, dims);
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, size] : llvm::enumerate(shape))
      if (hasTaken(number, dim))
        size = cast<RankedTensorType>(operands[number].getType()).getDimSize(dim);
    return RankedTensorType::get(shape, type.getElementType());
  }
  RankedTensorType cutType() const { return cutType(op->getResult(0).getType(), factors.results[0]); }

  Value castTo(Value value, Type type) {
    return value.getType() == type ? value : Value(tensor::CastOp::create(b, loc, type, value));
  }

  // The op with other operands; tensors that its regions read become the local ones.
  Operation *cloneWith(TypeRange types, ValueRange given) {
    Operation *made = clone(b, op, types, given);
    for (auto [whole, local] : llvm::zip_equal(factors.captured, ArrayRef(operands).take_back(factors.captured.size())))
      for (Region &region : made->getRegions())
        replaceAllUsesInRegionWith(whole, local, region);
    return made;
  }

  // The smaller or the larger one, in arithmetic that the host has.
  template <typename Op> OpFoldResult pick(OpFoldResult x, OpFoldResult y) {
    return getAsOpFoldResult(b.createOrFold<Op>(loc, index(x), index(y)));
  }

  //===--- Structured ops ---------------------------------------------------------------------------------------===//

  // The range that parts of the loops read of a dimension that is whole; null where it is all of it.
  std::optional<std::pair<OpFoldResult, OpFoldResult>> readRange(AffineExpr expr, unsigned loops, Value whole,
                                                                 int64_t dim) {
    std::optional<flow::Walk> walk = flow::walkOf(expr, loops);
    bool isWalked =
        walk && llvm::any_of(llvm::seq(loops), [&](unsigned loop) { return walk->scales[loop] != 0 && isCut(loop); });
    if (!isWalked)
      return std::nullopt;
    AffineExpr offset = b.getAffineConstantExpr(0), extent = b.getAffineConstantExpr(walk->first + 1);
    SmallVector<OpFoldResult> symbols;
    bool mayBeEmpty = false;
    for (unsigned loop = 0; loop < loops; ++loop) {
      if (walk->scales[loop] == 0)
        continue;
      offset = offset + b.getAffineSymbolExpr(symbols.size()) * walk->scales[loop];
      symbols.push_back(parts[loop].begin);
      extent = extent + (b.getAffineSymbolExpr(symbols.size()) - 1) * walk->scales[loop];
      symbols.push_back(parts[loop].size);
      mayBeEmpty |= getConstantIntValue(parts[loop].size).value_or(0) == 0;
    }
    unsigned count = symbols.size();
    OpFoldResult begin = affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(0, count, offset), symbols);
    OpFoldResult size = affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(0, count, extent), symbols);
    if (!mayBeEmpty)
      return std::pair(begin, size);
    // Of an empty part nothing is read, at a place that exists.
    return std::pair(pick<arith::MinSIOp>(begin, tensor::getMixedSize(b, loc, whole, dim)),
                     pick<arith::MaxSIOp>(size, b.getIndexAttr(0)));
  }

  // What the op on parts reads of the local value of an operand.
  Value readOperand(unsigned number, AffineMap map) {
    Value local = operands[number];
    const DimFactors &dims = factors.operands[number];
    if (dims.empty())
      return local;
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, local);
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
    bool isAll = true;
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto range = dims[dim].empty() && !hasTaken(number, dim) ? readRange(expr, map.getNumDims(), local, dim)
                                                                   : std::nullopt) {
        std::tie(offsets[dim], sizes[dim]) = *range;
        isAll = false;
      }
    return isAll ? local : flow::takeSlice(b, loc, local, offsets, sizes);
  }

  // What this part of a reduction begins with.
  Value beginReduction(linalg::LinalgOp structured, Value init) {
    const Factor *reduced =
        llvm::find_if(factors.factors, [](const Factor &factor) { return factor.kind == Factor::Kind::Reduced; });
    if (!place || structured.getNumReductionLoops() == 0 || reduced == factors.factors.end() ||
        isIdempotent(*reduced->reduction))
      return init;
    TypedAttr neutral = std::get<flow::Combiner>(flow::findCombiner(structured)).neutral;
    auto fill = structured.getDpsInits().front().getDefiningOp<linalg::FillOp>();
    Attribute filled;
    if (fill && matchPattern(fill.getInputs().front(), m_Constant(&filled)) && filled == neutral)
      return init;
    Value other = arith::ConstantOp::create(b, loc, neutral), zero = arith::ConstantIndexOp::create(b, loc, 0);
    auto type = cast<RankedTensorType>(init.getType());
    Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, init), type.getElementType());
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> kinds(type.getRank(), utils::IteratorType::parallel);
    auto choose =
        linalg::GenericOp::create(b, loc, TypeRange{empty.getType()}, ValueRange{init}, ValueRange{empty}, maps, kinds,
                                  [&](OpBuilder &inner, Location, ValueRange elements) {
                                    Value isFirst =
                                        arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq, place, zero);
                                    Value chosen = arith::SelectOp::create(inner, loc, isFirst, elements[0], other);
                                    linalg::YieldOp::create(inner, loc, chosen);
                                  });
    return castTo(choose.getResult(0), type);
  }

  SmallVector<Value> onStructured(linalg::LinalgOp structured) {
    SmallVector<Value> given;
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      Value local = readOperand(number, structured.getMatchingIndexingMap(&operand));
      given.push_back(structured.isDpsInit(&operand) ? beginReduction(structured, local) : local);
    }
    auto made = cast<linalg::LinalgOp>(cloneWith(linalg::getTensorOutputTypes(structured, given), given));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(made); // what its body reads stands in front of it
    shiftIndices(made);
    tensor::ExtractOp read = flow::findLookUp(made);
    Value holds = read ? lookUp(read) : Value();
    return holds ? SmallVector<Value>{onlyWhere(holds, made)} : SmallVector<Value>(made->getResults());
  }

  // A look-up in the part of a tensor: zero where the place is in another part. Returns whether the part has elements;
  // null: it has.
  Value lookUp(tensor::ExtractOp read) {
    Value holds;
    size_t captured =
        llvm::find(ArrayRef(operands).drop_front(op->getNumOperands()), read.getTensor()) - operands.begin();
    Operation *yield = read->getBlock()->getTerminator();
    for (auto [dim, walked] : llvm::enumerate(factors.operands[captured])) {
      std::optional<unsigned> factor = cutOf(walked);
      if (!factor || factors.factors[*factor].kind != Factor::Kind::Reduced)
        continue;
      const RankPart &part = parts[*factor];
      Value begin = index(part.begin), size = index(part.size), none = index(b.getIndexAttr(0));
      if (part.mayBeEmpty && getConstantIntValue(part.size).value_or(0) == 0) {
        Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, size, none);
        holds = holds ? Value(arith::AndIOp::create(b, loc, holds, isThere)) : isThere;
      }
      OpBuilder inner(read);
      OpOperand &place = read.getIndicesMutable()[dim];
      Value own = arith::SubIOp::create(inner, loc, place.get(), begin);
      Value isOwn = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ult, own, size);
      place.set(arith::SelectOp::create(inner, loc, isOwn, own, none));
      inner.setInsertionPoint(yield);
      Value zero = arith::ConstantOp::create(inner, loc, cast<TypedAttr>(inner.getZeroAttr(read.getType())));
      yield->setOperand(0, arith::SelectOp::create(inner, loc, isOwn, yield->getOperand(0), zero));
    }
    return holds;
  }

  // A look-up reads something, whatever it takes of it; where there is nothing, it gives zeros.
  Value onlyWhere(Value holds, linalg::LinalgOp made) {
    Value init = made.getDpsInits().front();
    auto branch = scf::IfOp::create(b, loc, made->getResultTypes(), holds, /*withElseRegion=*/true);
    made->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
    OpBuilder inside = branch.getThenBodyBuilder();
    scf::YieldOp::create(inside, loc, made->getResults());
    OpBuilder other = branch.getElseBodyBuilder();
    Type element = cast<RankedTensorType>(init.getType()).getElementType();
    Value zero = arith::ConstantOp::create(other, loc, cast<TypedAttr>(other.getZeroAttr(element)));
    auto fill = linalg::FillOp::create(other, loc, zero, init);
    scf::YieldOp::create(other, loc, fill->getResults());
    return branch.getResult(0);
  }

  // Loops count from where the part begins, but in reads of what is cut alike.
  void shiftIndices(linalg::LinalgOp made) {
    SmallVector<OpFoldResult> offsets(made.getNumLoops()); // a look-up's factor is no loop
    for (auto [number, part] : llvm::enumerate(ArrayRef(parts).take_front(offsets.size())))
      if (!isConstantIntValue(part.begin, 0))
        offsets[number] = part.begin;
    linalg::offsetIndices(b, made, offsets);
    forEachOwnRead(made, [&](OpBuilder &inner, OpOperand &index, unsigned loop) {
      index.set(linalg::IndexOp::create(inner, loc, loop));
    });
  }

  // Indices of captured tensors that walk a loop that is cut.
  void forEachOwnRead(Operation *made, llvm::function_ref<void(OpBuilder &, OpOperand &, unsigned)> change) {
    size_t first = op->getNumOperands();
    for (size_t number = first; number < factors.operands.size(); ++number)
      for (tensor::ExtractOp read : flow::findReads(made, operands[number]).value_or(SmallVector<tensor::ExtractOp>()))
        for (auto [dim, walked] : llvm::enumerate(factors.operands[number]))
          if (std::optional<unsigned> loop = cutOf(walked);
              loop && factors.factors[*loop].kind == Factor::Kind::Parallel) {
            OpBuilder inner(read);
            change(inner, read.getIndicesMutable()[dim], *loop);
          }
  }

  //===--- Rows -------------------------------------------------------------------------------------------------===//

  SmallVector<Value> onRows(flow::RowsOp rows) {
    Value begin = index(parts[0].begin);
    SmallVector<Value> given{index(parts[0].size)};
    SmallVector<Type> types;
    for (unsigned number = 0; number < rows.getNumResults(); ++number) {
      SmallVector<OpFoldResult> sizes = cutSizes(rows.getMixedSizes(number), factors.results[number]);
      types.push_back(typeOf(rows.getResult(number).getType(), sizes));
      for (OpFoldResult size : sizes)
        if (auto value = dyn_cast<Value>(size))
          given.push_back(value);
    }
    auto made = cast<flow::RowsOp>(cloneWith(types, given));
    retype(made);
    if (isConstantIntValue(parts[0].begin, 0))
      return SmallVector<Value>(made.getResults());
    // Where it writes and what is cut alike it counts from 0, else from where the part begins.
    OpBuilder inner(&made.getBody().front(), made.getBody().front().begin());
    Value row = made.getRow(), shifted = arith::AddIOp::create(inner, loc, row, begin);
    llvm::SmallPtrSet<OpOperand *, 8> own;
    forEachOwnRead(made, [&](OpBuilder &, OpOperand &use, unsigned) { own.insert(&use); });
    row.replaceUsesWithIf(shifted, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      auto read = dyn_cast<tensor::ExtractOp>(user);
      bool isOwn = read && made.getBody().isAncestor(read.getTensor().getParentRegion());
      return user != shifted.getDefiningOp() && !isa<tensor::InsertOp>(user) && !isOwn && !own.contains(&use);
    });
    return SmallVector<Value>(made.getResults());
  }

  // All tensors that the body makes are versions of the results, and have their types.
  void retype(flow::RowsOp made) {
    llvm::SmallDenseMap<Type, Type> types;
    for (auto [whole, local] : llvm::zip_equal(op->getResultTypes(), made->getResultTypes()))
      types[whole] = local;
    auto change = [&](Value value) {
      if (Type type = types.lookup(value.getType()))
        value.setType(type);
    };
    made.getBody().walk([&](Block *block) { llvm::for_each(block->getArguments(), change); });
    made.getBody().walk([&](Operation *inner) { llvm::for_each(inner->getResults(), change); });
  }

  //===--- Reshapes and slices ----------------------------------------------------------------------------------===//

  Value onSplit(tensor::ExpandShapeOp split) {
    SmallVector<OpFoldResult> whole = split.getMixedOutputShape(), given = whole;
    // What the operand is cut by, and what each part takes of a whole one.
    for (ArrayRef<unsigned> dim : factors.operands[0])
      if (std::optional<unsigned> factor = cutOf(dim))
        given[*factor] = parts[*factor].size;
    RankedTensorType type = typeOf(split.getType(), given);
    Value source =
        castTo(operands[0], tensor::CollapseShapeOp::inferCollapsedType(type, split.getReassociationIndices()));
    Value made = tensor::ExpandShapeOp::create(b, loc, type, source, split.getReassociationIndices(), given);
    SmallVector<OpFoldResult> offsets(given.size(), b.getIndexAttr(0)), sizes = cutSizes(whole, factors.results[0]);
    if (sizes == given)
      return made;
    for (unsigned factor = 0; factor < given.size(); ++factor)
      if (sizes[factor] != given[factor])
        offsets[factor] = parts[factor].begin;
    return flow::takeSlice(b, loc, made, offsets, sizes);
  }

  Value onMerge(tensor::CollapseShapeOp merge) {
    return tensor::CollapseShapeOp::create(b, loc, operands[0], merge.getReassociationIndices());
  }

  Value onExtract(tensor::ExtractSliceOp extract) {
    SmallVector<OpFoldResult> offsets = extract.getMixedOffsets(), sizes = extract.getMixedSizes(),
                              strides = extract.getMixedStrides();
    llvm::SmallBitVector dropped = extract.getDroppedDims();
    unsigned kept = 0;
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      if (dropped.test(dim))
        continue;
      ArrayRef<unsigned> walked = factors.results[0][kept++];
      if (walked.empty()) // one position
        continue;
      const RankPart &part = parts[walked.front()];
      // An axis of one rank cuts nothing, and yet what is needed alone may have been taken.
      if (part.isWhole() && !hasTaken(0, dim))
        continue;
      sizes[dim] = part.size;
      if (!factors.operands[0][dim].empty())
        continue; // the local value has that part only
      if (hasTaken(0, dim)) {
        offsets[dim] = b.getIndexAttr(0);
        continue;
      }
      AffineExpr at = b.getAffineSymbolExpr(0) + b.getAffineSymbolExpr(1) * b.getAffineSymbolExpr(2);
      offsets[dim] = affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(0, 3, at),
                                                           {offsets[dim], part.begin, strides[dim]});
    }
    // Upstream's op refuses a known slice of no elements.
    if (llvm::is_contained(cutType().getShape(), 0)) {
      SmallVector<OpFoldResult> kept;
      for (size_t dim = 0; dim < sizes.size(); ++dim)
        if (!dropped.test(dim))
          kept.push_back(sizes[dim]);
      return tensor::EmptyOp::create(b, loc, kept, cutType().getElementType());
    }
    SmallVector<const RankPart *> positions;
    flow::Reduction reduction = flow::Reduction::Sum;
    for (ArrayRef<unsigned> walked : factors.operands[0]) {
      std::optional<unsigned> factor = cutOf(walked);
      bool isPosition = factor && factors.factors[*factor].kind == Factor::Kind::Reduced;
      positions.push_back(isPosition ? &parts[*factor] : nullptr);
      if (isPosition)
        reduction = *factors.factors[*factor].reduction;
    }
    Value source = flow::takePositions(b, loc, operands[0], positions, reduction, {offsets, sizes, strides});
    return tensor::ExtractSliceOp::create(b, loc, cutType(), source, offsets, sizes, strides);
  }

  Value onInsert(tensor::InsertSliceOp insert) {
    SmallVector<OpFoldResult> sizes = insert.getMixedSizes();
    for (auto [number, part] : llvm::enumerate(parts))
      if (!part.isWhole())
        sizes[number] = part.size;
    if (llvm::any_of(sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); }))
      return operands[1];
    return tensor::InsertSliceOp::create(b, loc, operands[0], operands[1], insert.getMixedOffsets(), sizes,
                                         insert.getMixedStrides());
  }

  // Ops with a loop for each dimension of their result, whose sizes the operands or the type tell.
  Value onDims() {
    ArrayRef<Value> given = ArrayRef(operands).take_front(op->getNumOperands());
    if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      SmallVector<OpFoldResult> sizes = cutSizes(empty.getMixedSizes(), factors.results[0]);
      return tensor::EmptyOp::create(b, loc, sizes, empty.getType().getElementType());
    }
    if (auto splat = dyn_cast<tensor::SplatOp>(op))
      return tensor::SplatOp::create(b, loc, given.front(), cutSizes(mixedSizes(splat), factors.results[0]));
    return cloneWith(TypeRange{cutType()}, given)->getResult(0);
  }

  OpBuilder &b;
  Location loc;
  Operation *op;
  const Factors &factors;
  SmallVector<Value> operands;
  ArrayRef<RankPart> parts;
  Value place;
  ArrayRef<flow::Taken> taken;
};

} // namespace

FailureOr<SmallVector<Value>> flow::cloneOnParts(OpBuilder &builder, Operation *op, const Factors &factors,
                                                 ValueRange operands, ArrayRef<RankPart> parts, Value place,
                                                 ArrayRef<flow::Taken> taken) {
  return PartsOfOp(builder, op, factors, operands, parts, place, taken).run();
}

FailureOr<SmallVector<Value>> flow::cloneOnParts(OpBuilder &builder, Operation *op, const Factors &factors,
                                                 ShardingAttr loops, ValueRange operands, ArrayRef<RankPart> parts,
                                                 ArrayRef<flow::Taken> taken) {
  // The sum of coordinates is 0 where each is.
  Value place;
  Location loc = op->getLoc();
  for (auto [number, factor] : llvm::enumerate(factors.factors)) {
    if (factor.kind != Factor::Kind::Reduced || parts[number].isWhole())
      continue;
    for (StringAttr axis : loops.getDimAxes(number)) {
      Value coordinate = CoordinateOp::create(builder, loc, builder.getIndexType(), loops.getMesh(), axis);
      place = place ? Value(arith::AddIOp::create(builder, loc, place, coordinate)) : coordinate;
    }
  }
  return cloneOnParts(builder, op, factors, operands, parts, place, taken);
}
