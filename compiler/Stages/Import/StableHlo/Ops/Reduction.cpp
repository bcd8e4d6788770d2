// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce.
#include "compiler/Stages/Import/StableHlo/Ops/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

TypedAttr mlir::heddle::hlo::neutralOf(StringRef combiner, Type type) {
  bool isFlag = type.isInteger(1);
  if (combiner == "stablehlo.add" || combiner == "stablehlo.or" || combiner == "stablehlo.xor")
    return makeAttribute(type, 0);
  if (combiner == "stablehlo.multiply")
    return isFlag ? importer::highest(type) : makeAttribute(type, 1);
  if (combiner == "stablehlo.maximum")
    return importer::lowest(type);
  if (combiner == "stablehlo.minimum")
    return importer::highest(type);
  if (combiner == "stablehlo.and")
    return IntegerAttr::get(storageType(type), -1);
  return {};
}

importer::TensorData mlir::heddle::hlo::neutralTensor(TypedAttr neutral, Type type) {
  if (type.isInteger(1)) {
    auto flag = std::make_shared<std::vector<char>>(1, !cast<IntegerAttr>(neutral).getValue().isZero());
    return {RankedTensorType::get({}, type), ArrayRef<char>(*flag), flag};
  }
  auto literal = DenseElementsAttr::get(RankedTensorType::get({}, storageType(type)), Attribute(neutral));
  auto bytes = std::make_shared<std::vector<char>>(literal.getRawData().begin(), literal.getRawData().end());
  return {RankedTensorType::get({}, type), ArrayRef<char>(*bytes), bytes};
}

static bool isConstantOf(const Tensor &tensor, TypedAttr value) {
  if (!tensor.data || tensor.data->size() != 1)
    return false;
  Attribute literal = *tensor.data->literal().value_begin<Attribute>();
  if (auto real = dyn_cast<FloatAttr>(literal))
    return real.getValue().compare(cast<FloatAttr>(value).getValue()) == llvm::APFloat::cmpEqual;
  return literal == value;
}

FailureOr<Reducer> Reducer::read(OpContext &op, unsigned count) {
  if (failed(op.requireOperands(2 * count)) || failed(op.requireResults(count)))
    return failure();
  for (unsigned i = 0; i < count; ++i)
    if (isFloat8(op.operandType(i).getElementType()))
      return op.refuse("floats of 8 bits are not supported here; convert them to f32");
  Reducer reducer{op, count, {}, {}};
  SmallVector<Type> types;
  for (unsigned i = 0; i < count; ++i) {
    Type type = op.operandType(i).getElementType();
    types.push_back(type);
    if (op.operandType(count + i).getRank() != 0 || op.operandType(count + i).getElementType() != type ||
        op.operandType(i).getShape() != op.operandType(0).getShape())
      return op.refuse("operands must have one shape, and every initial value rank 0 and its operand's type");
  }
  SmallVector<Type> arguments(types);
  llvm::append_range(arguments, types);
  FailureOr<ElementRegion> body = ElementRegion::read(op, arguments, types);
  if (failed(body))
    return failure();
  reducer.body = *body;
  if (count == 1)
    reducer.neutral = neutralOf(body->combiner(), op.operandType(0).getElementType());
  return reducer;
}

Value Reducer::start(unsigned i, ArrayRef<OpFoldResult> sizes) {
  Emitter &emitter = op.emitter;
  Type type = op.operandType(i).getElementType();
  if (neutral)
    return emitter.filled(type, sizes, neutral).value;
  return filledWith(emitter, op.operand(count + i), sizes);
}

Tensor Reducer::finish(unsigned i, Tensor result) {
  Tensor &init = op.operand(count + i);
  if (!neutral || isConstantOf(init, neutral))
    return result;
  return op.emitter.elementwise({&init, &result}, result.sizes, result.elementType,
                                [&](OpBuilder &b, Location loc, ValueRange v) { return body.emit(b, loc, v).front(); });
}

