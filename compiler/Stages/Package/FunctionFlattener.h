// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flattens a host.func to the words of contract/Instructions.def: scf becomes jumps, every SSA value a register.
//
// Registers are numbered in order of first sight and never reused; values that are equal by construction (casts between
// index and i64, results of a loop and its carried values) share one. Constants are set once, at the start. Host ops
// write their own instructions (HostEncoder); control flow and arith are flattened here.
#ifndef HEDDLE_COMPILER_STAGES_PACKAGE_FUNCTIONFLATTENER_H
#define HEDDLE_COMPILER_STAGES_PACKAGE_FUNCTIONFLATTENER_H

#include "compiler/Dialect/Host/IR/HostEncoder.h"
#include "compiler/Stages/Package/ArtifactTables.h"
#include "heddle/contract/Assembler.h"

#include <map>

namespace mlir::heddle {

class FunctionFlattener : private host::HostEncoder {
public:
  FunctionFlattener(host::FuncOp func, ArtifactTables &tables);

  // The function's table entry. Failure: a diagnostic at the op that has no instruction.
  FailureOr<std::unique_ptr<::heddle::fb::FunctionT>> flatten();
  // Then: of each view of several runs its word offset and the registers of a run's bytes and distance.
  std::vector<uint32_t> takeRuns() { return std::move(runs); }

private:
  using Register = uint32_t;
  using Label = uint32_t;

  static Operand target(Label label) { return {Operand::Kind::Label, label}; }

  // HostEncoder.
  void emit(Opcode opcode, ArrayRef<Operand> operands) override;
  Operand of(Value value) override { return word(reg(value)); }
  Operand of(ValueRange values) override;
  Operand constant(int64_t value) override { return word(registerOf(value)); }
  Operand compute(Opcode opcode, ArrayRef<Operand> operands) override;
  Operand device(FlatSymbolRefAttr name) override { return word(tables.device(name.getValue())); }
  Operand parameter(FlatSymbolRefAttr name) override { return word(tables.parameter(name.getValue())); }
  Operand plan(host::PlanOp op) override { return word(tables.plan(op)); }
  Operand bound(StringRef name, bool isBuffer) override { return word(tables.bound(name, isBuffer)); }
  Operand layout(Attribute layout) override { return word(tables.layout(layout)); }
  Operand message(StringRef text) override { return word(tables.message(text)); }
  Operand mesh(FlatSymbolRefAttr name) override { return word(tables.mesh(func, name)); }
  Operand collective(host::CollectiveOp op) override { return word(tables.collective(op)); }
  FailureOr<Operand> executable(host::DispatchOp op) override;
  void noteRuns(Operand bytes, Operand stride) override;
  bool isDefault(FlatSymbolRefAttr device) override { return device.getValue() == defaultDevice; }

  // Registers and words (FunctionFlattener.cpp).
  Register reg(Value value);
  Register fresh(Type type);
  Register registerOf(int64_t constant);
  Label newLabel();
  void place(Label label);
  void emitConstants();
  void move(ArrayRef<Register> targets, ValueRange sources);
  LogicalResult buildSignature(::heddle::fb::FunctionT &out);
  void noteLocation(Operation &op);

  // Ops (FunctionFlattener.cpp, FlattenArith.cpp, FlattenControlFlow.cpp).
  LogicalResult flattenBlock(Block &block);
  LogicalResult flattenOp(Operation &op);
  LogicalResult checkDevice(host::DispatchOp op);
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
  std::vector<uint32_t> locations, runs;
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
