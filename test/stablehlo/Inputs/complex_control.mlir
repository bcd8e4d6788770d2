// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_complex_control"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x6xcomplex<f32>>, tensor<i32>) -> (tensor<6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<6xcomplex<f32>>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5][0]"}, {jax.result_info = "result[5][1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg11: tensor<4x6xcomplex<f32>>, %arg12: tensor<i32>):
    %22 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 1, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %23 = "stablehlo.reshape"(%22) : (tensor<1x6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %24 = "stablehlo.constant"() <{value = dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<4x6xcomplex<f32>>
    %26 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %27:4 = "stablehlo.while"(%arg11, %26, %23, %25) ({
    ^bb0(%arg27: tensor<4x6xcomplex<f32>>, %arg28: tensor<i32>, %arg29: tensor<6xcomplex<f32>>, %arg30: tensor<4x6xcomplex<f32>>):
      %63 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
      %64 = "stablehlo.compare"(%arg28, %63) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%64) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg23: tensor<4x6xcomplex<f32>>, %arg24: tensor<i32>, %arg25: tensor<6xcomplex<f32>>, %arg26: tensor<4x6xcomplex<f32>>):
      %58 = "func.call"(%arg23, %arg24) <{callee = @dynamic_index_in_dim}> : (tensor<4x6xcomplex<f32>>, tensor<i32>) -> tensor<6xcomplex<f32>>
      %59:2 = "func.call"(%arg25, %58) <{callee = @closed_call}> : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>)
      %60 = "func.call"(%arg26, %59#1, %arg24) <{callee = @dynamic_update_index_in_dim}> : (tensor<4x6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<i32>) -> tensor<4x6xcomplex<f32>>
      %61 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %62 = "stablehlo.add"(%arg24, %61) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg23, %62, %59#0, %60) : (tensor<4x6xcomplex<f32>>, tensor<i32>, tensor<6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> ()
    }) : (tensor<4x6xcomplex<f32>>, tensor<i32>, tensor<6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> (tensor<4x6xcomplex<f32>>, tensor<i32>, tensor<6xcomplex<f32>>, tensor<4x6xcomplex<f32>>)
    %28 = "stablehlo.while"(%arg11) ({
    ^bb0(%arg20: tensor<4x6xcomplex<f32>>):
      %52 = "stablehlo.abs"(%arg20) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
      %53 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %54 = "stablehlo.reduce"(%52, %53) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%arg21: tensor<f32>, %arg22: tensor<f32>):
        %57 = "stablehlo.add"(%arg21, %arg22) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%57) : (tensor<f32>) -> ()
      }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
      %55 = "stablehlo.constant"() <{value = dense<1.000000e+03> : tensor<f32>}> : () -> tensor<f32>
      %56 = "stablehlo.compare"(%54, %55) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%56) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg19: tensor<4x6xcomplex<f32>>):
      %49 = "stablehlo.constant"() <{value = dense<(1.000000e+00,1.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
      %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<4x6xcomplex<f32>>
      %51 = "stablehlo.multiply"(%arg19, %50) : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
      "stablehlo.return"(%51) : (tensor<4x6xcomplex<f32>>) -> ()
    }) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %29 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %30 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %31:3 = "stablehlo.while"(%30, %29, %arg11) ({
    ^bb0(%arg16: tensor<i32>, %arg17: tensor<i32>, %arg18: tensor<4x6xcomplex<f32>>):
      %47 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %48 = "stablehlo.compare"(%arg16, %47) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%48) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg13: tensor<i32>, %arg14: tensor<i32>, %arg15: tensor<4x6xcomplex<f32>>):
      %44:2 = "func.call"(%arg14, %arg15) <{callee = @closed_call_0}> : (tensor<i32>, tensor<4x6xcomplex<f32>>) -> (tensor<i32>, tensor<4x6xcomplex<f32>>)
      %45 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %46 = "stablehlo.add"(%arg13, %45) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%46, %44#0, %44#1) : (tensor<i32>, tensor<i32>, tensor<4x6xcomplex<f32>>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<4x6xcomplex<f32>>) -> (tensor<i32>, tensor<i32>, tensor<4x6xcomplex<f32>>)
    %32 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %33 = "stablehlo.compare"(%arg12, %32) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %34 = "stablehlo.convert"(%33) : (tensor<i1>) -> tensor<i32>
    %35 = "stablehlo.case"(%34) ({
      %43 = "stablehlo.negate"(%arg11) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
      "stablehlo.return"(%43) : (tensor<4x6xcomplex<f32>>) -> ()
    }, {
      %39 = "stablehlo.real"(%arg11) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
      %40 = "stablehlo.imag"(%arg11) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
      %41 = "stablehlo.negate"(%40) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %42 = "stablehlo.complex"(%39, %41) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xcomplex<f32>>
      "stablehlo.return"(%42) : (tensor<4x6xcomplex<f32>>) -> ()
    }) : (tensor<i32>) -> tensor<4x6xcomplex<f32>>
    %36 = "stablehlo.slice"(%arg11) <{limit_indices = array<i64: 1, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %37 = "stablehlo.reshape"(%36) : (tensor<1x6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %38:2 = "func.call"(%arg11, %37) <{callee = @_turn}> : (tensor<4x6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> (tensor<4x6xcomplex<f32>>, tensor<6xcomplex<f32>>)
    "func.return"(%27#2, %27#3, %28, %31#2, %35, %38#0, %38#1) : (tensor<6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x6xcomplex<f32>>, tensor<i32>) -> tensor<6xcomplex<f32>>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<4x6xcomplex<f32>>, %arg10: tensor<i32>):
    %19 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %20 = "stablehlo.dynamic_slice"(%arg9, %arg10, %19) <{slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<1x6xcomplex<f32>>
    %21 = "stablehlo.reshape"(%20) : (tensor<1x6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    "func.return"(%21) : (tensor<6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<6xcomplex<f32>>, %arg8: tensor<6xcomplex<f32>>):
    %17 = "stablehlo.multiply"(%arg7, %arg8) : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %18 = "stablehlo.add"(%arg7, %arg8) : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    "func.return"(%17, %18) : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<i32>) -> tensor<4x6xcomplex<f32>>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<4x6xcomplex<f32>>, %arg5: tensor<6xcomplex<f32>>, %arg6: tensor<i32>):
    %14 = "stablehlo.broadcast_in_dim"(%arg5) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %15 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %16 = "stablehlo.dynamic_update_slice"(%arg4, %14, %arg6, %15) : (tensor<4x6xcomplex<f32>>, tensor<1x6xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<4x6xcomplex<f32>>
    "func.return"(%16) : (tensor<4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<4x6xcomplex<f32>>) -> (tensor<i32>, tensor<4x6xcomplex<f32>>), res_attrs = [{}, {}], sym_name = "closed_call_0", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<i32>, %arg3: tensor<4x6xcomplex<f32>>):
    %6 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %7 = "stablehlo.add"(%arg2, %6) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %8 = "stablehlo.constant"() <{value = dense<(0.000000e+00,5.000000e-01)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<4x6xcomplex<f32>>
    %10 = "stablehlo.multiply"(%arg3, %9) : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %11 = "stablehlo.convert"(%arg2) : (tensor<i32>) -> tensor<complex<f32>>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<4x6xcomplex<f32>>
    %13 = "stablehlo.add"(%10, %12) : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    "func.return"(%7, %13) : (tensor<i32>, tensor<4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> (tensor<4x6xcomplex<f32>>, tensor<6xcomplex<f32>>), res_attrs = [{}, {}], sym_name = "_turn", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x6xcomplex<f32>>, %arg1: tensor<6xcomplex<f32>>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %2 = "stablehlo.multiply"(%arg0, %1) : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %3 = "stablehlo.constant"() <{value = dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<6xcomplex<f32>>
    %5 = "stablehlo.multiply"(%arg1, %4) : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    "func.return"(%2, %5) : (tensor<4x6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
