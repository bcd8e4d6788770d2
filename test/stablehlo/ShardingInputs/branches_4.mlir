// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<i32> {sdy.sharding = #sdy.sharding<@empty_mesh, []>}) -> (tensor<8x8xf32> {jax.result_info = "result[0]"}, tensor<4x4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare GT, %0, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
      %8 = stablehlo.subtract %arg0, %7 : tensor<8x8xf32>
      stablehlo.return %8 : tensor<8x8xf32>
    }, {
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
      %8 = stablehlo.multiply %arg0, %7 : tensor<8x8xf32>
      %9 = sdy.sharding_constraint %8 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
      stablehlo.return %9 : tensor<8x8xf32>
    }) : (tensor<i32>) -> tensor<8x8xf32>
    %4 = stablehlo.slice %arg0 [0:4, 0:4] : (tensor<8x8xf32>) -> tensor<4x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %5 = stablehlo.clamp %c, %arg1, %c_1 : tensor<i32>
    %6 = "stablehlo.case"(%5) ({
      %7 = stablehlo.transpose %4, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %8 = stablehlo.dot_general %4, %7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      stablehlo.return %8 : tensor<4x4xf32>
    }, {
      %7 = stablehlo.transpose %4, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %8 = stablehlo.dot_general %7, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %9 = sdy.sharding_constraint %8 <@mesh, [{"x"}, {"y"}]> : tensor<4x4xf32>
      stablehlo.return %9 : tensor<4x4xf32>
    }, {
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      stablehlo.return %7 : tensor<4x4xf32>
    }) : (tensor<i32>) -> tensor<4x4xf32>
    return %3, %6 : tensor<8x8xf32>, tensor<4x4xf32>
  }
}
