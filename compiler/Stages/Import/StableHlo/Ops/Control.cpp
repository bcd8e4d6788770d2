// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// while, case and if: regions of tensors.
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/StableHlo/Converter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static Block *blockOf(Operation *op, unsigned region) {
  Region &body = op->getRegion(region);
  return body.hasOneBlock() && !body.front().empty() ? &body.front() : nullptr;
}

static SmallVector<Value> valuesOf(Emitter &emitter, MutableArrayRef<Tensor> tensors) {
  return llvm::map_to_vector(tensors, [&](Tensor &tensor) { return emitter.value(tensor); });
}

//===--- while ---------------------------------------------------------------------------------------------------===//

namespace {

// A loop whose counter goes from `first` to before `limit` by steps of one.
struct Count {
  unsigned counter;
  int64_t first, limit;
};

class Loop {
public:
  explicit Loop(OpContext &op) : op(op), emitter(op.emitter) {}

  LogicalResult run();

private:
  LogicalResult check();
  std::optional<int64_t> constantOf(Value value);
  std::optional<Count> readCount();
  SmallVector<Tensor> startRegion(ValueRange carried, Tensor *counter);
  LogicalResult emitFor(const Count &count);
  LogicalResult emitWhile();
  LogicalResult setResults(ValueRange carried);

  OpContext &op;
  Emitter &emitter;
  Block *condition = nullptr, *body = nullptr;
  SmallVector<bool> varies; // by operand; the others come out as they go in
  std::optional<unsigned> counter;
  SmallVector<Tensor> inits;
};

} // namespace

LogicalResult Loop::check() {
  if (op.op->getNumRegions() != 2)
    return op.refuse("needs two regions");
  condition = blockOf(op.op, 0);
  body = blockOf(op.op, 1);
  TypeRange types = op.op->getOperandTypes();
  if (!condition || !body || types != op.op->getResultTypes() || types != TypeRange(condition->getArgumentTypes()) ||
      types != TypeRange(body->getArgumentTypes()) || types != TypeRange(body->getTerminator()->getOperandTypes()))
    return op.refuse("operands, results and what the regions take and the body returns must have the same types");
  auto end = condition->getTerminator();
  auto flag = RankedTensorType::get({}, op.emitter.builder.getI1Type());
  if (end->getNumOperands() != 1 || end->getOperand(0).getType() != flag)
    return op.refuse("the condition must return one tensor<i1>");
  return success();
}

// The integer that a value is; also where an op of the condition makes it.
std::optional<int64_t> Loop::constantOf(Value value) {
  DenseElementsAttr literal;
  Operation *made = value.getDefiningOp();
  if (made && made->getName().getStringRef() == "stablehlo.constant")
    literal = dyn_cast_or_null<DenseElementsAttr>(made->getAttr("value"));
  if (literal && literal.getNumElements() == 1 && literal.getElementType().isInteger())
    return literal.getSplatValue<APInt>().getSExtValue();
  if (value.getParentBlock() == condition || value.getParentBlock() == body)
    return std::nullopt;
  Tensor &tensor = op.converter.tensor(value);
  return tensor.contents && tensor.contents->size() == 1 ? getConstantIntValue(tensor.contents->front()) : std::nullopt;
}

std::optional<Count> Loop::readCount() {
  auto compare = condition->getTerminator()->getOperand(0).getDefiningOp();
  if (!compare || compare->getName().getStringRef() != "stablehlo.compare" || compare->getNumOperands() != 2 ||
      !compare->hasAttr("comparison_direction") || readWord(compare->getAttr("comparison_direction")) != "LT")
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(compare->getOperand(0));
  if (!argument || argument.getOwner() != condition || !getElementTypeOrSelf(argument).isSignlessInteger() ||
      getElementTypeOrSelf(argument).isInteger(1))
    return std::nullopt;
  unsigned i = argument.getArgNumber();
  // The limit may be a value that goes around unchanged.
  Value bound = compare->getOperand(1);
  if (auto carried = dyn_cast<BlockArgument>(bound); carried && carried.getOwner() == condition) {
    if (varies[carried.getArgNumber()])
      return std::nullopt;
    bound = op.op->getOperand(carried.getArgNumber());
  }
  std::optional<int64_t> limit = constantOf(bound), first = constantOf(op.op->getOperand(i));
  Operation *add = body->getTerminator()->getOperand(i).getDefiningOp();
  if (!limit || !first || !add || add->getName().getStringRef() != "stablehlo.add" || add->getNumOperands() != 2 ||
      add->getOperand(0) != body->getArgument(i) || constantOf(add->getOperand(1)) != 1)
    return std::nullopt;
  return Count{i, *first, std::max(*first, *limit)};
}

