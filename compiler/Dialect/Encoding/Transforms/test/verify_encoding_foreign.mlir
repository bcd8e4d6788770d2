// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upstream's canonicaliser knows nothing of encodings: between two of our passes it is caught by name.
// RUN: not heddle-opt %s --encode-set-encodings --canonicalize --encoding-verify 2>&1 | FileCheck %s
// RUN: heddle-opt %s --canonicalize --encode-set-encodings --canonicalize --encoding-verify

// CHECK: error: 'tensor.cast' must not touch an encoded type, got 'tensor<?x64xf32, #encoding.contraction<role = lhs
func.func @rows_of_one_size(%a: tensor<?x64xf32>, %b: tensor<64x128xf32>, %c: tensor<4x128xf32>) -> tensor<4x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x128xf32>) outs(%c : tensor<4x128xf32>) -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}
