// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --simplify-inline-reads --split-input-file | FileCheck %s

// A cheap operand is computed where it is read; its own operand keeps its map.

// CHECK-LABEL: func.func @cheap
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[X:.*]] = tensor.extract %arg0[%[[I]], %[[J]]] : tensor<?x?xf16>
// CHECK: %[[S:.*]] = tensor.extract %arg1[%[[J]]] : tensor<?xf32>
// CHECK: %[[W:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK: arith.mulf %[[W]], %[[S]]
// CHECK-NOT: linalg.generic
func.func @cheap(%x: tensor<?x?xf16>, %s: tensor<?xf32>, %b: tensor<?x?xf32>, %one: i1, %n: index, %m: index, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<?x?xf16>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%v: f16, %t: f32, %o: f32):
    %w = arith.extf %v : f16 to f32
    %p = arith.mulf %w, %t : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %row = arith.select %one, %c0, %i : index
    %j = linalg.index 1 : index
    %y = tensor.extract %a[%row, %j] : tensor<?x?xf32>
    %sum = arith.addf %v, %y : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Not where it costs: an expensive op, an element that is read again and again, a value that others read.

// CHECK-LABEL: func.func @dear
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: tensor.extract
func.func @dear(%x: tensor<?xf32>, %one: i1, %e: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = math.exp %v : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %at = arith.select %one, %c0, %i : index
    %y = tensor.extract %a[%at] : tensor<?xf32>
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @gathered
// CHECK: arith.negf
// CHECK: linalg.generic
// CHECK: tensor.extract
func.func @gathered(%x: tensor<?xf32>, %places: tensor<?xindex>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%places : tensor<?xindex>) outs(%e : tensor<?xf32>) {
  ^bb0(%at: index, %o: f32):
    %y = tensor.extract %a[%at] : tensor<?xf32>
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @shared
// CHECK: arith.negf
// CHECK: linalg.generic
// CHECK: tensor.extract
func.func @shared(%x: tensor<?xf32>, %one: i1, %e: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %at = arith.select %one, %c0, %i : index
    %y = tensor.extract %a[%at] : tensor<?xf32>
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %a, %r : tensor<?xf32>, tensor<?xf32>
}
