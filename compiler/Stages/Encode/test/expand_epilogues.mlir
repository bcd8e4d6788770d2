// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-expand-epilogues | FileCheck %s

// CHECK-LABEL: func.func @groups
// CHECK: %[[BIAS:.*]] = tensor.expand_shape %arg2 {{\[\[}}0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]} ins(%{{.*}}, %[[BIAS]] : tensor<7x2x3xf32>, tensor<2x3xf32>)
// CHECK: tensor.collapse_shape %[[R]] {{\[\[}}0], [1, 2]] : tensor<7x2x3xf32> into tensor<7x6xf32>
func.func @groups(%x: tensor<7x2x5xf32>, %w: tensor<2x5x3xf32>, %bias: tensor<6xf32>, %init: tensor<7x2x3xf32>, %empty: tensor<7x6xf32>) -> tensor<7x6xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(o, g, f, c) -> (o, g, c)>, affine_map<(o, g, f, c) -> (g, c, f)>, affine_map<(o, g, f, c) -> (o, g, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<7x2x5xf32>, tensor<2x5x3xf32>) outs(%init : tensor<7x2x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %3 = arith.mulf %a, %b : f32
    %4 = arith.addf %3, %c : f32
    linalg.yield %4 : f32
  } -> tensor<7x2x3xf32>
  %1 = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<7x2x3xf32> into tensor<7x6xf32>
  %2 = linalg.generic {
      indexing_maps = [affine_map<(o, f) -> (o, f)>, affine_map<(o, f) -> (f)>, affine_map<(o, f) -> (o, f)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%1, %bias : tensor<7x6xf32>, tensor<6xf32>) outs(%empty : tensor<7x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %3 = arith.addf %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<7x6xf32>
  return %2 : tensor<7x6xf32>
}

// A view of an argument stays where it is.

// CHECK-LABEL: func.func @argument
// CHECK: tensor.collapse_shape
// CHECK: linalg.generic
func.func @argument(%x: tensor<7x2x3xf32>, %empty: tensor<7x6xf32>) -> tensor<7x6xf32> {
  %1 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<7x2x3xf32> into tensor<7x6xf32>
  %2 = linalg.generic {
      indexing_maps = [affine_map<(o, f) -> (o, f)>, affine_map<(o, f) -> (o, f)>], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<7x6xf32>) outs(%empty : tensor<7x6xf32>) {
  ^bb0(%a: f32, %c: f32):
    %3 = arith.negf %a : f32
    linalg.yield %3 : f32
  } -> tensor<7x6xf32>
  return %2 : tensor<7x6xf32>
}
