// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/Fold.h"

using namespace mlir;

FailureOr<SmallVector<Attribute>> mlir::heddle::host::fold(Operation *op, ArrayRef<Attribute> operands) {
  SmallVector<OpFoldResult> folded;
  // On a copy: a folder may also change the op in place.
  Operation *copy = op->clone();
  LogicalResult result = copy->fold(operands, folded);
  SmallVector<Attribute> values;
  if (succeeded(result) && folded.size() == op->getNumResults()) {
    for (OpFoldResult value : folded) {
      if (auto attribute = dyn_cast<Attribute>(value)) {
        values.push_back(attribute);
        continue;
      }
      for (auto [operand, known] : llvm::zip(copy->getOperands(), operands))
        if (operand == cast<Value>(value)) { // the op may have it several times
          values.push_back(known);
          break;
        }
    }
  }
  copy->erase();
  if (values.size() != op->getNumResults() || llvm::is_contained(values, Attribute()))
    return failure();
  return values;
}
