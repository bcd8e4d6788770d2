// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_ENCODING_PASSES
#define HEDDLE_ENCODING_PASSES

include "mlir/Pass/PassBase.td"

def EraseEncodings : Pass<"encoding-erase-encodings", "::mlir::ModuleOp"> {
  let summary = "Makes all encoded types plain, as if data tiling were off";
  let description = [{
    `encoding.set`, `encoding.unset` and `flow.encode` become their operand; all else stays where it is. The reference runs
    programs so. For values that are in their layout already (after `resolve`) it is an error.
  }];
}

def VerifyEncoding : Pass<"encoding-verify", "::mlir::ModuleOp"> {
  let summary = "The guard: checks that only ops that understand them touch encoded types";
  let description = [{
    Ops of our dialects, linalg, scf, func, `tensor.empty` and `tensor.dim`. Others work on the bytes of plain tensors or lose the
    encoding without a word: upstream tiling slices them, casts drop it, bufferisation allocates the logical size. Runs after every stage.
  }];
}

#endif // HEDDLE_ENCODING_PASSES
