// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --simplify-one-hot-to-gather | FileCheck %s

// Rows of two dimensions, numbers from a parameter. An index outside gives zeros.

#rows = affine_map<(b, i, k) -> (b, i)>
#class = affine_map<(b, i, k) -> (k)>
#id = affine_map<(b, i, k) -> (b, i, k)>
// CHECK-LABEL: @rows
// CHECK-DAG: %[[W:.*]] = flow.parameter.load @w
// CHECK-DAG: %[[X:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<2x3xi32> into tensor<6xi32>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<6xi32>)
// CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[I]], %c4
// CHECK: %[[ROW:.*]] = arith.select %[[INSIDE]], %[[I]], %c0
// CHECK: %[[E:.*]] = tensor.extract %[[W]][%[[ROW]], %{{.*}}]
// CHECK: arith.select %[[INSIDE]], %[[E]], %{{.*}} : f32
// CHECK: return %[[Y]]
flow.parameter private @w : tensor<4x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]>
flow.parameter private @numbers : tensor<4xi32> = dense<[0, 1, 2, 3]>
func.func @rows(%x: tensor<2x3xi32>) -> tensor<6x2xf32> {
  %zero = arith.constant 0.0 : f32
  %w = flow.parameter.load @w : tensor<4x2xf32>
  %numbers = flow.parameter.load @numbers : tensor<4xi32>
  %he = tensor.empty() : tensor<2x3x4xf32>
  %h = linalg.generic {indexing_maps = [#rows, #class, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %numbers : tensor<2x3xi32>, tensor<4xi32>) outs(%he : tensor<2x3x4xf32>) {
  ^bb0(%a: i32, %k: i32, %o: f32):
    %0 = arith.cmpi eq, %a, %k : i32
    %1 = arith.uitofp %0 : i1 to f32
    linalg.yield %1 : f32
  } -> tensor<2x3x4xf32>
  %c = tensor.collapse_shape %h [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  %e = tensor.empty() : tensor<6x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x2xf32>) -> tensor<6x2xf32>
  %y = linalg.matmul ins(%c, %w : tensor<6x4xf32>, tensor<4x2xf32>) outs(%f : tensor<6x2xf32>) -> tensor<6x2xf32>
  return %y : tensor<6x2xf32>
}

// -----

// ONNX's OneHot: a negative index counts from the end. Its arithmetic is kept.

#rows = affine_map<(i, k) -> (i)>
#id = affine_map<(i, k) -> (i, k)>
// CHECK-LABEL: @from_the_end
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<3xi64>)
// CHECK: arith.cmpi slt
// CHECK: arith.addi
// CHECK: %[[I:.*]] = arith.select
// CHECK: arith.cmpi ult, %[[I]],
// CHECK: tensor.extract
// CHECK-NOT: linalg.matmul
flow.parameter private @w : tensor<4x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]>
func.func @from_the_end(%x: tensor<3xi64>) -> tensor<3x2xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %w = flow.parameter.load @w : tensor<4x2xf32>
  %he = tensor.empty() : tensor<3x4xf32>
  %h = linalg.generic {indexing_maps = [#rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3xi64>) outs(%he : tensor<3x4xf32>) {
  ^bb0(%a: i64, %o: f32):
    %0 = arith.index_cast %a : i64 to index
    %1 = arith.cmpi slt, %0, %c0 : index
    %2 = arith.addi %0, %c4 : index
    %3 = arith.select %1, %2, %0 : index
    %4 = linalg.index 1 : index
    %5 = arith.cmpi eq, %3, %4 : index
    %6 = arith.select %5, %one, %zero : f32
    linalg.yield %6 : f32
  } -> tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %y = linalg.matmul ins(%h, %w : tensor<3x4xf32>, tensor<4x2xf32>) outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// Kept: an infinite weight (0 times infinity is NaN), numbers that are not 0, 1, 2, …

#rows = affine_map<(i, k) -> (i)>
#class = affine_map<(i, k) -> (k)>
#id = affine_map<(i, k) -> (i, k)>
// CHECK-LABEL: @kept
// CHECK-COUNT-2: linalg.matmul
flow.parameter private @w : tensor<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
flow.parameter private @infinite : tensor<2x2xf32> = dense<[[1.0, 2.0], [3.0, 0x7F800000]]>
flow.parameter private @numbers : tensor<2xi32> = dense<[0, 1]>
flow.parameter private @others : tensor<2xi32> = dense<[1, 0]>
func.func @kept(%x: tensor<3xi32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = flow.parameter.load @w : tensor<2x2xf32>
  %infinite = flow.parameter.load @infinite : tensor<2x2xf32>
  %numbers = flow.parameter.load @numbers : tensor<2xi32>
  %others = flow.parameter.load @others : tensor<2xi32>
  %e = tensor.empty() : tensor<3x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %h = linalg.generic {indexing_maps = [#rows, #class, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %numbers : tensor<3xi32>, tensor<2xi32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: i32, %k: i32, %o: f32):
    %0 = arith.cmpi eq, %a, %k : i32
    %1 = arith.uitofp %0 : i1 to f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %g = linalg.generic {indexing_maps = [#rows, #class, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %others : tensor<3xi32>, tensor<2xi32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: i32, %k: i32, %o: f32):
    %0 = arith.cmpi eq, %a, %k : i32
    %1 = arith.uitofp %0 : i1 to f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %y = linalg.matmul ins(%h, %infinite : tensor<3x2xf32>, tensor<2x2xf32>) outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  %z = linalg.matmul ins(%g, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y, %z : tensor<3x2xf32>, tensor<3x2xf32>
}
