// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_complex_functions"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xi1>, tensor<5x7xi1>, tensor<5x7xi1>, tensor<5x7xcomplex<f32>>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}, {jax.result_info = "result[21]"}, {jax.result_info = "result[22]"}, {jax.result_info = "result[23]"}, {jax.result_info = "result[24]"}, {jax.result_info = "result[25]"}, {jax.result_info = "result[26]"}, {jax.result_info = "result[27]"}, {jax.result_info = "result[28]"}, {jax.result_info = "result[29]"}, {jax.result_info = "result[30]"}, {jax.result_info = "result[31]"}, {jax.result_info = "result[32]"}, {jax.result_info = "result[33]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg5: tensor<5x7xcomplex<f32>>, %arg6: tensor<5x7xcomplex<f32>>):
    %11 = "stablehlo.add"(%arg5, %arg6) : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %12 = "stablehlo.subtract"(%arg5, %arg6) : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %13 = "stablehlo.multiply"(%arg5, %arg6) : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %14 = "stablehlo.divide"(%arg5, %arg6) : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %15 = "stablehlo.negate"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %16 = "stablehlo.real"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %17 = "stablehlo.imag"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %18 = "stablehlo.negate"(%17) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %19 = "stablehlo.complex"(%16, %18) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xcomplex<f32>>
    %20 = "stablehlo.abs"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %21 = "func.call"(%arg5) <{callee = @angle}> : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %22 = "stablehlo.exponential"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %23 = "stablehlo.exponential_minus_one"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %24 = "stablehlo.log"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %25 = "stablehlo.log_plus_one"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %26 = "stablehlo.sqrt"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %27 = "stablehlo.rsqrt"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %28 = "stablehlo.power"(%arg5, %arg6) : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %29 = "stablehlo.multiply"(%arg5, %arg5) : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %30 = "stablehlo.multiply"(%29, %arg5) : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %31 = "stablehlo.real"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %32 = "stablehlo.imag"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %33 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %35 = "stablehlo.compare"(%31, %34) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %36 = "stablehlo.sine"(%31) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %37 = "stablehlo.cosine"(%31) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %38 = "stablehlo.exponential_minus_one"(%32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %39 = "stablehlo.negate"(%32) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %40 = "stablehlo.exponential_minus_one"(%39) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %41 = "stablehlo.subtract"(%38, %40) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %42 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %43 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %44 = "stablehlo.divide"(%41, %43) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %45 = "stablehlo.add"(%38, %40) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %46 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %48 = "stablehlo.add"(%45, %47) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %49 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %51 = "stablehlo.divide"(%48, %50) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %52 = "stablehlo.multiply"(%36, %51) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %53 = "stablehlo.multiply"(%37, %44) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %54 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %55 = "stablehlo.broadcast_in_dim"(%54) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %56 = "stablehlo.complex"(%55, %53) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xcomplex<f32>>
    %57 = "stablehlo.complex"(%52, %53) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xcomplex<f32>>
    %58 = "stablehlo.select"(%35, %56, %57) : (tensor<5x7xi1>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %59 = "stablehlo.real"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %60 = "stablehlo.imag"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %61 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %62 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %63 = "stablehlo.compare"(%59, %62) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %64 = "stablehlo.sine"(%59) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %65 = "stablehlo.cosine"(%59) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %66 = "stablehlo.exponential_minus_one"(%60) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %67 = "stablehlo.negate"(%60) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %68 = "stablehlo.exponential_minus_one"(%67) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %69 = "stablehlo.subtract"(%66, %68) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %70 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %72 = "stablehlo.divide"(%69, %71) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %73 = "stablehlo.add"(%66, %68) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %74 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %75 = "stablehlo.broadcast_in_dim"(%74) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %76 = "stablehlo.add"(%73, %75) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %77 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %79 = "stablehlo.divide"(%76, %78) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %80 = "stablehlo.multiply"(%65, %79) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %81 = "stablehlo.negate"(%64) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %82 = "stablehlo.multiply"(%81, %72) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %83 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %84 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %85 = "stablehlo.complex"(%80, %84) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xcomplex<f32>>
    %86 = "stablehlo.complex"(%80, %82) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xcomplex<f32>>
    %87 = "stablehlo.select"(%63, %85, %86) : (tensor<5x7xi1>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %88 = "stablehlo.tan"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %89 = "chlo.sinh"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %90 = "chlo.cosh"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %91 = "stablehlo.tanh"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %92 = "chlo.asin"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %93 = "chlo.acos"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %94 = "chlo.atan"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %95 = "chlo.asinh"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %96 = "func.call"(%arg5) <{callee = @arccosh}> : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %97 = "chlo.atanh"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %98 = "stablehlo.sign"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %99 = "stablehlo.negate"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %100 = "stablehlo.exponential"(%99) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %101 = "stablehlo.constant"() <{value = dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %102 = "stablehlo.broadcast_in_dim"(%101) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<5x7xcomplex<f32>>
    %103 = "stablehlo.add"(%102, %100) : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %104 = "stablehlo.constant"() <{value = dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %105 = "stablehlo.broadcast_in_dim"(%104) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<5x7xcomplex<f32>>
    %106 = "stablehlo.divide"(%105, %103) : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %107 = "stablehlo.compare"(%arg5, %arg6) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xi1>
    %108 = "stablehlo.compare"(%arg5, %arg5) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xi1>
    %109 = "stablehlo.real"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %110 = "stablehlo.is_finite"(%109) : (tensor<5x7xf32>) -> tensor<5x7xi1>
    %111 = "stablehlo.imag"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %112 = "stablehlo.is_finite"(%111) : (tensor<5x7xf32>) -> tensor<5x7xi1>
    %113 = "stablehlo.and"(%110, %112) : (tensor<5x7xi1>, tensor<5x7xi1>) -> tensor<5x7xi1>
    %114 = "chlo.square"(%arg5) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    "func.return"(%11, %12, %13, %14, %15, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %30, %58, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %106, %107, %108, %113, %114) : (tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<5x7xi1>, tensor<5x7xi1>, tensor<5x7xi1>, tensor<5x7xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>, res_attrs = [{}], sym_name = "angle", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<5x7xcomplex<f32>>):
    %8 = "stablehlo.real"(%arg4) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %9 = "stablehlo.imag"(%arg4) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %10 = "stablehlo.atan2"(%9, %8) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%10) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>, res_attrs = [{}], sym_name = "arccosh", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<5x7xcomplex<f32>>):
    %1 = "chlo.acosh"(%arg3) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %2 = "stablehlo.real"(%1) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %5 = "stablehlo.compare"(%2, %4) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %6 = "stablehlo.negate"(%1) : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    %7 = "func.call"(%5, %6, %1) <{callee = @_where}> : (tensor<5x7xi1>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    "func.return"(%7) : (tensor<5x7xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<5x7xi1>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<5x7xi1>, %arg1: tensor<5x7xcomplex<f32>>, %arg2: tensor<5x7xcomplex<f32>>):
    %0 = "stablehlo.select"(%arg0, %arg1, %arg2) : (tensor<5x7xi1>, tensor<5x7xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<5x7xcomplex<f32>>
    "func.return"(%0) : (tensor<5x7xcomplex<f32>>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
