// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_precisions"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<71xf32>, tensor<71xf16>, tensor<71xbf16>) -> (tensor<71xf32>, tensor<71xf32>, tensor<71xf32>, tensor<71xf32>, tensor<71xf32>, tensor<71xf32>, tensor<71xf16>, tensor<71xf16>, tensor<71xf16>, tensor<71xf16>, tensor<71xf16>, tensor<71xf16>, tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<71xf32>, %arg1: tensor<71xf16>, %arg2: tensor<71xbf16>):
    %0 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<71xf32>) -> tensor<71xf32>
    %1 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 8 : i32, mantissa_bits = 23 : i32}> : (tensor<71xf32>) -> tensor<71xf32>
    %2 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 8 : i32, mantissa_bits = 0 : i32}> : (tensor<71xf32>) -> tensor<71xf32>
    %3 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 4 : i32, mantissa_bits = 3 : i32}> : (tensor<71xf32>) -> tensor<71xf32>
    %4 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 1 : i32, mantissa_bits = 2 : i32}> : (tensor<71xf32>) -> tensor<71xf32>
    %5 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 2 : i32, mantissa_bits = 30 : i32}> : (tensor<71xf32>) -> tensor<71xf32>
    %6 = "stablehlo.reduce_precision"(%arg1) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<71xf16>) -> tensor<71xf16>
    %7 = "stablehlo.reduce_precision"(%arg1) <{exponent_bits = 8 : i32, mantissa_bits = 23 : i32}> : (tensor<71xf16>) -> tensor<71xf16>
    %8 = "stablehlo.reduce_precision"(%arg1) <{exponent_bits = 8 : i32, mantissa_bits = 0 : i32}> : (tensor<71xf16>) -> tensor<71xf16>
    %9 = "stablehlo.reduce_precision"(%arg1) <{exponent_bits = 4 : i32, mantissa_bits = 3 : i32}> : (tensor<71xf16>) -> tensor<71xf16>
    %10 = "stablehlo.reduce_precision"(%arg1) <{exponent_bits = 1 : i32, mantissa_bits = 2 : i32}> : (tensor<71xf16>) -> tensor<71xf16>
    %11 = "stablehlo.reduce_precision"(%arg1) <{exponent_bits = 2 : i32, mantissa_bits = 30 : i32}> : (tensor<71xf16>) -> tensor<71xf16>
    %12 = "stablehlo.reduce_precision"(%arg2) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<71xbf16>) -> tensor<71xbf16>
    %13 = "stablehlo.reduce_precision"(%arg2) <{exponent_bits = 8 : i32, mantissa_bits = 23 : i32}> : (tensor<71xbf16>) -> tensor<71xbf16>
    %14 = "stablehlo.reduce_precision"(%arg2) <{exponent_bits = 8 : i32, mantissa_bits = 0 : i32}> : (tensor<71xbf16>) -> tensor<71xbf16>
    %15 = "stablehlo.reduce_precision"(%arg2) <{exponent_bits = 4 : i32, mantissa_bits = 3 : i32}> : (tensor<71xbf16>) -> tensor<71xbf16>
    %16 = "stablehlo.reduce_precision"(%arg2) <{exponent_bits = 1 : i32, mantissa_bits = 2 : i32}> : (tensor<71xbf16>) -> tensor<71xbf16>
    %17 = "stablehlo.reduce_precision"(%arg2) <{exponent_bits = 2 : i32, mantissa_bits = 30 : i32}> : (tensor<71xbf16>) -> tensor<71xbf16>
    "func.return"(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17) : (tensor<71xf32>, tensor<71xf32>, tensor<71xf32>, tensor<71xf32>, tensor<71xf32>, tensor<71xf32>, tensor<71xf16>, tensor<71xf16>, tensor<71xf16>, tensor<71xf16>, tensor<71xf16>, tensor<71xf16>, tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
