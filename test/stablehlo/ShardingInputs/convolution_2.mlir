// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=1]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}}
  func.func public @main(%arg0: tensor<4x6x6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>}, %arg1: tensor<3x3x3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"y"}]>}) -> (tensor<4x6x6x8xf32> {jax.result_info = "result[0]"}, tensor<4x3x3x8xf32> {jax.result_info = "result[1]"}, tensor<4x6x6x8xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x6x6x3xf32>, tensor<3x3x3x8xf32>) -> tensor<4x6x6x8xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %6 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<4x6x6x8xf32>, tensor<f32>) -> tensor<4x3x3x8xf32>
    %3 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}, {}, {"y"}]> : tensor<4x6x6x8xf32>
    %4 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}, {}, {}]> : tensor<4x6x6x3xf32>
    %5 = stablehlo.convolution(%4, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x6x6x3xf32>, tensor<3x3x3x8xf32>) -> tensor<4x6x6x8xf32>
    return %3, %2, %5 : tensor<4x6x6x8xf32>, tensor<4x3x3x8xf32>, tensor<4x6x6x8xf32>
  }
}
