// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives and shardings that say nothing sensible, or more than is there, each at its place.
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --verify-diagnostics --split-input-file

// The module does not say on how many processes it runs.
func.func @untold(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{op stablehlo.collective_permute: source_target_pairs: replica 1 is not there: the program runs on 1 replicas of 1 partitions, as the module says nothing; give it mhlo.num_replicas and mhlo.num_partitions, or compile with --mesh=replica=2}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {
  func.func @groups(%x: tensor<4xf32>, %m: tensor<4x4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{op stablehlo.all_gather: replica_groups: an id is in the groups twice (of rank 0)}}
    %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op stablehlo.all_gather: replica_groups: process 4 is not there: the program runs on 2 replicas of 2 partitions}}
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[1, 4]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op stablehlo.all_gather: replica_groups: each process must be in a group, got 2 of 4}}
    %2 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{op stablehlo.all_gather: use_global_device_ids needs a channel_handle above 0}}
    %3 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op stablehlo.all_gather: replica_groups must be equally large here}}
    %4 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<12xf32>
    // expected-error @+1 {{op stablehlo.all_gather: needs the attribute replica_groups, lists of ids such as dense<[[0, 1]]> : tensor<1x2xi64>}}
    %5 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = [[0, 1]]} : (tensor<4xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op stablehlo.all_gather: attribute channel_handle must be #stablehlo.channel_handle<handle = 1, type = 1>}}
    %6 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op stablehlo.all_gather: the result of tensor<4xf32> must be tensor<8xf32>, got tensor<4xf32>}}
    %7 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{op stablehlo.all_gather: all_gather_dim names dimension 1 of a tensor of rank 1}}
    %8 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op stablehlo.all_to_all: split_count must be the number of members of a group, 2, got 4}}
    %9 = "stablehlo.all_to_all"(%m) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<1x16xf32>
    // expected-error @+1 {{op stablehlo.collective_permute: source_target_pairs: pairs must have two ids, and each id may be the first of one pair and the second of one}}
    %10 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{op stablehlo.all_gather: replica_groups: there is no mesh @m of all ranks}}
    %11 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<4xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op stablehlo.all_gather: replica_groups: each process must be in a group, got 0 of 4}}
    %14 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<-1> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
    // expected-error @+1 {{op stablehlo.partition_id: gives tensor<ui32>}}
    %12 = stablehlo.partition_id : tensor<i32>
    // expected-error @+1 {{op stablehlo.collective_broadcast: the last operand must be a root for each of the others, tensor<1xi32>}}
    %13 = "stablehlo.collective_broadcast"(%x, %x) {has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %x : tensor<4xf32>
  }
}

// -----

module attributes {mhlo.num_replicas = 3 : i32} {
  func.func @parts(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{op stablehlo.reduce_scatter: dimension 0 has 4 elements, which are not 3 equal parts}}
    %0 = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<1xf32>
    // expected-error @+1 {{op stablehlo.all_to_all: dimension 0 has 4 elements, which are not 3 equal parts}}
    %1 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{attribute mhlo.num_partitions must be an integer from 1 to 1048576, got 0 : i32}}
module attributes {mhlo.num_partitions = 0 : i32} {
  func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error @+1 {{op sdy.mesh: @mesh has 2 devices, but the program runs on 1 replicas of 4 partitions; mhlo.num_replicas must be 1 and mhlo.num_partitions as many as the mesh has}}
  sdy.mesh @mesh = <["x"=2]>
  func.func @small(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

module {
  sdy.mesh @one = <["x"=2, "y"=2]>
  // expected-error @+1 {{op sdy.mesh: @two lists its devices in another order than @one, and the program names devices by numbers; meshes of such a program must have one order: make them of one list of devices}}
  sdy.mesh @two = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
  func.func @orders(%x: tensor<4xf32>) -> tensor<ui32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
}

// -----

module {
  // expected-error @+1 {{op sdy.mesh: device_ids must be each of 0 to 1 once}}
  sdy.mesh @mesh = <["x"=2], device_ids=[0, 0]>
  func.func @ids(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

module {
  // expected-error @+1 {{op sdy.mesh: the axis 'x' is there twice, or has no name}}
  sdy.mesh @mesh = <["x"=2, "x"=2]>
  func.func @axes(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// A device.mesh that somebody declared is not what the module says.
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error @+1 {{[x = 2] is not what the module says: mhlo.num_replicas = 1, mhlo.num_partitions = 4}}
  device.mesh @mesh = [x = 2]
  func.func @declared() -> tensor<ui32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
}

// -----

module {
  // expected-error @+1 {{the sizes of a StableHLO program's mesh must be known when it is compiled, got [x = ?]; collectives name ranks by numbers}}
  device.mesh @mesh = [x = ?]
  func.func @free() -> tensor<ui32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
}

// -----

// A reduction of other elements than the operand's.
module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 1 : i32} {
  func.func @other_elements(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{of complex numbers can only add them, from a complex operand}}
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
      %s = "stablehlo.add"(%a, %b) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      "stablehlo.return"(%s) : (tensor<complex<f32>>) -> ()
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
