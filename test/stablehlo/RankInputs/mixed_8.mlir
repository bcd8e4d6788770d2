// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x6xf32>) -> (tensor<2xf32> {jax.result_info = "result[0]"}, tensor<8x6xf32> {jax.result_info = "result[1]"}, tensor<6x8xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<[[-1.05054724, -1.61345267, -0.164615214, -2.02863216, -1.38052917, -0.793372929], [0.912066221, 0.552991807, -0.352341294, 0.2183965, -0.224313796, 2.71602273], [-1.62333786, -1.98946106, -1.88811803, -1.40003145, -0.341881484, 0.921547949], [-0.238892943, -0.270907402, -0.159891471, 0.174093053, -0.921617627, 0.597109317], [-0.0742750764, 0.211249679, 0.511171579, 0.530577779, 0.74551016, -0.885229945], [0.430325568, -1.5600704, -2.09710526, -0.409040123, 0.359269351, 4.279900e-01], [0.306370258, 0.787289559, -1.78160608, -0.587727249, -0.273773879, -0.844988703], [2.687680e-01, 0.517917633, 0.252131939, 6.180010e-02, 2.21623874, 0.0250860807]]> : tensor<8x6xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<8x6xf32>
    %2 = sdy.manual_computation(%1, %cst) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<2x6xf32>, %arg2: tensor<2x6xf32>) {
      %9 = stablehlo.multiply %arg1, %arg2 : tensor<2x6xf32>
      %10 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %12 = stablehlo.add %arg3, %arg4 : tensor<f32>
        stablehlo.return %12 : tensor<f32>
      }) : (tensor<2x6xf32>) -> tensor<2x6xf32>
      %11 = stablehlo.add %9, %10 : tensor<2x6xf32>
      sdy.return %11 : tensor<2x6xf32>
    } : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"x", "y"} (%arg1: tensor<2x3xf32>) {
      %9 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %10 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %10 : tensor<f32>
      }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      sdy.return %9 : tensor<2x3xf32>
    } : (tensor<8x6xf32>) -> tensor<2x6xf32>
    %4 = sdy.manual_computation(%2, %arg0) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<2x6xf32>, %arg2: tensor<2x6xf32>) {
      %9 = stablehlo.subtract %arg1, %arg2 : tensor<2x6xf32>
      sdy.return %9 : tensor<2x6xf32>
    } : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %7 = stablehlo.add %5, %6 : tensor<2xf32>
    %8 = stablehlo.transpose %2, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
    return %7, %4, %8 : tensor<2xf32>, tensor<8x6xf32>, tensor<6x8xf32>
  }
}
