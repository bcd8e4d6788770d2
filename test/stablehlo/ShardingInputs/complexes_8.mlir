// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<8x8xf32> {jax.result_info = "result[0]"}, tensor<8xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<8x8xcomplex<f32>> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.complex %arg0, %arg1 : tensor<8x8xcomplex<f32>>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {"y"}]> : tensor<8x8xcomplex<f32>>
    %2 = stablehlo.dot_general %1, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xcomplex<f32>>, tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
    %3 = stablehlo.abs %2 : (tensor<8x8xcomplex<f32>>) -> tensor<8x8xf32>
    %4 = stablehlo.real %1 : (tensor<8x8xcomplex<f32>>) -> tensor<8x8xf32>
    %5 = stablehlo.imag %1 : (tensor<8x8xcomplex<f32>>) -> tensor<8x8xf32>
    %6 = stablehlo.negate %5 : tensor<8x8xf32>
    %7 = stablehlo.complex %4, %6 : tensor<8x8xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8x8xcomplex<f32>>, tensor<complex<f32>>) -> tensor<8xcomplex<f32>>
    %9 = call @fft(%1) : (tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
    return %3, %8, %9 : tensor<8x8xf32>, tensor<8xcomplex<f32>>, tensor<8x8xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [8] : (tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
    return %0 : tensor<8x8xcomplex<f32>>
  }
}
