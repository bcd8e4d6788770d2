// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of a whole program: which arguments, results and states are parts. Afterwards each says so
// (`heddle.sharding`), those that every rank has whole, too.
#include "compiler/Stages/Ranks/RankProgram.h"

#include "compiler/Dialect/Flow/IR/FlowGlobals.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"
#include "compiler/Dialect/Heddle/IR/State.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::ShardingAttr;

// All of it said, and some dimensions not cut.
static ShardingAttr leaveOut(ShardingAttr sharding, function_ref<bool(int64_t)> isLeftOut) {
  SmallVector<ArrayAttr> axes;
  SmallVector<flow::GranuleAttr> granules;
  auto one = flow::GranuleAttr::get(sharding.getContext(), 1, {});
  for (int64_t dim = 0; dim < sharding.getRank(); ++dim) {
    bool isOut = isLeftOut(dim);
    axes.push_back(isOut ? ArrayAttr::get(sharding.getContext(), {}) : sharding.getAxes()[dim]);
    granules.push_back(isOut ? one : sharding.getGranule(dim));
  }
  return ShardingAttr::getNormalized(sharding.getMesh(), axes, granules, sharding.getPartial(),
                                     sharding.getReduction());
}

// What is asked of the value itself, if anything.
static ShardingAttr findRequest(BlockArgument argument) {
  flow::ShardOp first;
  for (Operation *user : argument.getUsers()) {
    auto request = dyn_cast<flow::ShardOp>(user);
    bool isHere = request && request->getBlock() == argument.getOwner();
    if (isHere && (!first || request->isBeforeInBlock(first)))
      first = request;
  }
  return first ? leaveOut(first.getSharding(), [](int64_t) { return false; }) : ShardingAttr();
}

// The value a global begins with, on every rank; null: it has none. Failure: parts of it differ.
static FailureOr<ElementsAttr> cutInitial(flow::GlobalOp global, RankedTensorType type) {
  if (!global.getValueAttr())
    return ElementsAttr();
  auto dense = dyn_cast<DenseElementsAttr>(*global.getValue());
  if (!dense || !dense.isSplat())
    return failure();
  return type.hasStaticShape() ? ElementsAttr(dense.resizeSplat(type)) : ElementsAttr();
}

// What the boundary is asked to have; null: nothing. The sizes of parts do not tell a free size of the whole: the caller
// gives all of it.
static ShardingAttr findAsked(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  auto asked = function.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(), kShardValueAttr);
  if (!asked && type)
    asked = findRequest(argument);
  return asked ? leaveOut(asked, [&](int64_t dim) { return type.isDynamicDim(dim); }) : ShardingAttr();
}

StateShardings mlir::heddle::decideStates(ModuleOp module) {
  StateShardings states;
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.isExternal() ? ArrayRef<BlockArgument>() : function.getArguments()) {
      unsigned index = argument.getArgNumber();
      auto state = function.getArgAttrOfType<FlatSymbolRefAttr>(index, kStateAttr);
      if (!state)
        continue;
      ShardingAttr asked = findAsked(argument);
      auto [known, isNew] = states.try_emplace(state.getAttr(), asked);
      auto type = cast<RankedTensorType>(argument.getType());
      auto global = SymbolTable::lookupNearestSymbolFrom<flow::GlobalOp>(function, state);
      bool agrees = isNew || known->second == asked;
      bool begins = !asked || succeeded(cutInitial(global, type));
      if (agrees && begins)
        continue;
      function.emitWarning() << "argument " << index << ", the state " << state << ", is not cut as asked, "
                             << (asked ? asked : known->second) << ": "
                             << (agrees ? "it begins with values that differ from rank to rank"
                                        : "another entry point asks for something else");
      known->second = {};
    }
  return states;
}

