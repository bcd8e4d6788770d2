// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of a whole program: which arguments, results and states are parts. Afterwards each says so
// (`heddle.sharding`), those that every rank has whole, too.
#include "compiler/Stages/Ranks/RankProgram.h"

#include "compiler/Dialect/Flow/IR/FlowGlobals.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
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

static bool beginsAsZeros(flow::GlobalOp global) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(global.getValueAttr());
  Attribute element = splat ? splat.getSplatValue<Attribute>() : Attribute();
  if (auto number = dyn_cast_if_present<FloatAttr>(element))
    return number.getValue().isPosZero();
  return !global.getValueAttr() || (element && element == Builder(global).getZeroAttr(splat.getElementType()));
}

// What a global of parts begins with: one value of the part's size, zeros of any (null), else the value of the whole,
// of which each rank takes its part.
static ElementsAttr cutInitial(flow::GlobalOp global, RankedTensorType part) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(global.getValueAttr());
  if (splat && part.hasStaticShape())
    return splat.resizeSplat(part);
  return beginsAsZeros(global) ? ElementsAttr() : global.getValueAttr();
}

// What the boundary is asked to have; null: nothing. The sizes of parts do not tell a free size of the whole: the
// caller gives all of it.
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
    for (unsigned index = 0; index < function.getNumArguments(); ++index) {
      auto state = function.getArgAttrOfType<FlatSymbolRefAttr>(index, kStateAttr);
      if (!state || function.isExternal())
        continue;
      ShardingAttr asked = findAsked(function.getArgument(index));
      auto [known, isNew] = states.try_emplace(state.getAttr(), asked);
      auto global = SymbolTable::lookupNearestSymbolFrom<flow::GlobalOp>(function, state);
      const char *why = nullptr;
      if (asked && !asked.getPartial().empty() && !beginsAsZeros(global))
        why = "parts that are combined begin as zeros";
      if (!isNew && known->second != asked)
        why = "another entry point asks for something else";
      if (!why)
        continue;
      function.emitWarning() << "argument " << index << ", the state " << state << ", is not cut as asked, "
                             << (asked ? asked : known->second) << ": " << why;
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
  ElementsAttr initial = cutInitial(global, part);
  if (initial && initial.getShapedType() != part)
    global.setShardingAttr(asked);
  if (initial)
    global.setValueAttr(initial);
  else
    global.removeValueAttr();
  global.setType(part);
  return asked;
}

// With the sizes of the whole where parts are not of one size: these are each rank's own.
static ShardingAttr withWholes(ShardingAttr sharding, RankedTensorType whole, RankedTensorType part) {
  SmallVector<int64_t> wholes(whole.getRank(), -1);
  for (int64_t dim = 0; dim < whole.getRank(); ++dim)
    if (part.isDynamicDim(dim) && !whole.isDynamicDim(dim))
      wholes[dim] = whole.getDimSize(dim);
  return sharding.withWholes(wholes);
}

// A name that no dimension of the function's arguments has.
static StringAttr makeName(func::FuncOp function, unsigned index, int64_t dim) {
  auto own = function.getArgAttrOfType<StringAttr>(index, kNameAttr);
  std::string name = (own ? own.str() : "arg" + std::to_string(index)) + "." + std::to_string(dim);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto dims = function.getArgAttrOfType<ArrayAttr>(i, kDimsAttr))
      while (llvm::is_contained(dims, StringAttr::get(function.getContext(), name)))
        name += "'";
  return StringAttr::get(function.getContext(), name);
}

// Each dynamic dimension has a name: what it was, or one of its own where parts have sizes of their own.
static void nameDims(func::FuncOp function, unsigned index, RankedTensorType whole, RankedTensorType part) {
  auto known = function.getArgAttrOfType<ArrayAttr>(index, kDimsAttr);
  if (whole == part || (!known && part.hasStaticShape()))
    return;
  SmallVector<Attribute> names;
  for (int64_t dim = 0; dim < part.getRank(); ++dim) {
    bool isNew = part.isDynamicDim(dim) && !whole.isDynamicDim(dim);
    names.push_back(isNew   ? makeName(function, index, dim)
                    : known ? known[dim]
                            : StringAttr::get(function.getContext(), ""));
  }
  function.setArgAttr(index, kDimsAttr, ArrayAttr::get(function.getContext(), names));
}

// The sizes that have names, on which all ranks agree: not those of the part, of which some may be the rank's own.
static SmallVector<OpFoldResult> findNamed(func::FuncOp function, unsigned index, RankedTensorType type) {
  SmallVector<OpFoldResult> sizes(type.getRank());
  auto names = function.getArgAttrOfType<ArrayAttr>(index, kDimsAttr);
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  for (int64_t dim = 0; names && dim < type.getRank(); ++dim)
    if (auto name = cast<StringAttr>(names[dim]); type.isDynamicDim(dim) && !name.empty())
      sizes[dim] = flow::DimensionOp::create(builder, function.getLoc(), builder.getIndexType(), name).getResult();
  return sizes;
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
    RankedTensorType type = values.getType(whole, sharding);
    argument.setType(type);
    auto from = cast<RankedTensorType>(whole.getType());
    values.define(whole, argument, sharding, findNamed(function, index, from));
    nameDims(function, index, from, type);
    function.setArgAttr(index, kShardingAttr, withWholes(values.complete(whole, sharding), from, type));
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
    RankedTensorType type = values.getType(value, sharding);
    given.push_back(castTo(builder, op->getLoc(), local, type));
    function.setResultAttr(i, kShardingAttr,
                           withWholes(values.complete(value, sharding), cast<RankedTensorType>(value.getType()), type));
  }
  op->setOperands(given);
  setType(op->getOperandTypes());
  return success();
}
