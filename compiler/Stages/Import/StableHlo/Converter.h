// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks the functions of a StableHLO program and lowers op after op.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_CONVERTER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_CONVERTER_H

#include "compiler/Stages/Import/StableHlo/Lowering.h"
#include "compiler/Stages/Import/StableHlo/Ranks/Ranks.h"

namespace mlir::heddle::hlo {

// Converts one public function into a new one; calls of functions of the module are inlined.
class Converter {
public:
  Converter(ModuleOp module, SymbolTable &symbols, func::FuncOp from, func::FuncOp to, const Ranks &ranks);

  Emitter emitter;
  SymbolTable &symbols;
  const Ranks &ranks;

  // Failure: diagnostics for everything that is not supported.
  LogicalResult run();

  // The ops of a block, whose arguments have their tensors; gives those of its terminator's operands, of full size.
  // Failure if one of them is not there, for which a diagnostic has been given.
  FailureOr<SmallVector<Tensor>> lowerBlock(Block &block);
  // The same in a region that the emitter has been put into: tensors made there are not seen after it.
  FailureOr<SmallVector<Tensor>> lowerRegion(Block &block, ArrayRef<Tensor> arguments);
  // Null-typed: what made it was refused.
  Tensor &tensor(Value value);
  // The tensor with all elements that the value's type says.
  Tensor &full(Value value);
  void set(Value value, Tensor tensor) { values[value] = std::move(tensor); }
  LogicalResult inlineCall(Operation *call, StringRef callee);
  void report(Operation *op, const Twine &reason);

private:
  void lower(Operation *op);
  void bindArguments();

  func::FuncOp from, to;
  DenseMap<Value, Tensor> values;
  SmallVector<Operation *> calls; // those being inlined
  unsigned refused = 0;
  int64_t inlinedOps = 0;
};

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_CONVERTER_H
