// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<11x4xf32>, %arg1: tensor<8x6xf32>) -> (tensor<8xi32> {jax.result_info = "result[0]"}, tensor<4xi32> {jax.result_info = "result[1]"}, tensor<4x4xf32> {jax.result_info = "result[2]"}, tensor<8x6xf32> {jax.result_info = "result[3]"}, tensor<4x4xf32> {jax.result_info = "result[4]"}, tensor<8x6xf32> {jax.result_info = "result[5]"}) {
    %0:6 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>, <@mesh, [{"x", "y"}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%arg2: tensor<11x4xf32>, %arg3: tensor<4x3xf32>) {
      %c = stablehlo.constant dense<2> : tensor<ui32>
      %c_0 = stablehlo.constant dense<2> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<1> : tensor<ui32>
      %c_2 = stablehlo.constant dense<2> : tensor<ui32>
      %5 = stablehlo.partition_id : tensor<ui32>
      %6 = stablehlo.divide %5, %c_1 : tensor<ui32>
      %7 = stablehlo.remainder %6, %c_2 : tensor<ui32>
      %8 = stablehlo.convert %7 : (tensor<ui32>) -> tensor<i32>
      %c_3 = stablehlo.constant dense<2> : tensor<ui32>
      %c_4 = stablehlo.constant dense<2> : tensor<ui32>
      %9 = stablehlo.partition_id : tensor<ui32>
      %10 = stablehlo.divide %9, %c_3 : tensor<ui32>
      %11 = stablehlo.remainder %10, %c_4 : tensor<ui32>
      %12 = stablehlo.convert %11 : (tensor<ui32>) -> tensor<i32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.multiply %12, %c_5 : tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %14 = stablehlo.add %c_6, %13 : tensor<i32>
      %c_7 = stablehlo.constant dense<1> : tensor<ui32>
      %c_8 = stablehlo.constant dense<2> : tensor<ui32>
      %15 = stablehlo.partition_id : tensor<ui32>
      %16 = stablehlo.divide %15, %c_7 : tensor<ui32>
      %17 = stablehlo.remainder %16, %c_8 : tensor<ui32>
      %18 = stablehlo.convert %17 : (tensor<ui32>) -> tensor<i32>
      %c_9 = stablehlo.constant dense<2> : tensor<i32>
      %19 = stablehlo.multiply %18, %c_9 : tensor<i32>
      %20 = stablehlo.add %14, %19 : tensor<i32>
      %c_10 = stablehlo.constant dense<2> : tensor<i32>
      %21 = stablehlo.multiply %c_10, %4 : tensor<i32>
      %22 = stablehlo.add %21, %8 : tensor<i32>
      %c_11 = stablehlo.constant dense<0> : tensor<i32>
      %23 = stablehlo.compare LT, %22, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_12 = stablehlo.constant dense<11> : tensor<i32>
      %24 = stablehlo.add %22, %c_12 : tensor<i32>
      %25 = stablehlo.select %23, %24, %22 : tensor<i1>, tensor<i32>
      %c_13 = stablehlo.constant dense<0> : tensor<i32>
      %26 = stablehlo.dynamic_slice %arg2, %25, %c_13, sizes = [1, 4] : (tensor<11x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %c_14 = stablehlo.constant dense<0> : tensor<i32>
      %27 = stablehlo.compare EQ, %8, %c_14, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_15 = stablehlo.constant dense<1> : tensor<i32>
      %28 = stablehlo.add %4, %c_15 : tensor<i32>
      %29 = stablehlo.convert %28 : (tensor<i32>) -> tensor<f32>
      %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
      %31 = stablehlo.multiply %arg3, %30 : tensor<4x3xf32>
      %32 = func.call @_where(%27, %arg3, %31) : (tensor<i1>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
      %33 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %34 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %35 = stablehlo.concatenate %33, %34, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %36 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %37 = stablehlo.compare LT, %20, %c_16, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_17 = stablehlo.constant dense<11> : tensor<i32>
      %38 = stablehlo.add %20, %c_17 : tensor<i32>
      %39 = stablehlo.select %37, %38, %20 : tensor<i1>, tensor<i32>
      %c_18 = stablehlo.constant dense<0> : tensor<i32>
      %c_19 = stablehlo.constant dense<0> : tensor<i32>
      %40 = stablehlo.compare LT, %c_18, %c_19, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_20 = stablehlo.constant dense<0> : tensor<i32>
      %c_21 = stablehlo.constant dense<4> : tensor<i32>
      %41 = stablehlo.add %c_20, %c_21 : tensor<i32>
      %c_22 = stablehlo.constant dense<0> : tensor<i32>
      %42 = stablehlo.select %40, %41, %c_22 : tensor<i1>, tensor<i32>
      %43 = stablehlo.dynamic_slice %arg2, %39, %42, sizes = [1, 4] : (tensor<11x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %44 = stablehlo.reshape %43 : (tensor<1x4xf32>) -> tensor<4xf32>
      %45 = stablehlo.broadcast_in_dim %44, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %46 = stablehlo.slice %arg3 [0:1, 0:1] : (tensor<4x3xf32>) -> tensor<1x1xf32>
      %c_23 = stablehlo.constant dense<0> : tensor<i32>
      %47 = stablehlo.compare LT, %8, %c_23, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_24 = stablehlo.constant dense<3> : tensor<i32>
      %48 = stablehlo.add %8, %c_24 : tensor<i32>
      %49 = stablehlo.select %47, %48, %8 : tensor<i1>, tensor<i32>
      %c_25 = stablehlo.constant dense<0> : tensor<i32>
      %50 = stablehlo.dynamic_update_slice %arg3, %46, %c_25, %49 : (tensor<4x3xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
      sdy.return %35, %36, %26, %32, %45, %50 : tensor<2xi32>, tensor<1xi32>, tensor<1x4xf32>, tensor<4x3xf32>, tensor<1x4xf32>, tensor<4x3xf32>
    } : (tensor<11x4xf32>, tensor<8x6xf32>) -> (tensor<8xi32>, tensor<4xi32>, tensor<4x4xf32>, tensor<8x6xf32>, tensor<4x4xf32>, tensor<8x6xf32>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5 : tensor<8xi32>, tensor<4xi32>, tensor<4x4xf32>, tensor<8x6xf32>, tensor<4x4xf32>, tensor<8x6xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<4x3xf32>, %arg2: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
