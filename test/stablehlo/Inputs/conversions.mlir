// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_conversions"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<3x4xf32>, tensor<3x4xi32>, tensor<3x4xi1>, tensor<5xui8>) -> (tensor<3x4xi32>, tensor<3x4xi8>, tensor<3x4xf16>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xui8>, tensor<3x4xi32>, tensor<5xf32>, tensor<3x4xi1>, tensor<3x4xi32>, tensor<3x4xf32>, tensor<3x4x4xui8>, tensor<3x4x2xui16>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xi32>, %arg2: tensor<3x4xi1>, %arg3: tensor<5xui8>):
    %0 = "stablehlo.convert"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xi32>
    %1 = "stablehlo.convert"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xi8>
    %2 = "stablehlo.convert"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf16>
    %3 = "stablehlo.convert"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xbf16>
    %4 = "stablehlo.convert"(%3) : (tensor<3x4xbf16>) -> tensor<3x4xf32>
    %5 = "stablehlo.convert"(%arg1) : (tensor<3x4xi32>) -> tensor<3x4xf32>
    %6 = "stablehlo.convert"(%arg1) : (tensor<3x4xi32>) -> tensor<3x4xui8>
    %7 = "stablehlo.convert"(%arg2) : (tensor<3x4xi1>) -> tensor<3x4xi32>
    %8 = "stablehlo.convert"(%arg3) : (tensor<5xui8>) -> tensor<5xf32>
    %9 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x4xf32>
    %11 = "stablehlo.compare"(%arg0, %10) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %12 = "stablehlo.convert"(%11) : (tensor<3x4xi1>) -> tensor<3x4xi1>
    %13 = "stablehlo.bitcast_convert"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xi32>
    %14 = "stablehlo.bitcast_convert"(%arg1) : (tensor<3x4xi32>) -> tensor<3x4xf32>
    %15 = "stablehlo.bitcast_convert"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4x4xui8>
    %16 = "stablehlo.bitcast_convert"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4x2xui16>
    "func.return"(%0, %1, %2, %4, %5, %6, %7, %8, %12, %13, %14, %15, %16) : (tensor<3x4xi32>, tensor<3x4xi8>, tensor<3x4xf16>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xui8>, tensor<3x4xi32>, tensor<5xf32>, tensor<3x4xi1>, tensor<3x4xi32>, tensor<3x4xf32>, tensor<3x4x4xui8>, tensor<3x4x2xui16>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
