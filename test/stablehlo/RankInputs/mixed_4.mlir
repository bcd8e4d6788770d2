// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x6xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<8x6xf32> {jax.result_info = "result[1]"}, tensor<6x8xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<[[-0.257152647, 0.351943821, 0.49874559, 0.212444231, 0.0613811426, -2.07498169], [0.143875897, -1.01182914, -0.387020469, 0.471998662, 0.604260623, -0.408716947], [-0.425316572, -0.246276855, -1.01101375, 1.5698123, 1.75894856, -0.157223403], [1.62656152, 0.797957599, -1.03942621, 0.938683807, 0.69019699, 0.180285916], [-1.42136836, -0.569410622, -2.26300478, -0.00834337622, -0.26638025, -1.08697462], [-1.22197747, 1.3417275, -1.48709679, 0.744338512, 0.122251607, 1.2452749], [-1.59415162, 0.123094246, 1.25281978, -0.146752909, -1.38561499, -1.92056119], [-0.680025935, 1.02320755, 1.53493237, 7.670690e-02, 0.899453997, 1.01406872]]> : tensor<8x6xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<8x6xf32>
    %2 = sdy.manual_computation(%1, %cst) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) {
      %9 = stablehlo.multiply %arg1, %arg2 : tensor<4x6xf32>
      %10 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %12 = stablehlo.add %arg3, %arg4 : tensor<f32>
        stablehlo.return %12 : tensor<f32>
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %11 = stablehlo.add %9, %10 : tensor<4x6xf32>
      sdy.return %11 : tensor<4x6xf32>
    } : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"x", "y"} (%arg1: tensor<4x3xf32>) {
      %9 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %10 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %10 : tensor<f32>
      }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
      sdy.return %9 : tensor<4x3xf32>
    } : (tensor<8x6xf32>) -> tensor<4x6xf32>
    %4 = sdy.manual_computation(%2, %arg0) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) {
      %9 = stablehlo.subtract %arg1, %arg2 : tensor<4x6xf32>
      sdy.return %9 : tensor<4x6xf32>
    } : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.add %5, %6 : tensor<4xf32>
    %8 = stablehlo.transpose %2, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
    return %7, %4, %8 : tensor<4xf32>, tensor<8x6xf32>, tensor<6x8xf32>
  }
}
