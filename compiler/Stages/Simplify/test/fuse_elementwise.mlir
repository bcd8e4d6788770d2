// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --simplify-fuse-elementwise --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: @chain
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
func.func @chain(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = tensor.empty() : tensor<4x4xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %out: f32):
    %e = math.exp %v : f32
    linalg.yield %e : f32
  } -> tensor<4x4xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %b : tensor<4x4xf32>
}

// -----

// Read by broadcast, the exponential would be computed four times for each element.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>
// CHECK-LABEL: @broadcast
// CHECK-COUNT-2: linalg.generic
func.func @broadcast(%x: tensor<4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o1 = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%o1 : tensor<4xf32>) {
  ^bb0(%v: f32, %out: f32):
    %e = math.exp %v : f32
    linalg.yield %e : f32
  } -> tensor<4xf32>
  %o = tensor.empty() : tensor<4x4xf32>
  %b = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %y : tensor<4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %b : tensor<4x4xf32>
}

// -----

// Operands of a contraction stay as they are.

// CHECK-LABEL: @contraction
// CHECK: linalg.generic
// CHECK: linalg.matmul
#id = affine_map<(i, j) -> (i, j)>
func.func @contraction(%x: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = tensor.empty() : tensor<4x4xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %out: f32):
    %e = math.exp %v : f32
    linalg.yield %e : f32
  } -> tensor<4x4xf32>
  %m = linalg.matmul ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

// -----

// A constant is left for flow-evaluate-constants.

#id = affine_map<(i, j) -> (i, j)>
flow.parameter private @w : tensor<4x4xf32> = dense<2.0>
// CHECK-LABEL: @constant
// CHECK: math.exp
// CHECK: linalg.yield
// CHECK: arith.addf
func.func @constant(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = flow.parameter.load @w : tensor<4x4xf32>
  %o = tensor.empty() : tensor<4x4xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %out: f32):
    %e = math.exp %v : f32
    linalg.yield %e : f32
  } -> tensor<4x4xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w2: f32, %out: f32):
    %s = arith.addf %v, %w2 : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %b : tensor<4x4xf32>
}

// -----

// Two products and what adds them: each is narrowed where it is made, for only one of them can go on.

#map = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: @two_reductions
// CHECK: linalg.matmul
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x4xi32>) outs(%{{.*}} : tensor<4x4xi8>)
// CHECK: linalg.matmul
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x4xi32>) outs(%{{.*}} : tensor<4x4xi8>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x4xi8>, tensor<4x4xi8>)
func.func @two_reductions(%a: tensor<4x8xi32>, %b: tensor<8x4xi32>, %c: tensor<8x4xi32>) -> tensor<4x4xi8> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x4xi32>) -> tensor<4x4xi32>
  %n = tensor.empty() : tensor<4x4xi8>
  %x = linalg.matmul ins(%a, %b : tensor<4x8xi32>, tensor<8x4xi32>) outs(%f : tensor<4x4xi32>) -> tensor<4x4xi32>
  %p = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xi32>) outs(%n : tensor<4x4xi8>) {
  ^bb0(%in: i32, %out: i8):
    %t = arith.trunci %in : i32 to i8
    linalg.yield %t : i8 } -> tensor<4x4xi8>
  %y = linalg.matmul ins(%a, %c : tensor<4x8xi32>, tensor<8x4xi32>) outs(%f : tensor<4x4xi32>) -> tensor<4x4xi32>
  %q = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x4xi32>) outs(%n : tensor<4x4xi8>) {
  ^bb0(%in: i32, %out: i8):
    %t = arith.trunci %in : i32 to i8
    linalg.yield %t : i8 } -> tensor<4x4xi8>
  %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%p, %q : tensor<4x4xi8>, tensor<4x4xi8>) outs(%n : tensor<4x4xi8>) {
  ^bb0(%in: i8, %other: i8, %out: i8):
    %t = arith.addi %in, %other : i8
    linalg.yield %t : i8 } -> tensor<4x4xi8>
  return %r : tensor<4x4xi8>
}
