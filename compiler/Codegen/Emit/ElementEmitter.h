// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits code that computes elements of tensor values, on demand.
//
// `evaluate(tensor, index)` emits what the elements at `index` need and nothing else: elementwise producers are
// computed in registers (BodyEmitter), views become index arithmetic (ViewEmitter), a reduction becomes a loop, and a
// tensor that has memory is loaded. How many elements at a time is the width of `lanes`. Nothing is allocated: a caller
// that wants a producer computed once gives it a Buffer (or the registers it is in) first.
//
// Errors are diagnostics at the op concerned; then `failed()` holds and what was emitted is of no use.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_ELEMENTEMITTER_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_ELEMENTEMITTER_H

#include "compiler/Codegen/Emit/BodyEmitter.h"

namespace mlir::heddle::codegen {

class ElementEmitter : public ElementSource {
public:
  using ElementSource::ElementSource;

  LaneValue evaluate(Value tensor, ArrayRef<LaneValue> index) override;
  // Asks the processor for the first lane's element early. Nothing for a tensor without memory of its own; the index
  // may be outside.
  void prefetch(Value tensor, ArrayRef<LaneValue> index);
  // The memory of a tensor and the offset of the first lane's element; none for a tensor without memory of its own or
  // where the offset is no multiple of the lane.
  std::optional<std::pair<Value, Value>> locate(Value tensor, ArrayRef<LaneValue> index);
  // Asks the second-level cache for the element `distance` elements after the one at `index`.
  void prefetchFar(Value tensor, ArrayRef<LaneValue> index, Value distance);

  // From now on, elements of `tensor` come from this memory, or from registers (the index asked for is then known to be
  // the one they hold).
  void bind(Value tensor, Buffer buffer) { buffers[tensor] = std::move(buffer); }
  void bind(Value tensor, LaneValue value) { registers[tensor] = value; }
  void unbind(Value tensor);
  // The memory that elements of `tensor` come from, if any.
  std::optional<Buffer> findBuffer(Value tensor) const {
    auto found = buffers.find(tensor);
    return found == buffers.end() ? std::nullopt : std::optional(found->second);
  }
  bool isBound(Value tensor) const { return buffers.contains(tensor) || registers.contains(tensor); }
  // Registers only: the tensor's memory is what it was.
  void unbindRegisters(Value tensor) { registers.erase(tensor); }

  // The elements a structured op's body yields. `arguments` of the body that are set are not evaluated.
  SmallVector<LaneValue> evaluateBody(linalg::GenericOp op, ArrayRef<LaneValue> dims,
                                      const DenseMap<Value, LaneValue> &arguments) {
    return BodyEmitter(*this, op, dims, arguments).results();
  }
  // A value of the body, from those that are `known`.
  LaneValue evaluateInBody(linalg::GenericOp op, Value value, ArrayRef<LaneValue> dims,
                           const DenseMap<Value, LaneValue> &known) {
    return BodyEmitter(*this, op, dims, known).evaluate(value);
  }
  // The results of a structured op with reductions, at the position `index` of result 0: a loop over its reductions.
  SmallVector<LaneValue> evaluateReduction(linalg::GenericOp op, ArrayRef<LaneValue> index) {
    return codegen::evaluateReduction(*this, op, index);
  }
  // The op's loop indices where a result is at `index`; 0 for reductions.
  SmallVector<LaneValue> loopIndices(linalg::GenericOp op, unsigned result, ArrayRef<LaneValue> index) {
    return codegen::loopIndices(*this, op, result, index);
  }

private:
  LaneValue compute(OpResult result, ArrayRef<LaneValue> index);
  Key keyOf(Value tensor, ArrayRef<LaneValue> index) const;

  DenseMap<Value, Buffer> buffers;
  DenseMap<Value, LaneValue> registers;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_ELEMENTEMITTER_H
