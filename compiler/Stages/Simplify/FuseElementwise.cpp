// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Stages/Simplify/ElementwiseGroups.h"
#include "compiler/Stages/Simplify/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "compiler/Stages/Simplify/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// One op that computes what several do, in the loops of their group's root.
class FusedOp {
public:
  // `current` gives what has taken the place of a value; the results are added to it.
  FusedOp(ArrayRef<GroupMember> members, linalg::GenericOp root, DenseMap<Value, Value> &current)
      : members(members), root(root), current(current), context(root.getContext()) {
    for (auto [at, member] : llvm::enumerate(members))
      position[member.op] = at;
  }

  // Builds it before the root, after all that its members read.
  void build() {
    for (const GroupMember &member : members)
      for (OpResult result : member.op->getResults())
        if (member.op == root || isReadOutside(result)) {
          collectInputs(member);
          results.push_back(result);
        }
    SmallVector<Value> inits;
    SmallVector<AffineMap> maps = inputMaps;
    for (OpResult result : results) {
      const GroupMember &member = *find(result);
      OpOperand *init = getInit(result);
      inits.push_back(init->get());
      maps.push_back(inRootLoops(member.op.getMatchingIndexingMap(init), member));
    }
    SmallVector<utils::IteratorType> iterators(root.getNumLoops(), utils::IteratorType::parallel);
    if (find(root->getResult(0)))
      iterators = root.getIteratorTypesArray();
    OpBuilder builder(root);
    auto fused = linalg::GenericOp::create(builder, members.back().op.getLoc(), ValueRange(inits).getTypes(), inputs,
                                           inits, maps, iterators);
    buildBody(fused);
    for (auto [result, value] : llvm::zip_equal(results, fused.getResults()))
      current[result] = value;
  }

private:
  const GroupMember *find(Value value) const {
    auto found = position.find(value.getDefiningOp());
    return found == position.end() ? nullptr : &members[found->second];
  }

  bool isReadOutside(Value value) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) { return !position.contains(user); });
  }

  static OpOperand *getInit(OpResult result) {
    return cast<linalg::GenericOp>(result.getOwner()).getDpsInitOperand(result.getResultNumber());
  }

  AffineMap inRootLoops(AffineMap map, const GroupMember &member) {
    SmallVector<AffineExpr> loops;
    for (unsigned loop : member.loops)
      loops.push_back(getAffineDimExpr(loop, context));
    return map.compose(AffineMap::get(root.getNumLoops(), 0, loops, context));
  }

  // Inputs of a producer stand where the consumer reads the producer.
  void collectInputs(const GroupMember &last) {
    SmallVector<std::pair<const GroupMember *, unsigned>> stack; // a member and its next input
    auto enter = [&](const GroupMember *member) {
      if (entered.insert(member->op).second)
        stack.emplace_back(member, 0);
    };
    enter(&last);
    while (!stack.empty()) {
      auto &[member, next] = stack.back();
      if (next == static_cast<unsigned>(member->op.getNumDpsInputs())) {
        stack.pop_back();
        continue;
      }
      OpOperand *input = member->op.getDpsInputOperand(next++);
      if (const GroupMember *producer = find(input->get()))
        enter(producer);
      else
        addInput(input, *member);
    }
  }

  unsigned addInput(OpOperand *input, const GroupMember &member) {
    auto known = current.find(input->get());
    Value value = known == current.end() ? input->get() : known->second;
    AffineMap map = inRootLoops(member.op.getMatchingIndexingMap(input), member);
    auto [entry, isNew] = inputIndex.try_emplace({value, map}, inputs.size());
    if (isNew) {
      inputs.push_back(value);
      inputMaps.push_back(map);
    }
    return entry->second;
  }

  void buildBody(linalg::GenericOp fused) {
    Block &body = fused.getRegion().emplaceBlock();
    for (Value operand : fused->getOperands())
      body.addArgument(getElementTypeOrSelf(operand.getType()), operand.getLoc());
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    DenseMap<Value, Value> elements; // by result
    for (const GroupMember &member : members)
      copyBody(member, body, builder, elements);
    SmallVector<Value> yielded = llvm::map_to_vector(results, [&](Value result) { return elements.lookup(result); });
    linalg::YieldOp::create(builder, fused.getLoc(), yielded);
  }

  void copyBody(const GroupMember &member, Block &body, OpBuilder &builder, DenseMap<Value, Value> &elements) {
    IRMapping mapping;
    for (OpOperand *input : member.op.getDpsInputOperands())
      mapping.map(member.op.getMatchingBlockArgument(input),
                  find(input->get()) ? elements.lookup(input->get()) : body.getArgument(addInput(input, member)));
    for (auto [i, result] : llvm::enumerate(results))
      if (find(result) == &member)
        mapping.map(member.op.getMatchingBlockArgument(getInit(result)), body.getArgument(inputs.size() + i));
    for (Operation &op : member.op.getBlock()->without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      if (auto index = dyn_cast<linalg::IndexOp>(copy))
        index.setDim(member.loops[index.getDim()]);
    }
    Operation *yield = member.op.getBlock()->getTerminator();
    for (auto [result, element] : llvm::zip_equal(member.op->getResults(), yield->getOperands()))
      elements[result] = mapping.lookupOrDefault(element);
  }

  ArrayRef<GroupMember> members;
  linalg::GenericOp root;
  DenseMap<Value, Value> &current;
  MLIRContext *context;
  DenseMap<Operation *, unsigned> position;
  llvm::SmallPtrSet<Operation *, 16> entered;
  SmallVector<OpResult> results;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> inputMaps;
  DenseMap<std::pair<Value, AffineMap>, unsigned> inputIndex;
};

void fuse(const ElementwiseGroup &group) {
  linalg::GenericOp root = group.members.back().op;
  DenseMap<Value, Value> current;
  for (ArrayRef<GroupMember> piece : cutIntoPieces(group))
    FusedOp(piece, root, current).build();
  for (Value result : root->getResults())
    result.replaceAllUsesWith(current.lookup(result));
  for (const GroupMember &member : llvm::reverse(group.members))
    member.op->erase();
}

struct FuseElementwise : mlir::heddle::impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    // Fills and splats become scalars of the bodies first.
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, [](OpOperand *) { return false; });
    if (failed(rewriteGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      for (const ElementwiseGroup &group : groupElementwise(*block))
        fuse(group);
  }
};

} // namespace
