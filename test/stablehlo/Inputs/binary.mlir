// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_binary"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x5xf32>, tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xi1>, tensor<4x5xi1>, tensor<4x5xi1>, tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg10: tensor<4x5xf32>, %arg11: tensor<4x5xf32>):
    %22 = "stablehlo.add"(%arg10, %arg11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %23 = "stablehlo.subtract"(%arg10, %arg11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %24 = "stablehlo.multiply"(%arg10, %arg11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %25 = "stablehlo.divide"(%arg10, %arg11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %26 = "stablehlo.maximum"(%arg10, %arg11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %27 = "stablehlo.minimum"(%arg10, %arg11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %28 = "stablehlo.atan2"(%arg10, %arg11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %29 = "func.call"(%arg10, %arg11) <{callee = @fmod}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %30 = "func.call"(%arg10, %arg11) <{callee = @remainder}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %31 = "stablehlo.compare"(%arg10, %arg11) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %32 = "stablehlo.compare"(%arg10, %arg11) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %33 = "stablehlo.compare"(%arg10, %arg11) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %34 = "stablehlo.compare"(%arg10, %arg11) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %35 = "stablehlo.maximum"(%arg10, %arg11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %36 = "stablehlo.subtract"(%arg10, %arg11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %37 = "stablehlo.compare"(%36, %36) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %38 = "stablehlo.add"(%arg10, %arg11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %39 = "stablehlo.abs"(%36) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %40 = "stablehlo.negate"(%39) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %41 = "stablehlo.exponential"(%40) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %42 = "stablehlo.log_plus_one"(%41) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %43 = "stablehlo.add"(%35, %42) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %44 = "stablehlo.select"(%37, %38, %43) : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %45 = "stablehlo.abs"(%arg10) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %46 = "stablehlo.power"(%45, %arg11) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %47 = "stablehlo.constant"() <{value = dense<-5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %48 = "func.call"(%arg10, %47, %arg11) <{callee = @clip}> : (tensor<4x5xf32>, tensor<f32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %49 = "stablehlo.compare"(%arg10, %arg11) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %50 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %51 = "func.call"(%49, %arg10, %50) <{callee = @_where}> : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    "func.return"(%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %44, %46, %48, %51) : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xi1>, tensor<4x5xi1>, tensor<4x5xi1>, tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>, res_attrs = [{}], sym_name = "fmod", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<4x5xf32>, %arg9: tensor<4x5xf32>):
    %21 = "stablehlo.remainder"(%arg8, %arg9) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%21) : (tensor<4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>, res_attrs = [{}], sym_name = "remainder", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<4x5xf32>, %arg7: tensor<4x5xf32>):
    %7 = "stablehlo.remainder"(%arg6, %arg7) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %8 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %10 = "stablehlo.compare"(%7, %9) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %11 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %13 = "stablehlo.compare"(%7, %12) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %14 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %16 = "stablehlo.compare"(%arg7, %15) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %17 = "stablehlo.compare"(%13, %16) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4x5xi1>, tensor<4x5xi1>) -> tensor<4x5xi1>
    %18 = "stablehlo.and"(%17, %10) : (tensor<4x5xi1>, tensor<4x5xi1>) -> tensor<4x5xi1>
    %19 = "stablehlo.add"(%7, %arg7) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %20 = "stablehlo.select"(%18, %19, %7) : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%20) : (tensor<4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x5xf32>, tensor<f32>, tensor<4x5xf32>) -> tensor<4x5xf32>, res_attrs = [{}], sym_name = "clip", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<4x5xf32>, %arg4: tensor<f32>, %arg5: tensor<4x5xf32>):
    %3 = "stablehlo.convert"(%arg4) : (tensor<f32>) -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %5 = "stablehlo.maximum"(%4, %arg3) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %6 = "stablehlo.minimum"(%arg5, %5) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%6) : (tensor<4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x5xi1>, tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x5xi1>, %arg1: tensor<4x5xf32>, %arg2: tensor<f32>):
    %0 = "stablehlo.convert"(%arg2) : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %2 = "stablehlo.select"(%arg0, %arg1, %1) : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%2) : (tensor<4x5xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
