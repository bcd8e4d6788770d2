// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which shardings go first, and which way they go.
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --verify-diagnostics --split-input-file | FileCheck %s

// CHECK-LABEL: func @order
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  // CHECK: flow.shard %arg0 as <@mesh, {{\[}}["x"], [], ["y"]]> {heddle.shard_priorities = array<i64: 0, 0, 2>}
  func.func @order(%x: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}p2]>})
      -> (tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}, {}]>}) {
    // CHECK: flow.shard {{.*}} as <@mesh, {{\[}}["y", ?], ?, ?]> {heddle.shard_priorities = array<i64: 1, 0, 0>}
    %0 = sdy.sharding_constraint %x <@mesh, [{"y", ?}p1, {?}, {?}]> : tensor<8x4x4xf32>
    // No priority but the first is none.
    // CHECK: flow.shard {{.*}} as <@mesh, {{\[}}["y"], ?, ?]> : tensor
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}p0, {?}, {?}]> : tensor<8x4x4xf32>
    // CHECK: flow.shard {{.*}} as <@mesh, [?, ?, ?]> {heddle.shard_direction = "forward"}
    %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8x4x4xf32>
    // CHECK: flow.shard {{.*}} as <@mesh, [?, ?, ?]> {heddle.shard_direction = "backward"}
    %3 = sdy.propagation_barrier %2 allowed_direction=BACKWARD : tensor<8x4x4xf32>
    // CHECK: flow.shard {{.*}} as <@mesh, [?, ?, ?]> {heddle.shard_direction = "none"}
    %4 = sdy.propagation_barrier %3 allowed_direction=NONE : tensor<8x4x4xf32>
    // CHECK: flow.shard {{.*}} as <@mesh, {{\[}}["x"], ?, []]> {heddle.shard_priorities = array<i64: 1, 0, 0>}
    // CHECK-NOT: flow.shard
    %5 = sdy.propagation_barrier %4 allowed_direction=BOTH : tensor<8x4x4xf32>
    return %5 : tensor<8x4x4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{op sdy.propagation_barrier needs the attribute allowed_direction: NONE, FORWARD, BACKWARD or BOTH}}
    %0 = sdy.propagation_barrier %x allowed_direction=SIDEWAYS : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
