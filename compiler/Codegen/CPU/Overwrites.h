// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proof that a kernel may write a result over one of its operands.
//
// It is one of the planned nests: which elements of the operand a workgroup reads, and when. An element of the result
// is stored once, by one workgroup, right after all that it needs has been read (Elements, Columns, Contraction), or
// after all that its row needs has been read (Rows). So the operand must be read
//   - by the nest of that result alone, and by no code beside the nests (sizes that data tell, scalar code, parts);
//   - where the element is computed, at the element's own index, in an element of the same width;
//   - by reductions of Rows in the element's own row. Rows that are computed side by side could come twice, so they are
//     computed one by one where they overwrite something (PlanCommon::overwrites).
// Nests that compute some elements twice (Windows), or read what is elsewhere (Transpose, Chain, Border, staged
// values), prove nothing.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_OVERWRITES_H
#define HEDDLE_COMPILER_CODEGEN_CPU_OVERWRITES_H

#include "compiler/Codegen/Plan/Nest.h"
#include "compiler/Dialect/Flow/IR/Overwrites.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::codegen {

// Whether the kernel of `source` with these nests, in the order of its results, reads what it overwrites first.
bool readsBeforeWriting(func::FuncOp source, ArrayRef<Nest> nests, flow::Overwrite pair);

// All pairs for which that is so with the nests that are planned for the processor, and for which it costs no time.
// `source`: with resolved layouts; it is changed into what code is made from. None where no code can be made.
SmallVector<flow::Overwrite> findOverwrites(func::FuncOp source, const cpu::CpuFeatures &features);

// Every structured op becomes a linalg.generic. Fails with a diagnostic at the op that has no such form.
LogicalResult generalizeOps(Operation *root);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_OVERWRITES_H
