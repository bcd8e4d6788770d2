// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A size that another operand tells stays free in an encoded type: no upstream cast gets in between.
// RUN: heddle-opt %s --encode-set-encodings --stage-form --encoding-verify | FileCheck %s

// CHECK: flow.executable private @matmul_0
// CHECK-NOT: tensor.cast
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<?x64xf32, #encoding.contraction<role = lhs,
func.func @rows_of_one_size(%a: tensor<?x64xf32> {heddle.dims = ["m", ""]}, %b: tensor<64x128xf32>, %c: tensor<4x128xf32>) -> tensor<4x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x128xf32>) outs(%c : tensor<4x128xf32>) -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}
