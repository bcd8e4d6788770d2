// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of a microkernel: addresses are written out step by step, so that LLVM need not look for them.
//
//   while rows are left: take a full tile of them, or what is left, or (less than two tiles) half of it
//     code for each number of rows: accumulators = 0; for each step: accumulators += row elements x column vectors
//                                   for each accumulator: result = epilogue(accumulator, operands)
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_MICROKERNELBUILDER_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_MICROKERNELBUILDER_H

#include "compiler/Codegen/ISA/InstructionSet.h"
#include "compiler/Stages/Codegen/MicrokernelForm.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::codegen {

// A declaration. It lies in the object that calls it: no table of the loader's is needed.
LLVM::LLVMFuncOp createMicrokernel(OpBuilder &builder, Location loc, const MicrokernelForm &form);

// The function in a module of its own, with a copy of its epilogue from the program that declares it.
OwningOpRef<ModuleOp> buildMicrokernel(kernel::ProgramOp program, const MicrokernelForm &form);

class MicrokernelBuilder {
public:
  // `epilogue`: null where the form has none.
  MicrokernelBuilder(ModuleOp module, const MicrokernelForm &form, LLVM::LLVMFuncOp epilogue,
                     const InstructionSet &instructions);
  void build();

private:
  // An address that moves on from row to row.
  struct Place {
    Value address, stride;
  };
  // What a tile begins with: rows left, then the addresses of rows, result, operands and what is asked for next.
  enum { Left, Rows, Result, Operands };

  Block *addBlock(TypeRange types);
  SmallVector<Value> loop(Value begin, Value end, Value step, ArrayRef<Value> carried,
                          function_ref<SmallVector<Value>(Value index, ValueRange carried)> body);
  void readArguments(Block *entry);
  Value countRows(Value left);
  SmallVector<Value> emitTile(int64_t rows, ValueRange state);
  SmallVector<Value> emitLoops(size_t level, Value rowOffset, SmallVector<Value> carried);
  SmallVector<Value> emitStep(Value rowOffset, ValueRange carried);
  Value firstSums(int64_t vector);
  Value emitProduct(Value sum, Value row, Value column);
  Value spreadRow(Value at);
  void emitStores(int64_t rows, ValueRange state, ArrayRef<Value> sums);
  Value load(Value at, Type element, bool isMasked);
  void store(Value value, Value at, bool isMasked);

  Value constant(int64_t value);
  Value add(Value a, Value b) { return LLVM::AddOp::create(builder, loc, a, b); }
  Value address(Value base, Value bytes);
  Value address(Value base, int64_t bytes);
  Value widen(Value value);

  const MicrokernelForm &form;
  const InstructionSet &instructions;
  LLVM::LLVMFuncOp epilogue;
  Location loc;
  OpBuilder builder;
  Type pointer, i64;
  SmallVector<Value> columns, steps, strides, rowStarts;
  SmallVector<Place> moving; // rows, result, operands
  Value next, nextStride, mask, first;
  bool asks = false; // the tile being emitted, for what is next: only full tiles do
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_MICROKERNELBUILDER_H
