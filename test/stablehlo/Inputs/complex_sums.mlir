// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_complex_sums"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> (tensor<complex<f32>>, tensor<6xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<6x6xcomplex<f32>>, tensor<11xcomplex<f32>>, tensor<f32>, tensor<f32>, tensor<4xcomplex<f32>>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg21: tensor<4x6xcomplex<f32>>, %arg22: tensor<4x6xcomplex<f32>>):
    %62 = "stablehlo.constant"() <{value = dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %63 = "stablehlo.reduce"(%arg21, %62) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg29: tensor<complex<f32>>, %arg30: tensor<complex<f32>>):
      %104 = "stablehlo.add"(%arg29, %arg30) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      "stablehlo.return"(%104) : (tensor<complex<f32>>) -> ()
    }) : (tensor<4x6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
    %64 = "stablehlo.constant"() <{value = dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %65 = "stablehlo.reduce"(%arg21, %64) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg27: tensor<complex<f32>>, %arg28: tensor<complex<f32>>):
      %103 = "stablehlo.add"(%arg27, %arg28) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      "stablehlo.return"(%103) : (tensor<complex<f32>>) -> ()
    }) : (tensor<4x6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6xcomplex<f32>>
    %66 = "stablehlo.constant"() <{value = dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %67 = "stablehlo.reduce"(%arg21, %66) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg25: tensor<complex<f32>>, %arg26: tensor<complex<f32>>):
      %102 = "stablehlo.add"(%arg25, %arg26) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      "stablehlo.return"(%102) : (tensor<complex<f32>>) -> ()
    }) : (tensor<4x6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %68 = "stablehlo.constant"() <{value = dense<(6.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %69 = "stablehlo.broadcast_in_dim"(%68) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %70 = "stablehlo.divide"(%67, %69) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %71 = "stablehlo.constant"() <{value = dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %72 = "stablehlo.reduce"(%arg21, %71) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg23: tensor<complex<f32>>, %arg24: tensor<complex<f32>>):
      %101 = "stablehlo.multiply"(%arg23, %arg24) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      "stablehlo.return"(%101) : (tensor<complex<f32>>) -> ()
    }) : (tensor<4x6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %73 = "func.call"(%arg21) <{callee = @cumsum}> : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %74 = "stablehlo.transpose"(%arg22) <{permutation = array<i64: 1, 0>}> : (tensor<4x6xcomplex<f32>>) -> tensor<6x4xcomplex<f32>>
    %75 = "stablehlo.dot_general"(%arg21, %74) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x6xcomplex<f32>>, tensor<6x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %76 = "stablehlo.real"(%arg22) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %77 = "stablehlo.imag"(%arg22) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %78 = "stablehlo.negate"(%77) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %79 = "stablehlo.complex"(%76, %78) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xcomplex<f32>>
    %80 = "stablehlo.dot_general"(%arg21, %79) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %81 = "stablehlo.slice"(%arg21) <{limit_indices = array<i64: 1, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %82 = "stablehlo.reshape"(%81) : (tensor<1x6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %83 = "stablehlo.slice"(%arg22) <{limit_indices = array<i64: 1, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %84 = "stablehlo.reshape"(%83) : (tensor<1x6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %85 = "stablehlo.broadcast_in_dim"(%82) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xcomplex<f32>>) -> tensor<6x1xcomplex<f32>>
    %86 = "stablehlo.broadcast_in_dim"(%84) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %87 = "stablehlo.broadcast_in_dim"(%85) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<6x1xcomplex<f32>>) -> tensor<6x6xcomplex<f32>>
    %88 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xcomplex<f32>>) -> tensor<6x6xcomplex<f32>>
    %89 = "stablehlo.multiply"(%87, %88) : (tensor<6x6xcomplex<f32>>, tensor<6x6xcomplex<f32>>) -> tensor<6x6xcomplex<f32>>
    %90 = "stablehlo.slice"(%arg21) <{limit_indices = array<i64: 1, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %91 = "stablehlo.reshape"(%90) : (tensor<1x6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %92 = "stablehlo.slice"(%arg22) <{limit_indices = array<i64: 2, 6>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<4x6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %93 = "stablehlo.reshape"(%92) : (tensor<1x6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %94 = "func.call"(%91, %93) <{callee = @convolve}> : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<11xcomplex<f32>>
    %95 = "func.call"(%arg21) <{callee = @norm}> : (tensor<4x6xcomplex<f32>>) -> tensor<f32>
    %96 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %97 = "func.call"(%arg21, %96) <{callee = @_var}> : (tensor<4x6xcomplex<f32>>, tensor<i32>) -> tensor<f32>
    %98 = "stablehlo.slice"(%arg22) <{limit_indices = array<i64: 1, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %99 = "stablehlo.reshape"(%98) : (tensor<1x6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %100 = "stablehlo.dot_general"(%arg21, %99) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    "func.return"(%63, %65, %70, %72, %73, %75, %80, %89, %94, %95, %97, %100) : (tensor<complex<f32>>, tensor<6xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<6x6xcomplex<f32>>, tensor<11xcomplex<f32>>, tensor<f32>, tensor<f32>, tensor<4xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>, res_attrs = [{}], sym_name = "cumsum", sym_visibility = "private"}> ({
  ^bb0(%arg20: tensor<4x6xcomplex<f32>>):
    %61 = "func.call"(%arg20) <{callee = @cumsum_0}> : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    "func.return"(%61) : (tensor<4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>, sym_name = "cumsum_0", sym_visibility = "private"}> ({
  ^bb0(%arg17: tensor<4x6xcomplex<f32>>):
    %57 = "stablehlo.constant"() <{value = dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %58 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<complex<f32>>
    %59 = "stablehlo.reduce_window"(%arg17, %58) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 6>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg18: tensor<complex<f32>>, %arg19: tensor<complex<f32>>):
      %60 = "stablehlo.add"(%arg18, %arg19) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      "stablehlo.return"(%60) : (tensor<complex<f32>>) -> ()
    }) : (tensor<4x6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4x6xcomplex<f32>>
    "func.return"(%59) : (tensor<4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<11xcomplex<f32>>, res_attrs = [{}], sym_name = "convolve", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<6xcomplex<f32>>, %arg16: tensor<6xcomplex<f32>>):
    %56 = "func.call"(%arg15, %arg16) <{callee = @_conv}> : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<11xcomplex<f32>>
    "func.return"(%56) : (tensor<11xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<11xcomplex<f32>>, res_attrs = [{}], sym_name = "_conv", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<6xcomplex<f32>>, %arg14: tensor<6xcomplex<f32>>):
    %39 = "func.call"(%arg14) <{callee = @_flip}> : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %40 = "stablehlo.broadcast_in_dim"(%arg13) <{broadcast_dimensions = array<i64: 2>}> : (tensor<6xcomplex<f32>>) -> tensor<1x1x6xcomplex<f32>>
    %41 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64: 2>}> : (tensor<6xcomplex<f32>>) -> tensor<1x1x6xcomplex<f32>>
    %42 = "stablehlo.real"(%40) : (tensor<1x1x6xcomplex<f32>>) -> tensor<1x1x6xf32>
    %43 = "stablehlo.imag"(%40) : (tensor<1x1x6xcomplex<f32>>) -> tensor<1x1x6xf32>
    %44 = "stablehlo.real"(%41) : (tensor<1x1x6xcomplex<f32>>) -> tensor<1x1x6xf32>
    %45 = "stablehlo.imag"(%41) : (tensor<1x1x6xcomplex<f32>>) -> tensor<1x1x6xf32>
    %46 = "stablehlo.add"(%42, %43) : (tensor<1x1x6xf32>, tensor<1x1x6xf32>) -> tensor<1x1x6xf32>
    %47 = "stablehlo.convolution"(%46, %44) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1>, padding = dense<5> : tensor<1x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, window_strides = array<i64: 1>}> : (tensor<1x1x6xf32>, tensor<1x1x6xf32>) -> tensor<1x1x11xf32>
    %48 = "stablehlo.subtract"(%45, %44) : (tensor<1x1x6xf32>, tensor<1x1x6xf32>) -> tensor<1x1x6xf32>
    %49 = "stablehlo.convolution"(%42, %48) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1>, padding = dense<5> : tensor<1x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, window_strides = array<i64: 1>}> : (tensor<1x1x6xf32>, tensor<1x1x6xf32>) -> tensor<1x1x11xf32>
    %50 = "stablehlo.add"(%44, %45) : (tensor<1x1x6xf32>, tensor<1x1x6xf32>) -> tensor<1x1x6xf32>
    %51 = "stablehlo.convolution"(%43, %50) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1>, padding = dense<5> : tensor<1x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, window_strides = array<i64: 1>}> : (tensor<1x1x6xf32>, tensor<1x1x6xf32>) -> tensor<1x1x11xf32>
    %52 = "stablehlo.subtract"(%47, %51) : (tensor<1x1x11xf32>, tensor<1x1x11xf32>) -> tensor<1x1x11xf32>
    %53 = "stablehlo.add"(%47, %49) : (tensor<1x1x11xf32>, tensor<1x1x11xf32>) -> tensor<1x1x11xf32>
    %54 = "stablehlo.complex"(%52, %53) : (tensor<1x1x11xf32>, tensor<1x1x11xf32>) -> tensor<1x1x11xcomplex<f32>>
    %55 = "stablehlo.reshape"(%54) : (tensor<1x1x11xcomplex<f32>>) -> tensor<11xcomplex<f32>>
    "func.return"(%55) : (tensor<11xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>, res_attrs = [{}], sym_name = "_flip", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<6xcomplex<f32>>):
    %38 = "stablehlo.reverse"(%arg12) <{dimensions = array<i64: 0>}> : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    "func.return"(%38) : (tensor<6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x6xcomplex<f32>>) -> tensor<f32>, res_attrs = [{}], sym_name = "norm", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<4x6xcomplex<f32>>):
    %28 = "stablehlo.real"(%arg9) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %29 = "stablehlo.imag"(%arg9) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %30 = "stablehlo.negate"(%29) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %31 = "stablehlo.complex"(%28, %30) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xcomplex<f32>>
    %32 = "stablehlo.multiply"(%arg9, %31) : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %33 = "stablehlo.real"(%32) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %34 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.reduce"(%33, %34) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %37 = "stablehlo.add"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%37) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %36 = "stablehlo.sqrt"(%35) : (tensor<f32>) -> tensor<f32>
    "func.return"(%36) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x6xcomplex<f32>>, tensor<i32>) -> tensor<f32>, res_attrs = [{}], sym_name = "_var", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<4x6xcomplex<f32>>, %arg4: tensor<i32>):
    %2 = "stablehlo.constant"() <{value = dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %3 = "stablehlo.reduce"(%arg3, %2) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg7: tensor<complex<f32>>, %arg8: tensor<complex<f32>>):
      %27 = "stablehlo.add"(%arg7, %arg8) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      "stablehlo.return"(%27) : (tensor<complex<f32>>) -> ()
    }) : (tensor<4x6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<1x1xcomplex<f32>>
    %5 = "stablehlo.constant"() <{value = dense<(2.400000e+01,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<1x1xcomplex<f32>>
    %7 = "stablehlo.divide"(%4, %6) : (tensor<1x1xcomplex<f32>>, tensor<1x1xcomplex<f32>>) -> tensor<1x1xcomplex<f32>>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %9 = "stablehlo.subtract"(%arg3, %8) : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %10 = "stablehlo.real"(%9) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %11 = "stablehlo.imag"(%9) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %12 = "stablehlo.negate"(%11) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %13 = "stablehlo.complex"(%10, %12) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xcomplex<f32>>
    %14 = "stablehlo.multiply"(%9, %13) : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %15 = "stablehlo.real"(%14) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %16 = "stablehlo.convert"(%arg4) : (tensor<i32>) -> tensor<f32>
    %17 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %18 = "stablehlo.subtract"(%17, %16) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %19 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %20 = "stablehlo.reduce"(%15, %19) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %26 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%26) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %21 = "stablehlo.divide"(%20, %18) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %22 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %23 = "stablehlo.compare"(%18, %22) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %24 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %25 = "func.call"(%23, %21, %24) <{callee = @_where}> : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%25) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>):
    %0 = "stablehlo.convert"(%arg2) : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.select"(%arg0, %arg1, %0) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%1) : (tensor<f32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