// The sharding of the part that the boundary has; null: every rank has all of it.
ShardingAttr RankProgram::decideArgument(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  ShardingAttr asked = findAsked(argument);
  function.removeArgAttr(index, kShardValueAttr);
  auto state = function.getArgAttrOfType<FlatSymbolRefAttr>(index, kStateAttr);
  if (state)
    asked = states.lookup(state.getAttr());
  asked = asked ? values.simplify(asked) : asked;
  if (!asked || !state)
    return asked;
  auto global = SymbolTable::lookupNearestSymbolFrom<flow::GlobalOp>(function, state);
  RankedTensorType part = values.getType(argument, asked);
  if (ElementsAttr initial = *cutInitial(global, part))
    global.setValueAttr(initial);
  global.setType(part);
  return asked;
}

// Names of dimensions stay where the dimension is what it was.
static void dropNames(func::FuncOp function, unsigned index, bool isArgument, ShardingAttr sharding) {
  auto names = isArgument ? function.getArgAttrOfType<ArrayAttr>(index, kDimsAttr)
                          : dyn_cast_if_present<ArrayAttr>(function.getResultAttr(index, kDimsAttr));
  if (!names || !sharding)
    return;
  SmallVector<Attribute> kept(names.begin(), names.end());
  for (auto [dim, name] : llvm::enumerate(kept))
    if (sharding.isCut(dim))
      name = StringAttr::get(function.getContext(), "");
  auto now = ArrayAttr::get(function.getContext(), kept);
  if (isArgument)
    function.setArgAttr(index, kDimsAttr, now);
  else
    function.setResultAttr(index, kDimsAttr, now);
}

void RankProgram::openArguments() {
  // What is whole keeps a function around it, which tells the names of its sizes.
  shadow = OwningOpRef<func::FuncOp>(function.cloneWithoutRegions());
  Block &wholes = shadow->getBody().emplaceBlock();
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    bool isOwn = own.contains(argument) || !isa<RankedTensorType>(argument.getType());
    ShardingAttr sharding = isOwn ? ShardingAttr() : decideArgument(argument);
    BlockArgument whole = wholes.addArgument(argument.getType(), argument.getLoc());
    if (isOwn)
      continue;
    argument.replaceAllUsesWith(whole);
    argument.setType(values.getType(whole, sharding));
    values.define(whole, argument, sharding);
    dropNames(function, index, /*isArgument=*/true, sharding);
    function.setArgAttr(index, kShardingAttr, values.complete(whole, sharding));
  }
  setType(function.getFunctionType().getResults());
}

void RankProgram::setType(TypeRange results) {
  function.setType(FunctionType::get(function.getContext(), function.getBody().front().getArgumentTypes(), results));
}

ShardingAttr RankProgram::decideResult(Operation *op, unsigned result) {
  Value value = op->getOperand(result);
  auto asked = dyn_cast_if_present<ShardingAttr>(function.getResultAttr(result, kShardValueAttr));
  function.removeResultAttr(result, StringAttr::get(op->getContext(), kShardValueAttr));
  if (!asked && isa_and_nonnull<flow::ShardOp>(value.getDefiningOp()))
    asked = values.getSharding(value);
  // A state ends as it began.
  auto state = dyn_cast_if_present<FlatSymbolRefAttr>(function.getResultAttr(result, kStateAttr));
  if (!state)
    return values.simplify(asked);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, kStateAttr) == state)
      return values.simplify(function.getArgAttrOfType<ShardingAttr>(i, kShardingAttr));
  return ShardingAttr();
}

LogicalResult RankProgram::closeResults(Operation *op) {
  OpBuilder builder(op);
  SmallVector<Value> given;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Value value = op->getOperand(i);
    if (own.contains(value)) {
      if (!function.getResultAttr(i, kShardingAttr))
        return op->emitOpError() << "returns what is one rank's own as result " << i
                                 << "; write flow.whole in front of it, or heddle.sharding on the result";
      given.push_back(values.get(op, value, {}));
      continue;
    }
    ShardingAttr sharding = decideResult(op, i);
    Value local = values.get(op, value, sharding);
    given.push_back(castTo(builder, op->getLoc(), local, values.getType(value, sharding)));
    dropNames(function, i, /*isArgument=*/false, sharding);
    function.setResultAttr(i, kShardingAttr, values.complete(value, sharding));
  }
  op->setOperands(given);
  setType(op->getOperandTypes());
  return success();
}