SmallVector<Tensor> Reducer::emit(ArrayRef<Value> inputs, ArrayRef<AffineMap> maps, AffineMap out,
                                  ArrayRef<utils::IteratorType> iterators, ArrayRef<OpFoldResult> sizes) {
  Emitter &emitter = op.emitter;
  SmallVector<Value> starts;
  SmallVector<Type> types;
  SmallVector<AffineMap> all(maps);
  for (unsigned i = 0; i < count; ++i) {
    starts.push_back(start(i, sizes));
    types.push_back(starts.back().getType());
    all.push_back(out);
  }
  auto made = linalg::GenericOp::create(emitter.builder, emitter.loc, types, inputs, starts, all, iterators,
                                        [&](OpBuilder &b, Location loc, ValueRange v) {
                                          // Accumulators come first in the region; behind the elements there may be a
                                          // window that nobody reads.
                                          SmallVector<Value> arguments(v.take_back(count));
                                          llvm::append_range(arguments, v.take_front(count));
                                          linalg::YieldOp::create(b, loc, body.emit(b, loc, arguments));
                                        });
  SmallVector<Tensor> results;
  for (unsigned i = 0; i < count; ++i)
    results.push_back(finish(i, emitter.fromValue(made.getResult(i), sizes, op.operandType(i).getElementType())));
  return results;
}

//===--- reduce --------------------------------------------------------------------------------------------------===//

static LogicalResult lowerReduce(OpContext &op) {
  unsigned count = op.op->getNumOperands() / 2;
  if (count == 0)
    return op.refuse("needs operands and initial values");
  FailureOr<Reducer> reducer = Reducer::read(op, count);
  FailureOr<SmallVector<int64_t>> axes = op.ints("dimensions");
  if (failed(reducer) || failed(axes))
    return failure();
  ArrayRef<int64_t> shape = op.operandType(0).getShape();
  int64_t rank = shape.size();
  if (failed(op.requireDims(*axes, rank, "dimensions")))
    return failure();
  Emitter &emitter = op.emitter;
  SmallVector<int64_t> sorted(*axes);
  llvm::sort(sorted);
  if (count == 1 && reducer->neutral) {
    Type type = op.operandType(0).getElementType();
    Tensor result = emitter.reduce({&op.operand(0)}, sorted, type, reducer->neutral,
                                   [&](OpBuilder &b, Location loc, ValueRange v, Value sum) {
                                     return reducer->body.emit(b, loc, {sum, v[0]}).front();
                                   });
    return op.setResult(0, reducer->finish(0, std::move(result)));
  }
  // Loops: the kept dimensions in order, then the reduced ones.
  Builder &b = emitter.builder;
  SmallVector<AffineExpr> read(rank), kept;
  SmallVector<int64_t> sizes;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(sorted, d)) {
      read[d] = b.getAffineDimExpr(sizes.size());
      kept.push_back(read[d]);
      sizes.push_back(shape[d]);
    }
  for (auto [i, d] : llvm::enumerate(sorted))
    read[d] = b.getAffineDimExpr(sizes.size() + i);
  SmallVector<utils::IteratorType> iterators(sizes.size(), utils::IteratorType::parallel);
  iterators.resize(rank, utils::IteratorType::reduction);
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < count; ++i)
    inputs.push_back(emitter.value(op.operand(i)));
  AffineMap in = AffineMap::get(rank, 0, read, b.getContext()), out = AffineMap::get(rank, 0, kept, b.getContext());
  SmallVector<Tensor> results =
      reducer->emit(inputs, SmallVector<AffineMap>(count, in), out, iterators, op.sizesOf(sizes));
  for (unsigned i = 0; i < count; ++i)
    if (failed(op.setResult(i, results[i])))
      return failure();
  return success();
}

void mlir::heddle::hlo::registerReduction(LoweringTable &table) { table["stablehlo.reduce"] = lowerReduce; }
