// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<16x5xf32>) -> (tensor<16x5xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<4x5xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %c_0 = stablehlo.constant dense<0> : tensor<i32>
      %1:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %arg1) : tensor<i32>, tensor<i32>, tensor<4x5xf32>
      cond {
        %c_3 = stablehlo.constant dense<3> : tensor<i32>
        %2 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %2 : tensor<i1>
      } do {
        %2:2 = func.call @closed_call(%iterArg_1, %iterArg_2) : (tensor<i32>, tensor<4x5xf32>) -> (tensor<i32>, tensor<4x5xf32>)
        %c_3 = stablehlo.constant dense<1> : tensor<i32>
        %3 = stablehlo.add %iterArg, %c_3 : tensor<i32>
        stablehlo.return %3, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<4x5xf32>
      }
      sdy.return %1#2 : tensor<4x5xf32>
    } : (tensor<16x5xf32>) -> tensor<16x5xf32>
    return %0 : tensor<16x5xf32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<4x5xf32>) -> (tensor<i32>, tensor<4x5xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg1 [3:4, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
    %2 = "stablehlo.collective_permute"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 4], [4, 6], [1, 3], [3, 5], [5, 7]]> : tensor<6x2xi64>}> : (tensor<1x5xf32>) -> tensor<1x5xf32>
    %3 = stablehlo.slice %arg1 [0:1, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
    %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[2, 0], [4, 2], [6, 4], [3, 1], [5, 3], [7, 5]]> : tensor<6x2xi64>}> : (tensor<1x5xf32>) -> tensor<1x5xf32>
    %5 = stablehlo.concatenate %2, %arg1, %4, dim = 0 : (tensor<1x5xf32>, tensor<4x5xf32>, tensor<1x5xf32>) -> tensor<6x5xf32>
    %6 = stablehlo.slice %5 [0:4, 0:5] : (tensor<6x5xf32>) -> tensor<4x5xf32>
    %cst = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<4x5xf32>
    %9 = stablehlo.slice %5 [1:5, 0:5] : (tensor<6x5xf32>) -> tensor<4x5xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<4x5xf32>
    %12 = stablehlo.add %8, %11 : tensor<4x5xf32>
    %13 = stablehlo.slice %5 [2:6, 0:5] : (tensor<6x5xf32>) -> tensor<4x5xf32>
    %cst_1 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %15 = stablehlo.multiply %14, %13 : tensor<4x5xf32>
    %16 = stablehlo.add %12, %15 : tensor<4x5xf32>
    return %0, %16 : tensor<i32>, tensor<4x5xf32>
  }
}
