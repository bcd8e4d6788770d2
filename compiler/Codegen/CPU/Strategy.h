// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a plan becomes code: one strategy for each kind of plan (Plan/Nest.h), each in a file of its own. A new one is a
// plan in the list there, planNests choosing it, and a file with a class that answers what stands here and its
// makeStrategy.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_STRATEGY_H
#define HEDDLE_COMPILER_CODEGEN_CPU_STRATEGY_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Codegen/Link/SharedObject.h"
#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// One block of a nest's grid.
struct Workgroup {
  Value number; // below workgroups()
  Value first;  // the block this call began with: scratch has what the block before left there, but for this one
  const Buffer &output; // memory of the nest's value
  Value scratch;        // the byte at which scratch memory begins
};

// Refers to its plan, which must live as long. Of a nest with row classes, each class has a strategy of its own.
class Strategy {
public:
  virtual ~Strategy() = default;

  // Blocks of the grid.
  virtual Value workgroups(FunctionScalars &scalars) const = 0;
  // How many of these a call's workgroup takes, so that it is worth a core.
  virtual Value grain(FunctionScalars &scalars) const { return scalars.constant(1); }
  // Bytes of scratch memory, a multiple of 64.
  virtual Value scratch(FunctionScalars &scalars) const { return scalars.constant(0); }
  // Computes one block into its output.
  virtual void emit(ElementEmitter &emitter, const Workgroup &at) const = 0;
  // What comes before and after a range of blocks.
  virtual void begin(ElementEmitter &emitter) const {}
  virtual void end(ElementEmitter &emitter) const {}

  // What the plan says, in words (kernel.strategy); its vectors are single elements.
  virtual std::string describe() const = 0;
  virtual bool isScalar() const { return false; }
  // What LLVM need not unroll again.
  virtual Unrolled unrolled() const { return Unrolled::Nothing; }

  // Of a nest with row classes: what RowClass::mostRows limits, in words this plan as a class, and whether classes have
  // the grid of the nest itself.
  virtual Value countRows(FunctionScalars &scalars) const { return scalars.constant(1); }
  virtual std::string describeClass(const RowClass &few) const { return ""; }
  virtual bool sharesGrid() const { return false; }
};

// Of each kind of plan, defined beside its strategy.
#define HEDDLE_MAKER(PLAN) std::unique_ptr<Strategy> makeStrategy(const PLAN &nest);
HEDDLE_PLANS(HEDDLE_MAKER, HEDDLE_MAKER)
#undef HEDDLE_MAKER

// The strategy of whatever plan this is.
std::unique_ptr<Strategy> strategyOf(const Plan &plan);

// The whole nest in words: its plan, its classes.
std::string describe(const Nest &nest);

// What `make` gives for the row class that the call's sizes fall into.
Value ofRowClass(const Nest &nest, FunctionScalars &scalars, function_ref<Value(const Strategy &)> make);

// Emits code for each class and for all other numbers of rows, of which the call takes one: chosen by `grid`'s sizes.
void emitRowClasses(const Nest &nest, ElementEmitter &emitter, FunctionScalars &grid,
                    function_ref<void(const Strategy &)> emit);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_STRATEGY_H
