// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proofs about one host program, for every answer that host.same may give.
//
// Order: whatever touches a buffer (dispatch, copy, fill, read, free) comes after everything before it that touches
// the same bytes, if one of the two writes. Ops of one stream are in order; between streams only events order.
// Loops are followed to a fixpoint. Caller's buffers and the slab may be in use on the call's stream when the program
// starts, and at its end the call's stream must be after all that the program started.
//
// Within one op: what it writes overlaps nothing else it touches. A dispatch may write a result over an operand, all of
// its range, where the executable promises so (compiler/Dialect/Flow/IR/Overwrites.h).
//
// Content: nothing is read that nothing may have written.
//
// Memory: every host.alloc is freed once on every path and not used after; arguments, results, parameters and the slab
// are never freed, arguments of the caller and parameters never written. A buffer that scf carries is owned by the
// carried value if the program frees it there, else by whoever allocated it.
//
// Ranks: all members of a group meet the same collectives in the same order, whenever they arrive. All collectives run
// on one stream, so in the order of the program; what decides whether and how often one runs, and how many elements it
// moves, is the same on all its members (Variance.h); groups, pairs and roots fit (contract::explainCollective; what a
// free size of the mesh decides, the loader asks); buffers whose sizes are formulas hold what counts say. A collective
// waits for nothing that comes later in the program, so no rank waits for ever: the first one in the program that has
// not ended can go on.
//
// Events are values, so a wait for an event that is recorded later cannot be written.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_VERIFIER_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_VERIFIER_H

#include "compiler/Dialect/Host/Analysis/Assumptions.h"

namespace mlir::heddle::host {

// On a module whose programs all are proved: stage `package` writes a certificate then.
inline constexpr llvm::StringLiteral kProvedAttr = "host.proved";

// Emits the first violation found as an error at the later op, naming both.
LogicalResult verifyProgram(FuncOp func);

// The parts of it, under one set of assumptions.
LogicalResult verifyOrder(FuncOp func, const Assumptions &assumptions);
LogicalResult verifyOwnership(FuncOp func, const Assumptions &assumptions);
LogicalResult verifyOverlap(FuncOp func, const Assumptions &assumptions);
// Whatever the devices are.
LogicalResult verifyRanks(FuncOp func);
// Of one collective: that its buffers hold what it moves, where formulas tell (VerifyLengths.cpp).
LogicalResult verifyLengths(FuncOp func, CollectiveOp op);

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_VERIFIER_H
