// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_INTENT_PASSES
#define HEDDLE_INTENT_PASSES

include "mlir/Pass/PassBase.td"

def DecomposeProducts : Pass<"intent-decompose-products", "::mlir::ModuleOp"> {
  let summary = "Products with quantised weights become sums that decode what they read";
  let description = [{
    One `linalg.generic` with loops for rows, columns, blocks and bytes; scales that a column has as a whole follow the sum.

    ```mlir
    %y = intent.quantized_product %x, %codes as ui4 scales %s
        : (tensor<?x64xf32>, tensor<2x16x48xi8>, tensor<2x48xf32>) -> tensor<?x48xf32>

    // after
    %y = linalg.generic {intent.code = ui4, iterator_types = ["parallel", "parallel", "reduction", "reduction"], …}
           ins(%x, %x, %codes, %s : …) outs(%zero : tensor<?x48xf32>) {
      ^bb0(%even: f32, %odd: f32, %byte: i8, %scale: f32, %sum: f32): … }   // sum + (even * low + odd * high) * scale
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif // HEDDLE_INTENT_PASSES
