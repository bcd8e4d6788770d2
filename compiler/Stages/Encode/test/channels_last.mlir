// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-channels-last --split-input-file | FileCheck %s

// A window: operand, weights and result are turned; the reduced loops are the window's, then the channel's.

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2 + d3, d4)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @one_group
// CHECK: %[[A:.*]] = linalg.transpose ins(%arg0 : tensor<?x2x9xf32>) outs(%{{.*}} : tensor<?x9x2xf32>) permutation = [0, 2, 1]
// CHECK: %[[B:.*]] = linalg.transpose ins(%arg1 : tensor<5x2x3xf32>) outs(%{{.*}} : tensor<3x2x5xf32>) permutation = [2, 1, 0]
// CHECK: %[[C:.*]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[A]], %[[B]]
// CHECK: linalg.transpose ins(%[[C]] : tensor<?x4x5xf32>) outs(%{{.*}} : tensor<?x5x4xf32>) permutation = [0, 2, 1]
func.func @one_group(%x: tensor<?x2x9xf32>, %w: tensor<5x2x3xf32>, %init: tensor<?x5x4xf32>) -> tensor<?x5x4xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(n, f, o, c, k) -> (n, c, o * 2 + k)>, affine_map<(n, f, o, c, k) -> (f, c, k)>,
                       affine_map<(n, f, o, c, k) -> (n, f, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x2x9xf32>, tensor<5x2x3xf32>) outs(%init : tensor<?x5x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<?x5x4xf32>
  return %0 : tensor<?x5x4xf32>
}

// -----

// Depthwise: the only channel is the group.

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0 + d2, d1)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @depthwise
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}} : tensor<76x4xf32>, tensor<70x4xf32>) outs(%{{.*}} : tensor<7x4xf32>)
func.func @depthwise(%x: tensor<4x76xf32>, %w: tensor<4x70xf32>, %init: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(c, o, k) -> (c, o + k)>, affine_map<(c, o, k) -> (c, k)>, affine_map<(c, o, k) -> (c, o)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x76xf32>, tensor<4x70xf32>) outs(%init : tensor<4x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// -----

// Of a small window: it follows its neighbours.

// CHECK-LABEL: func.func @small_depthwise
// CHECK-NOT: linalg.transpose
func.func @small_depthwise(%x: tensor<4x9xf32>, %w: tensor<4x3xf32>, %init: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(c, o, k) -> (c, o + k)>, affine_map<(c, o, k) -> (c, k)>, affine_map<(c, o, k) -> (c, o)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x9xf32>, tensor<4x3xf32>) outs(%init : tensor<4x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// -----

// Groups without a window: a convolution because the weights are constant.

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK-LABEL: func.func @groups
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #{{.*}}]{{.*}} ins(%{{.*}} : tensor<7x2x5xf32>, tensor<2x5x3xf32>) outs(%{{.*}} : tensor<7x2x3xf32>)
func.func @groups(%x: tensor<2x5x7xf32>, %init: tensor<2x3x7xf32>) -> tensor<2x3x7xf32> {
  %w = arith.constant dense<1.0> : tensor<2x3x5xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(g, f, o, c) -> (g, c, o)>, affine_map<(g, f, o, c) -> (g, f, c)>, affine_map<(g, f, o, c) -> (g, f, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x5x7xf32>, tensor<2x3x5xf32>) outs(%init : tensor<2x3x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<2x3x7xf32>
  return %0 : tensor<2x3x7xf32>
}

// The same product with weights of the call is one of matrices and stays.

// CHECK-LABEL: func.func @product_of_matrices
// CHECK-NOT: linalg.transpose
func.func @product_of_matrices(%x: tensor<2x5x7xf32>, %w: tensor<2x3x5xf32>, %init: tensor<2x3x7xf32>) -> tensor<2x3x7xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(g, f, o, c) -> (g, c, o)>, affine_map<(g, f, o, c) -> (g, f, c)>, affine_map<(g, f, o, c) -> (g, f, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x5x7xf32>, tensor<2x3x5xf32>) outs(%init : tensor<2x3x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<2x3x7xf32>
  return %0 : tensor<2x3x7xf32>
}

// -----

// A named convolution of another frontend.

// CHECK-LABEL: func.func @named
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<1x9x8x2xf32>, tensor<3x3x2x5xf32>) outs(%{{.*}} : tensor<1x7x6x5xf32>)
func.func @named(%x: tensor<1x2x9x8xf32>, %w: tensor<5x2x3x3xf32>, %init: tensor<1x5x7x6xf32>) -> tensor<1x5x7x6xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x2x9x8xf32>, tensor<5x2x3x3xf32>) outs(%init : tensor<1x5x7x6xf32>) -> tensor<1x5x7x6xf32>
  return %0 : tensor<1x5x7x6xf32>
}
