// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Scan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

namespace {

class Scan {
public:
  explicit Scan(Operation *op) : op(op), builder(op), index(RankedTensorType::get({}, builder.getI64Type())) {}

  // Whether the op has the form.
  bool read();
  void rewrite();

private:
  bool readCounts();
  bool readBody();
  // Whether `type` without the dimension is `element`.
  bool isSliceOf(Type element, Type type);
  Operation *make(StringRef name, ValueRange operands, TypeRange types);
  Value constant(TypedAttr value);
  // The start of slice `at`: 0 but in the dimension.
  SmallVector<Value> startsOf(Value tensor, Value at);
  SmallVector<Value> fillBody(ValueRange carried);

  Operation *op;
  OpBuilder builder;
  RankedTensorType index;
  unsigned inputs = 0, carries = 0, outputs = 0;
  int64_t dimension = 0, length = 0;
  bool isReverse = false;
  Block *body = nullptr;
  Value zero, one, last;
};

} // namespace

//===--- Form ----------------------------------------------------------------------------------------------------===//

bool Scan::isSliceOf(Type element, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || dimension >= tensor.getRank() || tensor.getDimSize(dimension) != length)
    return false;
  SmallVector<int64_t> shape(tensor.getShape());
  shape.erase(shape.begin() + dimension);
  return element == RankedTensorType::get(shape, tensor.getElementType());
}

bool Scan::readCounts() {
  auto given = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes"),
       made = op->getAttrOfType<DenseI32ArrayAttr>("resultSegmentSizes");
  auto along = op->getAttrOfType<IntegerAttr>("dimension");
  if (!given || given.size() != 2 || !made || made.size() != 2 || !along || !along.getType().isSignlessInteger(64) ||
      given[0] < 1 || given[1] < 0 || made[0] < 0 || made[1] != given[1] || along.getInt() < 0)
    return false;
  inputs = given[0];
  carries = given[1];
  outputs = made[0];
  dimension = along.getInt();
  if (auto flag = op->getAttrOfType<BoolAttr>("is_reverse"))
    isReverse = flag.getValue();
  return op->getNumOperands() == inputs + carries && op->getNumResults() == outputs + carries;
}

bool Scan::readBody() {
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock() || op->getRegion(0).front().empty())
    return false;
  body = &op->getRegion(0).front();
  Operation &end = body->back();
  if (body->getNumArguments() != inputs + carries || end.getName().getStringRef() != "stablehlo.return" ||
      end.getNumOperands() != outputs + carries)
    return false;
  for (unsigned i = 0; i < inputs; ++i)
    if (!isSliceOf(body->getArgument(i).getType(), op->getOperand(i).getType()))
      return false;
  for (unsigned i = 0; i < carries; ++i) {
    Type type = op->getOperand(inputs + i).getType();
    if (body->getArgument(inputs + i).getType() != type || end.getOperand(outputs + i).getType() != type ||
        op->getResult(outputs + i).getType() != type)
      return false;
  }
  for (unsigned i = 0; i < outputs; ++i) {
    Type type = op->getResult(i).getType();
    if (!isSliceOf(end.getOperand(i).getType(), type) || !cast<ShapedType>(type).getElementType().isIntOrFloat())
      return false;
  }
  return true;
}

bool Scan::read() {
  if (!readCounts())
    return false;
  auto first = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!first || !first.hasStaticShape() || dimension >= first.getRank())
    return false;
  length = first.getDimSize(dimension);
  return readBody();
}

//===--- Loop ----------------------------------------------------------------------------------------------------===//

Operation *Scan::make(StringRef name, ValueRange operands, TypeRange types) {
  OperationState state(op->getLoc(), name);
  state.addOperands(operands);
  state.addTypes(types);
  return builder.create(state);
}

Value Scan::constant(TypedAttr value) {
  Operation *made = make("stablehlo.constant", {}, value.getType());
  made->setAttr("value", value);
  return made->getResult(0);
}

SmallVector<Value> Scan::startsOf(Value tensor, Value at) {
  SmallVector<Value> starts(cast<RankedTensorType>(tensor.getType()).getRank(), zero);
  starts[dimension] = at;
  return starts;
}

