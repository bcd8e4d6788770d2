// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x4x3xf32>) -> (tensor<8x4x3xf32> {jax.result_info = "result[0]"}, tensor<8x4x3xf32> {jax.result_info = "result[1]"}, tensor<8x2x6xf32> {jax.result_info = "result[2]"}, tensor<16x2x3xf32> {jax.result_info = "result[3]"}, tensor<8x2x2x3xf32> {jax.result_info = "result[4]"}, tensor<2x2x3x8xf32> {jax.result_info = "result[5]"}, tensor<8xf32> {jax.result_info = "result[6]"}, tensor<16x2x3xi8> {jax.result_info = "result[7]"}) {
    %0:8 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{}, {"y"}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{}, {}, {}]>, <@mesh, [{"x"}, {}, {}, {}]>, <@mesh, [{}, {}, {}, {}]>, <@mesh, [{}]>, <@mesh, [{"x"}, {}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<2x2x3xf32>) {
      %1 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x2x3xf32>) -> tensor<2x4x3xf32>
      %2 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<2x2x3xf32>) -> tensor<8x2x3xf32>
      %3 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x2x3xf32>) -> tensor<2x2x6xf32>
      %4 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<2x2x3xf32>) -> tensor<16x2x3xf32>
      %5 = stablehlo.broadcast_in_dim %arg1, dims = [0, 2, 3] : (tensor<2x2x3xf32>) -> tensor<2x1x2x3xf32>
      %6 = "stablehlo.all_gather"(%5) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x1x2x3xf32>) -> tensor<2x2x2x3xf32>
      %7 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2] : (tensor<2x2x3xf32>) -> tensor<2x2x3x1xf32>
      %8 = "stablehlo.all_gather"(%7) <{all_gather_dim = 3 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6, 1, 3, 5, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<2x2x3x1xf32>) -> tensor<2x2x3x8xf32>
      %9 = stablehlo.slice %arg1 [0:1, 0:1, 0:1] : (tensor<2x2x3xf32>) -> tensor<1x1x1xf32>
      %10 = stablehlo.reshape %9 : (tensor<1x1x1xf32>) -> tensor<f32>
      %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %12 = "stablehlo.all_gather"(%11) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<1xf32>) -> tensor<8xf32>
      %13 = stablehlo.convert %arg1 : (tensor<2x2x3xf32>) -> tensor<2x2x3xi8>
      %14 = "stablehlo.all_gather"(%13) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x2x3xi8>) -> tensor<4x2x3xi8>
      sdy.return %1, %2, %3, %4, %6, %8, %12, %14 : tensor<2x4x3xf32>, tensor<8x2x3xf32>, tensor<2x2x6xf32>, tensor<16x2x3xf32>, tensor<2x2x2x3xf32>, tensor<2x2x3x8xf32>, tensor<8xf32>, tensor<4x2x3xi8>
    } : (tensor<8x4x3xf32>) -> (tensor<8x4x3xf32>, tensor<8x4x3xf32>, tensor<8x2x6xf32>, tensor<16x2x3xf32>, tensor<8x2x2x3xf32>, tensor<2x2x3x8xf32>, tensor<8xf32>, tensor<16x2x3xi8>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : tensor<8x4x3xf32>, tensor<8x4x3xf32>, tensor<8x2x6xf32>, tensor<16x2x3xf32>, tensor<8x2x2x3xf32>, tensor<2x2x3x8xf32>, tensor<8xf32>, tensor<16x2x3xi8>
  }
}
