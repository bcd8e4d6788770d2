// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x6xf32>, %arg1: tensor<8x6xi32>, %arg2: tensor<8xui8>, %arg3: tensor<8x6xi1>) -> (tensor<2x6xf32> {jax.result_info = "result[0]"}, tensor<8x3xf32> {jax.result_info = "result[1]"}, tensor<2x3xf32> {jax.result_info = "result[2]"}, tensor<2x6xf32> {jax.result_info = "result[3]"}, tensor<8x3xi32> {jax.result_info = "result[4]"}, tensor<2x3xi32> {jax.result_info = "result[5]"}, tensor<2xui8> {jax.result_info = "result[6]"}, tensor<8x3xf32> {jax.result_info = "result[7]"}, tensor<2xui8> {jax.result_info = "result[8]"}, tensor<2x3xi1> {jax.result_info = "result[9]"}) {
    %0:10 = sdy.manual_computation(%arg0, %arg1, %arg2, %arg3) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}]>, <@mesh, [{}, {}]>] manual_axes={"x", "y"} (%arg4: tensor<2x3xf32>, %arg5: tensor<2x3xi32>, %arg6: tensor<2xui8>, %arg7: tensor<2x3xi1>) {
      %1 = stablehlo.convert %arg4 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
      %2 = "stablehlo.all_reduce"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %18 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %18 : tensor<f32>
      }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %3 = "stablehlo.all_reduce"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %18 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %18 : tensor<f32>
      }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
      %5 = stablehlo.divide %3, %4 : tensor<2x3xf32>
      %6 = "stablehlo.all_reduce"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %18 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %18 : tensor<f32>
      }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %7 = "stablehlo.all_reduce"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %18 = stablehlo.maximum %arg8, %arg9 : tensor<f32>
        stablehlo.return %18 : tensor<f32>
      }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %8 = "stablehlo.all_reduce"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<i32>, %arg9: tensor<i32>):
        %18 = stablehlo.minimum %arg8, %arg9 : tensor<i32>
        stablehlo.return %18 : tensor<i32>
      }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
      %9 = "stablehlo.all_reduce"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6, 1, 3, 5, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<i32>, %arg9: tensor<i32>):
        %18 = stablehlo.add %arg8, %arg9 : tensor<i32>
        stablehlo.return %18 : tensor<i32>
      }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
      %10 = "stablehlo.all_reduce"(%arg6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<ui8>, %arg9: tensor<ui8>):
        %18 = stablehlo.maximum %arg8, %arg9 : tensor<ui8>
        stablehlo.return %18 : tensor<ui8>
      }) : (tensor<2xui8>) -> tensor<2xui8>
      %11 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<bf16>, %arg9: tensor<bf16>):
        %18 = stablehlo.add %arg8, %arg9 : tensor<bf16>
        stablehlo.return %18 : tensor<bf16>
      }) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
      %12 = stablehlo.convert %11 : (tensor<2x3xbf16>) -> tensor<2x3xf32>
      %13 = "stablehlo.all_reduce"(%arg6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<ui8>, %arg9: tensor<ui8>):
        %18 = stablehlo.minimum %arg8, %arg9 : tensor<ui8>
        stablehlo.return %18 : tensor<ui8>
      }) : (tensor<2xui8>) -> tensor<2xui8>
      %14 = stablehlo.convert %arg7 : (tensor<2x3xi1>) -> tensor<2x3xi32>
      %15 = "stablehlo.all_reduce"(%14) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<i32>, %arg9: tensor<i32>):
        %18 = stablehlo.add %arg8, %arg9 : tensor<i32>
        stablehlo.return %18 : tensor<i32>
      }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
      %c = stablehlo.constant dense<1> : tensor<i32>
      %16 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
      %17 = stablehlo.compare GT, %15, %16, SIGNED : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
      sdy.return %2, %5, %6, %7, %8, %9, %10, %12, %13, %17 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2xui8>, tensor<2x3xf32>, tensor<2xui8>, tensor<2x3xi1>
    } : (tensor<8x6xf32>, tensor<8x6xi32>, tensor<8xui8>, tensor<8x6xi1>) -> (tensor<2x6xf32>, tensor<8x3xf32>, tensor<2x3xf32>, tensor<2x6xf32>, tensor<8x3xi32>, tensor<2x3xi32>, tensor<2xui8>, tensor<8x3xf32>, tensor<2xui8>, tensor<2x3xi1>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9 : tensor<2x6xf32>, tensor<8x3xf32>, tensor<2x3xf32>, tensor<2x6xf32>, tensor<8x3xi32>, tensor<2x3xi32>, tensor<2xui8>, tensor<8x3xf32>, tensor<2xui8>, tensor<2x3xi1>
  }
}
