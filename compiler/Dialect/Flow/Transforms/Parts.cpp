// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Parts.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

flow::Part flow::cutPart(OpBuilder &builder, Location loc, Value part, Value count, Value granules, int64_t granule,
                         Value length) {
  auto bound = [&](Value of) {
    Value first = arith::DivSIOp::create(builder, loc, builder.createOrFold<arith::MulIOp>(loc, of, granules), count);
    return granule == 1
               ? first
               : builder.createOrFold<arith::MulIOp>(loc, first, arith::ConstantIndexOp::create(builder, loc, granule));
  };
  Value begin = bound(part);
  Value next = arith::AddIOp::create(builder, loc, part, arith::ConstantIndexOp::create(builder, loc, 1));
  Value end = bound(next);
  if (granule != 1)
    end = arith::MinSIOp::create(builder, loc, end, length);
  return {begin, arith::SubIOp::create(builder, loc, end, begin)};
}

static bool isEmpty(ArrayRef<OpFoldResult> sizes) {
  return llvm::any_of(sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); });
}

Value flow::takeSlice(OpBuilder &builder, Location loc, Value tensor, ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes) {
  if (isEmpty(sizes))
    return tensor::EmptyOp::create(builder, loc, sizes, getElementTypeOrSelf(tensor.getType()));
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, tensor, offsets, sizes, strides);
}

Value flow::putSlice(OpBuilder &builder, Location loc, Value slice, Value tensor, ArrayRef<OpFoldResult> offsets,
                     ArrayRef<OpFoldResult> sizes) {
  if (isEmpty(sizes))
    return tensor;
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  return tensor::InsertSliceOp::create(builder, loc, slice, tensor, offsets, sizes, strides);
}

std::variant<flow::Combiner, std::string> flow::findCombiner(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics())
    return "it reduces nothing";
  if (op.getNumDpsInits() != 1)
    return "it has several results";
  if (op->walk([](tensor::ExtractOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return "it reads elements at positions that it computes";
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1)
    return "its elements are not combined by one associative operation";
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiners.front());
  if (!neutral)
    return ("nothing is neutral to " + combiners.front()->getName().getStringRef()).str();
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getEncoding())
      return "data tiling lays an operand out as a whole";
  return Combiner{combiners.front(), *neutral};
}

std::string flow::refuseStrictly(Operation *combiner) {
  return isa<arith::AddFOp, arith::MulFOp>(combiner) ? "--strict-float keeps the order in which floats are combined"
                                                     : "";
}

bool flow::isSliceable(linalg::LinalgOp op, unsigned loop) {
  bool isRead = false;
  for (OpOperand &operand : op->getOpOperands()) {
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && dim.getPosition() == loop)
        isRead = true;
      else if (expr.isFunctionOfDim(loop))
        return false;
    }
  }
  return isRead;
}

Value flow::mergeParts(OpBuilder &builder, Location loc, Operation *combiner, Value parts, Value init) {
  auto type = cast<RankedTensorType>(init.getType());
  int64_t rank = type.getRank();
  SmallVector<AffineExpr> all;
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  all.push_back(builder.getAffineDimExpr(rank));
  for (int64_t d = 0; d < rank; ++d)
    all.push_back(builder.getAffineDimExpr(d));
  kinds.push_back(utils::IteratorType::reduction);
  SmallVector<AffineMap> maps = {AffineMap::get(rank + 1, 0, all, builder.getContext()),
                                 AffineMap::get(rank + 1, 0, ArrayRef(all).drop_front(), builder.getContext())};
  return linalg::GenericOp::create(builder, loc, TypeRange(type), ValueRange{parts}, ValueRange{init}, maps, kinds,
                                   [&](OpBuilder &inner, Location, ValueRange arguments) {
                                     Operation *combined = inner.clone(*combiner);
                                     combined->setOperands({arguments[1], arguments[0]});
                                     linalg::YieldOp::create(inner, loc, combined->getResults());
                                   })
      .getResult(0);
}
