// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shardings of whole values, as jax.jit prints those of NamedSharding, become requests; manual computations among them
// stand between borders.
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --split-input-file | FileCheck %s

// CHECK: device.mesh @mesh = [x = 2, y = 2]
// CHECK-LABEL: @boundary
// CHECK-SAME: (%arg0: tensor<8x16xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
// CHECK-DAG: %[[A:.*]] = flow.shard %arg0 as <@mesh, {{\[\[}}"x"], []]> : tensor<8x16xf32>
// CHECK-DAG: %[[B:.*]] = flow.shard %arg1 as <@mesh, {{\[\[}}], ["y", ?]]> : tensor<16x4xf32>
// CHECK: linalg.matmul ins(%[[A]], %[[B]]
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: %[[C:.*]] = flow.shard %[[SUM]] as <@mesh, {{\[\[}}"x"], ?]> : tensor<8x4xf32>
// CHECK: %[[R:.*]] = flow.shard %[[SUM]] as <@mesh, {{\[\[}}], ["y"]]> : tensor<8x4xf32>
// CHECK: return %[[C]], %[[R]]
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @boundary(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                      %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}]>},
                      %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>})
      -> (tensor<8x4xf32>, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<8x4xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}, {?}]> : tensor<8x4xf32>
    return %3, %2 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}

// -----

