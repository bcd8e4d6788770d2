// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A set of neighbouring ops that change their layout together.
//
// A component grows from one value and its new layout over every flexible op it reaches. Plain data and a price;
// nothing changes before `turn`.
//
//   Component component(Component::Transposes::Follow);
//   component.grow(transpose.getResult(), inverse(transpose.getPermutation()));
//   if (component.gain() > 0)
//     component.turn(builder);
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_COMPONENTS_H
#define HEDDLE_COMPILER_STAGES_ENCODE_COMPONENTS_H

#include "compiler/Stages/Encode/Layouts.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::heddle::encode {

// Bytes of a tensor; a dynamic size counts as 64.
int64_t bytesOf(Value value);

class Component {
public:
  // What becomes of a transpose inside that does not cancel: both its sides take the same new order (a shuffle of
  // channels moves along with them), or it takes up the new layout and ends the component.
  enum class Transposes { Follow, Absorb };
  explicit Component(Transposes transposes) : transposes(transposes) {}

  // Adds the ops that read or make `value`, which is to lie transposed by `permutation`, and what follows from them.
  void grow(Value value, ArrayRef<int64_t> permutation);
  // How many bytes fewer the transposes at the edges move when the component is turned.
  int64_t gain() const;
  // The ops of the block that all of this depends on: those inside, and what makes or reads a value with a new layout.
  llvm::SetVector<Operation *> touched() const;
  // Rebuilds the ops in their new layouts and erases the old ones; transposes at the edges appear and cancel.
  void turn(RewriterBase &rewriter);

private:
  bool visit(Operation *op, Value value);
  void turnSide(linalg::TransposeOp op, Value value);
  bool agrees(Value value, ArrayRef<int64_t> permutation) const;
  void assign(Value value, ArrayRef<int64_t> permutation);
  // The layout in which `op` wants to read `value`.
  Permutation wanted(Operation *op, Value value, bool isCaptured) const;
  // Calls for each use by an op of the block: the op, and the layout in which it reads the value.
  void forEachUse(Value value, llvm::function_ref<void(Operation *, ArrayRef<int64_t>)> callback) const;
  bool isInside(Operation *op) const { return ops.contains(op); }
  llvm::SetVector<Value> roots() const;
  void forEachWanted(Value value, const Permutation &permutation,
                     llvm::function_ref<void(bool isThere, ArrayRef<int64_t>)> callback) const;
  Value operandFor(OpBuilder &builder, Value value, ArrayRef<int64_t> permutation);
  void rebuildOp(OpBuilder &builder, Operation *op);

  Transposes transposes;
  Block *block = nullptr;
  llvm::SetVector<Operation *> ops;
  DenseMap<Operation *, Layouts> layouts;
  llvm::MapVector<Value, Permutation> placed; // values with a new layout
  SmallVector<Value> work;
  DenseMap<Value, std::pair<Value, Permutation>>
      turned; // by the old result of a rebuilt op, the new one and its layout
};

} // namespace mlir::heddle::encode

#endif // HEDDLE_COMPILER_STAGES_ENCODE_COMPONENTS_H
