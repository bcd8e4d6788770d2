// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and branches of a whole program. What they carry has one sharding all around; whole sizes that no type tells
// are carried beside it. Where they provably stay as they are, so do the sizes of the parts, which the loop says
// (heddle.keeps_shapes).
#include "compiler/Stages/Ranks/RankProgram.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::ShardingAttr;

namespace mlir::heddle {

// A list of values that goes from one place of a program to another: initial values to arguments, yielded ones to
// results.
class Carried {
public:
  // `shape`: values of the whole program that have the types, such as the op's results. `list`: an attribute of `op`.
  static FailureOr<Carried> find(RankProgram &program, Operation *op, StringRef list, ValueRange shape) {
    Carried carried(program);
    auto shardings = op->getAttrOfType<ArrayAttr>(list);
    op->removeAttr(list);
    for (auto [i, value] : llvm::enumerate(shape)) {
      bool isWhole = isa<RankedTensorType>(value.getType()) && !program.own.contains(value);
      auto sharding = shardings && isWhole ? dyn_cast<ShardingAttr>(shardings[i]) : ShardingAttr();
      if (sharding && sharding.getRank() != cast<RankedTensorType>(value.getType()).getRank())
        return op->emitOpError() << "has " << list << " for " << value.getType() << " that is " << sharding;
      if (sharding && !sharding.getPartial().empty() && isa<LoopLikeOpInterface>(op))
        return op->emitOpError() << "carries a partial sum, " << sharding
                                 << "; combine it in the loop, with flow.shard";
      carried.items.push_back({isWhole, program.values.simplify(sharding)});
    }
    return carried;
  }

  // What is given: `from` in the order of the items, in front of `use`; then the sizes.
  SmallVector<Value> give(Operation *use, ValueRange from, ValueRange shape) {
    OpBuilder builder(use);
    SmallVector<Value> given, sizes;
    for (auto [item, value, like] : llvm::zip_equal(items, from, shape)) {
      if (!item.isWhole) {
        given.push_back(program.values.get(use, value, {}));
        continue;
      }
      Value local = program.values.get(use, value, item.sharding);
      given.push_back(castTo(builder, use->getLoc(), local, program.values.getType(like, item.sharding)));
      for (int64_t dim : getCarriedSizes(item, like))
        sizes.push_back(getValueOrCreateConstantIndexOp(builder, use->getLoc(), sizesOf(value)[dim]));
    }
    llvm::append_range(given, sizes);
    return given;
  }

  // The types of what is given.
  SmallVector<Type> getTypes(ValueRange shape) {
    SmallVector<Type> types, sizes;
    for (auto [item, like] : llvm::zip_equal(items, shape)) {
      types.push_back(item.isWhole ? program.values.getType(like, item.sharding) : like.getType());
      sizes.append(getCarriedSizes(item, like).size(), IndexType::get(like.getContext()));
    }
    llvm::append_range(types, sizes);
    return types;
  }

  // `now` received what was given, and stands for `old`.
  void receive(ValueRange old, ValueRange now) {
    size_t next = items.size();
    for (auto [i, item] : llvm::enumerate(items)) {
      if (!item.isWhole) {
        receiveAsIs(old[i], now[i]);
        continue;
      }
      SmallVector<OpFoldResult> sizes(cast<RankedTensorType>(old[i].getType()).getRank());
      for (int64_t dim : getCarriedSizes(item, old[i]))
        sizes[dim] = now[next++];
      program.values.define(old[i], now[i], item.sharding, sizes);
    }
  }

  // Whether each tensor keeps the sizes with which it came in: what is yielded, of the whole program, has those of
  // `arguments`.
  bool keepsShapes(ValueRange yielded, ValueRange arguments) {
    for (auto [item, value, argument] : llvm::zip_equal(items, yielded, arguments)) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (type && !item.isWhole && !type.hasStaticShape())
        return false;
      for (int64_t dim : getCarriedSizes(item, argument))
        if (!isEqualConstantIntOrValue(sizesOf(value)[dim], sizesOf(argument)[dim]))
          return false;
    }
    return true;
  }

private:
  struct Item {
    bool isWhole; // a tensor of the whole program
    ShardingAttr sharding;
  };

  explicit Carried(RankProgram &program) : program(program) {}

  // Scalars that ops of the whole program read as they stand.
  void receiveAsIs(Value old, Value now) {
    if (isa<RankedTensorType>(old.getType()))
      program.values.defineOwn(old, now);
    else
      old.replaceAllUsesWith(now);
  }