// `carried`: the number of the slice, carried values, outputs so far. Gives the next ones.
SmallVector<Value> Scan::fillBody(ValueRange carried) {
  Value at = carried.front();
  if (isReverse)
    at = make("stablehlo.subtract", {last, at}, index)->getResult(0);
  auto sliceType = [&](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dimension] = 1;
    return RankedTensorType::get(shape, type.getElementType());
  };
  IRMapping map;
  for (unsigned i = 0; i < inputs; ++i) {
    Value input = op->getOperand(i);
    RankedTensorType type = sliceType(input);
    SmallVector<Value> operands = startsOf(input, at);
    operands.insert(operands.begin(), input);
    Operation *slice = make("stablehlo.dynamic_slice", operands, type);
    slice->setAttr("slice_sizes", builder.getDenseI64ArrayAttr(type.getShape()));
    map.map(body->getArgument(i),
            make("stablehlo.reshape", slice->getResult(0), body->getArgument(i).getType())->getResult(0));
  }
  for (unsigned i = 0; i < carries; ++i)
    map.map(body->getArgument(inputs + i), carried[1 + i]);
  for (Operation &inner : llvm::make_range(body->begin(), std::prev(body->end())))
    builder.clone(inner, map);
  SmallVector<Value> next{make("stablehlo.add", {carried.front(), one}, index)->getResult(0)};
  for (unsigned i = 0; i < carries; ++i)
    next.push_back(map.lookupOrDefault(body->back().getOperand(outputs + i)));
  for (unsigned i = 0; i < outputs; ++i) {
    Value whole = carried[1 + carries + i];
    Value part = map.lookupOrDefault(body->back().getOperand(i));
    SmallVector<Value> operands = startsOf(whole, at);
    Value slice = make("stablehlo.reshape", part, sliceType(whole))->getResult(0);
    operands.insert(operands.begin(), {whole, slice});
    next.push_back(make("stablehlo.dynamic_update_slice", operands, whole.getType())->getResult(0));
  }
  return next;
}

void Scan::rewrite() {
  auto integer = [&](int64_t value) { return constant(DenseIntElementsAttr::get(index, value)); };
  zero = integer(0);
  one = integer(1);
  last = integer(length - 1);
  Value count = integer(length);
  SmallVector<Value> starts{zero};
  llvm::append_range(starts, op->getOperands().drop_front(inputs));
  for (unsigned i = 0; i < outputs; ++i)
    starts.push_back(constant(cast<TypedAttr>(builder.getZeroAttr(op->getResult(i).getType()))));
  SmallVector<Type> types(ValueRange(starts).getTypes());
  OperationState state(op->getLoc(), "stablehlo.while");
  state.addOperands(starts);
  state.addTypes(types);
  SmallVector<Location> locations(types.size(), op->getLoc());
  for (bool isBody : {false, true}) {
    Block &block = state.addRegion()->emplaceBlock();
    block.addArguments(types, locations);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    if (isBody) {
      make("stablehlo.return", fillBody(block.getArguments()), {});
      continue;
    }
    Operation *compare =
        make("stablehlo.compare", {block.getArgument(0), count}, RankedTensorType::get({}, builder.getI1Type()));
    compare->setAttr("comparison_direction", OpaqueAttr::get(builder.getStringAttr("stablehlo"),
                                                             "comparison_direction LT", builder.getNoneType()));
    make("stablehlo.return", compare->getResults(), {});
  }
  Operation *loop = builder.create(state);
  for (unsigned i = 0; i < outputs; ++i)
    op->getResult(i).replaceAllUsesWith(loop->getResult(1 + carries + i));
  for (unsigned i = 0; i < carries; ++i)
    op->getResult(outputs + i).replaceAllUsesWith(loop->getResult(1 + i));
  op->erase();
}

LogicalResult mlir::heddle::hlo::rewriteScan(Operation *op) {
  Scan scan(op);
  if (scan.read())
    scan.rewrite();
  return success();
}
