// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_unary"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}, {jax.result_info = "result[21]"}, {jax.result_info = "result[22]"}, {jax.result_info = "result[23]"}, {jax.result_info = "result[24]"}, {jax.result_info = "result[25]"}, {jax.result_info = "result[26]"}, {jax.result_info = "result[27]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg2: tensor<4x5xf32>):
    %15 = "stablehlo.abs"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %16 = "stablehlo.negate"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %17 = "stablehlo.exponential"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %18 = "stablehlo.exponential_minus_one"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %19 = "stablehlo.log_plus_one"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %20 = "stablehlo.sqrt"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %21 = "stablehlo.rsqrt"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %22 = "stablehlo.cbrt"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %23 = "stablehlo.tanh"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %24 = "stablehlo.negate"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %25 = "stablehlo.exponential"(%24) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %26 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %28 = "stablehlo.add"(%27, %25) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %29 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %31 = "stablehlo.divide"(%30, %28) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %32 = "stablehlo.sine"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %33 = "stablehlo.cosine"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %34 = "stablehlo.tan"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %35 = "stablehlo.floor"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %36 = "stablehlo.ceil"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %37 = "func.call"(%arg2) <{callee = @rint}> : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %38 = "stablehlo.round_nearest_afz"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %39 = "stablehlo.sign"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %40 = "stablehlo.is_finite"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xi1>
    %41 = "chlo.erf"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %42 = "chlo.erfc"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %43 = "stablehlo.log"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %44 = "stablehlo.multiply"(%arg2, %arg2) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %45 = "stablehlo.multiply"(%44, %arg2) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %46 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f32>}> : () -> tensor<f32>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %48 = "stablehlo.multiply"(%47, %45) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %49 = "stablehlo.add"(%arg2, %48) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %50 = "stablehlo.constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> tensor<f32>
    %51 = "stablehlo.broadcast_in_dim"(%50) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %52 = "stablehlo.multiply"(%51, %49) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %53 = "stablehlo.tanh"(%52) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %54 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %55 = "stablehlo.broadcast_in_dim"(%54) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %56 = "stablehlo.add"(%55, %53) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %57 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %58 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %59 = "stablehlo.multiply"(%58, %56) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %60 = "stablehlo.multiply"(%arg2, %59) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %61 = "func.call"(%arg2) <{callee = @softplus}> : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %62 = "chlo.square"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %63 = "chlo.atan"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %64 = "chlo.sinh"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %65 = "chlo.cosh"(%arg2) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%15, %16, %17, %18, %19, %20, %21, %22, %23, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %60, %61, %62, %63, %64, %65) : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x5xf32>) -> tensor<4x5xf32>, res_attrs = [{}], sym_name = "rint", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<4x5xf32>):
    %14 = "stablehlo.round_nearest_even"(%arg1) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%14) : (tensor<4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x5xf32>) -> tensor<4x5xf32>, res_attrs = [{}], sym_name = "softplus", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x5xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %2 = "stablehlo.maximum"(%arg0, %1) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %3 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %4 = "stablehlo.subtract"(%arg0, %3) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %5 = "stablehlo.compare"(%4, %4) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %6 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %7 = "stablehlo.add"(%arg0, %6) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %8 = "stablehlo.abs"(%4) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %9 = "stablehlo.negate"(%8) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %10 = "stablehlo.exponential"(%9) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %11 = "stablehlo.log_plus_one"(%10) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %12 = "stablehlo.add"(%2, %11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %13 = "stablehlo.select"(%5, %7, %12) : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%13) : (tensor<4x5xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
