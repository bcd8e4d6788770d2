// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an op does to buffers.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ACCESSES_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ACCESSES_H

#include "compiler/Dialect/Host/Analysis/Regions.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::heddle::host {

struct Access {
  Value buffer; // as the op names it, before views are resolved
  BufferRegion region;
  bool reads;
  bool writes;
  bool ends; // the buffer is freed, which counts as a write of all of it
};

// What an op's row says that it touches, resolved; none for an op that is no host op. What is touched, is touched on
// the row's queue.
SmallVector<Access> accessesOf(Operation *op, const Assumptions &assumptions = {});

// What memory a root is; None for what scf carries, and for arguments.
StorageKind storageKindOf(Value root);

// The devices that a stream may belong to, whichever of its streams control flow hands on; empty name: that of the
// call's stream.
llvm::SetVector<StringRef> devicesOf(Value stream);

// Of each argument of an entry point, whether the program may write its memory.
SmallVector<bool> writtenArguments(FuncOp func);

// "'host.dispatch' of @mm", "'host.copy'": an op in a message.
std::string describe(Operation *op);

// An error at `op` with a note at the other op of it; failure.
LogicalResult reportViolation(Operation *op, const Twine &message, const Assumptions &assumptions,
                              Operation *other = nullptr);

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ACCESSES_H
