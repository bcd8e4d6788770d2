// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-resolve-meshes="sizes=x=2 declare=1" --ranks-choose-shardings --split-input-file | FileCheck %s

// Large products of few rows: the weights are cut, the second as the first one wants it.
// CHECK: heddle.shardings = ["@large: --shard=auto expects {{.*}} us a call, {{.*}} us without", "@large: --shard=auto cuts dimension 1 of argument 1 by [x]"
// CHECK: device.mesh @ranks = [x = 2]
// CHECK-LABEL: func @large
func.func @large(%x: tensor<4x4096xf32>, %w1: tensor<4096x8192xf32>) -> tensor<4x4096xf32> {
  %zero = arith.constant 0.0 : f32
  // CHECK: flow.shard %arg1 as <@ranks, [?, ["x"]]> : tensor<4096x8192xf32>
  %w2 = arith.constant dense<1.0> : tensor<8192x4096xf32>
  %e1 = tensor.empty() : tensor<4x8192xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8192xf32>) -> tensor<4x8192xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<4x4096xf32>, tensor<4096x8192xf32>) outs(%f1 : tensor<4x8192xf32>) -> tensor<4x8192xf32>
  %e2 = tensor.empty() : tensor<4x4096xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x4096xf32>) -> tensor<4x4096xf32>
  %r = linalg.matmul ins(%h, %w2 : tensor<4x8192xf32>, tensor<8192x4096xf32>) outs(%f2 : tensor<4x4096xf32>) -> tensor<4x4096xf32>
  return %r : tensor<4x4096xf32>
}

// -----

// A reduction of all elements would have to wait for a sum longer than it takes.
// CHECK-LABEL: func @small
// CHECK-NOT: flow.shard
func.func @small(%x: tensor<8x8xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%f : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
