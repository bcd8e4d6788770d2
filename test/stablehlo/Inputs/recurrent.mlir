// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_recurrent"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<6x8xf32>, tensor<8x8xf32>, tensor<9x3x6xf32>) -> (tensor<3x8xf32>, tensor<9xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg11: tensor<6x8xf32>, %arg12: tensor<8x8xf32>, %arg13: tensor<9x3x6xf32>):
    %13 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x8xf32>
    %15 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<9xf32>
    %17 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %18:6 = "stablehlo.while"(%arg13, %arg11, %arg12, %17, %14, %16) ({
    ^bb0(%arg20: tensor<9x3x6xf32>, %arg21: tensor<6x8xf32>, %arg22: tensor<8x8xf32>, %arg23: tensor<i32>, %arg24: tensor<3x8xf32>, %arg25: tensor<9xf32>):
      %24 = "stablehlo.constant"() <{value = dense<9> : tensor<i32>}> : () -> tensor<i32>
      %25 = "stablehlo.compare"(%arg23, %24) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%25) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg14: tensor<9x3x6xf32>, %arg15: tensor<6x8xf32>, %arg16: tensor<8x8xf32>, %arg17: tensor<i32>, %arg18: tensor<3x8xf32>, %arg19: tensor<9xf32>):
      %19 = "func.call"(%arg14, %arg17) <{callee = @dynamic_index_in_dim}> : (tensor<9x3x6xf32>, tensor<i32>) -> tensor<3x6xf32>
      %20:2 = "func.call"(%arg15, %arg16, %arg18, %19) <{callee = @closed_call}> : (tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>, tensor<3x6xf32>) -> (tensor<3x8xf32>, tensor<f32>)
      %21 = "func.call"(%arg19, %20#1, %arg17) <{callee = @dynamic_update_index_in_dim}> : (tensor<9xf32>, tensor<f32>, tensor<i32>) -> tensor<9xf32>
      %22 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %23 = "stablehlo.add"(%arg17, %22) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg14, %arg15, %arg16, %23, %20#0, %21) : (tensor<9x3x6xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<3x8xf32>, tensor<9xf32>) -> ()
    }) : (tensor<9x3x6xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<3x8xf32>, tensor<9xf32>) -> (tensor<9x3x6xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<3x8xf32>, tensor<9xf32>)
    "func.return"(%18#4, %18#5) : (tensor<3x8xf32>, tensor<9xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<9x3x6xf32>, tensor<i32>) -> tensor<3x6xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<9x3x6xf32>, %arg10: tensor<i32>):
    %9 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %10 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %11 = "stablehlo.dynamic_slice"(%arg9, %arg10, %9, %10) <{slice_sizes = array<i64: 1, 3, 6>}> : (tensor<9x3x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x6xf32>
    %12 = "stablehlo.reshape"(%11) : (tensor<1x3x6xf32>) -> tensor<3x6xf32>
    "func.return"(%12) : (tensor<3x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>, tensor<3x6xf32>) -> (tensor<3x8xf32>, tensor<f32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<6x8xf32>, %arg4: tensor<8x8xf32>, %arg5: tensor<3x8xf32>, %arg6: tensor<3x6xf32>):
    %2 = "stablehlo.dot_general"(%arg6, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x6xf32>, tensor<6x8xf32>) -> tensor<3x8xf32>
    %3 = "stablehlo.dot_general"(%arg5, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
    %4 = "stablehlo.add"(%2, %3) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %5 = "stablehlo.tanh"(%4) : (tensor<3x8xf32>) -> tensor<3x8xf32>
    %6 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%5, %6) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %8 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%8) : (tensor<f32>) -> ()
    }) : (tensor<3x8xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%5, %7) : (tensor<3x8xf32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<9xf32>, tensor<f32>, tensor<i32>) -> tensor<9xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<9xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %1 = "stablehlo.dynamic_update_slice"(%arg0, %0, %arg2) : (tensor<9xf32>, tensor<1xf32>, tensor<i32>) -> tensor<9xf32>
    "func.return"(%1) : (tensor<9xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
