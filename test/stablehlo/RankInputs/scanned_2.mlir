// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x6xf32>, tensor<3x6x6xf32>) -> (tensor<8x6xf32>, tensor<3xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg11: tensor<8x6xf32>, %arg12: tensor<3x6x6xf32>):
    %12 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3xf32>
    %14 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %15:4 = "stablehlo.while"(%arg12, %14, %arg11, %13) ({
    ^bb0(%arg17: tensor<3x6x6xf32>, %arg18: tensor<i32>, %arg19: tensor<8x6xf32>, %arg20: tensor<3xf32>):
      %21 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %22 = "stablehlo.compare"(%arg18, %21) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%22) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg13: tensor<3x6x6xf32>, %arg14: tensor<i32>, %arg15: tensor<8x6xf32>, %arg16: tensor<3xf32>):
      %16 = "func.call"(%arg13, %arg14) <{callee = @dynamic_index_in_dim}> : (tensor<3x6x6xf32>, tensor<i32>) -> tensor<6x6xf32>
      %17:2 = "func.call"(%arg15, %16) <{callee = @closed_call}> : (tensor<8x6xf32>, tensor<6x6xf32>) -> (tensor<8x6xf32>, tensor<f32>)
      %18 = "func.call"(%arg16, %17#1, %arg14) <{callee = @dynamic_update_index_in_dim}> : (tensor<3xf32>, tensor<f32>, tensor<i32>) -> tensor<3xf32>
      %19 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %20 = "stablehlo.add"(%arg14, %19) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg13, %20, %17#0, %18) : (tensor<3x6x6xf32>, tensor<i32>, tensor<8x6xf32>, tensor<3xf32>) -> ()
    }) : (tensor<3x6x6xf32>, tensor<i32>, tensor<8x6xf32>, tensor<3xf32>) -> (tensor<3x6x6xf32>, tensor<i32>, tensor<8x6xf32>, tensor<3xf32>)
    "func.return"(%15#2, %15#3) : (tensor<8x6xf32>, tensor<3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x6x6xf32>, tensor<i32>) -> tensor<6x6xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<3x6x6xf32>, %arg10: tensor<i32>):
    %8 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %10 = "stablehlo.dynamic_slice"(%arg9, %arg10, %8, %9) <{slice_sizes = array<i64: 1, 6, 6>}> : (tensor<3x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x6xf32>
    %11 = "stablehlo.reshape"(%10) : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
    "func.return"(%11) : (tensor<6x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x6xf32>, tensor<6x6xf32>) -> (tensor<8x6xf32>, tensor<f32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<8x6xf32>, %arg4: tensor<6x6xf32>):
    %2 = "sdy.manual_computation"(%arg3, %arg4) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"y"}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>}> ({
    ^bb0(%arg7: tensor<4x6xf32>, %arg8: tensor<6x6xf32>):
      %6 = "stablehlo.dot_general"(%arg7, %arg8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
      %7 = "stablehlo.tanh"(%6) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      "sdy.return"(%7) : (tensor<4x6xf32>) -> ()
    }) : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.reduce"(%arg3, %3) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %5 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%5) : (tensor<f32>) -> ()
    }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%2, %4) : (tensor<8x6xf32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<3xf32>, tensor<f32>, tensor<i32>) -> tensor<3xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %1 = "stablehlo.dynamic_update_slice"(%arg0, %0, %arg2) : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
    "func.return"(%1) : (tensor<3xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
