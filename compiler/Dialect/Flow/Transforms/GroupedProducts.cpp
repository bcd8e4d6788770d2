// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/GroupedProducts.h"

#include "compiler/Dialect/Flow/IR/FlowProducts.h"
#include "compiler/Dialect/Flow/IR/PartLoops.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

class GroupedProduct {
public:
  explicit GroupedProduct(flow::GroupedMatmulOp op) : op(op), loc(op.getLoc()), b(op) {}

  void run() {
    rows = sizeOf(op.getRows(), 0);
    depth = sizeOf(op.getRows(), 1);
    columns = sizeOf(op.getWeights(), 2);
    groups = toValue(sizeOf(op.getGroups(), 0));
    checkSizes();
    Value bounds = sumSizes();
    Type element = cast<RankedTensorType>(op.getResult().getType()).getElementType();
    Value memory = tensor::EmptyOp::create(b, loc, ArrayRef<OpFoldResult>{rows, columns}, element);
    Value parts = add(groups, number(1));
    auto loop = scf::ForallOp::create(b, loc, getAsOpFoldResult(ValueRange{parts}), ValueRange{memory}, std::nullopt);
    loop->setAttr(flow::kApartAttr, b.getUnitAttr());
    b.setInsertionPoint(loop.getTerminator());
    emitPart(loop, bounds, element);
    b.setInsertionPointAfter(loop);
    Value result = loop.getResult(0);
    if (result.getType() != op.getResult().getType())
      result = tensor::CastOp::create(b, loc, op.getResult().getType(), result);
    op.getResult().replaceAllUsesWith(result);
    op.erase();
  }

private:
  OpFoldResult sizeOf(Value tensor, int64_t dim) { return tensor::getMixedSize(b, loc, tensor, dim); }
  Value toValue(OpFoldResult size) { return getValueOrCreateConstantIndexOp(b, loc, size); }
  Value number(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }

  // What types leave open.
  void checkSizes() {
    auto expect = [&](OpFoldResult x, OpFoldResult y, StringRef message) {
      Value equal = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, toValue(x), toValue(y));
      if (getConstantIntValue(equal) != -1)
        flow::CheckOp::create(b, loc, equal, b.getStringAttr(message));
    };
    expect(sizeOf(op.getWeights(), 0), sizeOf(op.getGroups(), 0),
           "a grouped product has weights for another number of groups than it has sizes");
    expect(depth, sizeOf(op.getWeights(), 1), "a grouped product has rows of another length than its matrices");
  }

  // Where group g begins, for g from 0 to the number of groups.
  Value sumSizes() {
    Type wide = b.getI64Type();
    OpFoldResult length = b.createOrFold<arith::AddIOp>(loc, groups, number(1));
    if (std::optional<int64_t> known = getConstantIntValue(groups))
      length = b.getIndexAttr(*known + 1);
    Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<OpFoldResult>{length}, wide);
    Value zero = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
    Value zeros = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
    AffineExpr group, other;
    bindDims(b.getContext(), group, other);
    SmallVector<AffineMap> maps = {AffineMap::get(2, 0, other), AffineMap::get(2, 0, group)};
    SmallVector<utils::IteratorType> kinds = {utils::IteratorType::parallel, utils::IteratorType::reduction};
    auto sum = linalg::GenericOp::create(
        b, loc, zeros.getType(), op.getGroups(), zeros, maps, kinds,
        [&](OpBuilder &in, Location at, ValueRange values) {
          Value here = linalg::IndexOp::create(in, at, 0), there = linalg::IndexOp::create(in, at, 1);
          Value one = arith::ConstantIndexOp::create(in, at, 1);
          // An end is where the next group begins.
          Value counts = op.getEnds() ? arith::CmpIOp::create(in, at, arith::CmpIPredicate::eq,
                                                              arith::AddIOp::create(in, at, there, one), here)
                                      : arith::CmpIOp::create(in, at, arith::CmpIPredicate::slt, there, here);
          Value size = values[0];
          if (size.getType() != wide)
            size = arith::ExtSIOp::create(in, at, wide, size);
          Value none = arith::ConstantOp::create(in, at, in.getI64IntegerAttr(0));
          Value counted = arith::SelectOp::create(in, at, counts, size, none);
          linalg::YieldOp::create(in, at, Value(arith::AddIOp::create(in, at, values[1], counted)));
        });
    return sum.getResult(0);
  }

  Value boundAt(Value bounds, Value group) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), tensor::ExtractOp::create(b, loc, bounds, group));
  }

  // `tensor[offsets][sizes]`, without its first dimension if `drops`.
  Value slice(Value tensor, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes, bool drops) {
    SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(drops ? sizes.drop_front() : sizes, dynamic, shape);
    auto type = RankedTensorType::get(shape, cast<RankedTensorType>(tensor.getType()).getElementType());
    return tensor::ExtractSliceOp::create(b, loc, type, tensor, offsets, sizes, strides);
  }

  // The rows of one group times its matrix; those of the last part times no columns of any.
  void emitPart(scf::ForallOp loop, Value bounds, Type element) {
    Value group = loop.getInductionVar(0), one = number(1), none = number(0);
    Value isGroup = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, group, groups);
    Value next = arith::MinSIOp::create(b, loc, add(group, one), groups);
    Value begin = boundAt(bounds, group), behind = boundAt(bounds, next);
    Value end = arith::SelectOp::create(b, loc, isGroup, behind, toValue(rows));
    Value size = arith::SubIOp::create(b, loc, end, begin);
    Value taken = arith::SelectOp::create(b, loc, isGroup, toValue(depth), none);
    Value matrix = arith::MinSIOp::create(b, loc, group, arith::SubIOp::create(b, loc, groups, one));
    OpFoldResult zero = b.getIndexAttr(0), single = b.getIndexAttr(1);
    Value x = slice(op.getRows(), {begin, zero}, {size, taken}, false);
    Value w = slice(op.getWeights(), {matrix, zero, zero}, {single, taken, columns}, true);
    Type sum = element.isInteger() ? element : Type(b.getF32Type());
    Value memory = tensor::EmptyOp::create(b, loc, ArrayRef<OpFoldResult>{size, columns}, sum);
    Value nothing = arith::ConstantOp::create(b, loc, b.getZeroAttr(sum));
    Value zeros = linalg::FillOp::create(b, loc, nothing, memory).getResult(0);
    Value product = linalg::MatmulOp::create(b, loc, ValueRange{x, w}, ValueRange{zeros}).getResult(0);
    if (sum != element)
      product = narrow(product, size, element);
    SmallVector<OpFoldResult> offsets = {begin, zero}, sizes = {size, columns}, strides(2, b.getIndexAttr(1));
    b.setInsertionPointToStart(loop.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(b, loc, product, loop.getRegionIterArgs()[0], offsets, sizes, strides);
  }

  Value narrow(Value product, Value size, Type element) {
    Value memory = tensor::EmptyOp::create(b, loc, ArrayRef<OpFoldResult>{size, columns}, element);
    AffineMap map = b.getMultiDimIdentityMap(2);
    SmallVector<utils::IteratorType> kinds(2, utils::IteratorType::parallel);
    auto rounded = linalg::GenericOp::create(b, loc, memory.getType(), product, memory, ArrayRef<AffineMap>{map, map},
                                             kinds, [&](OpBuilder &in, Location at, ValueRange values) {
                                               Value value = arith::TruncFOp::create(in, at, element, values[0]);
                                               linalg::YieldOp::create(in, at, value);
                                             });
    return rounded.getResult(0);
  }

  flow::GroupedMatmulOp op;
  Location loc;
  OpBuilder b;
  OpFoldResult rows, depth, columns;
  Value groups;
};

} // namespace

void flow::decomposeGroupedProducts(ModuleOp module) {
  SmallVector<GroupedMatmulOp> ops;
  module.walk([&](GroupedMatmulOp op) { ops.push_back(op); });
  for (GroupedMatmulOp op : ops)
    GroupedProduct(op).run();
}