// Tensors for the arguments of a region: what is carried, what does not change, and the counter.
SmallVector<Tensor> Loop::startRegion(ValueRange carried, Tensor *counterTensor) {
  SmallVector<Tensor> arguments(inits);
  unsigned next = 0;
  for (unsigned i = 0; i < arguments.size(); ++i) {
    if (counterTensor && i == counter)
      arguments[i] = *counterTensor;
    else if (varies[i])
      arguments[i] = emitter.fromValue(carried[next++], inits[i].sizes, inits[i].elementType);
  }
  return arguments;
}

LogicalResult Loop::setResults(ValueRange carried) {
  unsigned next = 0;
  for (unsigned i = 0; i < inits.size(); ++i) {
    if (i == counter)
      continue;
    Tensor result = varies[i] ? emitter.fromValue(carried[next++], inits[i].sizes, inits[i].elementType) : inits[i];
    if (failed(op.setResult(i, std::move(result))))
      return failure();
  }
  return success();
}

LogicalResult Loop::emitFor(const Count &count) {
  counter = count.counter;
  OpBuilder &b = emitter.builder;
  importer::Sizes &sizes = emitter.sizes;
  SmallVector<Value> carried;
  for (auto [i, init] : llvm::enumerate(inits))
    if (varies[i] && i != *counter)
      carried.push_back(emitter.value(init));
  auto index = [&](int64_t value) { return sizes.value(sizes.constant(value)); };
  auto loop = scf::ForOp::create(b, emitter.loc, index(count.first), index(count.limit), index(1), carried);
  loop->setAttr(kKeepsShapesAttr, b.getUnitAttr());
  Location loc = emitter.loc;
  Emitter::State outside = emitter.save();
  if (carried.empty() && !loop.getBody()->empty())
    loop.getBody()->getTerminator()->erase();
  b.setInsertionPointToStart(loop.getBody());
  Type type = inits[*counter].elementType;
  Tensor at = emitter.fromContents(type, {}, {sizes.integer(loop.getInductionVar(), {count.first, count.limit - 1})});
  FailureOr<SmallVector<Tensor>> results = op.converter.lowerRegion(*body, startRegion(loop.getRegionIterArgs(), &at));
  if (succeeded(results)) {
    SmallVector<Value> yielded;
    for (auto [i, result] : llvm::enumerate(*results))
      if (varies[i] && i != *counter)
        yielded.push_back(result.value);
    scf::YieldOp::create(b, loc, yielded);
  }
  emitter.restore(std::move(outside));
  if (failed(results))
    return failure();
  Tensor last = emitter.fromContents(type, {}, {sizes.constant(count.limit)});
  return failed(op.setResult(*counter, std::move(last))) ? failure() : setResults(loop.getResults());
}

LogicalResult Loop::emitWhile() {
  OpBuilder &b = emitter.builder;
  SmallVector<Value> carried;
  for (auto [i, init] : llvm::enumerate(inits))
    if (varies[i])
      carried.push_back(emitter.value(init));
  SmallVector<Type> types(ValueRange(carried).getTypes());
  SmallVector<Location> locations(types.size(), emitter.loc);
  Location loc = emitter.loc;
  auto loop = scf::WhileOp::create(b, loc, types, carried);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locations),
        *after = b.createBlock(&loop.getAfter(), {}, types, locations);
  b.setInsertionPointAfter(loop);
  Emitter::State outside = emitter.save();
  b.setInsertionPointToEnd(before);
  FailureOr<SmallVector<Tensor>> holds =
      op.converter.lowerRegion(*condition, startRegion(before->getArguments(), nullptr));
  if (succeeded(holds)) {
    Value flag = tensor::ExtractOp::create(b, loc, holds->front().value, ValueRange());
    scf::ConditionOp::create(b, loc, flag, before->getArguments());
  }
  emitter.restore(outside);
  b.setInsertionPointToEnd(after);
  FailureOr<SmallVector<Tensor>> results = op.converter.lowerRegion(*body, startRegion(after->getArguments(), nullptr));
  if (succeeded(results)) {
    SmallVector<Value> yielded;
    for (auto [i, result] : llvm::enumerate(*results))
      if (varies[i])
        yielded.push_back(result.value);
    scf::YieldOp::create(b, loc, yielded);
  }
  emitter.restore(std::move(outside));
  return failed(holds) || failed(results) ? failure() : setResults(loop.getResults());
}

LogicalResult Loop::run() {
  if (failed(check()))
    return failure();
  for (unsigned i = 0; i < op.op->getNumOperands(); ++i) {
    varies.push_back(body->getTerminator()->getOperand(i) != body->getArgument(i));
    inits.push_back(op.operand(i));
  }
  if (std::optional<Count> count = readCount())
    return emitFor(*count);
  return emitWhile();
}

