// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_INTENT_DIALECT
#define HEDDLE_INTENT_DIALECT

include "mlir/IR/OpBase.td"

def Intent_Dialect : Dialect {
  let name = "intent";
  let cppNamespace = "::mlir::heddle::intent";
  let summary = "What a model asks for, whole: ops that front ends emit and later stages write in loops.";
  let description = [{
    An op here says what is computed and nothing of how: no panel, no tile, no order in memory. Each has a
    decomposition into structured ops or scalar code (`intent-decompose-attention`, `intent-decompose-lists`,
    `intent-decompose-products`), which the reference runs and from which later stages go on. Attributes say what it was:

    | attribute | on | says |
    |---|---|---|
    | `intent.code` | linalg.generic | sums of products with quantised weights of this type: operands are rows, codes, scales of blocks, zeros |
    | `intent.of` | flow.rows | the op on lists that this scalar code computes: `"sort"`, `"scan"`, `"scatter"` |
  }];
  // What decompositions are made of.
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::heddle::flow::FlowDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let hasOperationAttrVerify = 1;
}

#endif // HEDDLE_INTENT_DIALECT
