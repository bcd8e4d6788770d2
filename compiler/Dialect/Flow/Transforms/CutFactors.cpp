// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Factors.h"
#include "compiler/Dialect/Flow/Transforms/Parts.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::DimFactors;
using flow::Factor;
using flow::Factors;
using flow::RankPart;

namespace mlir::heddle {
#define GEN_PASS_DEF_CUTFACTORS
#include "compiler/Dialect/Flow/Transforms/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// One op, computed in parts along one factor.
class InParts {
public:
  InParts(OpBuilder &builder, Operation *op, const Factors &factors, unsigned cut, int64_t count)
      : b(builder), loc(op->getLoc()), op(op), factors(factors), cut(cut), count(count) {}

  FailureOr<SmallVector<Value>> run() {
    SmallVector<RankPart> parts;
    for (const Factor &factor : factors.factors) {
      OpFoldResult size =
          factor.extents.empty() ? OpFoldResult(b.getIndexAttr(0)) : materialize(b, loc, factor.extents.front());
      parts.push_back({b.getIndexAttr(0), size, size});
    }
    SmallVector<Value> whole;
    for (int64_t place = 0; place < count; ++place) {
      parts[cut] = partOf(parts[cut].whole, place);
      SmallVector<Value> values(op->getOperands());
      llvm::append_range(values, factors.captured);
      for (auto [value, dims] : llvm::zip_equal(values, factors.operands))
        value = take(value, dims, parts);
      bool isReduced = factors.factors[cut].kind == Factor::Kind::Reduced;
      Value number = isReduced ? Value(arith::ConstantIndexOp::create(b, loc, place)) : Value();
      FailureOr<SmallVector<Value>> made = cloneOnParts(b, op, factors, values, parts, number);
      if (failed(made))
        return failure();
      if (place == 0)
        whole = begin(*made);
      for (auto [all, part, dims] : llvm::zip_equal(whole, *made, factors.results))
        all = add(all, part, dims, parts, place);
    }
    return whole;
  }

private:
  // [floor(place * size / count), floor((place + 1) * size / count))
  RankPart partOf(OpFoldResult size, int64_t place) {
    AffineExpr all = b.getAffineSymbolExpr(0);
    AffineExpr begin = (all * place).floorDiv(count), end = (all * (place + 1)).floorDiv(count);
    return {affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(0, 1, begin), {size}),
            affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(0, 1, end - begin), {size}), size};
  }

  // Where the part lies in a value, and its sizes; none where it is all of it.
  std::optional<std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>>
  findSlice(ArrayRef<OpFoldResult> wholeSizes, const DimFactors &dims, ArrayRef<RankPart> parts) {
    SmallVector<OpFoldResult> sizes(wholeSizes), offsets(sizes.size(), b.getIndexAttr(0));
    bool isCut = false;
    for (auto [offset, size, dim] : llvm::zip_equal(offsets, sizes, dims)) {
      if (dim.empty() || dim.front() != cut)
        continue;
      isCut = true;
      offset = parts[cut].begin;
      size = parts[cut].size;
      AffineExpr product = b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1);
      for (unsigned inner : ArrayRef(dim).drop_front()) {
        AffineMap map = AffineMap::get(0, 2, product);
        offset = affine::makeComposedFoldedAffineApply(b, loc, map, {offset, parts[inner].whole});
        size = affine::makeComposedFoldedAffineApply(b, loc, map, {size, parts[inner].whole});
      }
    }
    return isCut ? std::optional(std::pair(offsets, sizes)) : std::nullopt;
  }

  Value take(Value value, const DimFactors &dims, ArrayRef<RankPart> parts) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    auto slice = type ? findSlice(flow::traceSizes(b, loc, value), dims, parts) : std::nullopt;
    if (!slice)
      return value;
    return flow::takeSlice(b, loc, value, slice->first, slice->second);
  }

  // What parts are put into.
  SmallVector<Value> begin(ArrayRef<Value> first) {
    SmallVector<Value> whole(first);
    for (auto [value, result] : llvm::zip_equal(whole, op->getResults()))
      if (factors.factors[cut].kind == Factor::Kind::Parallel)
        value = tensor::EmptyOp::create(b, loc, flow::traceSizes(b, loc, result),
                                        cast<RankedTensorType>(result.getType()).getElementType());
    return whole;
  }

  Value add(Value all, Value part, const DimFactors &dims, ArrayRef<RankPart> parts, int64_t place) {
    auto type = cast<RankedTensorType>(all.getType());
    if (factors.factors[cut].kind == Factor::Kind::Parallel) {
      auto slice = findSlice(tensor::getMixedSizes(b, loc, all), dims, parts);
      return flow::putSlice(b, loc, part, all, slice->first, slice->second);
    }
    if (place == 0)
      return all;
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> kinds(type.getRank(), utils::IteratorType::parallel);
    return linalg::GenericOp::create(b, loc, TypeRange{type}, ValueRange{part}, ValueRange{all}, maps, kinds,
                                     [&](OpBuilder &inner, Location, ValueRange elements) {
                                       linalg::YieldOp::create(inner, loc, combine(inner, elements[1], elements[0]));
                                     })
        .getResult(0);
  }

  // By the op's own combiner; what is looked up, or sliced, is added.
  Value combine(OpBuilder &inner, Value sum, Value element) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured && element.getType().isInteger(1))
      return arith::OrIOp::create(inner, loc, sum, element);
    if (!structured || structured.getNumReductionLoops() == 0)
      return isa<FloatType>(element.getType()) ? Value(arith::AddFOp::create(inner, loc, sum, element))
                                               : Value(arith::AddIOp::create(inner, loc, sum, element));
    Operation *combined = inner.clone(*std::get<flow::Combiner>(flow::findCombiner(structured)).op);
    combined->setOperands({sum, element});
    return combined->getResult(0);
  }

  OpBuilder &b;
  Location loc;
  Operation *op;
  const Factors &factors;
  unsigned cut;
  int64_t count;
};

class CutFactors : public mlir::heddle::impl::CutFactorsBase<CutFactors> {
public:
  using CutFactorsBase::CutFactorsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && failed(cutAll(func)))
        return signalPassFailure();
  }

private:
  LogicalResult cutAll(func::FuncOp func) {
    auto exit = cast<func::ReturnOp>(func.getBody().back().getTerminator());
    OpBuilder builder(exit);
    llvm::SetVector<Operation *> ops;
    for (Value value : exit.getOperands())
      if (Operation *op = value.getDefiningOp())
        ops.insert(op);
    SmallVector<Value> results(exit.getOperands());
    for (Operation *op : ops) {
      std::optional<Factors> factors = flow::findFactors(op);
      for (unsigned number = 0; factors && number < factors->factors.size(); ++number)
        for (int64_t count : parts) {
          if (!factors->factors[number].canBeCut())
            continue;
          FailureOr<SmallVector<Value>> made = InParts(builder, op, *factors, number, count).run();
          if (failed(made))
            return failure();
          llvm::append_range(results, *made);
        }
    }
    exit->setOperands(results);
    func.setType(builder.getFunctionType(func.getArgumentTypes(), TypeRange(ValueRange(results))));
    return success();
  }
};

} // namespace
