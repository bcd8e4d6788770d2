// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_half"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x6xbf16>, tensor<6x6xbf16>) -> (tensor<4x6xbf16>, tensor<4x6xbf16>, tensor<4xbf16>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<4x6xbf16>, %arg2: tensor<6x6xbf16>):
    %3 = "stablehlo.dot_general"(%arg1, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x6xbf16>, tensor<6x6xbf16>) -> tensor<4x6xbf16>
    %4 = "func.call"(%3) <{callee = @relu}> : (tensor<4x6xbf16>) -> tensor<4x6xbf16>
    %5 = "stablehlo.slice"(%arg1) <{limit_indices = array<i64: 4, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x6xbf16>) -> tensor<4x1xbf16>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xbf16>) -> tensor<4x6xbf16>
    %7 = "stablehlo.add"(%4, %6) : (tensor<4x6xbf16>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
    %8 = "stablehlo.constant"() <{value = dense<0xFF80> : tensor<bf16>}> : () -> tensor<bf16>
    %9 = "stablehlo.reduce"(%arg1, %8) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg7: tensor<bf16>, %arg8: tensor<bf16>):
      %33 = "stablehlo.maximum"(%arg7, %arg8) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%33) : (tensor<bf16>) -> ()
    }) : (tensor<4x6xbf16>, tensor<bf16>) -> tensor<4xbf16>
    %10 = "stablehlo.constant"() <{value = dense<0xFF80> : tensor<bf16>}> : () -> tensor<bf16>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<4xbf16>
    %12 = "stablehlo.maximum"(%11, %9) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xbf16>) -> tensor<4x1xbf16>
    %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xbf16>) -> tensor<4x6xbf16>
    %15 = "stablehlo.subtract"(%arg1, %14) : (tensor<4x6xbf16>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
    %16 = "stablehlo.exponential"(%15) : (tensor<4x6xbf16>) -> tensor<4x6xbf16>
    %17 = "stablehlo.convert"(%16) : (tensor<4x6xbf16>) -> tensor<4x6xf32>
    %18 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %19 = "stablehlo.reduce"(%17, %18) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %32 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%32) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %20 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x1xf32>
    %21 = "stablehlo.convert"(%20) : (tensor<4x1xf32>) -> tensor<4x1xbf16>
    %22 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xbf16>) -> tensor<4x6xbf16>
    %23 = "stablehlo.divide"(%16, %22) : (tensor<4x6xbf16>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
    %24 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<4x6xbf16>
    %26 = "stablehlo.multiply"(%arg1, %25) : (tensor<4x6xbf16>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
    %27 = "stablehlo.convert"(%26) : (tensor<4x6xbf16>) -> tensor<4x6xf32>
    %28 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %29 = "stablehlo.reduce"(%27, %28) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %31 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %30 = "stablehlo.convert"(%29) : (tensor<4xf32>) -> tensor<4xbf16>
    "func.return"(%7, %23, %30) : (tensor<4x6xbf16>, tensor<4x6xbf16>, tensor<4xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x6xbf16>) -> tensor<4x6xbf16>, res_attrs = [{}], sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x6xbf16>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<4x6xbf16>
    %2 = "stablehlo.maximum"(%arg0, %1) : (tensor<4x6xbf16>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
    "func.return"(%2) : (tensor<4x6xbf16>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
