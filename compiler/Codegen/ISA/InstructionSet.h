// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A processor's instructions that LLVM has no portable op for. Only this folder names them (scripts/check_isa.py).
//
// Loops say what is computed (kernel.dot, kernel.permute, kernel.scale, kernel.tile_*), an instruction set by which
// instruction, in the LLVM dialect. What it has none for is plain arithmetic with the same value, so every kernel has
// code everywhere; planners ask cpu::CpuFeatures for what is fast.
#ifndef HEDDLE_COMPILER_CODEGEN_ISA_INSTRUCTIONSET_H
#define HEDDLE_COMPILER_CODEGEN_ISA_INSTRUCTIONSET_H

#include "compiler/Codegen/IR/KernelOps.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace mlir::heddle::codegen {

class InstructionSet {
public:
  // That of an executable format, such as "elf-x86_64"; lives as long as the process.
  static const InstructionSet &of(StringRef format);
  virtual ~InstructionSet() = default;

  // The op's result from operands in the LLVM dialect; null where there is no instruction for its types. The processor
  // is taken to have the extension that the instruction belongs to.
  virtual Value dot(OpBuilder &, kernel::DotOp, kernel::DotOp::Adaptor) const { return nullptr; }
  virtual Value permute(OpBuilder &, kernel::PermuteOp, kernel::PermuteOp::Adaptor) const { return nullptr; }
  virtual Value scale(OpBuilder &, kernel::ScaleOp, kernel::ScaleOp::Adaptor) const { return nullptr; }
  // Lowerings of kernel.tile_*. Where there are none such an op is an error of the conversion.
  virtual void populateTilePatterns(const LLVMTypeConverter &, RewritePatternSet &) const {}
};

const InstructionSet &getX86Instructions();
const InstructionSet &getAArch64Instructions();

// Patterns for every op above.
void populateInstructionPatterns(const InstructionSet &instructions, const LLVMTypeConverter &converter,
                                 RewritePatternSet &patterns);
// Whether they lower it.
bool isInstruction(Operation *op);

// The value of a dot product of operands in the LLVM dialect, by the instruction or by plain arithmetic. `op` stays.
Value lowerDot(const InstructionSet &instructions, OpBuilder &builder, kernel::DotOp op);

// Of implementations: a call of LLVM's intrinsic of that name, overloaded ones without their types.
Value callIntrinsic(OpBuilder &builder, Location loc, Type result, const Twine &name, ValueRange operands);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_ISA_INSTRUCTIONSET_H
