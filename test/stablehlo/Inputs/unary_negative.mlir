// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_unary_negative"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<4x5xf32>):
    %1 = "stablehlo.abs"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %2 = "stablehlo.exponential"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %3 = "stablehlo.tanh"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %4 = "stablehlo.floor"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %5 = "stablehlo.ceil"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %6 = "func.call"(%arg1) <{callee = @rint}> : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %7 = "stablehlo.round_nearest_afz"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %8 = "stablehlo.sign"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %9 = "chlo.erf"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %10 = "chlo.erfc"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %11 = "stablehlo.cbrt"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %12 = "stablehlo.multiply"(%arg1, %arg1) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %13 = "stablehlo.multiply"(%12, %arg1) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %14 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f32>}> : () -> tensor<f32>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %16 = "stablehlo.multiply"(%15, %13) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %17 = "stablehlo.add"(%arg1, %16) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %18 = "stablehlo.constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> tensor<f32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %20 = "stablehlo.multiply"(%19, %17) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %21 = "stablehlo.tanh"(%20) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %22 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %24 = "stablehlo.add"(%23, %21) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %25 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %26 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %27 = "stablehlo.multiply"(%26, %24) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %28 = "stablehlo.multiply"(%arg1, %27) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %29 = "stablehlo.exponential_minus_one"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %28, %29) : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x5xf32>) -> tensor<4x5xf32>, res_attrs = [{}], sym_name = "rint", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x5xf32>):
    %0 = "stablehlo.round_nearest_even"(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%0) : (tensor<4x5xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
