// RUN: heddle-opt %s --encode-pointwise-to-matmul | FileCheck %s

// CHECK-LABEL: func.func @positions
// CHECK-SAME: %[[X:.*]]: tensor<?x6x4xf32>
// CHECK: %[[W:.*]] = arith.constant dense
// CHECK: %[[M:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<?x6x4xf32> into tensor<?x4xf32>
// CHECK: %[[INIT:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?x5xf32>)
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[M]], %[[W]] : tensor<?x4xf32>, tensor<4x5xf32>) outs(%[[INIT]] : tensor<?x5xf32>)
// CHECK: tensor.expand_shape %[[P]] {{\[\[}}0, 1], [2]] output_shape [%{{.*}}, 6, 5]
func.func @positions(%x: tensor<?x6x4xf32>, %n: index) -> tensor<?x6x5xf32> {
  %w = arith.constant dense<1.0> : tensor<4x5xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x6x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x6x5xf32>) -> tensor<?x6x5xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(n, s, f, c) -> (n, s, c)>, affine_map<(n, s, f, c) -> (c, f)>, affine_map<(n, s, f, c) -> (n, s, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x6x4xf32>, tensor<4x5xf32>) outs(%init : tensor<?x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x6x5xf32>
  return %0 : tensor<?x6x5xf32>
}

// A stride leaves positions out, and another body is another function.

// CHECK-LABEL: func.func @stays
// CHECK-NOT: linalg.matmul
func.func @stays(%x: tensor<12x4xf32>, %y: tensor<6x4xf32>, %init: tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>) {
  %w = arith.constant dense<1.0> : tensor<4x5xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(s, f, c) -> (s * 2, c)>, affine_map<(s, f, c) -> (c, f)>, affine_map<(s, f, c) -> (s, f)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<12x4xf32>, tensor<4x5xf32>) outs(%init : tensor<6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<6x5xf32>
  %3 = linalg.generic {
      indexing_maps = [affine_map<(s, f, c) -> (s, c)>, affine_map<(s, f, c) -> (c, f)>, affine_map<(s, f, c) -> (s, f)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<6x4xf32>, tensor<4x5xf32>) outs(%init : tensor<6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.subf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<6x5xf32>
  return %0, %3 : tensor<6x5xf32>, tensor<6x5xf32>
}
