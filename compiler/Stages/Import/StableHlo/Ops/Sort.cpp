// sort and top_k: a bitonic network over positions.
//
// The network sorts the numbers of elements, not the elements: [rows, 2^levels] integers, of which those past the end
// stand for elements greater than all. Each step is one elementwise op in which every place looks at its partner's;
// places are ties' last word, so the order is total and every sort stable. Steps are loops: the program does not grow
// with the size.
#include "compiler/Stages/Import/StableHlo/Converter.h"
#include "compiler/Stages/Import/StableHlo/Ops/Functions.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

namespace {

// Whether elements `a`, one of each operand, come before elements `b`.
using Before = llvm::function_ref<Value(OpBuilder &, Location, ArrayRef<Value> a, ArrayRef<Value> b)>;

class Network {
public:
  // Operands [rows, size].
  Network(Emitter &emitter, MutableArrayRef<Tensor> operands, Before before)
      : emitter(emitter), operands(operands), before(before), rows(*operands.front().staticSize(0)),
        size(*operands.front().staticSize(1)), levels(llvm::Log2_64_Ceil(size)) {}

  // Which element stands where when sorted: [rows, 2^levels] of i64.
  Tensor run();

private:
  Value step(Value order, Value level, Value apart);
  Value isBefore(Scalar &s, Value row, Value a, Value b);

  Emitter &emitter;
  MutableArrayRef<Tensor> operands;
  Before before;
  int64_t rows, size;
  unsigned levels;
};

} // namespace

Value Network::isBefore(Scalar &s, Value row, Value a, Value b) {
  Type index = s.b.getIndexType();
  Value last = arith::ConstantIndexOp::create(s.b, s.loc, size - 1), count = s.constant(a.getType(), size);
  auto elements = [&](Value which) {
    Value at = s.min(arith::IndexCastOp::create(s.b, s.loc, index, which), last);
    return llvm::map_to_vector(operands, [&](Tensor &tensor) -> Value {
      return tensor::ExtractOp::create(s.b, s.loc, tensor.value, ValueRange{row, at});
    });
  };
  SmallVector<Value> x = elements(a), y = elements(b);
  Value first = before(s.b, s.loc, x, y), second = before(s.b, s.loc, y, x), earlier = s.less(a, b);
  Value ordered = s.select(first, first, s.select(second, s.constant(s.b.getI1Type(), 0), earlier));
  Value past = arith::OrIOp::create(s.b, s.loc, s.lessEqual(count, a), s.lessEqual(count, b));
  return s.select(past, earlier, ordered);
}

// Places whose numbers differ in bit `apart` are partners; bit `level` says which of them gets the lesser. (What is
// computed of the two lies in the kernel: host programs do not shift.)
Value Network::step(Value order, Value level, Value apart) {
  SizeList sizes{emitter.sizes.constant(rows), emitter.sizes.constant(int64_t(1) << levels)};
  return emitter
      .generate(sizes, emitter.builder.getI64Type(), {},
                [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                  Scalar s{b, loc};
                  Value zero = arith::ConstantIndexOp::create(b, loc, 0),
                        one = arith::ConstantIndexOp::create(b, loc, 1);
                  auto isSet = [&](Value mask) {
                    Value bit = arith::AndIOp::create(b, loc, v[1], mask);
                    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, zero);
                  };
                  Value distance = arith::ShLIOp::create(b, loc, one, apart),
                        direction = arith::ShLIOp::create(b, loc, one, level);
                  Value partner = arith::XOrIOp::create(b, loc, v[1], distance);
                  Value mine = tensor::ExtractOp::create(b, loc, order, ValueRange{v[0], v[1]}),
                        other = tensor::ExtractOp::create(b, loc, order, ValueRange{v[0], partner});
                  Value takesGreater = arith::XOrIOp::create(b, loc, isSet(distance), isSet(direction));
                  Value keeps = arith::XOrIOp::create(b, loc, isBefore(s, v[0], mine, other), takesGreater);
                  return s.select(keeps, mine, other);
                })
      .value;
}

Tensor Network::run() {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.loc;
  for (Tensor &operand : operands)
    emitter.value(operand);
  SizeList sizes{emitter.sizes.constant(rows), emitter.sizes.constant(int64_t(1) << levels)};
  Type i64 = b.getI64Type();
  Tensor start = emitter.generate(sizes, i64, {}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    return arith::IndexCastOp::create(b, loc, i64, v[1]);
  });
  Value zero = emitter.sizes.value(emitter.sizes.constant(0)), one = emitter.sizes.value(emitter.sizes.constant(1)),
        count = emitter.sizes.value(emitter.sizes.constant(levels));
  auto outer = scf::ForOp::create(b, loc, zero, count, one, ValueRange{start.value});
  outer->setAttr(kKeepsShapesAttr, b.getUnitAttr());
  Emitter::State outside = emitter.save();
  b.setInsertionPointToStart(outer.getBody());
  Value level = arith::AddIOp::create(b, loc, outer.getInductionVar(), one);
  auto inner = scf::ForOp::create(b, loc, zero, level, one, outer.getRegionIterArgs());
  inner->setAttr(kKeepsShapesAttr, b.getUnitAttr());
  b.setInsertionPointToStart(inner.getBody());
  Value apart = arith::SubIOp::create(b, loc, outer.getInductionVar(), inner.getInductionVar());
  scf::YieldOp::create(b, loc, ValueRange{step(inner.getRegionIterArg(0), level, apart)});
  b.setInsertionPointToEnd(outer.getBody());
  scf::YieldOp::create(b, loc, inner.getResults());
  emitter.restore(std::move(outside));
  return emitter.fromValue(outer.getResult(0), sizes);
}

