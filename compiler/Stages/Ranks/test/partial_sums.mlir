// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partial sums are handed on where fewer bytes move then.
// RUN: heddle-opt %s --ranks-propagate --ranks-partition --split-input-file | FileCheck %s

// Two products of cut weights, scaled, added to each other and to what every rank has: one sum, to which rank 0 alone
// brings the last.
device.mesh @m = [x = 2]
// CHECK-LABEL: func @parallel_branches
func.func @parallel_branches(%x: tensor<8x16xf32>, %a: tensor<64x16xf32>, %b: tensor<64x16xf32>, %h: tensor<8x64xf32>, %g: tensor<8x64xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %sa = flow.shard %a as <@m, [["x"], []]> : tensor<64x16xf32>
  %sb = flow.shard %b as <@m, [["x"], []]> : tensor<64x16xf32>
  %sx = flow.shard %x as <@m, [[], []]> : tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: linalg.matmul
  // CHECK-NOT: flow.all_reduce
  // CHECK: linalg.matmul
  // CHECK-NOT: flow.all_reduce
  // CHECK: arith.subf
  // CHECK: flow.all_reduce {{.*}} sum over @m["x"] : tensor<8x16xf32>
  // CHECK-NOT: flow.all_reduce
  %p = linalg.matmul ins(%h, %sa : tensor<8x64xf32>, tensor<64x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  %q = linalg.matmul ins(%g, %sb : tensor<8x64xf32>, tensor<64x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %three = arith.constant 3.0 : f32
      %0 = arith.divf %in, %three : f32
      linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %sx : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
    ^bb0(%in: f32, %more: f32, %out: f32):
      %0 = arith.addf %in, %more : f32
      linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t, %q : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
    ^bb0(%in: f32, %more: f32, %out: f32):
      %0 = arith.subf %in, %more : f32
      linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

// The sum over rows of a product moves its result alone; a reshape is on the way.
device.mesh @m = [x = 2]
// CHECK-LABEL: func @reduced
func.func @reduced(%h: tensor<8x64xf32>, %a: tensor<64x16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %sa = flow.shard %a as <@m, [["x"], []]> : tensor<64x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %p = linalg.matmul ins(%h, %sa : tensor<8x64xf32>, tensor<64x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 4, 16] : tensor<8x16xf32> into tensor<2x4x16xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  // CHECK-NOT: flow.all_reduce
  // CHECK: linalg.reduce
  // CHECK: flow.all_reduce {{.*}} sum over @m["x"] : tensor<16xf32>
  %r = linalg.reduce {arith.addf} ins(%c : tensor<2x4x16xf32>) outs(%f1 : tensor<16xf32>) dimensions = [0, 1]
  return %r : tensor<16xf32>
}

// -----

// No sum of multiples: the square, the maximum, and what a constant is added to.
device.mesh @m = [x = 2]
// CHECK-LABEL: func @not_linear
func.func @not_linear(%h: tensor<8x64xf32>, %a: tensor<64x16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %sa = flow.shard %a as <@m, [["x"], []]> : tensor<64x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: linalg.matmul
  // CHECK: flow.all_reduce {{.*}} : tensor<8x16xf32>
  // CHECK-NOT: flow.all_reduce
  %p = linalg.matmul ins(%h, %sa : tensor<8x64xf32>, tensor<64x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%p : tensor<8x16xf32>) outs(%f1 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %in : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
  } -> tensor<16xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%p : tensor<8x16xf32>) outs(%s : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %one = arith.constant 1.0 : f32
      %0 = arith.addf %in, %one : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
  } -> tensor<16xf32>
  return %t : tensor<16xf32>
}
