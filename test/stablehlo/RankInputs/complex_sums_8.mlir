// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x6xf32>, %arg1: tensor<8xf32>) -> (tensor<2x6xf32> {jax.result_info = "result[0]"}, tensor<8x6xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<8x6xf32> {jax.result_info = "result[2]"}, tensor<2x3xcomplex<f32>> {jax.result_info = "result[3]"}) {
    %0:4 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<2x3xf32>, %arg3: tensor<2xf32>) {
      %1 = stablehlo.broadcast_in_dim %arg3, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
      %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
      %4 = stablehlo.multiply %3, %2 : tensor<2x3xf32>
      %5 = stablehlo.complex %arg2, %4 : tensor<2x3xcomplex<f32>>
      %6 = "stablehlo.all_reduce"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<complex<f32>>, %arg5: tensor<complex<f32>>):
        %12 = stablehlo.add %arg4, %arg5 : tensor<complex<f32>>
        stablehlo.return %12 : tensor<complex<f32>>
      }) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
      %7 = "stablehlo.all_gather"(%5) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x3xcomplex<f32>>) -> tensor<2x6xcomplex<f32>>
      %8 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
      %9 = stablehlo.abs %6 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
      %10 = stablehlo.imag %8 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
      %11 = "stablehlo.all_reduce"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<complex<f32>>, %arg5: tensor<complex<f32>>):
        %12 = stablehlo.add %arg4, %arg5 : tensor<complex<f32>>
        stablehlo.return %12 : tensor<complex<f32>>
      }) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
      sdy.return %9, %7, %10, %11 : tensor<2x3xf32>, tensor<2x6xcomplex<f32>>, tensor<2x3xf32>, tensor<2x3xcomplex<f32>>
    } : (tensor<8x6xf32>, tensor<8xf32>) -> (tensor<2x6xf32>, tensor<8x6xcomplex<f32>>, tensor<8x6xf32>, tensor<2x3xcomplex<f32>>)
    return %0#0, %0#1, %0#2, %0#3 : tensor<2x6xf32>, tensor<8x6xcomplex<f32>>, tensor<8x6xf32>, tensor<2x3xcomplex<f32>>
  }
}
