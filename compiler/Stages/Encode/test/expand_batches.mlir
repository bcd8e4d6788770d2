// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --encode-expand-batches | FileCheck %s

// Batch and heads were collapsed for a batched product: it is computed in both.

// CHECK-LABEL: @heads
// CHECK-SAME: %[[A:.*]]: tensor<2x12x7x8xf32>, %[[B:.*]]: tensor<2x12x8x9xf32>
// CHECK-NOT: tensor.collapse_shape
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[B]]
// CHECK: return %[[S]] : tensor<2x12x7x9xf32>
func.func @heads(%a: tensor<2x12x7x8xf32>, %b: tensor<2x12x8x9xf32>) -> tensor<2x12x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x7x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x7x9xf32>) -> tensor<24x7x9xf32>
  %ca = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<2x12x7x8xf32> into tensor<24x7x8xf32>
  %cb = tensor.collapse_shape %b [[0, 1], [2], [3]] : tensor<2x12x8x9xf32> into tensor<24x8x9xf32>
  %s = linalg.batch_matmul ins(%ca, %cb : tensor<24x7x8xf32>, tensor<24x8x9xf32>) outs(%f : tensor<24x7x9xf32>) -> tensor<24x7x9xf32>
  %r = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [2, 12, 7, 9] : tensor<24x7x9xf32> into tensor<2x12x7x9xf32>
  return %r : tensor<2x12x7x9xf32>
}

// -----

// Rows of a product without batches stay one dimension: its epilogue would part from it.

// CHECK-LABEL: @rows
// CHECK: tensor.collapse_shape
// CHECK: linalg.matmul
func.func @rows(%a: tensor<2x7x8xf32>, %b: tensor<8x9xf32>) -> tensor<2x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<14x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<14x9xf32>) -> tensor<14x9xf32>
  %c = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x7x8xf32> into tensor<14x8xf32>
  %s = linalg.matmul ins(%c, %b : tensor<14x8xf32>, tensor<8x9xf32>) outs(%f : tensor<14x9xf32>) -> tensor<14x9xf32>
  %r = tensor.expand_shape %s [[0, 1], [2]] output_shape [2, 7, 9] : tensor<14x9xf32> into tensor<2x7x9xf32>
  return %r : tensor<2x7x9xf32>
}
