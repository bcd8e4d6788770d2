// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<6x8xf32>, tensor<8x8xf32>, tensor<9x3x6xf32>) -> (tensor<f32>, tensor<6x8xf32>, tensor<8x8xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1][0]"}, {jax.result_info = "result[1][1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg24: tensor<6x8xf32>, %arg25: tensor<8x8xf32>, %arg26: tensor<9x3x6xf32>):
    %34 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x8xf32>
    %36 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<9xf32>
    %38 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %39 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<9x3x8xf32>
    %40 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<9x3x8xf32>
    %42 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %43 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<9x3x8xf32>
    %44 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %45:9 = "stablehlo.while"(%arg26, %arg24, %arg25, %44, %35, %37, %39, %41, %43) ({
    ^bb0(%arg56: tensor<9x3x6xf32>, %arg57: tensor<6x8xf32>, %arg58: tensor<8x8xf32>, %arg59: tensor<i32>, %arg60: tensor<3x8xf32>, %arg61: tensor<9xf32>, %arg62: tensor<9x3x8xf32>, %arg63: tensor<9x3x8xf32>, %arg64: tensor<9x3x8xf32>):
      %97 = "stablehlo.constant"() <{value = dense<9> : tensor<i32>}> : () -> tensor<i32>
      %98 = "stablehlo.compare"(%arg59, %97) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%98) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg47: tensor<9x3x6xf32>, %arg48: tensor<6x8xf32>, %arg49: tensor<8x8xf32>, %arg50: tensor<i32>, %arg51: tensor<3x8xf32>, %arg52: tensor<9xf32>, %arg53: tensor<9x3x8xf32>, %arg54: tensor<9x3x8xf32>, %arg55: tensor<9x3x8xf32>):
      %89 = "func.call"(%arg47, %arg50) <{callee = @dynamic_index_in_dim}> : (tensor<9x3x6xf32>, tensor<i32>) -> tensor<3x6xf32>
      %90:5 = "func.call"(%arg48, %arg49, %arg51, %89) <{callee = @closed_call}> : (tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>, tensor<3x6xf32>) -> (tensor<3x8xf32>, tensor<f32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>)
      %91 = "func.call"(%arg52, %90#1, %arg50) <{callee = @dynamic_update_index_in_dim}> : (tensor<9xf32>, tensor<f32>, tensor<i32>) -> tensor<9xf32>
      %92 = "func.call"(%arg53, %90#2, %arg50) <{callee = @dynamic_update_index_in_dim_0}> : (tensor<9x3x8xf32>, tensor<3x8xf32>, tensor<i32>) -> tensor<9x3x8xf32>
      %93 = "func.call"(%arg54, %90#3, %arg50) <{callee = @dynamic_update_index_in_dim_0}> : (tensor<9x3x8xf32>, tensor<3x8xf32>, tensor<i32>) -> tensor<9x3x8xf32>
      %94 = "func.call"(%arg55, %90#4, %arg50) <{callee = @dynamic_update_index_in_dim_0}> : (tensor<9x3x8xf32>, tensor<3x8xf32>, tensor<i32>) -> tensor<9x3x8xf32>
      %95 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %96 = "stablehlo.add"(%arg50, %95) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg47, %arg48, %arg49, %96, %90#0, %91, %92, %93, %94) : (tensor<9x3x6xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<3x8xf32>, tensor<9xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>) -> ()
    }) : (tensor<9x3x6xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<3x8xf32>, tensor<9xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>) -> (tensor<9x3x6xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<3x8xf32>, tensor<9xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>)
    %46 = "stablehlo.multiply"(%45#4, %45#4) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %47 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %48 = "stablehlo.broadcast_in_dim"(%47) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x8xf32>
    %49 = "stablehlo.multiply"(%48, %45#4) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %50 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %51 = "stablehlo.reduce"(%46, %50) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg45: tensor<f32>, %arg46: tensor<f32>):
      %88 = "stablehlo.add"(%arg45, %arg46) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%88) : (tensor<f32>) -> ()
    }) : (tensor<3x8xf32>, tensor<f32>) -> tensor<f32>
    %52 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %53 = "stablehlo.divide"(%51, %52) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %54 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %55 = "stablehlo.broadcast_in_dim"(%54) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x8xf32>
    %56 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %57 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
    %58 = "stablehlo.divide"(%56, %57) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %59 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x8xf32>
    %60 = "stablehlo.multiply"(%59, %49) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %61 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %62 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %63 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %65 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %66:9 = "stablehlo.while"(%arg26, %45#6, %45#7, %45#8, %arg25, %65, %62, %64, %60) ({
    ^bb0(%arg36: tensor<9x3x6xf32>, %arg37: tensor<9x3x8xf32>, %arg38: tensor<9x3x8xf32>, %arg39: tensor<9x3x8xf32>, %arg40: tensor<8x8xf32>, %arg41: tensor<i32>, %arg42: tensor<6x8xf32>, %arg43: tensor<8x8xf32>, %arg44: tensor<3x8xf32>):
      %86 = "stablehlo.constant"() <{value = dense<9> : tensor<i32>}> : () -> tensor<i32>
      %87 = "stablehlo.compare"(%arg41, %86) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%87) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg27: tensor<9x3x6xf32>, %arg28: tensor<9x3x8xf32>, %arg29: tensor<9x3x8xf32>, %arg30: tensor<9x3x8xf32>, %arg31: tensor<8x8xf32>, %arg32: tensor<i32>, %arg33: tensor<6x8xf32>, %arg34: tensor<8x8xf32>, %arg35: tensor<3x8xf32>):
      %75 = "stablehlo.constant"() <{value = dense<9> : tensor<i32>}> : () -> tensor<i32>
      %76 = "stablehlo.subtract"(%75, %arg32) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %77 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %78 = "stablehlo.subtract"(%76, %77) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %79 = "func.call"(%arg27, %78) <{callee = @dynamic_index_in_dim}> : (tensor<9x3x6xf32>, tensor<i32>) -> tensor<3x6xf32>
      %80 = "func.call"(%arg28, %78) <{callee = @dynamic_index_in_dim_1}> : (tensor<9x3x8xf32>, tensor<i32>) -> tensor<3x8xf32>
      %81 = "func.call"(%arg29, %78) <{callee = @dynamic_index_in_dim_1}> : (tensor<9x3x8xf32>, tensor<i32>) -> tensor<3x8xf32>
      %82 = "func.call"(%arg30, %78) <{callee = @dynamic_index_in_dim_1}> : (tensor<9x3x8xf32>, tensor<i32>) -> tensor<3x8xf32>
      %83:3 = "func.call"(%arg31, %arg33, %arg34, %arg35, %79, %80, %81, %82) <{callee = @closed_call_2}> : (tensor<8x8xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>, tensor<3x6xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) -> (tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>)
      %84 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %85 = "stablehlo.add"(%arg32, %84) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg27, %arg28, %arg29, %arg30, %arg31, %85, %83#0, %83#1, %83#2) : (tensor<9x3x6xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>) -> ()
    }) : (tensor<9x3x6xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>) -> (tensor<9x3x6xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>, tensor<9x3x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>)
    %67 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %68 = "stablehlo.broadcast_in_dim"(%67) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %69 = "stablehlo.multiply"(%68, %66#6) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %70 = "stablehlo.subtract"(%arg24, %69) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %71 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %72 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %73 = "stablehlo.multiply"(%72, %66#7) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %74 = "stablehlo.subtract"(%arg25, %73) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%53, %70, %74) : (tensor<f32>, tensor<6x8xf32>, tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<9x3x6xf32>, tensor<i32>) -> tensor<3x6xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg22: tensor<9x3x6xf32>, %arg23: tensor<i32>):
    %30 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %31 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %32 = "stablehlo.dynamic_slice"(%arg22, %arg23, %30, %31) <{slice_sizes = array<i64: 1, 3, 6>}> : (tensor<9x3x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x6xf32>
    %33 = "stablehlo.reshape"(%32) : (tensor<1x3x6xf32>) -> tensor<3x6xf32>
    "func.return"(%33) : (tensor<3x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>, tensor<3x6xf32>) -> (tensor<3x8xf32>, tensor<f32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>), res_attrs = [{}, {}, {}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<6x8xf32>, %arg17: tensor<8x8xf32>, %arg18: tensor<3x8xf32>, %arg19: tensor<3x6xf32>):
    %20 = "stablehlo.dot_general"(%arg19, %arg16) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x6xf32>, tensor<6x8xf32>) -> tensor<3x8xf32>
    %21 = "stablehlo.dot_general"(%arg18, %arg17) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
    %22 = "stablehlo.add"(%20, %21) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %23 = "stablehlo.tanh"(%22) : (tensor<3x8xf32>) -> tensor<3x8xf32>
    %24 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x8xf32>
    %26 = "stablehlo.subtract"(%25, %23) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %27 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %28 = "stablehlo.reduce"(%23, %27) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %29 = "stablehlo.add"(%arg20, %arg21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%29) : (tensor<f32>) -> ()
    }) : (tensor<3x8xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%23, %28, %arg18, %23, %26) : (tensor<3x8xf32>, tensor<f32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<9xf32>, tensor<f32>, tensor<i32>) -> tensor<9xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<9xf32>, %arg14: tensor<f32>, %arg15: tensor<i32>):
    %18 = "stablehlo.broadcast_in_dim"(%arg14) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %19 = "stablehlo.dynamic_update_slice"(%arg13, %18, %arg15) : (tensor<9xf32>, tensor<1xf32>, tensor<i32>) -> tensor<9xf32>
    "func.return"(%19) : (tensor<9xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<9x3x8xf32>, tensor<3x8xf32>, tensor<i32>) -> tensor<9x3x8xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim_0", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<9x3x8xf32>, %arg11: tensor<3x8xf32>, %arg12: tensor<i32>):
    %14 = "stablehlo.broadcast_in_dim"(%arg11) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<3x8xf32>) -> tensor<1x3x8xf32>
    %15 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %16 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %17 = "stablehlo.dynamic_update_slice"(%arg10, %14, %arg12, %15, %16) : (tensor<9x3x8xf32>, tensor<1x3x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<9x3x8xf32>
    "func.return"(%17) : (tensor<9x3x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<9x3x8xf32>, tensor<i32>) -> tensor<3x8xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_1", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<9x3x8xf32>, %arg9: tensor<i32>):
    %10 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %11 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %12 = "stablehlo.dynamic_slice"(%arg8, %arg9, %10, %11) <{slice_sizes = array<i64: 1, 3, 8>}> : (tensor<9x3x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x8xf32>
    %13 = "stablehlo.reshape"(%12) : (tensor<1x3x8xf32>) -> tensor<3x8xf32>
    "func.return"(%13) : (tensor<3x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x8xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>, tensor<3x6xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) -> (tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>), res_attrs = [{}, {}, {}], sym_name = "closed_call_2", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x8xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<8x8xf32>, %arg3: tensor<3x8xf32>, %arg4: tensor<3x6xf32>, %arg5: tensor<3x8xf32>, %arg6: tensor<3x8xf32>, %arg7: tensor<3x8xf32>):
    %0 = "stablehlo.multiply"(%arg3, %arg7) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %1 = "stablehlo.multiply"(%0, %arg6) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %2 = "stablehlo.add"(%0, %1) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %3 = "stablehlo.dot_general"(%2, %arg5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<8x8xf32>
    %4 = "stablehlo.transpose"(%3) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = "stablehlo.add"(%arg2, %4) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = "stablehlo.dot_general"(%2, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
    %7 = "stablehlo.dot_general"(%2, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x8xf32>, tensor<3x6xf32>) -> tensor<8x6xf32>
    %8 = "stablehlo.transpose"(%7) <{permutation = array<i64: 1, 0>}> : (tensor<8x6xf32>) -> tensor<6x8xf32>
    %9 = "stablehlo.add"(%arg1, %8) : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    "func.return"(%9, %5, %6) : (tensor<6x8xf32>, tensor<8x8xf32>, tensor<3x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
