// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Components.h"

#include "compiler/Analysis/StorageBytes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encode;

int64_t encode::bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = storageBytes(type.getElementType());
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? 64 : size;
  return bytes;
}

//===--- Growing -------------------------------------------------------------------------------------------------===//

bool Component::agrees(Value value, ArrayRef<int64_t> permutation) const {
  auto it = placed.find(value);
  return isIdentity(permutation) || it == placed.end() || ArrayRef<int64_t>(it->second) == permutation;
}

void Component::assign(Value value, ArrayRef<int64_t> permutation) {
  // What is constant or empty is made in every layout: nothing follows from it.
  Operation *def = value.getDefiningOp();
  if (isIdentity(permutation) || isConstant(value) || isa_and_nonnull<linalg::FillOp, tensor::EmptyOp>(def))
    return;
  if (placed.insert({value, Permutation(permutation)}).second)
    work.push_back(value);
}

// Both sides of a transpose may be in the component, each with a layout of its own.
void Component::turnSide(linalg::TransposeOp op, Value value) {
  Layouts &plan = layouts[op];
  const Permutation &place = placed.find(value)->second;
  if (op.getInput() == value)
    plan.operands[0] = place;
  else
    plan.operands[1] = plan.results[0] = place;
}

bool Component::visit(Operation *op, Value value) {
  if (op && isInside(op))
    if (auto transpose = dyn_cast<linalg::TransposeOp>(op); transpose && transposes == Transposes::Absorb)
      turnSide(transpose, value);
  if (!op || isInside(op) || op->getBlock() != block || !isFlexible(op))
    return false;
  // A transpose that cancels is an edge.
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    ArrayRef<int64_t> permutation = transpose.getPermutation(), place = placed.find(value)->second;
    bool cancels = transpose.getInput() == value ? place == permutation : isIdentity(compose(permutation, place));
    if (cancels || isConstant(transpose.getInput()))
      return false;
  }
  bool absorbs = isa<linalg::TransposeOp>(op) && transposes == Transposes::Absorb;
  const Permutation &place = placed.find(value)->second;
  std::optional<Layouts> found = absorbs ? absorb(value.getDefiningOp() == op, place) : layoutsFor(op, value, place);
  if (!found)
    return false;
  SmallVector<Value> captured = capturedTensors(op);
  auto pairs = [&](llvm::function_ref<bool(Value, ArrayRef<int64_t>)> callback) {
    bool all = true;
    for (auto [operand, permutation] : llvm::zip_equal(op->getOperands(), found->operands))
      all = all && (permutation.empty() || callback(operand, permutation));
    for (auto [result, permutation] : llvm::zip_equal(op->getResults(), found->results))
      all = all && callback(result, permutation);
    for (auto [operand, permutation] : llvm::zip(captured, found->captured))
      all = all && callback(operand, permutation);
    return all;
  };
  if (!pairs([&](Value v, ArrayRef<int64_t> p) { return agrees(v, p); }))
    return false;
  pairs([&](Value v, ArrayRef<int64_t> p) {
    assign(v, p);
    return true;
  });
  ops.insert(op);
  layouts[op] = std::move(*found);
  return true;
}

void Component::grow(Value value, ArrayRef<int64_t> permutation) {
  block = value.getParentBlock();
  assign(value, permutation);
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (Operation *def = next.getDefiningOp())
      visit(def, next);
    for (Operation *user : next.getUsers())
      visit(user->getBlock() == block ? user : block->findAncestorOpInBlock(*user), next);
  }
}

//===--- The price -----------------------------------------------------------------------------------------------===//

Permutation Component::wanted(Operation *op, Value value, bool isCaptured) const {
  auto it = layouts.find(op);
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (it == layouts.end())
    return identity(rank);
  if (!isCaptured) {
    for (auto [operand, permutation] : llvm::zip_equal(op->getOperands(), it->second.operands))
      if (operand == value)
        return permutation;
  } else {
    for (auto [operand, permutation] : llvm::zip(capturedTensors(op), it->second.captured))
      if (operand == value)
        return permutation;
  }
  return identity(rank);
}

void Component::forEachUse(Value value, llvm::function_ref<void(Operation *, ArrayRef<int64_t>)> callback) const {
  for (OpOperand &use : value.getUses()) {
    Operation *owner = use.getOwner();
    if (owner->getBlock() == block) {
      auto it = layouts.find(owner);
      callback(owner, it == layouts.end() ? identity(cast<RankedTensorType>(value.getType()).getRank())
                                          : it->second.operands[use.getOperandNumber()]);
    } else if (Operation *top = block->findAncestorOpInBlock(*owner)) {
      callback(top, wanted(top, value, true));
    } else {
      callback(owner, identity(cast<RankedTensorType>(value.getType()).getRank()));
    }
  }
}

namespace {

// Transposes of values, each once.
class TransposeBytes {
public:
  // `type`: that of the value, in the layout that is transposed.
  void add(Value value, RankedTensorType type, ArrayRef<int64_t> permutation) {
    if (!isView(type, permutation) && seen.insert({value.getAsOpaquePointer(), Permutation(permutation)}).second)
      total += bytesOf(value);
  }
  int64_t getTotal() const { return total; }

private:
  std::set<std::pair<void *, Permutation>> seen;
  int64_t total = 0;
};

} // namespace

