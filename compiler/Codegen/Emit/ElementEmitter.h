// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits code that computes elements of tensor values, on demand.
//
// `evaluate(tensor, index)` emits what the elements at `index` need and nothing else: elementwise producers are
// computed in registers, views become index arithmetic, a reduction becomes a loop, and a tensor that has memory is
// loaded. How many elements at a time is the width of `lanes`. Nothing is allocated: a caller that wants a producer
// computed once gives it a Buffer (or the registers it is in) first.
//
// Errors are diagnostics at the op concerned; then `failed()` holds and what was emitted is of no use.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_ELEMENTEMITTER_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_ELEMENTEMITTER_H

#include "compiler/Codegen/Emit/FunctionScalars.h"
#include "compiler/Codegen/Emit/LaneBuilder.h"
#include "compiler/Dialect/Flow/IR/Pitch.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>

namespace mlir::heddle::codegen {

// Memory that holds (part of) a tensor: element `index` is at base + sum of (index[dims[i]] - origin[i]) * strides[i].
struct Buffer {
  Value memory; // memref<?xT>; booleans take a byte
  Type elementType;
  SmallVector<unsigned> dims;
  SmallVector<Value> strides;
  SmallVector<Value> origin; // null: 0
  Value base = {};           // null: 0
};

class ElementEmitter {
public:
  ElementEmitter(OpBuilder &builder, Location loc, FunctionScalars &scalars)
      : lanes(builder, loc), scalars(scalars), builder(builder), loc(loc) {}

  LaneValue evaluate(Value tensor, ArrayRef<LaneValue> index);
  // Asks the processor for the first lane's element early. Nothing for a tensor without memory of its own; the index
  // may be outside.
  void prefetch(Value tensor, ArrayRef<LaneValue> index);
  // The memory of a tensor and the offset of the first lane's element; none for a tensor without memory of its own or
  // where the offset is no multiple of the lane.
  std::optional<std::pair<Value, Value>> locate(Value tensor, ArrayRef<LaneValue> index);
  // The offset of the first lane's element in the buffer's memory.
  Value locateIn(const Buffer &buffer, ArrayRef<LaneValue> index) { return offsetIn(buffer, index).base; }
  // Asks the second-level cache for the element `distance` elements after the one at `index`.
  void prefetchFar(Value tensor, ArrayRef<LaneValue> index, Value distance);
  // Asks for the line of an element that will be stored; the index may be outside.
  void prefetchStore(const Buffer &buffer, ArrayRef<LaneValue> index);
  void store(const Buffer &buffer, ArrayRef<LaneValue> index, LaneValue value);

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

  // Row-major memory of the whole tensor; with a pitch, of a result that has it.
  Buffer makeBuffer(Value memory, Value tensor, const std::optional<flow::Pitch> &pitch = {});

  // The elements a structured op's body yields. `arguments` of the body that are set are not evaluated.
  SmallVector<LaneValue> evaluateBody(linalg::GenericOp op, ArrayRef<LaneValue> dims,
                                      const DenseMap<Value, LaneValue> &arguments);
  // A value of the body, from those that are `known`.
  LaneValue evaluateInBody(linalg::GenericOp op, Value value, ArrayRef<LaneValue> dims,
                           const DenseMap<Value, LaneValue> &known);
  // The results of a structured op with reductions, at the position `index` of result 0: a loop over its reductions.
  SmallVector<LaneValue> evaluateReduction(linalg::GenericOp op, ArrayRef<LaneValue> index);
  // The op's loop indices where a result is at `index`; 0 for reductions.
  SmallVector<LaneValue> loopIndices(linalg::GenericOp op, unsigned result, ArrayRef<LaneValue> index);

  // A counted loop; `body` gets the index and the values carried and returns their next values. One iteration or
  // none, known now, is no loop.
  using LoopBody = function_ref<SmallVector<Value>(Value index, ValueRange carried)>;
  SmallVector<Value> loop(Value begin, Value end, int64_t step, ValueRange carried, LoopBody body);
  // From `begin` below `end`, with a step that only the call may know.
  void strided(Value begin, Value end, Value step, function_ref<void(Value index)> body);
  // One loop inside the other over all of `sizes`.
  SmallVector<Value> loops(ArrayRef<Value> sizes, ValueRange carried,
                           function_ref<SmallVector<Value>(ArrayRef<Value> index, ValueRange carried)> body);
  // Runs `then` or `otherwise`.
  void either(Value condition, function_ref<void()> then, function_ref<void()> otherwise);
  // `then` or `otherwise`, without computing the other.
  LaneValue branch(Value condition, Type type, function_ref<LaneValue()> then, function_ref<LaneValue()> otherwise);

  // `body`, only where the condition holds.
  void when(Value condition, function_ref<void()> body);

  // The same for several values of these types.
  SmallVector<Value> branches(Value condition, TypeRange types, function_ref<SmallVector<Value>()> then,
                              function_ref<SmallVector<Value>()> otherwise);

  // From now on an index of a read that is chosen at the call is 0 by this condition, not by its own; null: no longer.
  void decide(tensor::ExtractOp read, unsigned position, Value isZero) { decided[{read, position}] = isZero; }