static LogicalResult lowerWhile(OpContext &op) { return Loop(op).run(); }

//===--- case ----------------------------------------------------------------------------------------------------===//

static LogicalResult inlineRegion(OpContext &op, unsigned region) {
  FailureOr<SmallVector<Tensor>> results = op.converter.lowerRegion(*blockOf(op.op, region), {});
  if (failed(results))
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    if (failed(op.setResult(i, std::move(result))))
      return failure();
  return success();
}

// The region, of those from number `first` on, that `index` chooses; the last one where it names none. Of a condition
// (i1) the first is for true.
static FailureOr<SmallVector<Value>> emitBranches(OpContext &op, Value index, ArrayRef<unsigned> regions,
                                                  int64_t first) {
  Emitter &emitter = op.emitter;
  OpBuilder &b = emitter.builder;
  Location loc = op.op->getLoc();
  if (regions.size() == 1) {
    FailureOr<SmallVector<Tensor>> results = op.converter.lowerRegion(*blockOf(op.op, regions.front()), {});
    if (failed(results))
      return failure();
    return valuesOf(emitter, *results);
  }
  size_t half = regions.size() / 2;
  Value isBelow = index;
  if (!index.getType().isInteger(1)) // negative numbers are large ones here
    isBelow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index,
                                    arith::ConstantOp::create(b, loc, IntegerAttr::get(index.getType(), first + half)));
  SmallVector<Type> types;
  for (Type type : op.op->getResultTypes())
    types.push_back(cast<RankedTensorType>(type).clone(storageType(getElementTypeOrSelf(type))));
  auto branch = scf::IfOp::create(b, loc, types, isBelow, /*withElseRegion=*/true);
  Emitter::State outside = emitter.save();
  bool failedAny = false;
  for (bool isElse : {false, true}) {
    Block *block = isElse ? branch.elseBlock() : branch.thenBlock();
    if (!block->empty())
      block->getTerminator()->erase();
    b.setInsertionPointToEnd(block);
    auto values = isElse ? emitBranches(op, index, regions.drop_front(half), first + half)
                         : emitBranches(op, index, regions.take_front(half), first);
    failedAny |= failed(values);
    if (succeeded(values))
      scf::YieldOp::create(b, loc, *values);
    emitter.restore(outside);
  }
  if (failedAny)
    return failure();
  return SmallVector<Value>(branch.getResults());
}

static LogicalResult lowerBranches(OpContext &op, bool isIf) {
  unsigned count = op.op->getNumRegions();
  if (failed(op.requireOperands(1)) || count == 0 || (isIf && count != 2))
    return op.refuse("needs one operand and a region for every branch");
  RankedTensorType type = op.operandType(0);
  bool isIndex = type.getElementType().isSignlessInteger(32) || type.getElementType().isSignlessInteger(64);
  if (type.getRank() != 0 || !(isIf ? type.getElementType().isInteger(1) : isIndex))
    return op.refuse(isIf ? "needs a condition tensor<i1>" : "needs an index of type tensor<i32>");
  for (unsigned i = 0; i < count; ++i) {
    Block *block = blockOf(op.op, i);
    if (!block || block->getNumArguments() != 0 ||
        TypeRange(block->getTerminator()->getOperandTypes()) != op.op->getResultTypes())
      return op.refuse("every region must take nothing and return what the op does");
  }
  Tensor &index = op.operand(0);
  std::optional<int64_t> known = index.contents ? getConstantIntValue(index.contents->front()) : std::nullopt;
  if (known && isIf)
    return inlineRegion(op, *known ? 0 : 1);
  if (known || count == 1)
    return inlineRegion(op, !known || *known < 0 || *known >= count ? count - 1 : *known);
  Value choice = tensor::ExtractOp::create(op.emitter.builder, op.emitter.loc, op.emitter.value(index), ValueRange());
  auto results = emitBranches(op, choice, llvm::to_vector(llvm::seq<unsigned>(0, count)), 0);
  if (failed(results))
    return failure();
  for (auto [i, result] : llvm::enumerate(*results)) {
    RankedTensorType made = op.resultType(i);
    if (failed(op.setResult(i, op.emitter.fromValue(result, op.sizesOf(made.getShape()), made.getElementType()))))
      return failure();
  }
  return success();
}

void mlir::heddle::hlo::registerControl(LoweringTable &table) {
  table["stablehlo.case"] = [](OpContext &op) { return lowerBranches(op, false); };
  table["stablehlo.if"] = [](OpContext &op) { return lowerBranches(op, true); };
  table["stablehlo.while"] = lowerWhile;
}
