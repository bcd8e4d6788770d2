// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/Fold.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

FailureOr<SmallVector<Attribute>> mlir::heddle::host::fold(Operation *op, ArrayRef<Attribute> operands) {
  // On a copy, as a folder may also change the op in place. Its operands are nobody's results: a folder that knows what
  // computes them may give a value from further up, (a + b) - b is a, of which nothing is known here.
  Block block;
  IRMapping mapping;
  DenseMap<Value, Attribute> known;
  for (auto [operand, value] : llvm::zip_equal(op->getOperands(), operands)) {
    if (!mapping.contains(operand)) // the op may have it several times
      mapping.map(operand, block.addArgument(operand.getType(), op->getLoc()));
    known[mapping.lookup(operand)] = value;
  }
  Operation *copy = op->clone(mapping);
  SmallVector<OpFoldResult> folded;
  SmallVector<Attribute> values;
  if (succeeded(copy->fold(operands, folded)))
    for (OpFoldResult value : folded)
      values.push_back(isa<Attribute>(value) ? cast<Attribute>(value) : known.lookup(cast<Value>(value)));
  copy->erase();
  if (values.size() != op->getNumResults() || llvm::is_contained(values, Attribute()))
    return failure();
  return values;
}
