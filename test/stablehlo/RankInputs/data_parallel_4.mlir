// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<6x10xf32>, %arg1: tensor<10x3xf32>, %arg2: tensor<16x6xf32>, %arg3: tensor<16x3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6x10xf32> {jax.result_info = "result[1][0]"}, tensor<10x3xf32> {jax.result_info = "result[1][1]"}) {
    %0:3 = sdy.manual_computation(%arg0, %arg1, %arg2, %arg3) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, []>, <@mesh, [{}, {}]>, <@mesh, [{}, {}]>] manual_axes={"x", "y"} (%arg4: tensor<6x10xf32>, %arg5: tensor<10x3xf32>, %arg6: tensor<4x6xf32>, %arg7: tensor<4x3xf32>) {
      %1 = stablehlo.dot_general %arg6, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x10xf32>) -> tensor<4x10xf32>
      %2 = stablehlo.tanh %1 : tensor<4x10xf32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x10xf32>
      %4 = stablehlo.subtract %3, %2 : tensor<4x10xf32>
      %5 = stablehlo.dot_general %2, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x10xf32>, tensor<10x3xf32>) -> tensor<4x3xf32>
      %6 = stablehlo.subtract %5, %arg7 : tensor<4x3xf32>
      %7 = stablehlo.multiply %6, %6 : tensor<4x3xf32>
      %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
      %9 = stablehlo.multiply %8, %6 : tensor<4x3xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %10 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
      %cst_2 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
      %11 = stablehlo.divide %10, %cst_2 : tensor<f32>
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_4 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
      %12 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
      %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
      %14 = stablehlo.multiply %13, %9 : tensor<4x3xf32>
      %15 = stablehlo.dot_general %14, %2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<4x10xf32>) -> tensor<3x10xf32>
      %16 = stablehlo.transpose %15, dims = [1, 0] : (tensor<3x10xf32>) -> tensor<10x3xf32>
      %17 = stablehlo.dot_general %14, %arg5, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<10x3xf32>) -> tensor<4x10xf32>
      %18 = stablehlo.multiply %17, %4 : tensor<4x10xf32>
      %19 = stablehlo.multiply %18, %2 : tensor<4x10xf32>
      %20 = stablehlo.add %18, %19 : tensor<4x10xf32>
      %21 = stablehlo.dot_general %20, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x10xf32>, tensor<4x6xf32>) -> tensor<10x6xf32>
      %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<10x6xf32>) -> tensor<6x10xf32>
      %23 = "stablehlo.all_reduce"(%22) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %37 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %37 : tensor<f32>
      }) : (tensor<6x10xf32>) -> tensor<6x10xf32>
      %24 = "stablehlo.all_reduce"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %37 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %37 : tensor<f32>
      }) : (tensor<10x3xf32>) -> tensor<10x3xf32>
      %cst_5 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %25 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x10xf32>
      %26 = stablehlo.divide %23, %25 : tensor<6x10xf32>
      %cst_6 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %27 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<10x3xf32>
      %28 = stablehlo.divide %24, %27 : tensor<10x3xf32>
      %29 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %37 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %37 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %cst_7 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %30 = stablehlo.divide %29, %cst_7 : tensor<f32>
      %cst_8 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %31 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x10xf32>
      %32 = stablehlo.multiply %31, %26 : tensor<6x10xf32>
      %33 = stablehlo.subtract %arg4, %32 : tensor<6x10xf32>
      %cst_9 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %34 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<10x3xf32>
      %35 = stablehlo.multiply %34, %28 : tensor<10x3xf32>
      %36 = stablehlo.subtract %arg5, %35 : tensor<10x3xf32>
      sdy.return %30, %33, %36 : tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>
    } : (tensor<6x10xf32>, tensor<10x3xf32>, tensor<16x6xf32>, tensor<16x3xf32>) -> (tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>)
    return %0#0, %0#1, %0#2 : tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>
  }
}