  static SmallVector<int64_t> getCarriedSizes(const Item &item, Value like) {
    SmallVector<int64_t> dims;
    auto type = dyn_cast<RankedTensorType>(like.getType());
    for (int64_t dim = 0; item.isWhole && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        dims.push_back(dim);
    return dims;
  }

  SmallVector<OpFoldResult> sizesOf(Value whole) { return program.values.getSizes(whole); }

  RankProgram &program;
  SmallVector<Item> items;
};

} // namespace mlir::heddle

// The same op with other operands and results; its regions are empty.
static Operation *createLike(OpBuilder &builder, Operation *op, ValueRange operands, TypeRange results) {
  OperationState state(op->getLoc(), op->getName(), operands, results, op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  return builder.create(state);
}

// A block with such arguments in `region`, to which the ops of `old` move.
static Block &moveBody(Region &region, Block &old, TypeRange arguments) {
  Block &block = region.emplaceBlock();
  block.addArguments(arguments, SmallVector<Location>(arguments.size(), old.getParentOp()->getLoc()));
  block.getOperations().splice(block.end(), old.getOperations());
  return block;
}

LogicalResult RankProgram::rewriteBranch(Operation *op) {
  FailureOr<Carried> carried = Carried::find(*this, op, kShardCarriedAttr, op->getResults());
  if (failed(carried))
    return failure();
  drop(op); // before what is dead in it
  OpBuilder builder(op);
  SmallVector<Value> operands(op->getOperands());
  Operation *now = createLike(builder, op, operands, carried->getTypes(op->getResults()));
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), now->getRegions())) {
    if (from.empty())
      continue;
    Block &block = moveBody(to, from.front(), {});
    Operation *yield = block.getTerminator();
    if (failed(rewriteBlock(block)))
      return failure();
    yield->setOperands(carried->give(yield, yield->getOperands(), op->getResults()));
  }
  carried->receive(op->getResults(), now->getResults());
  return success();
}

LogicalResult RankProgram::rewriteFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  FailureOr<Carried> carried = Carried::find(*this, op, kShardCarriedAttr, op->getResults());
  if (failed(carried))
    return failure();
  drop(op); // before what is dead in it
  OpBuilder builder(op);
  SmallVector<Value> operands = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  llvm::append_range(operands, carried->give(op, loop.getInitArgs(), op->getResults()));
  SmallVector<Type> types = carried->getTypes(op->getResults()), arguments = {loop.getInductionVar().getType()};
  llvm::append_range(arguments, types);
  Operation *now = createLike(builder, op, operands, types);
  Block &block = moveBody(now->getRegion(0), *loop.getBody(), arguments);
  loop.getInductionVar().replaceAllUsesWith(block.getArgument(0));
  carried->receive(loop.getRegionIterArgs(), block.getArguments().drop_front());
  Operation *yield = block.getTerminator();
  if (failed(rewriteBlock(block)))
    return failure();
  if (carried->keepsShapes(yield->getOperands(), loop.getRegionIterArgs()))
    now->setAttr(kKeepsShapesAttr, builder.getUnitAttr());
  yield->setOperands(carried->give(yield, yield->getOperands(), op->getResults()));
  carried->receive(op->getResults(), now->getResults());
  return success();
}

LogicalResult RankProgram::rewriteWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  FailureOr<Carried> in = Carried::find(*this, op, kShardCarriedInAttr, loop.getBeforeArguments());
  FailureOr<Carried> out = Carried::find(*this, op, kShardCarriedAttr, op->getResults());
  if (failed(in) || failed(out))
    return failure();
  drop(op); // before what is dead in it
  OpBuilder builder(op);
  SmallVector<Type> inTypes = in->getTypes(loop.getBeforeArguments()), outTypes = out->getTypes(op->getResults());
  Block *oldBefore = loop.getBeforeBody(), *oldAfter = loop.getAfterBody();
  Operation *now = createLike(builder, op, in->give(op, loop.getInits(), loop.getBeforeArguments()), outTypes);
  Block &before = moveBody(now->getRegion(0), *oldBefore, inTypes);
  Block &after = moveBody(now->getRegion(1), *oldAfter, outTypes);
  in->receive(oldBefore->getArguments(), before.getArguments());
  if (failed(rewriteBlock(before)))
    return failure();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  condition.getArgsMutable().assign(out->give(condition, condition.getArgs(), op->getResults()));
  out->receive(oldAfter->getArguments(), after.getArguments());
  if (failed(rewriteBlock(after)))
    return failure();
  Operation *yield = after.getTerminator();
  yield->setOperands(in->give(yield, yield->getOperands(), oldBefore->getArguments()));
  out->receive(op->getResults(), now->getResults());
  return success();
}
