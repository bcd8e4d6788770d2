// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-reductions | FileCheck %s

// A sum and a sum of squares: each begins with what is neutral to it and is merged by itself.
// CHECK-LABEL: @each
// CHECK: %[[P:.*]]:2 = flow.region -> (tensor<5x4xf32>, tensor<5x4xf32>)
// CHECK: scf.forall (%[[S:.*]]) in (5)
// CHECK: linalg.generic
// CHECK: tensor.parallel_insert_slice {{.*}}[%[[S]], 0] [1, 4]
// CHECK: tensor.parallel_insert_slice {{.*}}[%[[S]], 0] [1, 4]
// CHECK: flow.region -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: ins(%[[P]]#0
// CHECK: arith.addf
// CHECK: ins(%[[P]]#1
// CHECK: arith.addf
func.func @each(%x: tensor<4x1000xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = arith.constant 0.0 : f32
  %0:2 = flow.region -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"], heddle.split = 5 : i64} ins(%x : tensor<4x1000xf32>) outs(%f, %f : tensor<4xf32>, tensor<4xf32>) {
    ^bb0(%a: f32, %s: f32, %q: f32):
      %t = arith.addf %a, %s : f32
      %u = arith.mulf %a, %a : f32
      %v = arith.addf %q, %u : f32
      linalg.yield %t, %v : f32, f32
    } -> (tensor<4xf32>, tensor<4xf32>)
    flow.return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// The greatest and where it is: parts begin with what the op begins with, positions are those of the whole, and the merge
// asks what the op asks.
// CHECK-LABEL: @choice
// CHECK: %[[P:.*]]:2 = flow.region -> (tensor<3xf32>, tensor<3xi64>)
// CHECK: linalg.fill
// CHECK: linalg.fill
// CHECK: scf.forall
// CHECK: linalg.index 0
// CHECK: arith.addi
// CHECK: flow.region -> (tensor<f32>, tensor<i64>)
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[P]]#0, %[[P]]#1
// CHECK: ^bb0(%[[V:.*]]: f32, %[[I:.*]]: i64, %[[BV:.*]]: f32, %[[BI:.*]]: i64)
// CHECK: %[[C:.*]] = arith.cmpf ogt, %[[V]], %[[BV]]
// CHECK: arith.select %[[C]], %[[V]], %[[BV]]
// CHECK: arith.select %[[C]], %[[I]], %[[BI]]
func.func @choice(%x: tensor<1000xf32>) -> (tensor<f32>, tensor<i64>) {
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %0:2 = flow.region -> (tensor<f32>, tensor<i64>) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%low : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %ei = tensor.empty() : tensor<i64>
    %fi = linalg.fill ins(%none : i64) outs(%ei : tensor<i64>) -> tensor<i64>
    %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
        iterator_types = ["reduction"], heddle.split = 3 : i64} ins(%x : tensor<1000xf32>) outs(%f, %fi : tensor<f32>, tensor<i64>) {
    ^bb0(%a: f32, %p: f32, %q: i64):
      %i = linalg.index 0 : index
      %ii = arith.index_cast %i : index to i64
      %c = arith.cmpf ogt, %a, %p : f32
      %s = arith.select %c, %a, %p : f32
      %t = arith.select %c, %ii, %q : i64
      linalg.yield %s, %t : f32, i64
    } -> (tensor<f32>, tensor<i64>)
    flow.return %r#0, %r#1 : tensor<f32>, tensor<i64>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i64>
}
