// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Converter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

// Ops that a scalar passes through as it is.
static bool isIdentity(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return (name == "stablehlo.reshape" || name == "stablehlo.broadcast_in_dim") && op->getNumOperands() == 1 &&
         op->getNumResults() == 1 && op->getOperandTypes() == op->getResultTypes();
}

static bool isScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 && tensor.getElementType().isIntOrFloat();
}

static FailureOr<TypedAttr> scalarConstant(Operation *op) {
  auto value = dyn_cast_or_null<DenseElementsAttr>(op->getAttr("value"));
  if (!value || value.getNumElements() != 1 || op->getNumResults() != 1 ||
      value.getType() != op->getResult(0).getType())
    return failure();
  Type type = storageType(value.getElementType());
  if (auto real = dyn_cast<FloatAttr>(*value.value_begin<Attribute>()))
    return isFloat8(real.getType()) ? importer::makeAttribute(real.getType(), real.getValueAsDouble())
                                    : TypedAttr(real);
  return TypedAttr(IntegerAttr::get(type, *value.value_begin<APInt>()));
}

static Block *calledBlock(Operation *op, SymbolTable &symbols) {
  auto call = dyn_cast<func::CallOp>(op);
  auto function = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
  bool fits = function && function.getBody().hasOneBlock() &&
              TypeRange(function.getArgumentTypes()) == TypeRange(call.getOperandTypes()) &&
              TypeRange(function.getResultTypes()) == TypeRange(call.getResultTypes());
  return fits ? &function.getBody().front() : nullptr;
}

// Of a region with the calls in it inlined.
static constexpr int64_t kMaximumOps = 4096;

// Why the block is no computation on scalars; empty if it is. Counts its ops in `count`.
static std::string check(Block &block, SymbolTable &symbols, int depth, int64_t &count) {
  if (depth > 16)
    return "calls nest too deeply";
  for (Operation &op : block) {
    if (++count > kMaximumOps)
      return "has more than " + std::to_string(kMaximumOps) + " ops with its calls inlined";
    auto types =
        llvm::concat<const Type>(SmallVector<Type>(op.getOperandTypes()), SmallVector<Type>(op.getResultTypes()));
    for (Type type : types)
      if (!isScalar(type))
        return (Twine("works on ") + "tensors that are no scalars (op " + op.getName().getStringRef() + ")").str();
    if (&op == block.getTerminator() || isIdentity(&op))
      continue;
    if (op.getName().getStringRef() == "stablehlo.constant") {
      if (failed(scalarConstant(&op)))
        return "has a constant that is no scalar";
      continue;
    }
    std::string reason;
    if (Block *called = calledBlock(&op, symbols))
      reason = check(*called, symbols, depth + 1, count);
    else if (findElementRule(&op))
      reason = checkElement(&op);
    else
      reason = "is not supported here";
    if (!reason.empty())
      return ("op " + op.getName().getStringRef() + ": " + reason).str();
  }
  return "";
}

// The first of the scalars `values` that is not of its type.
static std::optional<size_t> findOtherType(ValueRange values, ArrayRef<Type> types) {
  for (auto [i, value, type] : llvm::enumerate(values, types))
    if (getElementTypeOrSelf(value) != type)
      return i;
  return std::nullopt;
}

FailureOr<ElementRegion> ElementRegion::read(OpContext &op, ArrayRef<Type> arguments, ArrayRef<Type> results,
                                             unsigned region) {
  ElementRegion made;
  made.symbols = &op.converter.symbols;
  if (op.op->getNumRegions() <= region || !op.op->getRegion(region).hasOneBlock())
    return op.refuse("needs a region of one block");
  made.body = &op.op->getRegion(region).front();
  if (made.body->getNumArguments() != arguments.size() || !llvm::all_of(made.body->getArgumentTypes(), isScalar))
    return op.refuse("the region needs " + Twine(arguments.size()) + " arguments of rank 0");
  if (made.body->empty() || made.body->getTerminator()->getNumOperands() != results.size())
    return op.refuse("the region must return " + Twine(results.size()) + " values");
  auto spell = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  if (std::optional<size_t> i = findOtherType(made.body->getArguments(), arguments))
    return op.refuse("argument " + Twine(*i) + " of the region must have the element type " + spell(arguments[*i]));
  if (std::optional<size_t> i = findOtherType(made.body->getTerminator()->getOperands(), results))
    return op.refuse("the region must return " + spell(results[*i]) + " as value " + Twine(*i));
  int64_t count = 0;
  std::string reason = check(*made.body, *made.symbols, 0, count);
  if (!reason.empty())
    return op.refuse("the region " + reason);
  for (Operation &inner : *made.body)
    for (Value operand : inner.getOperands()) {
      Block *owner = operand.getParentBlock();
      if (owner == made.body || made.captured.count(operand))
        continue;
      Tensor &tensor = op.converter.full(operand);
      if (!tensor.elementType)
        return op.refuse("the region reads a value that is not there");
      made.captured[operand] = tensor.data ? scalarOf(op.emitter, tensor) : op.emitter.value(tensor);
    }
  return made;
}

SmallVector<Value> ElementRegion::emit(OpBuilder &b, Location loc, ValueRange arguments) const {
  return emitBlock(b, loc, *body, arguments);
}

SmallVector<Value> ElementRegion::emitBlock(OpBuilder &b, Location loc, Block &block, ValueRange arguments) const {
  DenseMap<Value, Value> scalars;
  for (auto [outside, value] : captured) {
    bool isTensor = isa<RankedTensorType>(value.getType()); // read here: dispatches take no floats
    scalars[outside] = isTensor ? Value(tensor::ExtractOp::create(b, loc, value, ValueRange())) : value;
  }
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    scalars[argument] = value;
  auto lookUp = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return scalars.lookup(value); });
  };
  for (Operation &op : opsBeforeReturn(block)) {
    SmallVector<Value> operands = lookUp(op.getOperands());
    if (isIdentity(&op)) {
      scalars[op.getResult(0)] = operands.front();
    } else if (op.getName().getStringRef() == "stablehlo.constant") {
      scalars[op.getResult(0)] = arith::ConstantOp::create(b, loc, *scalarConstant(&op));
    } else if (Block *called = calledBlock(&op, *symbols)) {
      for (auto [result, value] : llvm::zip(op.getResults(), emitBlock(b, loc, *called, operands)))
        scalars[result] = value;
    } else {
      scalars[op.getResult(0)] = emitElement(b, loc, &op, operands);
    }
  }
  return lookUp(block.getTerminator()->getOperands());
}

StringRef ElementRegion::combiner() const {
  if (body->getNumArguments() != 2 || std::distance(body->begin(), body->end()) != 2)
    return {};
  Operation &op = body->front();
  Operation *end = body->getTerminator();
  Value a = body->getArgument(0), b = body->getArgument(1);
  bool fits = op.getNumOperands() == 2 && op.getNumResults() == 1 && end->getNumOperands() == 1 &&
              end->getOperand(0) == op.getResult(0) &&
              ((op.getOperand(0) == a && op.getOperand(1) == b) || (op.getOperand(0) == b && op.getOperand(1) == a));
  return fits ? op.getName().getStringRef() : StringRef();
}

bool ElementRegion::returnsArgument(unsigned i) const {
  Operation *end = body->getTerminator();
  return end->getNumOperands() == 1 && end->getOperand(0) == body->getArgument(i);
}