  // From now on, indices along this dimension of the pad's result are known to be in its source, or no longer.
  void assumeInside(tensor::PadOp pad, int64_t dim, bool known) {
    known ? (void)insidePads.insert({pad, dim}) : (void)insidePads.erase({pad, dim});
  }

  bool isAssumedInside(tensor::PadOp pad, int64_t dim) const { return insidePads.contains({pad, dim}); }

  Type memoryType(Type element) const { return element.isInteger(1) ? builder.getI8Type() : element; }
  bool failed() const { return hasFailed || scalars.failed(); }

  LaneBuilder lanes;
  FunctionScalars &scalars;
  // Whole vectors are stored past the caches; their addresses are multiples of their size, or of 64 bytes if that is
  // less. Others may see such stores late: a kernel that has some (`streamed`) ends with a fence.
  bool streaming = false, streamed = false;
  // The processor multiplies and adds in one instruction.
  bool hasFma = true;
  // Each tensor that bodies read at computed places has elements (findElements): such reads are no branches, so that
  // loops unroll, and what is the same for all lanes leaves them.
  bool allHaveElements = false;
  // 32-bit elements of a vector that one instruction puts in any order; 0: there is none.
  int64_t permutedLanes = 0;

private:
  struct Frame;
  // An index of a read that is `yes` in all lanes or `no` in all lanes.
  struct IndexChoice {
    size_t position;
    Value condition;
    LaneValue yes, no;
  };
  using CacheKey = std::vector<const void *>;

  LaneValue compute(OpResult result, ArrayRef<LaneValue> index);
  LaneValue computePad(tensor::PadOp op, ArrayRef<LaneValue> index);
  LaneValue computeConcat(tensor::ConcatOp op, ArrayRef<LaneValue> index);
  LaneValue computeInsertSlice(tensor::InsertSliceOp op, ArrayRef<LaneValue> index);
  LaneValue computeExtractSlice(tensor::ExtractSliceOp op, ArrayRef<LaneValue> index);
  LaneValue computeExpand(tensor::ExpandShapeOp op, ArrayRef<LaneValue> index);
  LaneValue computeCollapse(tensor::CollapseShapeOp op, ArrayRef<LaneValue> index);
  LaneValue computeFromElements(tensor::FromElementsOp op, ArrayRef<LaneValue> index);
  LaneValue computeConstant(arith::ConstantOp op, ArrayRef<LaneValue> index);
  LaneValue computeElementwise(Operation *op, ArrayRef<LaneValue> index);
  // `inside` where the condition holds, else `outside`; neither reads memory where it does not apply.
  LaneValue choose(LaneValue condition, Type element, function_ref<LaneValue()> inside,
                   function_ref<LaneValue()> outside);

  LaneValue evaluateIn(Frame &frame, Value value);
  LaneValue computeIn(Frame &frame, Operation *op, unsigned result);
  LaneValue evaluateLoop(Frame &frame, scf::ForOp op, unsigned result);
  LaneValue evaluateExtract(Frame &frame, tensor::ExtractOp op);
  // `open`: what is still to be chosen; the other indices are as given.
  LaneValue extractChosen(tensor::ExtractOp op, ArrayRef<LaneValue> index, ArrayRef<IndexChoice> open);
  LaneValue extractAt(tensor::ExtractOp op, ArrayRef<LaneValue> index);

  LaneValue checkIndex(LaneValue index, LaneValue size);
  // `cast` in 32 bits, where what it narrows is a loop's index between constant bounds; else none.
  std::optional<LaneValue> clampIn32Bits(Frame &frame, arith::IndexCastOp cast);
  LaneValue divideByCallSize(Operation *op, ArrayRef<LaneValue> operands);
  bool dividesByReciprocal(arith::DivFOp op, ArrayRef<LaneValue> operands);
  LaneValue divideByReciprocal(arith::DivFOp op, LaneValue dividend, Value divisor);
  LaneValue applyElementwise(Operation *op, ArrayRef<LaneValue> operands, unsigned result);

  LaneValue offsetIn(const Buffer &buffer, ArrayRef<LaneValue> index);
  LaneValue load(const Buffer &buffer, Value tensor, ArrayRef<LaneValue> index);
  // Of memory that holds a whole tensor; null for memory that holds a part.
  Value elementsOf(const Buffer &buffer, Value tensor);
  LaneValue toScalar(OpFoldResult value);
  LaneValue fail(Operation *op, const Twine &message);
  LaneValue placeholder(Type element);
  CacheKey cacheKey(Value tensor, ArrayRef<LaneValue> index) const;

  OpBuilder &builder;
  Location loc;
  DenseMap<Value, Buffer> buffers;
  DenseMap<Value, LaneValue> registers;
  std::map<CacheKey, LaneValue> cache; // values of the block being emitted and those around it
  DenseSet<std::pair<Operation *, int64_t>> insidePads;
  DenseMap<std::pair<Operation *, unsigned>, Value> decided; // conditions of reads
  bool hasFailed = false;
};

// Whether each tensor has elements that the source's bodies read at computed places; the call knows.
Value findElements(ElementEmitter &emitter);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_ELEMENTEMITTER_H
