// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8x8xf32> {jax.result_info = "result[0]"}, tensor<4xi32> {jax.result_info = "result[1]"}, tensor<8xi1> {jax.result_info = "result[2]"}, tensor<8x4xui8> {jax.result_info = "result[3]"}, tensor<f32> {jax.result_info = "result[4]"}, tensor<1x8xf32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<8x8xf32>) -> tensor<8x8xbf16>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {"y"}]> : tensor<8x8xbf16>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<8x8xbf16>
    %3 = stablehlo.multiply %1, %2 : tensor<8x8xbf16>
    %4 = stablehlo.convert %3 : (tensor<8x8xbf16>) -> tensor<8x8xf32>
    %5 = sdy.sharding_constraint %arg1 <@mesh, [{"y"}, {}]> : tensor<8x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.reduce(%5 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<8x4xi32>, tensor<i32>) -> tensor<4xi32>
    %7 = sdy.sharding_constraint %arg2 <@mesh, [{"x"}]> : tensor<8xi1>
    %8 = stablehlo.not %arg2 : tensor<8xi1>
    %9 = stablehlo.and %7, %8 : tensor<8xi1>
    %10 = stablehlo.convert %arg1 : (tensor<8x4xi32>) -> tensor<8x4xui8>
    %11 = sdy.sharding_constraint %10 <@mesh, [{"x"}, {}]> : tensor<8x4xui8>
    %12 = stablehlo.slice %arg0 [0:1, 0:1] : (tensor<8x8xf32>) -> tensor<1x1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x1xf32>) -> tensor<f32>
    %14 = sdy.sharding_constraint %13 <@mesh, []> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.add %14, %cst_0 : tensor<f32>
    %16 = stablehlo.slice %arg0 [0:1, 0:8] : (tensor<8x8xf32>) -> tensor<1x8xf32>
    %17 = sdy.sharding_constraint %16 <@mesh, [{"x"}, {}]> : tensor<1x8xf32>
    return %4, %6, %9, %11, %15, %17 : tensor<8x8xf32>, tensor<4xi32>, tensor<8xi1>, tensor<8x4xui8>, tensor<f32>, tensor<1x8xf32>
  }
}
