// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scalars and tensor sizes of an executable's function, as values of the function being generated from it.
//
// Kernel, @workgroups and @scratch each have one. Values are created on first use, at the insertion point given, which
// must dominate every use. What cannot be known is a diagnostic at the op concerned; then `failed()` holds, and the
// values given are of no use.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_FUNCTIONSCALARS_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_FUNCTIONSCALARS_H

#include "compiler/Codegen/Emit/IndexArithmetic.h"
#include "compiler/Dialect/Flow/IR/Pitch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::heddle::codegen {

class FunctionScalars : public IndexArithmetic {
public:
  // `constantAt(i)`: the value of index argument i, created by `builder`.
  using ConstantAt = std::function<Value(OpBuilder &builder, unsigned i)>;
  FunctionScalars(func::FuncOp source, OpBuilder builder, ConstantAt constantAt)
      : IndexArithmetic(builder, source.getLoc()), source(source), entry(builder), constantAt(std::move(constantAt)) {}

  // A scalar of the source function's top level; it must not depend on tensor elements.
  Value get(Value scalar);

  // The same, or what is known of it.
  Value toValue(OpFoldResult value);

  // The size of a tensor's dimension; static ones are constants.
  Value size(Value tensor, int64_t dim);
  SmallVector<Value> sizes(Value tensor);
  // From now on the scalar of the source has this value.
  void assume(Value scalar, Value value) { values[scalar] = value; }
  // What a flow.checked_index among the scalars finds outside fails the call; else it gives 0 and says nothing.
  void failChecks() { failsChecks = true; }
  // Elements of the source's arguments among the scalars are read by `read`, where `builder` stands.
  using ReadElement = std::function<Value(OpBuilder &builder, BlockArgument tensor, ValueRange index)>;
  void readElements(ReadElement read) { readElement = std::move(read); }

  // From now on the dimension has this size.
  void setSize(Value tensor, int64_t dim, Value size) { knownSizes[{tensor, dim}] = size; }

  // Elements from one run of a result of the source to the next.
  Value pitchOf(const flow::Pitch &pitch) {
    return pitch.elements ? constant(*pitch.elements) : get(source.getArgument(pitch.argument));
  }

  // The sizes of a structured op's loops.
  SmallVector<Value> loopSizes(Operation *linalgOp);

  func::FuncOp getSource() const { return source; }
  // Where memory of the function's own is made: outside of all loops. The builder's place if it was not set.
  OpBuilder &getEntry() { return entry; }
  void setEntry(OpBuilder place) { entry = place; }
  bool failed() const { return hasFailed; }
  // What `other` failed at, this one did.
  void joinFailure(const FunctionScalars &other) { hasFailed |= other.failed(); }

private:
  Value compute(Value scalar);
  Value check(Operation *op);
  Value computeSize(Value tensor, int64_t dim);
  Value argumentSize(BlockArgument argument, int64_t dim);
  Value fail(Operation *op, const Twine &message, Type type);

  func::FuncOp source;
  OpBuilder entry;
  ConstantAt constantAt;
  ReadElement readElement;
  DenseMap<Value, Value> values;
  DenseMap<std::pair<Value, int64_t>, Value> knownSizes;
  bool hasFailed = false, failsChecks = false;
};

// How many index arguments the function takes; they follow the tensors.
unsigned getNumTensorArguments(func::FuncOp func);

// Makes beside `source` a host function of its index arguments, whose result `make` computes from them. Fails with a
// diagnostic where a scalar cannot be had without tensors.
LogicalResult emitHostFunction(func::FuncOp source, StringRef name, llvm::function_ref<Value(FunctionScalars &)> make);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_FUNCTIONSCALARS_H
