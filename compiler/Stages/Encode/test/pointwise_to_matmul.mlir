// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

// Between two transposes columns are positions: only the weights are turned.

// CHECK-LABEL: func.func @channels_first
// CHECK-SAME: %[[X:.*]]: tensor<?x4x16x8xf32>
// CHECK: %[[M:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1], [2, 3]] : tensor<?x4x16x8xf32> into tensor<?x4x128xf32>
// CHECK: %[[W:.*]] = linalg.transpose ins(%{{.*}} : tensor<4x5xf32>) outs(%{{.*}} : tensor<5x4xf32>) permutation = [1, 0]
// CHECK: %[[INIT:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?x5x128xf32>)
// CHECK: %[[P:.*]] = linalg.generic {{.*}}ins(%[[M]], %[[W]] : tensor<?x4x128xf32>, tensor<5x4xf32>) outs(%[[INIT]] : tensor<?x5x128xf32>)
// CHECK: %[[Y:.*]] = tensor.expand_shape %[[P]] {{\[\[}}0], [1], [2, 3]] output_shape [%{{.*}}, 5, 16, 8]
// CHECK: return %[[Y]]
func.func @channels_first(%x: tensor<?x4x16x8xf32>, %n: index) -> tensor<?x5x16x8xf32> {
  %w = arith.constant dense<1.0> : tensor<4x5xf32>
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty(%n) : tensor<?x16x8x4xf32>
  %t = linalg.transpose ins(%x : tensor<?x4x16x8xf32>) outs(%ex : tensor<?x16x8x4xf32>) permutation = [0, 2, 3, 1]
  %e = tensor.empty(%n) : tensor<?x16x8x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16x8x5xf32>) -> tensor<?x16x8x5xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(n, s, t, f, c) -> (n, s, t, c)>, affine_map<(n, s, t, f, c) -> (c, f)>, affine_map<(n, s, t, f, c) -> (n, s, t, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%t, %w : tensor<?x16x8x4xf32>, tensor<4x5xf32>) outs(%init : tensor<?x16x8x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x16x8x5xf32>
  %ey = tensor.empty(%n) : tensor<?x5x16x8xf32>
  %y = linalg.transpose ins(%0 : tensor<?x16x8x5xf32>) outs(%ey : tensor<?x5x16x8xf32>) permutation = [0, 3, 1, 2]
  return %y : tensor<?x5x16x8xf32>
}

// CHECK-LABEL: func.func @few_positions
// CHECK: linalg.matmul
func.func @few_positions(%x: tensor<4x127xf32>) -> tensor<5x127xf32> {
  %w = arith.constant dense<1.0> : tensor<4x5xf32>
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<127x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x127xf32>) outs(%ex : tensor<127x4xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<127x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<127x5xf32>) -> tensor<127x5xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(s, f, c) -> (s, c)>, affine_map<(s, f, c) -> (c, f)>, affine_map<(s, f, c) -> (s, f)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%t, %w : tensor<127x4xf32>, tensor<4x5xf32>) outs(%init : tensor<127x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<127x5xf32>
  %ey = tensor.empty() : tensor<5x127xf32>
  %y = linalg.transpose ins(%0 : tensor<127x5xf32>) outs(%ey : tensor<5x127xf32>) permutation = [1, 0]
  return %y : tensor<5x127xf32>
}
