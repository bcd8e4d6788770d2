// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flattens a host.func to the words of contract/Instructions.def: scf becomes jumps, every SSA value a register.
//
// Registers are numbered in order of first sight and never reused; values that are equal by construction (casts between
// index and i64, results of a loop and its carried values) share one. Constants are set once, at the start.
#ifndef HEDDLE_COMPILER_STAGES_PACKAGE_FUNCTIONFLATTENER_H
#define HEDDLE_COMPILER_STAGES_PACKAGE_FUNCTIONFLATTENER_H

#include "compiler/Stages/Package/ArtifactTables.h"
#include "heddle/contract/Assembler.h"

#include <map>

namespace mlir::heddle {

class FunctionFlattener {
public:
  using Opcode = ::heddle::contract::Opcode;

  FunctionFlattener(host::FuncOp func, ArtifactTables &tables);

  // The function's table entry. Failure: a diagnostic at the op that has no instruction.
  FailureOr<std::unique_ptr<::heddle::fb::FunctionT>> flatten();

private:
  using Register = uint32_t;
  using Label = uint32_t;

  // One operand of an instruction; what it is stands in the instruction's operand string.
  struct Operand {
    enum class Kind { Word, Label, List, Constant } kind;
    int64_t value = 0;
    SmallVector<uint32_t> list = {};
  };
  static Operand word(uint32_t value) { return {Operand::Kind::Word, value}; }
  static Operand target(Label label) { return {Operand::Kind::Label, label}; }
  Operand of(Value value) { return word(reg(value)); }
  Operand of(ValueRange values);

  // Registers and words (FunctionFlattener.cpp).
  Register reg(Value value);
  Register fresh(Type type);
  Register constant(int64_t value);
  Label newLabel();
  void place(Label label);
  void emit(Opcode opcode, ArrayRef<Operand> operands);
  void emitConstants();
  void move(ArrayRef<Register> targets, ValueRange sources);
  LogicalResult buildSignature(::heddle::fb::FunctionT &out);
  void noteLocation(Operation &op);

  // Ops (FunctionFlattener.cpp, FlattenArith.cpp, FlattenControlFlow.cpp).
  LogicalResult flattenBlock(Block &block);
  LogicalResult flattenOp(Operation &op);
  LogicalResult flattenHost(Operation &op);
  // Buffers, where they come from and what `@__bind` keeps. False for other ops.
  bool flattenMemory(Operation &op);
  // Work on streams, order, checks and devices. False for other ops.
  bool flattenControl(Operation &op);
  Operand device(FlatSymbolRefAttr name);
  LogicalResult flattenDispatch(host::DispatchOp op);
  LogicalResult flattenReturn(host::ReturnOp op);
  LogicalResult flattenArith(Operation &op);
  LogicalResult flattenCompare(arith::CmpIOp op);
  LogicalResult flattenSelect(arith::SelectOp op);
  LogicalResult flattenCast(Operation &op);
  LogicalResult flattenIf(scf::IfOp op);
  LogicalResult flattenSwitch(scf::IndexSwitchOp op);
  LogicalResult flattenFor(scf::ForOp op);
  LogicalResult flattenWhile(scf::WhileOp op);
  LogicalResult flattenBranch(Region &region, ArrayRef<Register> results);
  SmallVector<Register> freshAll(ValueRange values);

  host::FuncOp func;
  StringRef defaultDevice; // that of the call's stream; empty in a module without devices
  ArtifactTables &tables;
  std::vector<uint32_t> code;
  ::heddle::contract::InstructionWriter writer;
  std::vector<uint32_t> locations;
  uint32_t lastLocation = UINT32_MAX;
  llvm::DenseMap<Value, Register> registers;
  std::map<int64_t, Register> constants; // any value: a DenseMap has no place for the two greatest
  uint32_t scalars = 0, buffers = 0, streams = 0, events = 0;
  SmallVector<uint32_t> labels;                    // word offset of each
  SmallVector<std::pair<size_t, Label>> labelUses; // word to patch
  bool fits = true;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_PACKAGE_FUNCTIONFLATTENER_H
