// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What distinguishes one microkernel from another. A program that calls one declares it; the name and the attribute
// `kernel.microkernel` say all of it but its epilogue, a function of the program.
//
//   void @microkernel_f32_f32_f32_6x4x16_p16_l1(i64 count, ptr rows, i64 row stride, ptr columns, i64 panel stride,
//                                               i64 steps…, i64 strides…, ptr result, i64 result stride)
//
// Strides are in bytes. Behind them, where the form has it: lanes of the last vector that are stored; address and
// stride of each operand of the epilogue; address and stride of what is asked for next; address of the first sums.
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_MICROKERNELFORM_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_MICROKERNELFORM_H

#include "compiler/Codegen/IR/KernelOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::heddle::codegen {

// On the declaration: a dictionary.
inline constexpr StringLiteral kMicrokernelAttr = "kernel.microkernel";
// On a kernel.program: the relocatable objects that its calls need.
inline constexpr StringLiteral kMicrokernelsAttr = "kernel.microkernels";

// The form itself.
struct MicrokernelForm {
  Type row, column, sum, result;
  SmallVector<Type> operands; // of the epilogue
  int64_t rows, vectors, width, panel, loops;
  bool asksNext, isMasked;
  FlatSymbolRefAttr epilogue;   // null: sums are the result
  bool rowSigned, columnSigned; // of bytes
  bool hasFirst;                // sums to begin with
  int64_t rest;                 // rows of the last tile, 0 where all are full; kAnyRest: only the call knows

  static constexpr int64_t kAnyRest = -1;

  // Elements of a row, and of a column, in a step.
  int64_t group() const { return row.isInteger(8) ? 4 : 1; }

  static MicrokernelForm get(kernel::MicrokernelOp op);
  // Of a declaration; none of another function.
  static std::optional<MicrokernelForm> get(LLVM::LLVMFuncOp declaration);
  DictionaryAttr asAttribute() const;
  std::string name() const;
  LLVM::LLVMFunctionType type() const;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_MICROKERNELFORM_H
