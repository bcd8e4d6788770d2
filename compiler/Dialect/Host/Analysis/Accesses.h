// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an op does to buffers.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ACCESSES_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ACCESSES_H

#include "compiler/Dialect/Host/Analysis/Regions.h"

namespace mlir::heddle::host {

struct Access {
  Value buffer; // as the op names it, before views are resolved
  BufferRegion region;
  bool reads;
  bool writes;
};

// The accesses of an op that runs on a stream, its first operand; none for any other op. host.free counts as a write of
// the whole buffer.
SmallVector<Access> accessesOf(Operation *op, const Assumptions &assumptions = {});

// Of each argument of an entry point, whether the program may write its memory.
SmallVector<bool> writtenArguments(FuncOp func);

// "'host.dispatch' of @mm", "'host.copy'": an op in a message.
std::string describe(Operation *op);

// An error at `op` with a note at the other op of it; failure.
LogicalResult reportViolation(Operation *op, const Twine &message, const Assumptions &assumptions,
                              Operation *other = nullptr);

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ACCESSES_H