// The first `count` of each row of `tensor` in that order.
static Tensor pick(Emitter &emitter, Tensor &tensor, Tensor &order, int64_t count) {
  Value values = emitter.value(tensor), places = emitter.value(order);
  SizeList sizes{tensor.sizes[0], emitter.sizes.constant(count)};
  return emitter.generate(sizes, tensor.elementType, {}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value which = tensor::ExtractOp::create(b, loc, places, v);
    return tensor::ExtractOp::create(b, loc, values,
                                     ValueRange{v[0], arith::IndexCastOp::create(b, loc, b.getIndexType(), which)});
  });
}

static LogicalResult lowerSort(OpContext &op) {
  unsigned count = op.op->getNumOperands();
  if (count == 0 || failed(op.requireResults(count)))
    return op.refuse("needs as many results as operands, at least one");
  ArrayRef<int64_t> shape = op.operandType(0).getShape();
  int64_t rank = shape.size();
  for (unsigned i = 0; i < count; ++i)
    if (op.operandType(i).getShape() != shape)
      return op.refuse("the operands must have one shape");
  FailureOr<int64_t> given = op.integer("dimension", rank - 1);
  if (failed(given))
    return failure();
  int64_t axis = *given < 0 ? *given + rank : *given;
  if (failed(op.requireDims({axis}, rank, "dimension")))
    return failure();
  FailureOr<ElementRegion> body = ElementRegion::read(op, 2 * count, 1);
  if (failed(body))
    return failure();
  Emitter &emitter = op.emitter;
  int64_t size = shape[axis], elements = op.operandType(0).getNumElements();
  SmallVector<int64_t> order, moved;
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis)
      order.push_back(d);
  order.push_back(axis);
  moved = applyPermutation(shape, order);
  SmallVector<Tensor> operands;
  for (unsigned i = 0; i < count; ++i) {
    if (elements == 0 || size == 1) {
      if (failed(op.setResult(i, op.operand(i))))
        return failure();
      continue;
    }
    Tensor turned = emitter.transpose(op.operand(i), order);
    operands.push_back(emitter.reshape(turned, op.sizesOf({elements / size, size})));
  }
  if (operands.empty())
    return success();
  Tensor sorted = Network(emitter, operands, [&](OpBuilder &b, Location loc, ArrayRef<Value> x, ArrayRef<Value> y) {
                    SmallVector<Value> arguments;
                    for (auto [left, right] : llvm::zip_equal(x, y))
                      arguments.append({left, right});
                    return body->emit(b, loc, arguments).front();
                  }).run();
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Tensor result = pick(emitter, operand, sorted, size);
    result = emitter.reshape(result, op.sizesOf(moved));
    if (failed(op.setResult(i, emitter.transpose(result, invertPermutationVector(order)))))
      return failure();
  }
  return success();
}

// Values and places of the `k` greatest along the last dimension, the greatest first, of equal ones the first.
static LogicalResult lowerTopK(OpContext &op) {
  if (failed(op.requireOperands(1)) || failed(op.requireResults(2)))
    return failure();
  FailureOr<int64_t> k = op.integer("k");
  if (failed(k))
    return failure();
  RankedTensorType type = op.operandType(0);
  int64_t rank = type.getRank();
  if (rank == 0 || *k < 0 || *k > type.getShape().back() || type.getNumElements() == 0)
    return op.refuse("needs at least k elements along the last dimension, got k = " + Twine(*k));
  Emitter &emitter = op.emitter;
  int64_t size = type.getShape().back(), rows = type.getNumElements() / size;
  Type element = type.getElementType();
  SmallVector<Tensor> operands{emitter.reshape(op.operand(0), op.sizesOf({rows, size}))};
  Tensor order = Network(emitter, operands, [&](OpBuilder &b, Location loc, ArrayRef<Value> x, ArrayRef<Value> y) {
                   Scalar s{b, loc, element};
                   return s.less(orderKey(s, y[0]), orderKey(s, x[0]));
                 }).run();
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = *k;
  Tensor values = pick(emitter, operands.front(), order, *k);
  Tensor first = emitter.slice(order, SizeList(2, emitter.sizes.constant(0)), op.sizesOf({rows, *k}), {1, 1});
  Type i64 = emitter.builder.getI64Type(), wanted = op.resultType(1).getElementType();
  Tensor places = emitter.elementwise({&first}, first.sizes, wanted, [&](OpBuilder &b, Location loc, ValueRange v) {
    return importer::convert({b, loc}, v[0], i64, wanted);
  });
  return failure(failed(op.setResult(0, emitter.reshape(values, op.sizesOf(shape)))) ||
                 failed(op.setResult(1, emitter.reshape(places, op.sizesOf(shape)))));
}

void mlir::heddle::hlo::registerSort(LoweringTable &table) {
  table["chlo.top_k"] = lowerTopK;
  table["stablehlo.sort"] = lowerSort;
}
