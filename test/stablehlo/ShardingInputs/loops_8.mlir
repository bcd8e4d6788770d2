// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<i32> {sdy.sharding = #sdy.sharding<@empty_mesh, []>}) -> (tensor<8x4xf32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}, tensor<8x4xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c) : tensor<8x4xf32>, tensor<i32>
    cond {
      %2 = stablehlo.multiply %iterArg, %iterArg : tensor<8x4xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
      %cst_2 = stablehlo.constant dense<0.00999999977> : tensor<f32>
      %4 = stablehlo.compare GT, %3, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
      %3 = stablehlo.multiply %iterArg, %2 : tensor<8x4xf32>
      %4 = sdy.sharding_constraint %3 <@mesh, [{"x"}, {"y"}]> : tensor<8x4xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_1, %c_2 : tensor<i32>
      stablehlo.return %4, %5 : tensor<8x4xf32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %arg1, %iterArg_2 = %arg0) : tensor<i32>, tensor<i32>, tensor<8x4xf32>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %iterArg_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %3 = stablehlo.convert %iterArg : (tensor<i32>) -> tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
      %5 = stablehlo.add %iterArg_2, %4 : tensor<8x4xf32>
      %6 = sdy.sharding_constraint %5 <@mesh, [{"y"}, {}]> : tensor<8x4xf32>
      stablehlo.return %2, %iterArg_1, %6 : tensor<i32>, tensor<i32>, tensor<8x4xf32>
    }
    return %0#0, %0#1, %1#2 : tensor<8x4xf32>, tensor<i32>, tensor<8x4xf32>
  }
}
