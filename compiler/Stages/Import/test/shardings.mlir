// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manual computations, as jax.shard_map prints them, become their bodies between borders.
// RUN: heddle-opt %s --allow-unregistered-dialect --import-lower-stablehlo --split-input-file | FileCheck %s

// In the generic form.
// CHECK: device.mesh @mesh = [x = 2, y = 2]
// CHECK-LABEL: @product
// CHECK-SAME: (%arg0: tensor<8x16xf32>, %arg1: tensor<16x32xf32>) -> tensor<8x32xf32>
// CHECK-DAG: %[[A:.*]] = flow.shard %arg0 as <@mesh, {{\[\[}}"x"], ["y"]]>
// CHECK-DAG: %[[B:.*]] = flow.shard %arg1 as <@mesh, {{\[\[}}"y"], []]>
// CHECK-DAG: %[[P:.*]] = flow.part %[[A]] as <@mesh, {{\[\[}}"x"], ["y"]]> : tensor<8x16xf32> -> tensor<4x8xf32>
// CHECK-DAG: %[[Q:.*]] = flow.part %[[B]] as <@mesh, {{\[\[}}"y"], []]> : tensor<16x32xf32> -> tensor<8x32xf32>
// CHECK: %[[PRODUCT:.*]] = linalg.matmul ins(%[[P]], %[[Q]]
// CHECK: %[[SUM:.*]] = flow.all_reduce %[[PRODUCT]] sum over @mesh["y"] : tensor<4x32xf32>
// CHECK: %[[W:.*]] = flow.whole %[[SUM]] as <@mesh, {{\[\[}}"x"], []]> : tensor<4x32xf32> -> tensor<8x32xf32>
// CHECK: %[[R:.*]] = flow.shard %[[W]] as <@mesh, {{\[\[}}"x"], []]>
// CHECK: return %[[R]]
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=2]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "product", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<16x32xf32>):
    %0 = "sdy.manual_computation"(%arg0, %arg1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}> ({
    ^bb0(%arg2: tensor<4x8xf32>, %arg3: tensor<8x32xf32>):
      %1 = "stablehlo.dot_general"(%arg2, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8xf32>, tensor<8x32xf32>) -> tensor<4x32xf32>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %3 = "stablehlo.add"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%3) : (tensor<f32>) -> ()
      }) : (tensor<4x32xf32>) -> tensor<4x32xf32>
      "sdy.return"(%2) : (tensor<4x32xf32>) -> ()
    }) : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    "func.return"(%0) : (tensor<8x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} : () -> ()

// -----

// In the short form, several of them: what one gives as parts the other takes so, between borders.
// CHECK-LABEL: @several
// CHECK: %[[ONE:.*]] = linalg.generic
// CHECK: %[[WHOLE:.*]] = flow.whole %[[ONE]] as <@mesh, {{\[\[}}"x"]]> : tensor<4xf32> -> tensor<8xf32>
// CHECK: %[[PART:.*]] = flow.part %[[WHOLE]] as <@mesh, {{\[\[}}"x"]]> : tensor<8xf32> -> tensor<4xf32>
// CHECK: %[[TWO:.*]] = linalg.generic {{.*}} ins(%[[PART]]
// CHECK: flow.whole %[[TWO]]
// CHECK: linalg.generic {{.*}} ins(%[[WHOLE]]
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @several(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x", ?}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      %3 = stablehlo.negate %p : tensor<4xf32>
      sdy.return %3 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
      %3 = stablehlo.exponential %p : tensor<4xf32>
      sdy.return %3 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %2 = stablehlo.tanh %0 : tensor<8xf32>
    return %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// A whole value and a constant are cut; calls are inlined.
// CHECK-LABEL: func.func @cut
// CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%arg0
// CHECK: flow.part %[[N]] as <@mesh, {{\[\[}}"y"], []]> : tensor<8x2xf32> -> tensor<2x2xf32>
// CHECK: flow.part %{{.*}} as <@mesh, {{\[\[}}"y"], []]> : tensor<8x2xf32> -> tensor<2x2xf32>
// CHECK: flow.whole %{{.*}} as <@mesh, {{\[\[}}"y"], []]> : tensor<2x2xf32> -> tensor<8x2xf32>
// CHECK-NOT: @inner
// CHECK: return
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @cut(%x: tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
    %0 = stablehlo.negate %x : tensor<8x2xf32>
    %1 = call @inner(%0) : (tensor<8x2xf32>) -> tensor<8x2xf32>
    return %0, %1 : tensor<8x2xf32>, tensor<8x2xf32>
  }
  func.func private @inner(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
    %c = stablehlo.constant dense<2.0> : tensor<8x2xf32>
    %0 = sdy.manual_computation(%x, %c) in_shardings=[<@mesh, [{"y"}, {?}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"y"} (%p: tensor<2x2xf32>, %q: tensor<2x2xf32>) {
      %1 = stablehlo.multiply %p, %q : tensor<2x2xf32>
      sdy.return %1 : tensor<2x2xf32>
    } : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
    return %0 : tensor<8x2xf32>
  }
}

// -----

// jax.lax.axis_index is a coordinate, and a slice at it has its place on the host.
// CHECK-LABEL: @index
// CHECK: %[[X:.*]] = flow.coordinate @mesh "x"
// CHECK-NOT: linalg
// CHECK: %[[AT:.*]] = arith.muli %[[X]], %c2
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}] [1] [1]
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @index(%x: tensor<5xf32>) -> tensor<2xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%p: tensor<5xf32>) {
      %c = stablehlo.constant dense<4> : tensor<ui32>
      %c_0 = stablehlo.constant dense<2> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %at = stablehlo.multiply %4, %two : tensor<i32>
      %5 = stablehlo.dynamic_slice %p, %at, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
      sdy.return %5 : tensor<1xf32>
    } : (tensor<5xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// -----

// Nothing is cut: every rank computes all of it.
// CHECK-LABEL: @nothing
// CHECK-SAME: %arg0: tensor<8xf32> {heddle.sharding = #flow.sharding<@mesh, {{\[\[}}]]>}) -> (tensor<8xf32> {heddle.sharding = #flow.sharding<@mesh, {{\[\[}}]]>})
// CHECK-NOT: flow.
// CHECK: return
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @nothing(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    %0 = stablehlo.negate %x : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
