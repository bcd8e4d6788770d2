// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --flow-evaluate-constants=max-work=200 | FileCheck %s
// RUN: heddle-opt %s --flow-evaluate-constants | FileCheck %s --check-prefix=ALL

// Of two products of 128 iterations one is within the limit; what only moves elements costs nothing of it.

// CHECK-LABEL: @products
// CHECK: linalg.matmul
// CHECK-NOT: linalg.matmul
// CHECK-NOT: linalg.transpose
// ALL-LABEL: @products
// ALL-NOT: linalg
flow.parameter private @w : tensor<4x8xf32> = dense_resource<w>
func.func @products() -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %w = flow.parameter.load @w : tensor<4x8xf32>
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %one = linalg.matmul ins(%w, %t : tensor<4x8xf32>, tensor<8x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %e4 = tensor.empty() : tensor<8x4xf32>
  %n = linalg.negf ins(%t : tensor<8x4xf32>) outs(%e4 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %two = linalg.matmul ins(%w, %n : tensor<4x8xf32>, tensor<8x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %one, %two : tensor<4x4xf32>, tensor<4x4xf32>
}
{-# dialect_resources: { builtin: { w: "0x010000000000803F0101803F0202803F0303803F0404803F0505803F0606803F0707803F0808803F0909803F0A0A803F0B0B803F0C0C803F0D0D803F0E0E803F0F0F803F1010803F1111803F1212803F1313803F1414803F1515803F1616803F1717803F1818803F1919803F1A1A803F1B1B803F1C1C803F1D1D803F1E1E803F1F1F803F" } } #-}
