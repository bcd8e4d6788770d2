// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of StableHLO over the axes of a mesh, or over lists of ranks where no axes say it.
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --split-input-file | FileCheck %s

// CHECK: device.mesh @mesh = [replica = 2, partition = 3]
module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 3 : i32} {
  // CHECK-LABEL: @ids
  // CHECK: flow.all_gather %arg0 dim 0 over @mesh["replica"]
  // CHECK: flow.all_gather %arg0 dim 0 over @mesh["partition", "replica"]
  // CHECK: flow.all_gather %arg0 dim 0 over @mesh["partition"]
  // CHECK: flow.all_gather %arg0 dim 0 over @mesh["replica", "partition"]
  // CHECK: flow.all_gather %arg0 dim 0 over @mesh groups {{\[\[}}0, 5, 1], [2, 4, 3]]
  func.func @ids(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<24xf32>, tensor<12xf32>, tensor<24xf32>, tensor<12xf32>) {
    %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<24xf32>
    %2 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<12xf32>
    %3 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<24xf32>
    %4 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 5, 1], [2, 4, 3]]> : tensor<2x3xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<12xf32>
    return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<24xf32>, tensor<12xf32>, tensor<24xf32>, tensor<12xf32>
  }

  // CHECK-LABEL: @kinds
  // CHECK: flow.all_reduce %{{.*}} umax over @mesh["replica"] : tensor<4xi8>
  // CHECK: flow.all_reduce %{{.*}} or over @mesh["partition"] : tensor<4xi1>
  func.func @kinds(%x: tensor<4xui8>, %y: tensor<4xi1>) -> (tensor<4xui8>, tensor<4xi1>) {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
      %s = stablehlo.maximum %a, %b : tensor<ui8>
      stablehlo.return %s : tensor<ui8>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xui8>) -> tensor<4xui8>
    %1 = "stablehlo.all_reduce"(%y) ({
    ^bb0(%a: tensor<i1>, %b: tensor<i1>):
      %s = stablehlo.add %a, %b : tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids} : (tensor<4xi1>) -> tensor<4xi1>
    return %0, %1 : tensor<4xui8>, tensor<4xi1>
  }

  // Floats of 8 bits travel and are combined in f32, and are rounded once.
  // CHECK-LABEL: @float8
  // CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins({{.*}} : tensor<6xi8>) outs({{.*}} : tensor<6xf32>)
  // CHECK: %[[SUM:.*]] = flow.all_reduce %[[WIDE]] sum over @mesh["partition"] : tensor<6xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[SUM]] : tensor<6xf32>) outs({{.*}} : tensor<6xi8>)
  // CHECK: %[[PART:.*]] = flow.reduce_scatter %{{.*}} max dim 0 over @mesh["partition"] : tensor<6xf32> -> tensor<2xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[PART]] : tensor<2xf32>) outs({{.*}} : tensor<2xi8>)
  func.func @float8(%x: tensor<6xf8E4M3FN>) -> (tensor<6xf8E4M3FN>, tensor<2xf8E4M3FN>) {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f8E4M3FN>, %b: tensor<f8E4M3FN>):
      %s = stablehlo.add %a, %b : tensor<f8E4M3FN>
      stablehlo.return %s : tensor<f8E4M3FN>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids} : (tensor<6xf8E4M3FN>) -> tensor<6xf8E4M3FN>
    %1 = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%a: tensor<f8E4M3FN>, %b: tensor<f8E4M3FN>):
      %s = stablehlo.maximum %a, %b : tensor<f8E4M3FN>
      stablehlo.return %s : tensor<f8E4M3FN>
    }) {scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids} : (tensor<6xf8E4M3FN>) -> tensor<2xf8E4M3FN>
    return %0, %1 : tensor<6xf8E4M3FN>, tensor<2xf8E4M3FN>
  }

  // What a region computes that no reduction does is computed here, from all parts in order.
  // CHECK-LABEL: @own_region
  // CHECK: flow.all_gather %{{.*}} dim 0 over @mesh["replica"] : tensor<1x4xf32> -> tensor<2x4xf32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  func.func @own_region(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %d = stablehlo.subtract %a, %b : tensor<f32>
      %s = stablehlo.abs %d : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }

  // CHECK-LABEL: @pairs
  // CHECK: flow.permute %arg0 shift 1 over @mesh["partition"]
  // CHECK: flow.permute %{{.*}} pairs {{\[\[}}0, 1], [1, 2]] over @mesh["partition"]
  // CHECK-NOT: flow.permute
  func.func @pairs(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = "stablehlo.collective_permute"(%x) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.collective_permute"(%0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "stablehlo.collective_permute"(%0) {source_target_pairs = dense<> : tensor<0x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Axes of a mesh in place of lists.
// CHECK: device.mesh @mesh = [x = 2, y = 2]
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  // CHECK-LABEL: @axes
  // CHECK: flow.all_gather %arg0 dim 0 over @mesh["y", "x"]
  // CHECK: flow.all_to_all %arg0 split 0 concat 0 over @mesh["x"]
  func.func @axes(%x: tensor<4xf32>) -> (tensor<16xf32>, tensor<4xf32>) {
    %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>} : (tensor<4xf32>) -> tensor<16xf32>
    %1 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %1 : tensor<16xf32>, tensor<4xf32>
  }
}

// -----

// A mesh that lists its devices in another order: ranks are the places in it.
// CHECK: device.mesh @mesh = [x = 2, y = 2]
module {
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
  // CHECK-LABEL: @order
  // CHECK: flow.all_gather %arg0 dim 0 over @mesh["y"]
  // CHECK: flow.all_gather %arg0 dim 0 over @mesh groups {{\[\[}}3, 1], [2, 0]]
  func.func @order(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<ui32>) {
    %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[3, 1], [2, 0]]> : tensor<2x2xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<8xf32>
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<8xf32>
    %2 = stablehlo.partition_id : tensor<ui32>
    return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<ui32>
  }
}

// -----

// One process: nothing is to be done, and there is no mesh.
// CHECK-NOT: device.mesh
// CHECK-LABEL: @alone
// CHECK-NEXT: return %arg0
func.func @alone(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A device.mesh that is there says how many processes there are.
// CHECK: device.mesh @there = [replica = 2, a = 2]
module {
  device.mesh @there = [replica = 2, a = 2]
  // CHECK-LABEL: @declared
  // CHECK: flow.all_gather %arg0 dim 0 over @there["a"]
  // CHECK: flow.coordinate @there "a"
  func.func @declared(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<ui32>) {
    %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<8xf32>
    %1 = stablehlo.partition_id : tensor<ui32>
    return %0, %1 : tensor<8xf32>, tensor<ui32>
  }
}

// -----

// One that no collective names is left alone.
// CHECK: device.mesh @free = [x = ?]
// CHECK-NOT: device.mesh
module {
  device.mesh @free = [x = ?]
  func.func @no_collective(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
