// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --split-input-file | FileCheck %s

// Integers are ordered by value, the greatest first; what a region says otherwise is the region's order.
// CHECK-LABEL: func.func @sort(
// CHECK: intent.sort %{{.*}} dim 0 descending : (tensor<8x4xi32>) -> tensor<8x4xi64>
// CHECK: intent.sort %{{.*}} dim 1 unsigned : (tensor<8x4xi8>) -> tensor<8x4xi64>
// CHECK: intent.sort %{{.*}}, %{{.*}} dim 1 by {
// CHECK: arith.cmpf
// CHECK: intent.yield %{{.*}} : i1
func.func @sort(%x: tensor<8x4xi32>, %y: tensor<8x4xui8>, %z: tensor<8x4xf32>) -> (tensor<8x4xi32>, tensor<8x4xui8>, tensor<8x4xf32>, tensor<8x4xi32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8x4xi32>) -> tensor<8x4xi32>
  %1 = "stablehlo.sort"(%y) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
    %c = stablehlo.compare GT, %b, %a : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8x4xui8>) -> tensor<8x4xui8>
  %2:2 = "stablehlo.sort"(%z, %x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
  return %0, %1, %2#0, %2#1 : tensor<8x4xi32>, tensor<8x4xui8>, tensor<8x4xf32>, tensor<8x4xi32>
}

// -----

// Windows over all that stands before each element, or behind it, are a scan; others are not.
// CHECK-LABEL: func.func @sums(
// CHECK: intent.scan %{{.*}} dim 1 associative from [0.000000e+00 : f32] in {
// CHECK: intent.scan %{{.*}} dim 0 reverse associative from [0xFF800000 : f32] in {
// CHECK-NOT: intent.scan
// CHECK: return
func.func @sums(%x: tensor<4x100xf32>) -> (tensor<4x100xf32>, tensor<4x100xf32>, tensor<4x99xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 100>, padding = dense<[[0, 0], [99, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x100xf32>, tensor<f32>) -> tensor<4x100xf32>
  %1 = "stablehlo.reduce_window"(%x, %least) <{window_dimensions = array<i64: 4, 1>, padding = dense<[[0, 3], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x100xf32>, tensor<f32>) -> tensor<4x100xf32>
  %2 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 100>, padding = dense<[[0, 0], [98, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x100xf32>, tensor<f32>) -> tensor<4x99xf32>
  return %0, %1, %2 : tensor<4x100xf32>, tensor<4x100xf32>, tensor<4x99xf32>
}

// -----

// A region that is the update replaces; sums are associative; another region is done in order.
// CHECK-LABEL: func.func @scatter(
// CHECK: intent.scatter %{{.*}} into %{{.*}} at %{{.*}} dim 0 : (tensor<5x7xf32>, tensor<100x7xf32>, tensor<5xi64>) -> tensor<100x7xf32>
// CHECK: intent.scatter %{{.*}} into %{{.*}} at %{{.*}} dim 0 associative by {
// CHECK: intent.scatter %{{.*}} into %{{.*}} at %{{.*}} dim 0 by {
// CHECK: arith.subf
func.func @scatter(%x: tensor<100x7xf32>, %i: tensor<5x1xi32>, %u: tensor<5x7xf32>) -> tensor<100x7xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x7xf32>, tensor<5x1xi32>, tensor<5x7xf32>) -> tensor<100x7xf32>
  %1 = "stablehlo.scatter"(%0, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100x7xf32>, tensor<5x1xi32>, tensor<5x7xf32>) -> tensor<100x7xf32>
  %2 = "stablehlo.scatter"(%1, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100x7xf32>, tensor<5x1xi32>, tensor<5x7xf32>) -> tensor<100x7xf32>
  return %2 : tensor<100x7xf32>
}
