// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-narrow-products=precision=f16 --verify-diagnostics | FileCheck %s

// What f16 cannot hold stays f32, with a word; a model's infinities and zeros are the same in f16, and numbers without
// all digits do not matter beside larger ones of their column.

// CHECK-LABEL: func.func @products(
// CHECK-COUNT-2: ins(%{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<2x2xf16>)
// CHECK-NOT: tensor<2x2xf16>)
// CHECK: return
func.func @products(%x: tensor<4x2xf32>, %o: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %largest = arith.constant dense<[[65504.0, 0x7F800000], [0.0, -1.0]]> : tensor<2x2xf32>
  %large = arith.constant dense<[[1.0, 2.0], [-65520.0, 1.0]]> : tensor<2x2xf32>
  %small = arith.constant dense<[[1.0, 1.0e-8], [1.0, 2.0e-8]]> : tensor<2x2xf32>
  %some = arith.constant dense<[[1.0e-8, 0.0], [1.0, 0.0]]> : tensor<2x2xf32>
  %unknown = arith.constant dense_resource<w> : tensor<2x2xf32>
  %a = linalg.matmul ins(%x, %largest : tensor<4x2xf32>, tensor<2x2xf32>) outs(%o : tensor<4x2xf32>) -> tensor<4x2xf32>
  // expected-remark @+1 {{the product stays in f32: a weight has 65520, and f16 ends at 65504}}
  %b = linalg.matmul ins(%x, %large : tensor<4x2xf32>, tensor<2x2xf32>) outs(%o : tensor<4x2xf32>) -> tensor<4x2xf32>
  // expected-remark @+1 {{the product stays in f32: a weight has a column of at most 2e-08, and numbers of f16 lose digits below 6.10352e-05}}
  %c = linalg.matmul ins(%x, %small : tensor<4x2xf32>, tensor<2x2xf32>) outs(%o : tensor<4x2xf32>) -> tensor<4x2xf32>
  %d = linalg.matmul ins(%x, %some : tensor<4x2xf32>, tensor<2x2xf32>) outs(%o : tensor<4x2xf32>) -> tensor<4x2xf32>
  // expected-remark @+1 {{the product stays in f32: a weight is not known yet}}
  %e = linalg.matmul ins(%x, %unknown : tensor<4x2xf32>, tensor<2x2xf32>) outs(%o : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %a, %b, %c, %d, %e : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
