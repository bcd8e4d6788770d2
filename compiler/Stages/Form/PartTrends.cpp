// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/PartTrends.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// How a value changes where one number of the loop grows.
enum class Trend { Same, Up, Down, Unknown };

Trend flip(Trend trend) { return trend == Trend::Up ? Trend::Down : trend == Trend::Down ? Trend::Up : trend; }

Trend join(Trend a, Trend b) {
  if (a == Trend::Same || a == b)
    return b;
  return b == Trend::Same ? a : Trend::Unknown;
}

class Trends {
public:
  explicit Trends(Value number) { known[number] = Trend::Up; }

  Trend of(OpFoldResult value) {
    if (isa<Attribute>(value))
      return Trend::Same;
    auto [it, isNew] = known.try_emplace(cast<Value>(value), Trend::Same);
    if (!isNew)
      return it->second;
    Trend trend = compute(cast<Value>(value));
    return known[cast<Value>(value)] = trend;
  }

private:
  Trend compute(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return Trend::Same;
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
      return ofMap(apply.getAffineMap(), apply.getMapOperands());
    if (auto min = dyn_cast<affine::AffineMinOp>(op))
      return ofMap(min.getAffineMap(), min.getOperands());
    if (auto max = dyn_cast<affine::AffineMaxOp>(op))
      return ofMap(max.getAffineMap(), max.getOperands());
    if (isa<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp, arith::IndexCastOp>(op))
      return ofAll(op->getOperands());
    if (isa<arith::SubIOp>(op))
      return join(of(op->getOperand(0)), flip(of(op->getOperand(1))));
    if (isa<arith::MulIOp>(op))
      return ofProduct(op->getOperand(0), op->getOperand(1));
    if (isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op) &&
        getConstantIntValue(op->getOperand(1)).value_or(0) > 0)
      return of(op->getOperand(0));
    bool isSame = op->getNumRegions() == 0 &&
                  llvm::all_of(op->getOperands(), [&](Value operand) { return of(operand) == Trend::Same; });
    return isSame ? Trend::Same : Trend::Unknown;
  }

  Trend ofAll(ValueRange values) {
    Trend all = Trend::Same;
    for (Value value : values)
      all = join(all, of(value));
    return all;
  }

  Trend ofProduct(Value a, Value b) {
    if (getConstantIntValue(a))
      std::swap(a, b);
    if (std::optional<int64_t> factor = getConstantIntValue(b))
      return scaled(of(a), *factor);
    if (of(a) == Trend::Same)
      std::swap(a, b);
    if (of(b) != Trend::Same)
      return Trend::Unknown;
    // Sizes are not negative.
    return of(a) == Trend::Same || b.getDefiningOp<tensor::DimOp>() ? of(a) : Trend::Unknown;
  }

  static Trend scaled(Trend trend, int64_t factor) {
    return factor == 0 ? Trend::Same : factor < 0 ? flip(trend) : trend;
  }

  Trend ofMap(AffineMap map, ValueRange operands) {
    Trend all = Trend::Same;
    for (AffineExpr expr : map.getResults())
      all = join(all, ofExpr(expr, map.getNumDims(), operands));
    return all;
  }

  Trend ofExpr(AffineExpr expr, unsigned dims, ValueRange operands) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return of(operands[dim.getPosition()]);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return of(operands[dims + symbol.getPosition()]);
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return Trend::Same;
    Trend left = ofExpr(binary.getLHS(), dims, operands), right = ofExpr(binary.getRHS(), dims, operands);
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add: return join(left, right);
    case AffineExprKind::Mul:
      if (constant)
        return scaled(left, constant.getValue());
      break;
    case AffineExprKind::FloorDiv:
    case AffineExprKind::CeilDiv:
      if (constant && constant.getValue() > 0)
        return left;
      break;
    default: break;
    }
    return left == Trend::Same && right == Trend::Same ? Trend::Same : Trend::Unknown;
  }

  DenseMap<Value, Trend> known;
};

SmallVector<tensor::ParallelInsertSliceOp> insertsOf(scf::ForallOp loop) {
  return llvm::map_to_vector(loop.getTerminator().getYieldingOps(),
                             [](Operation &op) { return cast<tensor::ParallelInsertSliceOp>(op); });
}

// What a number of the loop times `factor` is.
struct Multiple {
  int64_t factor;
};

std::optional<Multiple> findMultiple(OpFoldResult offset, Value number) {
  auto value = dyn_cast<Value>(offset);
  if (!value)
    return std::nullopt;
  if (value == number)
    return Multiple{1};
  if (auto product = value.getDefiningOp<arith::MulIOp>()) {
    auto of = [&](Value a, Value b) {
      return a == number && getConstantIntValue(b).value_or(0) > 0 ? getConstantIntValue(b) : std::nullopt;
    };
    std::optional<int64_t> factor = of(product.getLhs(), product.getRhs());
    factor = factor ? factor : of(product.getRhs(), product.getLhs());
    return factor ? std::optional(Multiple{*factor}) : std::nullopt;
  }
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getMapOperands().size() != 1 || apply.getMapOperands()[0] != number)
    return std::nullopt;
  auto binary = dyn_cast<AffineBinaryOpExpr>(apply.getAffineMap().getResult(0));
  auto factor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : AffineConstantExpr();
  if (!factor || binary.getKind() != AffineExprKind::Mul || factor.getValue() < 1 ||
      !isa<AffineDimExpr, AffineSymbolExpr>(binary.getLHS()))
    return std::nullopt;
  return Multiple{factor.getValue()};
}

