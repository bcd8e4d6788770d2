// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_complex_functions"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xf64>, tensor<4xf64>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xcomplex<f64>>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}, {jax.result_info = "result[21]"}, {jax.result_info = "result[22]"}, {jax.result_info = "result[23]"}, {jax.result_info = "result[24]"}, {jax.result_info = "result[25]"}, {jax.result_info = "result[26]"}, {jax.result_info = "result[27]"}, {jax.result_info = "result[28]"}, {jax.result_info = "result[29]"}, {jax.result_info = "result[30]"}, {jax.result_info = "result[31]"}, {jax.result_info = "result[32]"}, {jax.result_info = "result[33]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg5: tensor<4xcomplex<f64>>, %arg6: tensor<4xcomplex<f64>>):
    %11 = "stablehlo.add"(%arg5, %arg6) : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %12 = "stablehlo.subtract"(%arg5, %arg6) : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %13 = "stablehlo.multiply"(%arg5, %arg6) : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.divide"(%arg5, %arg6) : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %15 = "stablehlo.negate"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %16 = "stablehlo.real"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %17 = "stablehlo.imag"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %18 = "stablehlo.negate"(%17) : (tensor<4xf64>) -> tensor<4xf64>
    %19 = "stablehlo.complex"(%16, %18) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xcomplex<f64>>
    %20 = "stablehlo.abs"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %21 = "func.call"(%arg5) <{callee = @angle}> : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %22 = "stablehlo.exponential"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %23 = "stablehlo.exponential_minus_one"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %24 = "stablehlo.log"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %25 = "stablehlo.log_plus_one"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %26 = "stablehlo.sqrt"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %27 = "stablehlo.rsqrt"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %28 = "stablehlo.power"(%arg5, %arg6) : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %29 = "stablehlo.multiply"(%arg5, %arg5) : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %30 = "stablehlo.multiply"(%29, %arg5) : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %31 = "stablehlo.real"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %32 = "stablehlo.imag"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %33 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %35 = "stablehlo.compare"(%31, %34) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %36 = "stablehlo.sine"(%31) : (tensor<4xf64>) -> tensor<4xf64>
    %37 = "stablehlo.cosine"(%31) : (tensor<4xf64>) -> tensor<4xf64>
    %38 = "stablehlo.exponential_minus_one"(%32) : (tensor<4xf64>) -> tensor<4xf64>
    %39 = "stablehlo.negate"(%32) : (tensor<4xf64>) -> tensor<4xf64>
    %40 = "stablehlo.exponential_minus_one"(%39) : (tensor<4xf64>) -> tensor<4xf64>
    %41 = "stablehlo.subtract"(%38, %40) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %42 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %43 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %44 = "stablehlo.divide"(%41, %43) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %45 = "stablehlo.add"(%38, %40) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %46 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %48 = "stablehlo.add"(%45, %47) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %49 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %51 = "stablehlo.divide"(%48, %50) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %52 = "stablehlo.multiply"(%36, %51) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %53 = "stablehlo.multiply"(%37, %44) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %54 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %55 = "stablehlo.broadcast_in_dim"(%54) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %56 = "stablehlo.complex"(%55, %53) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xcomplex<f64>>
    %57 = "stablehlo.complex"(%52, %53) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xcomplex<f64>>
    %58 = "stablehlo.select"(%35, %56, %57) : (tensor<4xi1>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %59 = "stablehlo.real"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %60 = "stablehlo.imag"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %61 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %62 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %63 = "stablehlo.compare"(%59, %62) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %64 = "stablehlo.sine"(%59) : (tensor<4xf64>) -> tensor<4xf64>
    %65 = "stablehlo.cosine"(%59) : (tensor<4xf64>) -> tensor<4xf64>
    %66 = "stablehlo.exponential_minus_one"(%60) : (tensor<4xf64>) -> tensor<4xf64>
    %67 = "stablehlo.negate"(%60) : (tensor<4xf64>) -> tensor<4xf64>
    %68 = "stablehlo.exponential_minus_one"(%67) : (tensor<4xf64>) -> tensor<4xf64>
    %69 = "stablehlo.subtract"(%66, %68) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %70 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %72 = "stablehlo.divide"(%69, %71) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %73 = "stablehlo.add"(%66, %68) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %74 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %75 = "stablehlo.broadcast_in_dim"(%74) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %76 = "stablehlo.add"(%73, %75) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %77 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %79 = "stablehlo.divide"(%76, %78) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %80 = "stablehlo.multiply"(%65, %79) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %81 = "stablehlo.negate"(%64) : (tensor<4xf64>) -> tensor<4xf64>
    %82 = "stablehlo.multiply"(%81, %72) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %83 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %84 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %85 = "stablehlo.complex"(%80, %84) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xcomplex<f64>>
    %86 = "stablehlo.complex"(%80, %82) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xcomplex<f64>>
    %87 = "stablehlo.select"(%63, %85, %86) : (tensor<4xi1>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %88 = "stablehlo.tan"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %89 = "chlo.sinh"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %90 = "chlo.cosh"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %91 = "stablehlo.tanh"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %92 = "chlo.asin"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %93 = "chlo.acos"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %94 = "chlo.atan"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %95 = "chlo.asinh"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %96 = "func.call"(%arg5) <{callee = @arccosh}> : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %97 = "chlo.atanh"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %98 = "stablehlo.sign"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %99 = "stablehlo.negate"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %100 = "stablehlo.exponential"(%99) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %101 = "stablehlo.constant"() <{value = dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>}> : () -> tensor<complex<f64>>
    %102 = "stablehlo.broadcast_in_dim"(%101) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f64>>) -> tensor<4xcomplex<f64>>
    %103 = "stablehlo.add"(%102, %100) : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %104 = "stablehlo.constant"() <{value = dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>}> : () -> tensor<complex<f64>>
    %105 = "stablehlo.broadcast_in_dim"(%104) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f64>>) -> tensor<4xcomplex<f64>>
    %106 = "stablehlo.divide"(%105, %103) : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %107 = "stablehlo.compare"(%arg5, %arg6) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xi1>
    %108 = "stablehlo.compare"(%arg5, %arg5) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xi1>
    %109 = "stablehlo.real"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %110 = "stablehlo.is_finite"(%109) : (tensor<4xf64>) -> tensor<4xi1>
    %111 = "stablehlo.imag"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %112 = "stablehlo.is_finite"(%111) : (tensor<4xf64>) -> tensor<4xi1>
    %113 = "stablehlo.and"(%110, %112) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %114 = "chlo.square"(%arg5) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    "func.return"(%11, %12, %13, %14, %15, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %30, %58, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %106, %107, %108, %113, %114) : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xf64>, tensor<4xf64>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xcomplex<f64>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4xcomplex<f64>>) -> tensor<4xf64>, res_attrs = [{}], sym_name = "angle", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<4xcomplex<f64>>):
    %8 = "stablehlo.real"(%arg4) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %9 = "stablehlo.imag"(%arg4) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %10 = "stablehlo.atan2"(%9, %8) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    "func.return"(%10) : (tensor<4xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>, res_attrs = [{}], sym_name = "arccosh", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<4xcomplex<f64>>):
    %1 = "chlo.acosh"(%arg3) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %2 = "stablehlo.real"(%1) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %5 = "stablehlo.compare"(%2, %4) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %6 = "stablehlo.negate"(%1) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    %7 = "func.call"(%5, %6, %1) <{callee = @_where}> : (tensor<4xi1>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    "func.return"(%7) : (tensor<4xcomplex<f64>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4xi1>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4xi1>, %arg1: tensor<4xcomplex<f64>>, %arg2: tensor<4xcomplex<f64>>):
    %0 = "stablehlo.select"(%arg0, %arg1, %arg2) : (tensor<4xi1>, tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
    "func.return"(%0) : (tensor<4xcomplex<f64>>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