// What transposes at the edges transpose; values with a new layout are these, or transposes of them.
llvm::SetVector<Value> Component::roots() const {
  llvm::SetVector<Value> found;
  for (auto &[value, permutation] : placed) {
    Value root = value;
    for (auto op = root.getDefiningOp<linalg::TransposeOp>(); op && !isInside(op);
         op = root.getDefiningOp<linalg::TransposeOp>())
      root = op.getInput();
    found.insert(root);
  }
  return found;
}

// Calls for each way in which ops want `value`, a transpose by `permutation` of a root; `callback` is told whether it
// is for a transpose that is there, which is looked through.
void Component::forEachWanted(Value value, const Permutation &permutation,
                              llvm::function_ref<void(bool isThere, ArrayRef<int64_t>)> callback) const {
  forEachUse(value, [&](Operation *op, ArrayRef<int64_t> wanted) {
    auto transpose = dyn_cast<linalg::TransposeOp>(op);
    if (isa<tensor::DimOp>(op))
      return;
    if (!transpose || isInside(op) || transpose.getInput() != value)
      return callback(false, compose(permutation, wanted));
    Permutation all = compose(permutation, transpose.getPermutation());
    callback(true, all);
    forEachWanted(transpose->getResult(0), all, callback);
  });
}

int64_t Component::gain() const {
  TransposeBytes before, after;
  for (Value root : roots()) {
    auto type = cast<RankedTensorType>(root.getType()), now = type;
    Permutation back = identity(type.getRank());
    Operation *def = root.getDefiningOp();
    if (auto it = placed.find(root); it != placed.end() && def && isInside(def)) {
      now = permuted(type, it->second);
      back = inverse(it->second);
    }
    forEachWanted(root, identity(type.getRank()), [&](bool isThere, ArrayRef<int64_t> permutation) {
      if (isThere)
        before.add(root, type, permutation);
      else
        after.add(root, now, compose(back, permutation));
    });
  }
  return before.getTotal() - after.getTotal();
}

llvm::SetVector<Operation *> Component::touched() const {
  llvm::SetVector<Operation *> all(ops.begin(), ops.end());
  for (auto &[value, permutation] : placed) {
    if (Operation *def = value.getDefiningOp(); def && def->getBlock() == block)
      all.insert(def);
    for (Operation *user : value.getUsers())
      if (Operation *top = block->findAncestorOpInBlock(*user))
        all.insert(top);
  }
  for (Value root : roots())
    for (Operation *user : root.getUsers())
      if (Operation *top = block->findAncestorOpInBlock(*user))
        all.insert(top);
  return all;
}

//===--- Turning -------------------------------------------------------------------------------------------------===//

Value Component::operandFor(OpBuilder &builder, Value value, ArrayRef<int64_t> permutation) {
  auto it = turned.find(value);
  if (it == turned.end())
    return transposed(builder, value, permutation);
  const auto &[now, placed] = it->second;
  return transposed(builder, now, compose(inverse(placed), permutation));
}

// Sizes of the old result are sizes of the new one: they alone would keep the old layout alive.
static void moveDims(OpBuilder &builder, Value old, Value now, ArrayRef<int64_t> permutation) {
  for (Operation *user : llvm::make_early_inc_range(old.getUsers()))
    if (auto dim = dyn_cast<tensor::DimOp>(user))
      if (std::optional<int64_t> index = dim.getConstantIndex()) {
        dim.replaceAllUsesWith(Value(tensor::DimOp::create(builder, dim.getLoc(), now, inverse(permutation)[*index])));
        dim.erase();
      }
}

void Component::rebuildOp(OpBuilder &builder, Operation *op) {
  builder.setInsertionPoint(op);
  const Layouts &plan = layouts[op];
  SmallVector<Value> operands, captured;
  for (auto [operand, permutation] : llvm::zip_equal(op->getOperands(), plan.operands))
    operands.push_back(permutation.empty() ? operand : operandFor(builder, operand, permutation));
  for (auto [operand, permutation] : llvm::zip(capturedTensors(op), plan.captured))
    captured.push_back(operandFor(builder, operand, permutation));
  Operation *made = rebuild(builder, op, plan, operands, captured);
  for (auto [old, now, permutation] : llvm::zip_equal(op->getResults(), made->getResults(), plan.results)) {
    Value back = transposed(builder, now, inverse(permutation));
    moveDims(builder, old, now, permutation);
    // The ops of the component are still to be rebuilt from the old values; the others read the old layout.
    old.replaceUsesWithIf(back, [&](OpOperand &use) {
      Operation *top = block->findAncestorOpInBlock(*use.getOwner());
      return !top || !isInside(top);
    });
    if (!isIdentity(permutation))
      turned[old] = {now, permutation};
    else
      old.replaceAllUsesWith(now);
  }
}

void Component::turn(RewriterBase &rewriter) {
  SmallVector<Operation *> ordered = ops.takeVector();
  ops.insert(ordered.begin(), ordered.end());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ordered)
    rebuildOp(rewriter, op);
  for (Operation *op : llvm::reverse(ordered)) {
    op->dropAllUses();
    rewriter.eraseOp(op);
  }
}
