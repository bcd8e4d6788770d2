// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --flow-keep-index-checks --canonicalize | FileCheck %s
// RUN: heddle-opt %s --flow-evaluate-constants --canonicalize | FileCheck %s --check-prefix=EVALUATED

#map = affine_map<(d0) -> (d0)>

// Upstream's folds of a splat would take the check with the index.
// CHECK-LABEL: func.func @splat
// CHECK: %[[I:.*]] = flow.checked_index
// CHECK: %[[HOLDS:.*]] = arith.cmpi sge, %[[I]], %c0
// CHECK: %[[V:.*]] = arith.select %[[HOLDS]], %cst{{.*}}, %cst{{.*}} : f32
// CHECK: linalg.yield %[[V]]
func.func @splat(%indices: tensor<4xi64>) -> tensor<4xf32> {
  %c8 = arith.constant 8 : index
  %table = arith.constant dense<3.0> : tensor<2x4xf32>
  %flat = tensor.collapse_shape %table [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%indices : tensor<4xi64>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: i64, %out: f32):
    %0 = arith.index_cast %in : i64 to index
    %1 = flow.checked_index %0, %c8
    %2 = tensor.extract %flat[%1] : tensor<8xf32>
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Of a fill with what only the call knows; the second index is not checked.
// CHECK-LABEL: func.func @fill
// CHECK: %[[I:.*]] = flow.checked_index
// CHECK: %[[HOLDS:.*]] = arith.cmpi sge, %[[I]], %c0
// CHECK: arith.select %[[HOLDS]], %arg1, %c0_i32 : i32
func.func @fill(%indices: tensor<4xi64>, %s: i32, %n: index) -> tensor<4xi32> {
  %empty = tensor.empty(%n) : tensor<?x4xi32>
  %table = linalg.fill ins(%s : i32) outs(%empty : tensor<?x4xi32>) -> tensor<?x4xi32>
  %out = tensor.empty() : tensor<4xi32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%indices : tensor<4xi64>) outs(%out : tensor<4xi32>) {
  ^bb0(%in: i64, %o: i32):
    %0 = arith.index_cast %in : i64 to index
    %1 = flow.checked_index %0, %n
    %i = linalg.index 0 : index
    %2 = tensor.extract %table[%1, %i] : tensor<?x4xi32>
    linalg.yield %2 : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// What is not checked folds as before; a table of unlike elements needs nothing.
// CHECK-LABEL: func.func @unchecked
// CHECK-NOT: arith.select
// CHECK: return
func.func @unchecked(%indices: tensor<4xi64>) -> (tensor<4xi32>, tensor<4xi32>) {
  %c2 = arith.constant 2 : index
  %table = arith.constant dense<3> : tensor<2xi32>
  %unlike = arith.constant dense<[3, 4]> : tensor<2xi32>
  %empty = tensor.empty() : tensor<4xi32>
  %r:2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%indices : tensor<4xi64>) outs(%empty, %empty : tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%in: i64, %o: i32, %p: i32):
    %0 = arith.index_cast %in : i64 to index
    %1 = arith.minui %0, %c2 : index
    %2 = tensor.extract %table[%1] : tensor<2xi32>
    %3 = flow.checked_index %0, %c2
    %4 = tensor.extract %unlike[%3] : tensor<2xi32>
    linalg.yield %2, %4 : i32, i32
  } -> (tensor<4xi32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// A splat that evaluation makes.
// EVALUATED-LABEL: func.func @evaluated
// EVALUATED: flow.checked_index
// EVALUATED: arith.select {{.*}} : f32
flow.parameter private @a : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
flow.parameter private @b : tensor<4xf32> = dense<[4.0, 3.0, 2.0, 1.0]>
func.func @evaluated(%indices: tensor<4xi64>) -> tensor<4xf32> {
  %c4 = arith.constant 4 : index
  %a = flow.parameter.load @a : tensor<4xf32>
  %b = flow.parameter.load @b : tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %table = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%indices : tensor<4xi64>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: i64, %out: f32):
    %0 = arith.index_cast %in : i64 to index
    %1 = flow.checked_index %0, %c4
    %2 = tensor.extract %table[%1] : tensor<4xf32>
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
