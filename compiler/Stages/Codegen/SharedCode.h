// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What codegen-lower-to-loops, -mark-cold, -share-code, -emit-object and -create-variants say to each other.
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_SHAREDCODE_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_SHAREDCODE_H

#include "mlir/Support/LLVM.h"

namespace mlir::heddle::codegen {

// On a kernel.program with tiles in registers: the number of codegen::Unrolled.
inline constexpr StringLiteral kUnrolledAttr = "kernel.unrolled";
// On a kernel.program that takes little of a call's time, by codegen-mark-cold: compiled in little time, too.
inline constexpr StringLiteral kColdAttr = "kernel.cold";
// On a kernel.program that stands for others: its own numbers first, then theirs, in the module's order.
inline constexpr StringLiteral kNumbersAttr = "kernel.numbers";
// The objects that were made of them, in that order.
inline constexpr StringLiteral kObjectsAttr = "kernel.objects";
// On a kernel.program that has another's code: which one's.
inline constexpr StringLiteral kCodeOfAttr = "kernel.code_of";
// The table, 32-bit words.
inline constexpr StringLiteral kNumbersSymbol = "numbers";

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_SHAREDCODE_H
