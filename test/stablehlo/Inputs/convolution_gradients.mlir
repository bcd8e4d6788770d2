// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_convolution_gradients"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2x7x9x4xf32>, tensor<3x3x4x6xf32>, tensor<3x3x2x6xf32>) -> (tensor<2x7x9x4xf32>, tensor<3x3x4x6xf32>, tensor<2x7x9x4xf32>, tensor<3x3x4x6xf32>, tensor<2x7x9x4xf32>, tensor<3x3x2x6xf32>), res_attrs = [{jax.result_info = "result[0][0]"}, {jax.result_info = "result[0][1]"}, {jax.result_info = "result[1][0]"}, {jax.result_info = "result[1][1]"}, {jax.result_info = "result[2][0]"}, {jax.result_info = "result[2][1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x7x9x4xf32>, %arg1: tensor<3x3x4x6xf32>, %arg2: tensor<3x3x2x6xf32>):
    %0 = "stablehlo.convolution"(%arg0, %arg1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x7x9x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x9x6xf32>
    %1 = "stablehlo.multiply"(%0, %0) : (tensor<2x7x9x6xf32>, tensor<2x7x9x6xf32>) -> tensor<2x7x9x6xf32>
    %2 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x7x9x6xf32>
    %4 = "stablehlo.multiply"(%3, %0) : (tensor<2x7x9x6xf32>, tensor<2x7x9x6xf32>) -> tensor<2x7x9x6xf32>
    %5 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.reduce"(%1, %5) <{dimensions = array<i64: 0, 1, 2, 3>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %44 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%44) : (tensor<f32>) -> ()
    }) : (tensor<2x7x9x6xf32>, tensor<f32>) -> tensor<f32>
    %7 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x7x9x6xf32>
    %9 = "stablehlo.multiply"(%8, %4) : (tensor<2x7x9x6xf32>, tensor<2x7x9x6xf32>) -> tensor<2x7x9x6xf32>
    %10 = "stablehlo.convolution"(%arg0, %9) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x7x9x4xf32>, tensor<2x7x9x6xf32>) -> tensor<3x3x4x6xf32>
    %11 = "stablehlo.reverse"(%arg1) <{dimensions = array<i64: 0, 1>}> : (tensor<3x3x4x6xf32>) -> tensor<3x3x4x6xf32>
    %12 = "stablehlo.convolution"(%9, %11) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x7x9x6xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x9x4xf32>
    %13 = "stablehlo.convolution"(%arg0, %arg1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 2, 2>}> : (tensor<2x7x9x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x4x5x6xf32>
    %14 = "stablehlo.multiply"(%13, %13) : (tensor<2x4x5x6xf32>, tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32>
    %15 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x5x6xf32>
    %17 = "stablehlo.multiply"(%16, %13) : (tensor<2x4x5x6xf32>, tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32>
    %18 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %19 = "stablehlo.reduce"(%14, %18) <{dimensions = array<i64: 0, 1, 2, 3>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %43 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%43) : (tensor<f32>) -> ()
    }) : (tensor<2x4x5x6xf32>, tensor<f32>) -> tensor<f32>
    %20 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x5x6xf32>
    %22 = "stablehlo.multiply"(%21, %17) : (tensor<2x4x5x6xf32>, tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32>
    %23 = "stablehlo.convolution"(%arg0, %22) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 2, 2>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x7x9x4xf32>, tensor<2x4x5x6xf32>) -> tensor<3x3x4x6xf32>
    %24 = "stablehlo.reverse"(%arg1) <{dimensions = array<i64: 0, 1>}> : (tensor<3x3x4x6xf32>) -> tensor<3x3x4x6xf32>
    %25 = "stablehlo.convolution"(%22, %24) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 2, 2>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x4x5x6xf32>, tensor<3x3x4x6xf32>) -> tensor<2x7x9x4xf32>
    %26 = "stablehlo.convolution"(%arg0, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x7x9x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x7x9x6xf32>
    %27 = "stablehlo.multiply"(%26, %26) : (tensor<2x7x9x6xf32>, tensor<2x7x9x6xf32>) -> tensor<2x7x9x6xf32>
    %28 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %29 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x7x9x6xf32>
    %30 = "stablehlo.multiply"(%29, %26) : (tensor<2x7x9x6xf32>, tensor<2x7x9x6xf32>) -> tensor<2x7x9x6xf32>
    %31 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %32 = "stablehlo.reduce"(%27, %31) <{dimensions = array<i64: 0, 1, 2, 3>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %42 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%42) : (tensor<f32>) -> ()
    }) : (tensor<2x7x9x6xf32>, tensor<f32>) -> tensor<f32>
    %33 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x7x9x6xf32>
    %35 = "stablehlo.multiply"(%34, %30) : (tensor<2x7x9x6xf32>, tensor<2x7x9x6xf32>) -> tensor<2x7x9x6xf32>
    %36 = "stablehlo.convolution"(%arg0, %35) <{batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x7x9x4xf32>, tensor<2x7x9x6xf32>) -> tensor<3x3x2x6xf32>
    %37 = "stablehlo.reshape"(%arg2) : (tensor<3x3x2x6xf32>) -> tensor<3x3x2x2x3xf32>
    %38 = "stablehlo.transpose"(%37) <{permutation = array<i64: 0, 1, 3, 2, 4>}> : (tensor<3x3x2x2x3xf32>) -> tensor<3x3x2x2x3xf32>
    %39 = "stablehlo.reshape"(%38) : (tensor<3x3x2x2x3xf32>) -> tensor<3x3x4x3xf32>
    %40 = "stablehlo.reverse"(%39) <{dimensions = array<i64: 0, 1>}> : (tensor<3x3x4x3xf32>) -> tensor<3x3x4x3xf32>
    %41 = "stablehlo.convolution"(%35, %40) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x7x9x6xf32>, tensor<3x3x4x3xf32>) -> tensor<2x7x9x4xf32>
    "func.return"(%12, %10, %25, %23, %41, %36) : (tensor<2x7x9x4xf32>, tensor<3x3x4x6xf32>, tensor<2x7x9x4xf32>, tensor<3x3x4x6xf32>, tensor<2x7x9x4xf32>, tensor<3x3x2x6xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