// Calls are inlined with what functions say of their arguments and results; loops keep their requests.
// CHECK-LABEL: @called
// CHECK: %[[A:.*]] = flow.shard %arg0 as <@mesh, {{\[\[}}"x"]]> : tensor<8xf32>
// CHECK: %[[E:.*]] = linalg.generic {{.*}}ins(%[[A]]
// CHECK: flow.shard %[[E]] as <@mesh, {{\[\[}}]]> : tensor<8xf32>
// CHECK: scf.for
// CHECK: flow.shard %{{.*}} as <@mesh, {{\[\[}}"x"]]> : tensor<8xf32>
// CHECK-NOT: flow.shard
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @called(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = stablehlo.while(%i = %c0, %y = %0) : tensor<i32>, tensor<8xf32>
    cond {
      %c3 = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %n = stablehlo.negate %y : tensor<8xf32>
      %s = sdy.sharding_constraint %n <@mesh, [{"x"}]> : tensor<8xf32>
      %c1 = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %j, %s : tensor<i32>, tensor<8xf32>
    }
    return %r#1 : tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.exponential %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// Parts of axes: the mesh is split. Axes that must stay replicated close what is open; a sum that is left to be made.
// CHECK: device.mesh @mesh = ["x:(1)2" = 2, "x:(2)2" = 2, "x:(4)2" = 2, y = 3]
// CHECK-LABEL: @parts
// CHECK: flow.shard %arg0 as <@mesh, {{\[\[}}"x:(2)2", "y"], ["x:(4)2"]]> : tensor<24x8xf32>
// CHECK: flow.shard %{{.*}} as <@mesh, {{\[\[}}"x:(1)2", "x:(2)2", "x:(4)2"], []]> : tensor<24x8xf32>
// CHECK: flow.shard %{{.*}} as <@mesh, {{\[\[}}"x:(2)2", "x:(4)2"], []]> : tensor<24x8xf32>
// CHECK: flow.shard %{{.*}} as <@mesh, {{\[\[}}"y"], []], partial sum ["x:(1)2"]> : tensor<24x8xf32>
module attributes {mhlo.num_partitions = 24 : i32} {
  sdy.mesh @mesh = <["x"=8, "y"=3]>
  func.func @parts(%x: tensor<24x8xf32>) -> tensor<24x8xf32> {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x":(2)2, "y"}, {"x":(4)2}]> : tensor<24x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"x"}, {}]> : tensor<24x8xf32>
    %2 = sdy.all_gather [{}, {}] %1 out_sharding=<@mesh, [{"x":(2)4}, {?}], replicated={"x":(1)2}> : tensor<24x8xf32>
    %3 = sdy.sharded_to_unreduced [{"x"}, {}] %2 out_sharding=<@mesh, [{"y"}, {}], unreduced={"x":(1)2}> : tensor<24x8xf32>
    return %3 : tensor<24x8xf32>
  }
}

// -----

// A manual computation between ops on whole values. Its replicated operand has a border, too; what it leaves to others
// of its operand's sharding is asked for; one in another one slices and gathers what a rank has.
// CHECK-LABEL: @borders
// CHECK: %[[ARG:.*]] = flow.shard %arg1 as <@mesh, {{\[\[}}]]> : tensor<2xf32>
// CHECK: %[[C:.*]] = flow.shard %{{.*}} as <@mesh, {{\[\[}}"y"]]> : tensor<8xf32>
// CHECK: %[[ASKED:.*]] = flow.shard %[[C]] as <@mesh, {{\[\[}}"x", "y"]]> : tensor<8xf32>
// CHECK: %[[P:.*]] = flow.part %[[ASKED]] as <@mesh, {{\[\[}}"x"]]> : tensor<8xf32> -> tensor<4xf32>
// CHECK: flow.part %[[ARG]] as <@mesh, {{\[\[}}]]> : tensor<2xf32> -> tensor<2xf32>
// CHECK: flow.coordinate @mesh "y"
// CHECK: tensor.extract_slice %[[P]]
// CHECK: %[[G:.*]] = flow.all_gather %{{.*}} dim 0 over @mesh["y"] : tensor<2xf32> -> tensor<4xf32>
// CHECK: %[[W:.*]] = flow.whole %[[G]] as <@mesh, {{\[\[}}"x"]]> : tensor<4xf32> -> tensor<8xf32>
// CHECK: flow.whole %{{.*}} as <@mesh, {{\[\[}}]], partial sum ["x"]> : tensor<2xf32> -> tensor<2xf32>
// CHECK: %[[R:.*]] = flow.shard %[[W]] as <@mesh, {{\[\[}}"x"]]> : tensor<8xf32>
// CHECK: return %[[R]]
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @borders(%x: tensor<8xf32>, %t: tensor<2xf32>) -> (tensor<8xf32>, tensor<2xf32>) {
    %0 = stablehlo.negate %x : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
    %2:2 = sdy.manual_computation(%1, %t) in_shardings=[<@mesh, [{"x", "y"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, [{}], unreduced={"x"}>] manual_axes={"x"} (%p: tensor<4xf32>, %q: tensor<2xf32>) {
      %3 = sdy.manual_computation(%p, %q) in_shardings=[<@mesh, [{"y"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} (%a: tensor<2xf32>, %b: tensor<2xf32>) {
        %4 = stablehlo.multiply %a, %b : tensor<2xf32>
        sdy.return %4 : tensor<2xf32>
      } : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
      sdy.return %3, %q : tensor<4xf32>, tensor<2xf32>
    } : (tensor<8xf32>, tensor<2xf32>) -> (tensor<8xf32>, tensor<2xf32>)
    return %2#0, %2#1 : tensor<8xf32>, tensor<2xf32>
  }
}

// -----

// Groups share one sharding, attributes of ops are requests of what they give, a named computation is its body.
// CHECK-LABEL: @others
// CHECK: %[[N:.*]] = linalg.generic
// CHECK: %[[S:.*]] = flow.shard %[[N]] as <@mesh, {{\[\[}}"x"]]> : tensor<8xf32>
// CHECK: %[[E:.*]] = linalg.generic {{.*}}ins(%[[S]]
// CHECK: %[[T:.*]] = flow.shard %[[E]] as <@mesh, {{\[\[}}"x"]]> : tensor<8xf32>
// CHECK: %[[IN:.*]] = flow.shard %[[T]] as <@mesh, {{\[\[}}"y"]]> : tensor<8xf32>
// CHECK: linalg.generic {{.*}}ins(%[[IN]]
// CHECK: flow.shard %{{.*}} as <@mesh, {{\[\[}}]]> : tensor<8xf32>
// CHECK: %[[K:.*]] = arith.constant dense<[1, 2]>
// CHECK: flow.shard %[[K]] as <@mesh, {{\[\[}}"x"]]> : tensor<2xi32>
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @others(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<2xi32>) {
    %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    %1 = stablehlo.exponential %0 : tensor<8xf32>
    sdy.sharding_group %0 group_id=1 : tensor<8xf32>
    sdy.sharding_group %1 group_id=1 : tensor<8xf32>
    %2 = sdy.named_computation<"f">(%1) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{}]>] (%p: tensor<8xf32>) {
      %3 = stablehlo.tanh %p : tensor<8xf32>
      sdy.return %3 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %4 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[1, 2]> : tensor<2xi32>
    return %2, %4 : tensor<8xf32>, tensor<2xi32>
  }
}

// -----

// Strings of GSPMD: what they cut devices by are axes.
// CHECK: device.mesh @mesh = [replica = 1, "partition:(1)2" = 2, "partition:(2)4" = 4]
// CHECK-LABEL: @strings
// CHECK: flow.shard %arg0 as <@mesh, {{\[\[}}"partition:(1)2"], []]> : tensor<8x4xf32>
// CHECK: flow.shard %{{.*}} as <@mesh, {{\[\[}}"partition:(2)4"], ["partition:(1)2"]]> : tensor<8x4xf32>
// CHECK: %[[S:.*]] = flow.shard %{{.*}} as <@mesh, {{\[\[}}"partition:(1)2", "partition:(2)4", ?], ?]> : tensor<8x4xf32>
// CHECK: %[[P:.*]] = flow.part %[[S]] as <@mesh, {{\[\[}}"partition:(1)2", "partition:(2)4"], []]> : tensor<8x4xf32> -> tensor<1x4xf32>
// CHECK: flow.whole %{{.*}} as <@mesh, {{\[\[}}"partition:(1)2", "partition:(2)4"], []]> : tensor<1x4xf32> -> tensor<8x4xf32>
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @strings(%x: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}) -> tensor<8x4xf32> {
    %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[8,1]0,1,2,3,4,5,6,7}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.custom_call @SPMDFullToShardShape(%1) {mhlo.sharding = "{manual}"} : (tensor<8x4xf32>) -> tensor<1x4xf32>
    %3 = stablehlo.negate %2 : tensor<1x4xf32>
    %4 = stablehlo.custom_call @Sharding(%3) {mhlo.sharding = "{manual}"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %5 = stablehlo.custom_call @SPMDShardToFullShape(%4) {mhlo.sharding = "{devices=[8,1]<=[8]}"} : (tensor<1x4xf32>) -> tensor<8x4xf32>
    return %5 : tensor<8x4xf32>
  }
}

// -----

// Shardy as strings: meshes of the module, shardings of arguments and of the custom call for results.
// CHECK: device.mesh @mesh = [x = 2]
// CHECK-LABEL: @texts
// CHECK: %[[A:.*]] = flow.shard %arg0 as <@mesh, {{\[\[}}"x"]]> : tensor<8xf32>
// CHECK: %[[N:.*]] = linalg.generic {{.*}}ins(%[[A]]
// CHECK: flow.shard %[[N]] as <@mesh, {{\[\[}}"x", ?]]> : tensor<8xf32>
module attributes {mhlo.num_partitions = 2 : i32, mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func @texts(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"}}) -> tensor<8xf32> {
    %0 = stablehlo.negate %x : tensor<8xf32>
    %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22, ?}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
