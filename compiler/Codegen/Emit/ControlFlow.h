// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and branches of the code being emitted. What is known now (one iteration, a constant condition) is no loop and
// no branch.
//
//   SmallVector<Value> sums = flow.loop(zero, end, 1, zeros, [&](Value i, ValueRange carried) { …; return next; });
//   flow.when(condition, [&] { … });
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_CONTROLFLOW_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_CONTROLFLOW_H

#include "compiler/Codegen/Emit/LaneBuilder.h"

#include <map>

namespace mlir::heddle::codegen {

class ControlFlow {
public:
  ControlFlow(OpBuilder &builder, Location loc) : lanes(builder, loc), builder(builder), loc(loc) {}

  // A counted loop; `body` gets the index and the values carried and returns their next values.
  using LoopBody = function_ref<SmallVector<Value>(Value index, ValueRange carried)>;
  SmallVector<Value> loop(Value begin, Value end, int64_t step, ValueRange carried, LoopBody body);
  // From `begin` below `end`, with a step that only the call may know.
  void strided(Value begin, Value end, Value step, function_ref<void(Value index)> body);
  // One loop inside the other over all of `sizes`.
  SmallVector<Value> loops(ArrayRef<Value> sizes, ValueRange carried,
                           function_ref<SmallVector<Value>(ArrayRef<Value> index, ValueRange carried)> body);
  // `body`, only where the condition holds.
  void when(Value condition, function_ref<void()> body);
  // Runs `then` or `otherwise`.
  void either(Value condition, function_ref<void()> then, function_ref<void()> otherwise);
  // `then` or `otherwise`, without computing the other.
  LaneValue branch(Value condition, Type type, function_ref<LaneValue()> then, function_ref<LaneValue()> otherwise);
  // The same for several values of these types.
  SmallVector<Value> branches(Value condition, TypeRange types, function_ref<SmallVector<Value>()> then,
                              function_ref<SmallVector<Value>()> otherwise);
  // The same where lanes may differ: `inside` where the condition holds, else `outside`; neither reads memory where it
  // does not apply.
  LaneValue choose(LaneValue condition, Type element, function_ref<LaneValue()> inside,
                   function_ref<LaneValue()> outside);
  // Emits at the start of a block. What becomes known there is not known behind it.
  void inside(Block *block, function_ref<void()> emit);

  LaneBuilder lanes;

protected:
  OpBuilder &builder;
  Location loc;
  // What is known, by keys of whoever computes it: values of the block being emitted and of those around it.
  using Key = std::vector<const void *>;
  std::map<Key, LaneValue> known;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_CONTROLFLOW_H
