// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_transforms"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x4x6xf32>, tensor<3x4x6xcomplex<f32>>) -> (tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>, tensor<3x4x10xf32>, tensor<3x4x9xf32>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>, tensor<3x4x10xf32>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>, tensor<3x4x10xf32>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x10xf32>, tensor<3x4x6xf32>, tensor<7x11xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg29: tensor<3x4x6xf32>, %arg30: tensor<3x4x6xcomplex<f32>>):
    %51 = "func.call"(%arg29) <{callee = @fft}> : (tensor<3x4x6xf32>) -> tensor<3x4x6xcomplex<f32>>
    %52 = "func.call"(%arg30) <{callee = @fft_0}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    %53 = "func.call"(%arg30) <{callee = @fft_1}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    %54 = "func.call"(%arg29) <{callee = @fft_2}> : (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>
    %55 = "func.call"(%arg30) <{callee = @fft_3}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x10xf32>
    %56 = "stablehlo.slice"(%arg30) <{limit_indices = array<i64: 3, 4, 5>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x5xcomplex<f32>>
    %57 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %58 = "func.call"(%56, %57) <{callee = @_pad}> : (tensor<3x4x5xcomplex<f32>>, tensor<i32>) -> tensor<3x4x5xcomplex<f32>>
    %59 = "func.call"(%58) <{callee = @fft_4}> : (tensor<3x4x5xcomplex<f32>>) -> tensor<3x4x9xf32>
    %60 = "func.call"(%arg30) <{callee = @fft_5}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    %61 = "func.call"(%arg30) <{callee = @fft_6}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    %62 = "func.call"(%arg29) <{callee = @fft_7}> : (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>
    %63 = "func.call"(%arg30) <{callee = @fft_8}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x10xf32>
    %64 = "func.call"(%arg30) <{callee = @fft_9}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    %65 = "func.call"(%arg29) <{callee = @fft_10}> : (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>
    %66 = "func.call"(%arg30) <{callee = @fft_11}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x10xf32>
    %67 = "stablehlo.transpose"(%arg29) <{permutation = array<i64: 1, 2, 0>}> : (tensor<3x4x6xf32>) -> tensor<4x6x3xf32>
    %68 = "func.call"(%67) <{callee = @fft_12}> : (tensor<4x6x3xf32>) -> tensor<4x6x3xcomplex<f32>>
    %69 = "stablehlo.transpose"(%68) <{permutation = array<i64: 2, 0, 1>}> : (tensor<4x6x3xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    %70 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %71 = "func.call"(%arg29, %70) <{callee = @_pad_13}> : (tensor<3x4x6xf32>, tensor<i32>) -> tensor<3x4x10xf32>
    %72 = "func.call"(%71) <{callee = @fft_14}> : (tensor<3x4x10xf32>) -> tensor<3x4x6xcomplex<f32>>
    %73 = "stablehlo.real"(%arg30) : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xf32>
    %74 = "stablehlo.imag"(%arg30) : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xf32>
    %75 = "stablehlo.negate"(%74) : (tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
    %76 = "stablehlo.complex"(%73, %75) : (tensor<3x4x6xf32>, tensor<3x4x6xf32>) -> tensor<3x4x6xcomplex<f32>>
    %77 = "func.call"(%76) <{callee = @fft_3}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x10xf32>
    %78 = "stablehlo.constant"() <{value = dense<1.000000e+01> : tensor<f32>}> : () -> tensor<f32>
    %79 = "stablehlo.broadcast_in_dim"(%78) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x4x10xf32>
    %80 = "stablehlo.multiply"(%77, %79) : (tensor<3x4x10xf32>, tensor<3x4x10xf32>) -> tensor<3x4x10xf32>
    %81 = "func.call"(%arg29) <{callee = @fft_15}> : (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>
    %82 = "stablehlo.abs"(%81) : (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x4xf32>
    %83 = "stablehlo.real"(%81) : (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x4xf32>
    %84 = "stablehlo.imag"(%81) : (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x4xf32>
    %85 = "stablehlo.negate"(%84) : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
    %86 = "stablehlo.complex"(%83, %85) : (tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xcomplex<f32>>
    %87 = "stablehlo.convert"(%82) : (tensor<3x4x4xf32>) -> tensor<3x4x4xcomplex<f32>>
    %88 = "stablehlo.constant"() <{value = dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %89 = "stablehlo.broadcast_in_dim"(%88) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<3x4x4xcomplex<f32>>
    %90 = "stablehlo.compare"(%87, %89) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<3x4x4xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x4xi1>
    %91 = "stablehlo.constant"() <{value = dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %92 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<3x4x4xcomplex<f32>>
    %93 = "stablehlo.select"(%90, %92, %87) : (tensor<3x4x4xi1>, tensor<3x4x4xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x4xcomplex<f32>>
    %94 = "stablehlo.divide"(%86, %93) : (tensor<3x4x4xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x4xcomplex<f32>>
    %95 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %96 = "stablehlo.reduce"(%82, %95) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg31: tensor<f32>, %arg32: tensor<f32>):
      %121 = "stablehlo.add"(%arg31, %arg32) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%121) : (tensor<f32>) -> ()
    }) : (tensor<3x4x4xf32>, tensor<f32>) -> tensor<f32>
    %97 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %98 = "stablehlo.broadcast_in_dim"(%97) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x4x4xf32>
    %99 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %100 = "stablehlo.broadcast_in_dim"(%99) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x4x4xf32>
    %101 = "stablehlo.complex"(%98, %100) : (tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xcomplex<f32>>
    %102 = "stablehlo.multiply"(%101, %94) : (tensor<3x4x4xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x4xcomplex<f32>>
    %103 = "func.call"(%102) <{callee = @fft_16}> : (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x6xf32>
    %104 = "stablehlo.slice"(%arg29) <{limit_indices = array<i64: 1, 4, 6>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<3x4x6xf32>) -> tensor<1x4x6xf32>
    %105 = "stablehlo.reshape"(%104) : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
    %106 = "stablehlo.slice"(%arg29) <{limit_indices = array<i64: 2, 4, 6>, start_indices = array<i64: 1, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<3x4x6xf32>) -> tensor<1x4x6xf32>
    %107 = "stablehlo.reshape"(%106) : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
    %108 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %109 = "func.call"(%105, %108) <{callee = @_pad_18}> : (tensor<4x6xf32>, tensor<i32>) -> tensor<7x11xf32>
    %110 = "func.call"(%109) <{callee = @fft_19}> : (tensor<7x11xf32>) -> tensor<7x6xcomplex<f32>>
    %111 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %112 = "func.call"(%107, %111) <{callee = @_pad_18}> : (tensor<4x6xf32>, tensor<i32>) -> tensor<7x11xf32>
    %113 = "func.call"(%112) <{callee = @fft_19}> : (tensor<7x11xf32>) -> tensor<7x6xcomplex<f32>>
    %114 = "stablehlo.multiply"(%110, %113) : (tensor<7x6xcomplex<f32>>, tensor<7x6xcomplex<f32>>) -> tensor<7x6xcomplex<f32>>
    %115 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %116 = "func.call"(%114, %115) <{callee = @_pad_20}> : (tensor<7x6xcomplex<f32>>, tensor<i32>) -> tensor<7x6xcomplex<f32>>
    %117 = "func.call"(%116) <{callee = @fft_21}> : (tensor<7x6xcomplex<f32>>) -> tensor<7x11xf32>
    %118 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %119 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %120 = "stablehlo.dynamic_slice"(%117, %118, %119) <{slice_sizes = array<i64: 7, 11>}> : (tensor<7x11xf32>, tensor<i32>, tensor<i32>) -> tensor<7x11xf32>
    "func.return"(%51, %52, %53, %54, %55, %59, %60, %61, %62, %63, %64, %65, %66, %69, %72, %80, %103, %120) : (tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>, tensor<3x4x10xf32>, tensor<3x4x9xf32>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>, tensor<3x4x10xf32>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>, tensor<3x4x10xf32>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x10xf32>, tensor<3x4x6xf32>, tensor<7x11xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xf32>) -> tensor<3x4x6xcomplex<f32>>, res_attrs = [{}], sym_name = "fft", sym_visibility = "private"}> ({
  ^bb0(%arg28: tensor<3x4x6xf32>):
    %49 = "stablehlo.convert"(%arg28) : (tensor<3x4x6xf32>) -> tensor<3x4x6xcomplex<f32>>
    %50 = "stablehlo.fft"(%49) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    "func.return"(%50) : (tensor<3x4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_0", sym_visibility = "private"}> ({
  ^bb0(%arg27: tensor<3x4x6xcomplex<f32>>):
    %48 = "stablehlo.fft"(%arg27) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    "func.return"(%48) : (tensor<3x4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_1", sym_visibility = "private"}> ({
  ^bb0(%arg26: tensor<3x4x6xcomplex<f32>>):
    %47 = "stablehlo.fft"(%arg26) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type IFFT>}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    "func.return"(%47) : (tensor<3x4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_2", sym_visibility = "private"}> ({
  ^bb0(%arg25: tensor<3x4x6xf32>):
    %46 = "stablehlo.fft"(%arg25) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>
    "func.return"(%46) : (tensor<3x4x4xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x10xf32>, res_attrs = [{}], sym_name = "fft_3", sym_visibility = "private"}> ({
  ^bb0(%arg24: tensor<3x4x6xcomplex<f32>>):
    %45 = "stablehlo.fft"(%arg24) <{fft_length = array<i64: 10>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x10xf32>
    "func.return"(%45) : (tensor<3x4x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x4x5xcomplex<f32>>, tensor<i32>) -> tensor<3x4x5xcomplex<f32>>, res_attrs = [{}], sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg22: tensor<3x4x5xcomplex<f32>>, %arg23: tensor<i32>):
    %43 = "stablehlo.convert"(%arg23) : (tensor<i32>) -> tensor<complex<f32>>
    %44 = "stablehlo.pad"(%arg22, %43) <{edge_padding_high = array<i64: 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 0>, interior_padding = array<i64: 0, 0, 0>}> : (tensor<3x4x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3x4x5xcomplex<f32>>
    "func.return"(%44) : (tensor<3x4x5xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x5xcomplex<f32>>) -> tensor<3x4x9xf32>, res_attrs = [{}], sym_name = "fft_4", sym_visibility = "private"}> ({
  ^bb0(%arg21: tensor<3x4x5xcomplex<f32>>):
    %42 = "stablehlo.fft"(%arg21) <{fft_length = array<i64: 9>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<3x4x5xcomplex<f32>>) -> tensor<3x4x9xf32>
    "func.return"(%42) : (tensor<3x4x9xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_5", sym_visibility = "private"}> ({
  ^bb0(%arg20: tensor<3x4x6xcomplex<f32>>):
    %41 = "stablehlo.fft"(%arg20) <{fft_length = array<i64: 4, 6>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    "func.return"(%41) : (tensor<3x4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_6", sym_visibility = "private"}> ({
  ^bb0(%arg19: tensor<3x4x6xcomplex<f32>>):
    %40 = "stablehlo.fft"(%arg19) <{fft_length = array<i64: 4, 6>, fft_type = #stablehlo<fft_type IFFT>}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    "func.return"(%40) : (tensor<3x4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_7", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<3x4x6xf32>):
    %39 = "stablehlo.fft"(%arg18) <{fft_length = array<i64: 4, 6>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>
    "func.return"(%39) : (tensor<3x4x4xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x10xf32>, res_attrs = [{}], sym_name = "fft_8", sym_visibility = "private"}> ({
  ^bb0(%arg17: tensor<3x4x6xcomplex<f32>>):
    %38 = "stablehlo.fft"(%arg17) <{fft_length = array<i64: 4, 10>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x10xf32>
    "func.return"(%38) : (tensor<3x4x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_9", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<3x4x6xcomplex<f32>>):
    %37 = "stablehlo.fft"(%arg16) <{fft_length = array<i64: 3, 4, 6>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    "func.return"(%37) : (tensor<3x4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_10", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<3x4x6xf32>):
    %36 = "stablehlo.fft"(%arg15) <{fft_length = array<i64: 3, 4, 6>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>
    "func.return"(%36) : (tensor<3x4x4xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x10xf32>, res_attrs = [{}], sym_name = "fft_11", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<3x4x6xcomplex<f32>>):
    %35 = "stablehlo.fft"(%arg14) <{fft_length = array<i64: 3, 4, 10>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x10xf32>
    "func.return"(%35) : (tensor<3x4x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x6x3xf32>) -> tensor<4x6x3xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_12", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<4x6x3xf32>):
    %33 = "stablehlo.convert"(%arg13) : (tensor<4x6x3xf32>) -> tensor<4x6x3xcomplex<f32>>
    %34 = "stablehlo.fft"(%33) <{fft_length = array<i64: 3>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<4x6x3xcomplex<f32>>) -> tensor<4x6x3xcomplex<f32>>
    "func.return"(%34) : (tensor<4x6x3xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x4x6xf32>, tensor<i32>) -> tensor<3x4x10xf32>, res_attrs = [{}], sym_name = "_pad_13", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<3x4x6xf32>, %arg12: tensor<i32>):
    %31 = "stablehlo.convert"(%arg12) : (tensor<i32>) -> tensor<f32>
    %32 = "stablehlo.pad"(%arg11, %31) <{edge_padding_high = array<i64: 0, 0, 4>, edge_padding_low = array<i64: 0, 0, 0>, interior_padding = array<i64: 0, 0, 0>}> : (tensor<3x4x6xf32>, tensor<f32>) -> tensor<3x4x10xf32>
    "func.return"(%32) : (tensor<3x4x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x10xf32>) -> tensor<3x4x6xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_14", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<3x4x10xf32>):
    %30 = "stablehlo.fft"(%arg10) <{fft_length = array<i64: 10>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<3x4x10xf32>) -> tensor<3x4x6xcomplex<f32>>
    "func.return"(%30) : (tensor<3x4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_15", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<3x4x6xf32>):
    %29 = "stablehlo.fft"(%arg9) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>
    "func.return"(%29) : (tensor<3x4x4xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x6xf32>, res_attrs = [{}], sym_name = "fft_16", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<3x4x4xcomplex<f32>>):
    %28 = "func.call"(%arg8) <{callee = @_rfft_transpose}> : (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x6xf32>
    "func.return"(%28) : (tensor<3x4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x6xf32>, res_attrs = [{}], sym_name = "_rfft_transpose", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<3x4x4xcomplex<f32>>):
    %7 = "stablehlo.constant"() <{value = dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %9 = "stablehlo.constant"() <{value = dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %11 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %12 = "stablehlo.dynamic_update_slice"(%8, %10, %11) : (tensor<4xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i32>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.constant"() <{value = dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %15 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %16 = "stablehlo.dynamic_update_slice"(%12, %14, %15) : (tensor<4xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i32>) -> tensor<4xcomplex<f32>>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64: 2>}> : (tensor<4xcomplex<f32>>) -> tensor<1x1x4xcomplex<f32>>
    %18 = "stablehlo.real"(%arg7) : (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x4xf32>
    %19 = "stablehlo.imag"(%arg7) : (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x4xf32>
    %20 = "stablehlo.negate"(%19) : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
    %21 = "stablehlo.complex"(%18, %20) : (tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xcomplex<f32>>
    %22 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x4xcomplex<f32>>) -> tensor<3x4x4xcomplex<f32>>
    %23 = "stablehlo.divide"(%21, %22) : (tensor<3x4x4xcomplex<f32>>, tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x4xcomplex<f32>>
    %24 = "func.call"(%23) <{callee = @fft_17}> : (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x6xf32>
    %25 = "stablehlo.constant"() <{value = dense<6.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %26 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x4x6xf32>
    %27 = "stablehlo.multiply"(%26, %24) : (tensor<3x4x6xf32>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
    "func.return"(%27) : (tensor<3x4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x6xf32>, res_attrs = [{}], sym_name = "fft_17", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<3x4x4xcomplex<f32>>):
    %6 = "stablehlo.fft"(%arg6) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x6xf32>
    "func.return"(%6) : (tensor<3x4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x6xf32>, tensor<i32>) -> tensor<7x11xf32>, res_attrs = [{}], sym_name = "_pad_18", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<4x6xf32>, %arg5: tensor<i32>):
    %4 = "stablehlo.convert"(%arg5) : (tensor<i32>) -> tensor<f32>
    %5 = "stablehlo.pad"(%arg4, %4) <{edge_padding_high = array<i64: 3, 5>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<4x6xf32>, tensor<f32>) -> tensor<7x11xf32>
    "func.return"(%5) : (tensor<7x11xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<7x11xf32>) -> tensor<7x6xcomplex<f32>>, res_attrs = [{}], sym_name = "fft_19", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<7x11xf32>):
    %3 = "stablehlo.fft"(%arg3) <{fft_length = array<i64: 7, 11>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<7x11xf32>) -> tensor<7x6xcomplex<f32>>
    "func.return"(%3) : (tensor<7x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<7x6xcomplex<f32>>, tensor<i32>) -> tensor<7x6xcomplex<f32>>, res_attrs = [{}], sym_name = "_pad_20", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<7x6xcomplex<f32>>, %arg2: tensor<i32>):
    %1 = "stablehlo.convert"(%arg2) : (tensor<i32>) -> tensor<complex<f32>>
    %2 = "stablehlo.pad"(%arg1, %1) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<7x6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<7x6xcomplex<f32>>
    "func.return"(%2) : (tensor<7x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<7x6xcomplex<f32>>) -> tensor<7x11xf32>, res_attrs = [{}], sym_name = "fft_21", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<7x6xcomplex<f32>>):
    %0 = "stablehlo.fft"(%arg0) <{fft_length = array<i64: 7, 11>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<7x6xcomplex<f32>>) -> tensor<7x11xf32>
    "func.return"(%0) : (tensor<7x11xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
