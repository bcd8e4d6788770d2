// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x6xf32>, %arg1: tensor<i32> {sdy.sharding = #sdy.sharding<@empty_mesh, []>}) -> (tensor<8x3xf32> {jax.result_info = "result[0]"}, tensor<4x3xf32> {jax.result_info = "result[1]"}, tensor<4x6xf32> {jax.result_info = "result[2]"}) {
    %0:3 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"y"}]>] manual_axes={"x", "y"} (%arg2: tensor<4x3xf32>, %arg3: tensor<i32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.reduce(%arg2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %11 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.compare GT, %2, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.convert %3 : (tensor<i1>) -> tensor<i32>
      %5 = "stablehlo.case"(%4) ({
        %11 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %14 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
          stablehlo.return %14 : tensor<f32>
        }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
        %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
        %13 = stablehlo.multiply %11, %12 : tensor<4x3xf32>
        stablehlo.return %13 : tensor<4x3xf32>
      }, {
        %11 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %12 = stablehlo.add %arg4, %arg5 : tensor<f32>
          stablehlo.return %12 : tensor<f32>
        }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
        stablehlo.return %11 : tensor<4x3xf32>
      }) : (tensor<i32>) -> tensor<4x3xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %c_1 = stablehlo.constant dense<2> : tensor<i32>
      %6 = stablehlo.clamp %c, %arg3, %c_1 : tensor<i32>
      %7 = "stablehlo.case"(%6) ({
        %11 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %12 = stablehlo.add %arg4, %arg5 : tensor<f32>
          stablehlo.return %12 : tensor<f32>
        }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
        stablehlo.return %11 : tensor<4x3xf32>
      }, {
        %11 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %14 = stablehlo.add %arg4, %arg5 : tensor<f32>
          stablehlo.return %14 : tensor<f32>
        }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
        %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
        %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
        %13 = stablehlo.divide %11, %12 : tensor<4x3xf32>
        stablehlo.return %13 : tensor<4x3xf32>
      }, {
        %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
        stablehlo.return %11 : tensor<4x3xf32>
      }) : (tensor<i32>) -> tensor<4x3xf32>
      %c_2 = stablehlo.constant dense<5> : tensor<i32>
      %8 = stablehlo.compare GT, %arg3, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %9 = stablehlo.convert %8 : (tensor<i1>) -> tensor<i32>
      %10 = "stablehlo.case"(%9) ({
        %11 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %13 = stablehlo.add %arg4, %arg5 : tensor<f32>
          stablehlo.return %13 : tensor<f32>
        }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
        %12 = stablehlo.negate %11 : tensor<4x3xf32>
        stablehlo.return %12 : tensor<4x3xf32>
      }, {
        %11 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %12 = stablehlo.add %arg4, %arg5 : tensor<f32>
          stablehlo.return %12 : tensor<f32>
        }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
        stablehlo.return %11 : tensor<4x3xf32>
      }) : (tensor<i32>) -> tensor<4x3xf32>
      sdy.return %5, %7, %10 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
    } : (tensor<8x6xf32>, tensor<i32>) -> (tensor<8x3xf32>, tensor<4x3xf32>, tensor<4x6xf32>)
    return %0#0, %0#1, %0#2 : tensor<8x3xf32>, tensor<4x3xf32>, tensor<4x6xf32>
  }
}
