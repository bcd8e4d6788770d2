// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x8x8xf32>) -> (tensor<16x8x4xf32> {jax.result_info = "result[0]"}, tensor<8x16x4xf32> {jax.result_info = "result[1]"}, tensor<512xf32> {jax.result_info = "result[2]"}, tensor<8x8x8xf32> {jax.result_info = "result[3]"}, tensor<4x8x4xf32> {jax.result_info = "result[4]"}, tensor<256x2xf32> {jax.result_info = "result[5]"}) {
    %0:6 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {"y"}, {}]>, <@mesh, [{"x"}, {"y"}, {}]>, <@mesh, [{"x", "y"}]>, <@mesh, [{"x"}, {"y"}, {}]>, <@mesh, [{"x"}, {"y"}, {}]>, <@mesh, [{"x", "y"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<4x4x8xf32>) {
      %1 = stablehlo.reshape %arg1 : (tensor<4x4x8xf32>) -> tensor<128xf32>
      %2 = "stablehlo.all_to_all"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<128xf32>) -> tensor<128xf32>
      %3 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<4x4x8xf32>) -> tensor<8x4x4xf32>
      %4 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<4x4x8xf32>) -> tensor<4x8x4xf32>
      %5 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 2 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
      %6 = stablehlo.slice %arg1 [0:4, 0:4, 0:2] : (tensor<4x4x8xf32>) -> tensor<4x4x2xf32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [1, 2, 3] : (tensor<4x4x2xf32>) -> tensor<1x4x4x2xf32>
      %8 = "stablehlo.all_to_all"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 3 : i64}> : (tensor<1x4x4x2xf32>) -> tensor<2x4x4x1xf32>
      %9 = stablehlo.reshape %8 : (tensor<2x4x4x1xf32>) -> tensor<2x4x4xf32>
      %10 = stablehlo.reshape %arg1 : (tensor<4x4x8xf32>) -> tensor<2x64xf32>
      %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
      %12 = "stablehlo.all_to_all"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 2 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x64x1xf32>) -> tensor<1x64x2xf32>
      %13 = stablehlo.reshape %12 : (tensor<1x64x2xf32>) -> tensor<64x2xf32>
      sdy.return %3, %4, %2, %5, %9, %13 : tensor<8x4x4xf32>, tensor<4x8x4xf32>, tensor<128xf32>, tensor<4x4x8xf32>, tensor<2x4x4xf32>, tensor<64x2xf32>
    } : (tensor<8x8x8xf32>) -> (tensor<16x8x4xf32>, tensor<8x16x4xf32>, tensor<512xf32>, tensor<8x8x8xf32>, tensor<4x8x4xf32>, tensor<256x2xf32>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5 : tensor<16x8x4xf32>, tensor<8x16x4xf32>, tensor<512xf32>, tensor<8x8x8xf32>, tensor<4x8x4xf32>, tensor<256x2xf32>
  }
}
