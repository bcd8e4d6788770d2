// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Intent/Transforms/RoundedRows.h"

#include "compiler/Stages/Import/Emit/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using importer::Scalar;

static constexpr double kGreatestCode = 127, kLeastMagnitude = 1e-35; // of a block that has codes but zeros

namespace {

class Rounding {
public:
  Rounding(OpBuilder &builder, intent::QuantizedProductOp op)
      : op(op), builder(builder), location(op.getLoc()), f32(builder.getF32Type()), block(op.getBlock()),
        perByte(op.getCodesPerByte()),
        sizes{tensor::getMixedSize(builder, location, op.getRows(), 0), builder.getIndexAttr(op.getDepth() / block)} {}

  intent::RoundedRows run(bool wantsSums) {
    Value rows = inBlocks();
    Value greatest = reduce(rows, f32, [](Scalar s, Value x, Value sum) { return s.max(sum, s.abs(x)); });
    AffineMap each = builder.getMultiDimIdentityMap(2);
    Value scales = elementwise({greatest}, {each}, f32, sizes, [](Scalar s, ValueRange v) {
      return s.div(v[0], s.constant(v[0].getType(), kGreatestCode));
    });
    Value codes = encode(rows, greatest);
    Value sums = wantsSums ? reduce(codes, builder.getI32Type(),
                                    [](Scalar s, Value code, Value sum) {
                                      return s.add(sum, arith::ExtSIOp::create(s.b, s.loc, sum.getType(), code));
                                    })
                           : Value();
    return {codes, scales, sums};
  }

private:
  using Sum = function_ref<Value(Scalar, Value element, Value sum)>;
  using Element = function_ref<Value(Scalar, ValueRange)>;

  template <typename OpT> OpT withAttributes(OpT made) {
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return made;
  }

  Value empty(ArrayRef<OpFoldResult> shape, Type type) {
    return withAttributes(tensor::EmptyOp::create(builder, location, shape, type));
  }

  SmallVector<OpFoldResult> blockSizes() { return {sizes[0], sizes[1], builder.getIndexAttr(block)}; }

  Value inBlocks() {
    int64_t rows = op.getRows().getType().getDimSize(0);
    auto type = RankedTensorType::get({rows, op.getDepth() / block, block}, f32);
    SmallVector<ReassociationIndices> groups{{0}, {1, 2}};
    return withAttributes(tensor::ExpandShapeOp::create(builder, location, type, op.getRows(), groups, blockSizes()));
  }

  // Of the elements of each block.
  Value reduce(Value elements, Type type, Sum sum) {
    Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(type));
    Value init = withAttributes(linalg::FillOp::create(builder, location, zero, empty(sizes, type))).getResult(0);
    int64_t rank = cast<RankedTensorType>(elements.getType()).getRank();
    AffineMap all = builder.getMultiDimIdentityMap(rank), ofBlock = all;
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::reduction);
    std::fill_n(loops.begin(), 2, utils::IteratorType::parallel);
    while (ofBlock.getNumResults() > 2)
      ofBlock = ofBlock.dropResult(2);
    return withAttributes(linalg::GenericOp::create(builder, location, init.getType(), elements, init, {all, ofBlock},
                                                    loops,
                                                    [&](OpBuilder &b, Location at, ValueRange v) {
                                                      Value next = sum(Scalar{b, at}, v[0], v[1]);
                                                      linalg::YieldOp::create(b, at, next);
                                                    }))
        .getResult(0);
  }

  Value elementwise(ValueRange inputs, ArrayRef<AffineMap> maps, Type type, ArrayRef<OpFoldResult> shape,
                    Element element) {
    Value init = empty(shape, type);
    SmallVector<AffineMap> all(maps);
    all.push_back(builder.getMultiDimIdentityMap(shape.size()));
    SmallVector<utils::IteratorType> loops(shape.size(), utils::IteratorType::parallel);
    return withAttributes(linalg::GenericOp::create(builder, location, init.getType(), inputs, init, all, loops,
                                                    [&](OpBuilder &b, Location at, ValueRange v) {
                                                      Value result = element(Scalar{b, at}, v);
                                                      linalg::YieldOp::create(b, at, result);
                                                    }))
        .getResult(0);
  }

  // x * (127 / greatest), rounded.
  Value encode(Value rows, Value greatest) {
    Type i8 = builder.getI8Type();
    SmallVector<OpFoldResult> shape = blockSizes();
    auto dim = [&](unsigned i) { return builder.getAffineDimExpr(i); };
    AffineExpr from = dim(2);
    if (perByte > 1) {
      shape = {sizes[0], sizes[1], builder.getIndexAttr(perByte), builder.getIndexAttr(block / perByte)};
      from = dim(3) * perByte + dim(2);
    }
    AffineMap read = AffineMap::get(shape.size(), 0, {dim(0), dim(1), from}, builder.getContext());
    AffineMap ofBlock = AffineMap::get(shape.size(), 0, {dim(0), dim(1)}, builder.getContext());
    return elementwise({rows, greatest}, {read, ofBlock}, i8, shape, [&](Scalar s, ValueRange v) {
      Value inverse = s.div(s.constant(f32, kGreatestCode), v[1]), none = s.constant(f32, 0);
      inverse = s.select(s.less(v[1], s.constant(f32, kLeastMagnitude)), none, inverse);
      Value code = math::RoundEvenOp::create(s.b, s.loc, s.mul(v[0], inverse));
      return importer::convert(s, code, f32, i8);
    });
  }

  intent::QuantizedProductOp op;
  OpBuilder &builder;
  Location location;
  Type f32;
  int64_t block, perByte;
  SmallVector<OpFoldResult> sizes; // rows, blocks
};

} // namespace

intent::RoundedRows intent::roundRows(OpBuilder &builder, QuantizedProductOp op, bool wantsSums) {
  return Rounding(builder, op).run(wantsSums);
}