// Whether `size` is at most `bound`, which is at least 1.
bool isAtMost(OpFoldResult size, OpFoldResult bound) {
  if (isEqualConstantIntOrValue(size, bound))
    return true;
  std::optional<int64_t> number = getConstantIntValue(size), most = getConstantIntValue(bound);
  if (number)
    return most && *number <= *most;
  Operation *op = cast<Value>(size).getDefiningOp();
  auto ofMap = [&](AffineMap map, ValueRange operands, bool all) {
    auto fits = [&](AffineExpr expr) {
      if (auto constant = dyn_cast<AffineConstantExpr>(expr))
        return most && constant.getValue() <= *most;
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        return isAtMost(operands[dim.getPosition()], bound);
      auto symbol = dyn_cast<AffineSymbolExpr>(expr);
      return symbol && isAtMost(operands[map.getNumDims() + symbol.getPosition()], bound);
    };
    return all ? llvm::all_of(map.getResults(), fits) : llvm::any_of(map.getResults(), fits);
  };
  auto fits = [&](Value operand) { return isAtMost(operand, bound) || getConstantIntValue(operand).value_or(2) <= 1; };
  if (isa_and_present<arith::MinSIOp>(op))
    return llvm::any_of(op->getOperands(), [&](Value operand) { return isAtMost(operand, bound); });
  if (isa_and_present<arith::MaxSIOp>(op))
    return llvm::all_of(op->getOperands(), fits);
  if (auto min = dyn_cast_if_present<affine::AffineMinOp>(op))
    return ofMap(min.getAffineMap(), min.getOperands(), /*all=*/false);
  if (auto max = dyn_cast_if_present<affine::AffineMaxOp>(op))
    return ofMap(max.getAffineMap(), max.getOperands(), /*all=*/true);
  return false;
}

// Whether the number moves the slice along the dimension by at least its size.
bool movesApart(tensor::ParallelInsertSliceOp insert, unsigned dim, Value number, OpFoldResult step) {
  std::optional<Multiple> multiple = findMultiple(insert.getMixedOffsets()[dim], number);
  if (!multiple)
    return false;
  std::optional<int64_t> known = getConstantIntValue(step);
  OpFoldResult size = insert.getMixedSizes()[dim];
  if (known)
    return isAtMost(size, Builder(insert.getContext()).getIndexAttr(*known * multiple->factor));
  return multiple->factor == 1 && isAtMost(size, step);
}

} // namespace

std::optional<SmallVector<bool>> parts::findLongestByTrend(scf::ForallOp loop) {
  SmallVector<OpFoldResult> sizes;
  for (Operation &op : *loop.getBody())
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      llvm::append_range(sizes, slice.getMixedSizes());
  for (tensor::ParallelInsertSliceOp insert : insertsOf(loop))
    llvm::append_range(sizes, insert.getMixedSizes());
  SmallVector<bool> longest;
  for (Value number : loop.getInductionVars()) {
    Trends trends(number);
    Trend all = Trend::Same;
    for (OpFoldResult size : sizes)
      all = join(all, trends.of(size));
    if (all == Trend::Unknown)
      return std::nullopt;
    longest.push_back(all != Trend::Down);
  }
  return longest;
}

bool parts::areApartByTrend(scf::ForallOp loop) {
  SmallVector<OpFoldResult> steps = loop.getMixedStep();
  return llvm::all_of(insertsOf(loop), [&](tensor::ParallelInsertSliceOp insert) {
    llvm::SmallBitVector taken(insert.getDestType().getRank());
    for (auto [number, step] : llvm::zip_equal(loop.getInductionVars(), steps)) {
      std::optional<unsigned> found;
      for (unsigned dim = 0; dim < taken.size() && !found; ++dim)
        if (!taken.test(dim) && movesApart(insert, dim, number, step))
          found = dim;
      if (!found)
        return false;
      taken.set(*found);
    }
    return true;
  });
}

LogicalResult parts::refuseEqualPlaces(scf::ForallOp loop) {
  for (auto [dim, number] : llvm::enumerate(loop.getInductionVars())) {
    std::optional<int64_t> low = getConstantIntValue(loop.getMixedLowerBound()[dim]),
                           high = getConstantIntValue(loop.getMixedUpperBound()[dim]),
                           step = getConstantIntValue(loop.getMixedStep()[dim]);
    if (low && high && step && *high - *low <= *step)
      continue;
    Trends trends(number);
    for (tensor::ParallelInsertSliceOp insert : insertsOf(loop))
      if (llvm::all_of(insert.getMixedOffsets(), [&](OpFoldResult at) { return trends.of(at) == Trend::Same; }))
        return insert.emitError() << "all parts along dimension " << dim
                                  << " of the loop write the same elements; give each part elements of its own, or "
                                     "write scf.for, whose turns follow one another";
  }
  return success();
}
