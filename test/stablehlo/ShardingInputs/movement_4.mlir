// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {jax.result_info = "result[0]"}, tensor<4x2x8xf32> {jax.result_info = "result[1]"}, tensor<8x4x2xf32> {jax.result_info = "result[2]"}, tensor<6x4xf32> {jax.result_info = "result[3]"}, tensor<11x11xf32> {jax.result_info = "result[4]"}, tensor<16x8xf32> {jax.result_info = "result[5]"}, tensor<8x16xf32> {jax.result_info = "result[6]"}, tensor<8x8xf32> {jax.result_info = "result[7]"}, tensor<8x8xf32> {jax.result_info = "result[8]"}, tensor<8x16xf32> {jax.result_info = "result[9]"}, tensor<16x8xf32> {jax.result_info = "result[10]"}, tensor<64xf32> {jax.result_info = "result[11]"}, tensor<2x32xf32> {jax.result_info = "result[12]"}, tensor<8x8xf32> {jax.result_info = "result[13]"}, tensor<2x8x8xf32> {jax.result_info = "result[14]"}, tensor<2x8xf32> {jax.result_info = "result[15]"}, tensor<8xf32> {jax.result_info = "result[16]"}, tensor<8x3xf32> {jax.result_info = "result[17]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<8x8xf32>) -> tensor<4x2x8xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<4x2x8xf32>) -> tensor<8x4x2xf32>
    %3 = stablehlo.slice %arg0 [1:7, 0:8:2] : (tensor<8x8xf32>) -> tensor<6x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @_pad(%arg0, %c) : (tensor<8x8xf32>, tensor<i32>) -> tensor<11x11xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<8x8xf32>
    %7 = stablehlo.concatenate %arg0, %6, dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %8 = stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
    %9 = stablehlo.reverse %arg0, dims = [0] : tensor<8x8xf32>
    %10 = call @_roll_static(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %11 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x2xf32>
    %12 = stablehlo.reshape %11 : (tensor<8x8x2xf32>) -> tensor<8x16xf32>
    %13 = stablehlo.reshape %arg0 : (tensor<8x8xf32>) -> tensor<1x8x1x8xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x8x1x8xf32>) -> tensor<2x8x1x8xf32>
    %15 = stablehlo.reshape %14 : (tensor<2x8x1x8xf32>) -> tensor<16x8xf32>
    %16 = stablehlo.reshape %arg0 : (tensor<8x8xf32>) -> tensor<64xf32>
    %17 = stablehlo.reshape %arg0 : (tensor<8x8xf32>) -> tensor<2x32xf32>
    %18 = call @_flip(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %19 = stablehlo.negate %arg0 : tensor<8x8xf32>
    %20 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %21 = stablehlo.broadcast_in_dim %19, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %22 = stablehlo.concatenate %20, %21, dim = 0 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
    %23 = stablehlo.slice %arg0 [0:2, 0:8] : (tensor<8x8xf32>) -> tensor<2x8xf32>
    %24 = stablehlo.slice %arg0 [2:4, 0:8] : (tensor<8x8xf32>) -> tensor<2x8xf32>
    %25 = stablehlo.slice %arg0 [4:6, 0:8] : (tensor<8x8xf32>) -> tensor<2x8xf32>
    %26 = stablehlo.slice %arg0 [6:8, 0:8] : (tensor<8x8xf32>) -> tensor<2x8xf32>
    %27 = stablehlo.slice %arg0 [3:4, 0:8] : (tensor<8x8xf32>) -> tensor<1x8xf32>
    %28 = stablehlo.reshape %27 : (tensor<1x8xf32>) -> tensor<8xf32>
    %29 = stablehlo.slice %arg0 [0:8, 5:8] : (tensor<8x8xf32>) -> tensor<8x3xf32>
    return %1, %0, %2, %3, %4, %7, %8, %9, %10, %12, %15, %16, %17, %18, %22, %24, %28, %29 : tensor<8x8xf32>, tensor<4x2x8xf32>, tensor<8x4x2xf32>, tensor<6x4xf32>, tensor<11x11xf32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<64xf32>, tensor<2x32xf32>, tensor<8x8xf32>, tensor<2x8x8xf32>, tensor<2x8xf32>, tensor<8xf32>, tensor<8x3xf32>
  }
  func.func private @_pad(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>) -> tensor<11x11xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 0], high = [2, 3], interior = [0, 0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<11x11xf32>
    return %1 : tensor<11x11xf32>
  }
  func.func private @_roll_static(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.slice %arg0 [5:8, 0:8] : (tensor<8x8xf32>) -> tensor<3x8xf32>
    %1 = stablehlo.slice %arg0 [0:5, 0:8] : (tensor<8x8xf32>) -> tensor<5x8xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<3x8xf32>, tensor<5x8xf32>) -> tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
  func.func private @_flip(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
