// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --flow-sink-reshapes --split-input-file | FileCheck %s

// An expand_shape moves below the elementwise op that reads it.

// CHECK-LABEL: @below
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<6x4xf32>, tensor<4xf32>)
// CHECK: %[[E:.*]] = tensor.expand_shape
// CHECK: return %[[E]]
func.func @below(%x: tensor<6x4xf32>, %bias: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %o = tensor.empty() : tensor<2x3x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>,
                                        affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %bias : tensor<2x3x4xf32>, tensor<4xf32>) outs(%o : tensor<2x3x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// -----

// A pair that cancels is gone.

// CHECK-LABEL: @cancel
// CHECK-NEXT: return %arg0
func.func @cancel(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %c = tensor.collapse_shape %e [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  return %c : tensor<6x4xf32>
}

// -----

// What pads a scalar stays behind its reshape.

// CHECK-LABEL: @padded_scalar
// CHECK: tensor.expand_shape {{.*}} : tensor<f32> into tensor<1xf32>
// CHECK-NEXT: tensor.pad {{.*}} low[0] high[2]
func.func @padded_scalar(%x: tensor<f32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.expand_shape %x [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %p = tensor.pad %e low[0] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<1xf32> to tensor<3xf32>
  return %p : tensor<3xf32>
}
