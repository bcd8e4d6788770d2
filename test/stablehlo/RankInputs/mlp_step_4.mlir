// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<12x16xf32>, %arg1: tensor<16x6xf32>, %arg2: tensor<8x12xf32>, %arg3: tensor<8x6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<12x16xf32> {jax.result_info = "result[1][0]"}, tensor<16x6xf32> {jax.result_info = "result[1][1]"}) {
    %0:5 = sdy.manual_computation(%arg2, %arg0, %arg1) in_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"y"}, {}]>] manual_axes={"x", "y"} (%arg4: tensor<4x12xf32>, %arg5: tensor<12x8xf32>, %arg6: tensor<8x6xf32>) {
      %17 = stablehlo.dot_general %arg4, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
      %18 = stablehlo.tanh %17 : tensor<4x8xf32>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %19 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
      %20 = stablehlo.subtract %19, %18 : tensor<4x8xf32>
      %21 = stablehlo.dot_general %18, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
      %22 = "stablehlo.all_reduce"(%21) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
        %23 = stablehlo.add %arg7, %arg8 : tensor<f32>
        stablehlo.return %23 : tensor<f32>
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      sdy.return %arg4, %18, %20, %arg6, %22 : tensor<4x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x6xf32>, tensor<4x6xf32>
    } : (tensor<8x12xf32>, tensor<12x16xf32>, tensor<16x6xf32>) -> (tensor<16x12xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<32x6xf32>, tensor<8x6xf32>)
    %1 = stablehlo.subtract %0#4, %arg3 : tensor<8x6xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<8x6xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %4 = stablehlo.multiply %3, %1 : tensor<8x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %6 = stablehlo.divide %5, %cst_1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %7 = stablehlo.divide %cst_2, %cst_3 : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %9 = stablehlo.multiply %8, %4 : tensor<8x6xf32>
    %10:2 = sdy.manual_computation(%9, %0#0, %0#1, %0#2, %0#3) in_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg4: tensor<4x6xf32>, %arg5: tensor<4x12xf32>, %arg6: tensor<4x8xf32>, %arg7: tensor<4x8xf32>, %arg8: tensor<8x6xf32>) {
      %17 = stablehlo.dot_general %arg4, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
      %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
      %19 = stablehlo.dot_general %arg4, %arg8, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<8x6xf32>) -> tensor<4x8xf32>
      %20 = "stablehlo.all_reduce"(%18) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
        %27 = stablehlo.add %arg9, %arg10 : tensor<f32>
        stablehlo.return %27 : tensor<f32>
      }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
      %21 = stablehlo.multiply %19, %arg7 : tensor<4x8xf32>
      %22 = stablehlo.multiply %21, %arg6 : tensor<4x8xf32>
      %23 = stablehlo.add %21, %22 : tensor<4x8xf32>
      %24 = stablehlo.dot_general %23, %arg5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<4x12xf32>) -> tensor<8x12xf32>
      %25 = stablehlo.transpose %24, dims = [1, 0] : (tensor<8x12xf32>) -> tensor<12x8xf32>
      %26 = "stablehlo.all_reduce"(%25) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
        %27 = stablehlo.add %arg9, %arg10 : tensor<f32>
        stablehlo.return %27 : tensor<f32>
      }) : (tensor<12x8xf32>) -> tensor<12x8xf32>
      sdy.return %26, %20 : tensor<12x8xf32>, tensor<8x6xf32>
    } : (tensor<8x6xf32>, tensor<16x12xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<32x6xf32>) -> (tensor<12x16xf32>, tensor<16x6xf32>)
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %12 = stablehlo.multiply %11, %10#0 : tensor<12x16xf32>
    %13 = stablehlo.subtract %arg0, %12 : tensor<12x16xf32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %15 = stablehlo.multiply %14, %10#1 : tensor<16x6xf32>
    %16 = stablehlo.subtract %arg1, %15 : tensor<16x6xf32>
    return %6, %13, %16 : tensor<f32>, tensor<12x16xf32>, tensor<16x6xf32>
  }
}
