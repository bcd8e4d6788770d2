// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where elements of tensors come from, for code that computes elements of others: what ViewEmitter and BodyEmitter ask.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_ELEMENTSOURCE_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_ELEMENTSOURCE_H

#include "compiler/Codegen/Emit/LaneMemory.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle::codegen {

class ElementSource : public LaneMemory {
public:
  using LaneMemory::LaneMemory;
  virtual ~ElementSource() = default;

  // The tensor's elements at `index`, one in each lane.
  virtual LaneValue evaluate(Value tensor, ArrayRef<LaneValue> index) = 0;

  // A scalar of the function, or what is known of it.
  LaneValue toScalar(OpFoldResult value);

  // From now on an index of a read that is chosen at the call is 0 by this condition, not by its own; null: no longer.
  void decide(tensor::ExtractOp read, unsigned position, Value isZero) { decided[{read, position}] = isZero; }
  // The condition; null: the index's own.
  Value findDecision(tensor::ExtractOp read, unsigned position) const { return decided.lookup({read, position}); }

  // From now on, indices along this dimension of the pad's result are known to be in its source, or no longer.
  void assumeInside(tensor::PadOp pad, int64_t dim, bool known) {
    known ? (void)insidePads.insert({pad, dim}) : (void)insidePads.erase({pad, dim});
  }
  bool isAssumedInside(tensor::PadOp pad, int64_t dim) const { return insidePads.contains({pad, dim}); }

  // A diagnostic at the op, once. Gives a value of its result's type, for code that is of no use.
  LaneValue fail(Operation *op, const Twine &message);
  bool failed() const { return hasFailed || scalars.failed(); }

  // The processor multiplies and adds in one instruction.
  bool hasFma = true;
  // Each tensor that bodies read at computed places has elements (findElements): such reads are no branches, so that
  // loops unroll, and what is the same for all lanes leaves them.
  bool allHaveElements = false;

protected:
  bool hasFailed = false;

private:
  DenseSet<std::pair<Operation *, int64_t>> insidePads;
  DenseMap<std::pair<Operation *, unsigned>, Value> decided; // conditions of reads
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_ELEMENTSOURCE_H
