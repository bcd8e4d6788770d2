// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-partition --canonicalize --cse | FileCheck %s

device.mesh @m = [x = 2]

// One sharding all around; what stands outside and the loop needs otherwise is brought there once, in front of it.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2x4xf32>
func.func @loop(%x0: tensor<4x4xf32>, %w0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %x = flow.shard %x0 as <@m, [["x"], []]> : tensor<4x4xf32>
  %w = flow.shard %w0 as <@m, [["x"], []]> : tensor<4x4xf32>
  // CHECK: %[[ALL:.*]] = flow.all_gather %[[W]] dim 0
  // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[AT:.*]] = %[[X]]) -> (tensor<2x4xf32>)
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%at = %x) -> (tensor<4x4xf32>) {
    %e = tensor.empty() : tensor<4x4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    // CHECK: %[[P:.*]] = linalg.matmul ins(%[[AT]], %[[ALL]] : tensor<2x4xf32>, tensor<4x4xf32>)
    %p = linalg.matmul {heddle.shard_loops = #flow.sharding<@m, [["x"], [], []]>}
        ins(%at, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
    // CHECK: scf.yield %[[P]] : tensor<2x4xf32>
    scf.yield %p : tensor<4x4xf32>
  } {heddle.shard_carried = [#flow.sharding<@m, [["x"], []]>]}
  // CHECK: %[[ROWS:.*]] = flow.all_gather %[[R]] dim 0
  // CHECK: return %[[ROWS]]
  return %r : tensor<4x4xf32>
}

// The whole size of what is cut, where it is free, is carried too; here it does not change.
// CHECK-LABEL: func.func @freeSize
func.func @freeSize(%x0: tensor<?xf32> {heddle.dims = ["n"]}, %b: tensor<i1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = flow.shard %x0 as <@m, [["x"]]> : tensor<?xf32>
  // CHECK: scf.for {{.*}} -> (tensor<?xf32>)
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%at = %x) -> (tensor<?xf32>) {
    %n = tensor.dim %at, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %p = linalg.exp {heddle.shard_loops = #flow.sharding<@m, [["x"]]>} ins(%at : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %p : tensor<?xf32>
  } {heddle.shard_carried = [#flow.sharding<@m, [["x"]]>]}
  %out = flow.shard %r as <@m, [["x"]]> : tensor<?xf32>
  // CHECK-NOT: flow.all_gather
  // CHECK: return
  return %out : tensor<?xf32>
}

// What a branch alone needs is made in it.
// CHECK-LABEL: func.func @branch
func.func @branch(%x0: tensor<4xf32>, %b: tensor<i1>) -> tensor<4xf32> {
  %x = flow.shard %x0 as <@m, [["x"]]> : tensor<4xf32>
  %c = tensor.extract %b[] : tensor<i1>
  // CHECK: scf.if %{{.*}} -> (tensor<4xf32>) {
  %r = scf.if %c -> (tensor<4xf32>) {
    // CHECK-NEXT: %[[ALL:.*]] = flow.all_gather
    // CHECK-NEXT: scf.yield %[[ALL]]
    scf.yield %x : tensor<4xf32>
  } else {
    %e = tensor.empty() : tensor<4xf32>
    // CHECK: linalg.exp ins(%{{.*}} : tensor<2xf32>)
    %p = linalg.exp {heddle.shard_loops = #flow.sharding<@m, [["x"]]>} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // CHECK: flow.all_gather
    scf.yield %p : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @while
func.func @while(%x0: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %x = flow.shard %x0 as <@m, [["x"]]> : tensor<4xf32>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %limit = tensor.extract %n[] : tensor<i64>
  // CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<2xf32>, i64) -> (tensor<2xf32>, i64)
  %r:2 = scf.while (%at = %x, %i = %c0) : (tensor<4xf32>, i64) -> (tensor<4xf32>, i64) {
    %go = arith.cmpi slt, %i, %limit : i64
    scf.condition(%go) %at, %i : tensor<4xf32>, i64
  } do {
  ^bb0(%at: tensor<4xf32>, %i: i64):
    %next = arith.addi %i, %c1 : i64
    %e = tensor.empty() : tensor<4xf32>
    // CHECK: linalg.exp ins(%{{.*}} : tensor<2xf32>)
    %p = linalg.exp {heddle.shard_loops = #flow.sharding<@m, [["x"]]>} ins(%at : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %p, %next : tensor<4xf32>, i64
  } attributes {heddle.shard_carried = [#flow.sharding<@m, [["x"]]>, unit], heddle.shard_carried_in = [#flow.sharding<@m, [["x"]]>, unit]}
  return %r#0 : tensor<4xf32>
}
