// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Evaluation/Evaluator.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Evaluation/Movement.h"
#include "compiler/Evaluation/Structured.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::evaluation;

//===--- Attributes ----------------------------------------------------------------------------------------------===//

// MLIR may keep booleans as bits.
static Array readBools(DenseElementsAttr value, Type elementType, ArrayRef<int64_t> shape) {
  if (value.isSplat()) {
    char element = value.getSplatValue<bool>();
    return Array::splat(elementType, shape, &element);
  }
  char *data;
  Array array = Array::allocate(elementType, shape, data);
  for (bool element : value.getValues<bool>())
    *data++ = element;
  return array;
}

FailureOr<Array> mlir::heddle::evaluation::readElements(ElementsAttr value) {
  auto type = dyn_cast<RankedTensorType>(value.getShapedType());
  if (!type || byteWidth(type.getElementType()) == 0)
    return failure();
  Array array{type.getElementType(), SmallVector<int64_t>(type.getShape()), denseStrides(type.getShape())};
  ArrayRef<char> bytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return failure();
    bytes = blob->getData();
  } else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (array.elementType.isInteger(1))
      return readBools(dense, array.elementType, array.shape);
    bytes = dense.getRawData();
    if (dense.isSplat())
      return Array::splat(array.elementType, array.shape, bytes.data());
  }
  if (static_cast<int64_t>(bytes.size()) != array.bytes())
    return failure();
  array.origin = bytes.data();
  return array;
}

ElementsAttr mlir::heddle::evaluation::makeElements(const Array &array, StringRef name) {
  Array dense = array.dense();
  ArrayRef<char> bytes(dense.origin, dense.bytes());
  AsmResourceBlob blob(
      bytes, /*dataAlignment=*/1, [owner = dense.owner](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
  auto &manager = DenseResourceElementsHandle::getManagerInterface(array.elementType.getContext());
  return DenseResourceElementsAttr::get(array.type(), manager.insert(name, std::move(blob)));
}

//===--- Ops -----------------------------------------------------------------------------------------------------===//

bool mlir::heddle::evaluation::isSource(Operation *op) {
  if (!isa<flow::ParameterLoadOp, arith::ConstantOp, tensor::EmptyOp>(op))
    return false;
  Type type = op->getResult(0).getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return (tensor ? tensor.hasStaticShape() && !tensor.getEncoding() : type.isIntOrIndexOrFloat()) &&
         byteWidth(getElementTypeOrSelf(type)) != 0;
}

FailureOr<Array> mlir::heddle::evaluation::readSource(Operation *op, SymbolTable &symbols) {
  if (auto load = dyn_cast<flow::ParameterLoadOp>(op)) {
    auto parameter = symbols.lookup<flow::ParameterOp>(load.getParameter());
    return parameter ? readElements(parameter.getValue()) : FailureOr<Array>();
  }
  Type type = op->getResult(0).getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto elements = dyn_cast<ElementsAttr>(constant.getValue()))
      return readElements(elements);
    return readElements(DenseElementsAttr::get(RankedTensorType::get({}, type), Attribute(constant.getValue())));
  }
  char zero[8] = {};
  return Array::splat(getElementTypeOrSelf(type), cast<RankedTensorType>(type).getShape(), zero);
}

bool mlir::heddle::evaluation::isComputable(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return StructuredEvaluation::plan(structured).has_value();
  return isMovement(op);
}

int64_t mlir::heddle::evaluation::workOf(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumReductionLoops() == 0)
    return 0;
  int64_t iterations = 1; // in range: plan() has seen to it
  for (int64_t range : structured.getStaticLoopRanges())
    iterations *= range;
  return iterations;
}

SmallVector<Value> mlir::heddle::evaluation::getInputs(Operation *op) {
  SmallVector<Value> inputs(op->getOperands());
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    llvm::append_range(inputs, StructuredEvaluation::plan(structured)->captured());
  return inputs;
}

FailureOr<SmallVector<Array>> mlir::heddle::evaluation::compute(Operation *op, ArrayRef<Array> inputs) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return StructuredEvaluation::plan(structured)->run(inputs);
  return SmallVector<Array>{moveElements(op, inputs)};
}

//===--- Values --------------------------------------------------------------------------------------------------===//

static constexpr size_t kMostOps = 64; // of an expression

// Whether following operands leads to sources only: all that most values need to be told apart from a constant, without
// a look into the bodies of ops.
static bool mayBeExpression(Value value) {
  SmallVector<Operation *> open{value.getDefiningOp()};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (!op || seen.size() > kMostOps || (!isSource(op) && !isa<linalg::LinalgOp>(op) && !isMovement(op)))
      return false;
    if (seen.insert(op).second && !isSource(op))
      for (Value operand : op->getOperands())
        open.push_back(operand.getDefiningOp());
  }
  return true;
}

// The ops that `value` depends on, operands first; empty if one of them is not known or there are too many.
static SmallVector<Operation *> getExpression(Value value) {
  if (!mayBeExpression(value))
    return {};
  SmallVector<std::pair<Operation *, bool>> stack{{value.getDefiningOp(), false}};
  llvm::SetVector<Operation *> order;
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!stack.empty()) {
    auto [op, isDone] = stack.pop_back_val();
    if (isDone) {
      order.insert(op);
      continue;
    }
    if (!op || seen.size() > kMostOps)
      return {};
    if (!seen.insert(op).second)
      continue;
    stack.emplace_back(op, true);
    if (isSource(op))
      continue;
    if (!isComputable(op))
      return {};
    for (Value input : getInputs(op))
      stack.emplace_back(input.getDefiningOp(), false);
  }
  return order.takeVector();
}

bool mlir::heddle::evaluation::isConstantExpression(Value value) { return !getExpression(value).empty(); }

FailureOr<Array> mlir::heddle::evaluation::evaluate(Value value, SymbolTable &symbols) {
  DenseMap<Value, Array> arrays;
  for (Operation *op : getExpression(value)) {
    if (isSource(op)) {
      FailureOr<Array> array = readSource(op, symbols);
      if (failed(array))
        return failure();
      arrays[op->getResult(0)] = *array;
      continue;
    }
    auto inputs = llvm::map_to_vector(getInputs(op), [&](Value input) { return arrays.lookup(input); });
    FailureOr<SmallVector<Array>> results = compute(op, inputs);
    if (failed(results))
      return failure();
    for (auto [result, array] : llvm::zip(op->getResults(), *results))
      arrays[result] = array;
  }
  auto found = arrays.find(value);
  return found == arrays.end() ? FailureOr<Array>() : found->second;
}

template <typename T> static bool isBounded(const Array &dense, double limit) {
  for (int64_t i = 0; i < dense.count(); ++i) {
    T element;
    std::memcpy(&element, dense.origin + i * sizeof(T), sizeof element);
    if (!(std::abs(element) <= limit))
      return false;
  }
  return true;
}

bool mlir::heddle::evaluation::isBounded(Value value, double limit, SymbolTable &symbols) {
  FailureOr<Array> array = evaluate(value, symbols);
  if (failed(array))
    return false;
  Array dense = array->dense();
  return dense.elementType.isF64()   ? ::isBounded<double>(dense, limit)
         : dense.elementType.isF32() ? ::isBounded<float>(dense, limit)
                                     : false;
}
