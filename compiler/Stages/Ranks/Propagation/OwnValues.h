// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of a whole program are one rank's own: computed of a flow.part, of the rank's place in a mesh, or of an
// argument that has heddle.sharding, up to flow.whole.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_OWNVALUES_H
#define HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_OWNVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::heddle {

// Whether the function has requests, or borders to what is written for one rank, or is said to be such
// (`heddle.whole_program`).
bool isWholeProgram(func::FuncOp function);

class OwnValues {
public:
  // What loops and branches carry is followed around.
  explicit OwnValues(func::FuncOp function);

  bool contains(Value value) const { return own.contains(value); }

  // Whether some operand of the op, or value from outside that its regions read, is own.
  bool readBy(Operation *op) const;

private:
  bool add(Value value) { return own.insert(value).second; }
  bool visit(Operation *op);
  bool visitFor(Operation *op);
  bool visitWhile(Operation *op);
  bool visitBranch(Operation *op);

  llvm::DenseSet<Value> own;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_PROPAGATION_OWNVALUES_H
