// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_float8"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<32xf32>, tensor<32xf8E4M3FN>, tensor<16xf8E5M2>) -> (tensor<32xf8E4M3FN>, tensor<32xf8E5M2>, tensor<32xf8E4M3FNUZ>, tensor<32xf8E5M2FNUZ>, tensor<32xf32>, tensor<16xbf16>, tensor<32xf8E5M2>, tensor<32xf8E4M3FN>, tensor<32xf8E4M3FN>, tensor<16xf8E5M2>, tensor<32xf8E4M3FN>, tensor<32xi1>, tensor<32xf8E4M3FN>, tensor<19xf8E4M3FN>, tensor<20xf8E5M2>, tensor<32xf8E4M3FN>, tensor<5xf8E4M3FN>, tensor<32xf8E4M3FN>, tensor<32xi32>, tensor<16xi1>, tensor<32xui8>, tensor<4x4xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}, {jax.result_info = "result[21]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg5: tensor<32xf32>, %arg6: tensor<32xf8E4M3FN>, %arg7: tensor<16xf8E5M2>):
    %3 = "stablehlo.constant"() <{value = dense<[5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00, 5.000000e-01, 2.000000e+00]> : tensor<32xf8E4M3FN>}> : () -> tensor<32xf8E4M3FN>
    %4 = "stablehlo.convert"(%arg5) : (tensor<32xf32>) -> tensor<32xf8E4M3FN>
    %5 = "stablehlo.convert"(%arg5) : (tensor<32xf32>) -> tensor<32xf8E5M2>
    %6 = "stablehlo.convert"(%arg5) : (tensor<32xf32>) -> tensor<32xf8E4M3FNUZ>
    %7 = "stablehlo.convert"(%arg5) : (tensor<32xf32>) -> tensor<32xf8E5M2FNUZ>
    %8 = "stablehlo.convert"(%arg6) : (tensor<32xf8E4M3FN>) -> tensor<32xf32>
    %9 = "stablehlo.convert"(%arg7) : (tensor<16xf8E5M2>) -> tensor<16xbf16>
    %10 = "stablehlo.convert"(%arg6) : (tensor<32xf8E4M3FN>) -> tensor<32xf8E5M2>
    %11 = "stablehlo.add"(%arg6, %arg6) : (tensor<32xf8E4M3FN>, tensor<32xf8E4M3FN>) -> tensor<32xf8E4M3FN>
    %12 = "stablehlo.multiply"(%arg6, %arg6) : (tensor<32xf8E4M3FN>, tensor<32xf8E4M3FN>) -> tensor<32xf8E4M3FN>
    %13 = "stablehlo.negate"(%arg7) : (tensor<16xf8E5M2>) -> tensor<16xf8E5M2>
    %14 = "stablehlo.abs"(%arg6) : (tensor<32xf8E4M3FN>) -> tensor<32xf8E4M3FN>
    %15 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f8E4M3FN>}> : () -> tensor<f8E4M3FN>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f8E4M3FN>) -> tensor<32xf8E4M3FN>
    %17 = "stablehlo.compare"(%arg6, %16) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<32xf8E4M3FN>, tensor<32xf8E4M3FN>) -> tensor<32xi1>
    %18 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f8E4M3FN>}> : () -> tensor<f8E4M3FN>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<f8E4M3FN>) -> tensor<32xf8E4M3FN>
    %20 = "stablehlo.compare"(%arg6, %19) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<32xf8E4M3FN>, tensor<32xf8E4M3FN>) -> tensor<32xi1>
    %21 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f8E4M3FN>}> : () -> tensor<f8E4M3FN>
    %22 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64>}> : (tensor<f8E4M3FN>) -> tensor<32xf8E4M3FN>
    %23 = "stablehlo.multiply"(%arg6, %22) : (tensor<32xf8E4M3FN>, tensor<32xf8E4M3FN>) -> tensor<32xf8E4M3FN>
    %24 = "func.call"(%20, %arg6, %23) <{callee = @_where}> : (tensor<32xi1>, tensor<32xf8E4M3FN>, tensor<32xf8E4M3FN>) -> tensor<32xf8E4M3FN>
    %25 = "stablehlo.slice"(%arg6) <{limit_indices = array<i64: 32>, start_indices = array<i64: 0>, strides = array<i64: 2>}> : (tensor<32xf8E4M3FN>) -> tensor<16xf8E4M3FN>
    %26 = "stablehlo.slice"(%arg6) <{limit_indices = array<i64: 3>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<32xf8E4M3FN>) -> tensor<3xf8E4M3FN>
    %27 = "stablehlo.concatenate"(%25, %26) <{dimension = 0 : i64}> : (tensor<16xf8E4M3FN>, tensor<3xf8E4M3FN>) -> tensor<19xf8E4M3FN>
    %28 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %29 = "func.call"(%arg7, %28) <{callee = @_pad}> : (tensor<16xf8E5M2>, tensor<i32>) -> tensor<20xf8E5M2>
    %30 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %32 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f8E4M3FN>}> : () -> tensor<f8E4M3FN>
    %33 = "stablehlo.scatter"(%arg6, %31, %32) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg8: tensor<f8E4M3FN>, %arg9: tensor<f8E4M3FN>):
      "stablehlo.return"(%arg9) : (tensor<f8E4M3FN>) -> ()
    }) : (tensor<32xf8E4M3FN>, tensor<1xi32>, tensor<f8E4M3FN>) -> tensor<32xf8E4M3FN>
    %34 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<5xi32>
    %35 = "stablehlo.convert"(%34) : (tensor<5xi32>) -> tensor<5xf8E4M3FN>
    %36 = "stablehlo.multiply"(%arg6, %3) : (tensor<32xf8E4M3FN>, tensor<32xf8E4M3FN>) -> tensor<32xf8E4M3FN>
    %37 = "stablehlo.convert"(%arg6) : (tensor<32xf8E4M3FN>) -> tensor<32xi32>
    %38 = "stablehlo.is_finite"(%arg7) : (tensor<16xf8E5M2>) -> tensor<16xi1>
    %39 = "stablehlo.bitcast_convert"(%arg6) : (tensor<32xf8E4M3FN>) -> tensor<32xui8>
    %40 = "stablehlo.reshape"(%arg6) : (tensor<32xf8E4M3FN>) -> tensor<4x8xf8E4M3FN>
    %41 = "stablehlo.reshape"(%arg6) : (tensor<32xf8E4M3FN>) -> tensor<4x8xf8E4M3FN>
    %42 = "stablehlo.dot_general"(%40, %41) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8xf8E4M3FN>, tensor<4x8xf8E4M3FN>) -> tensor<4x4xf32>
    "func.return"(%4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %17, %24, %27, %29, %33, %35, %36, %37, %38, %39, %42) : (tensor<32xf8E4M3FN>, tensor<32xf8E5M2>, tensor<32xf8E4M3FNUZ>, tensor<32xf8E5M2FNUZ>, tensor<32xf32>, tensor<16xbf16>, tensor<32xf8E5M2>, tensor<32xf8E4M3FN>, tensor<32xf8E4M3FN>, tensor<16xf8E5M2>, tensor<32xf8E4M3FN>, tensor<32xi1>, tensor<32xf8E4M3FN>, tensor<19xf8E4M3FN>, tensor<20xf8E5M2>, tensor<32xf8E4M3FN>, tensor<5xf8E4M3FN>, tensor<32xf8E4M3FN>, tensor<32xi32>, tensor<16xi1>, tensor<32xui8>, tensor<4x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<32xi1>, tensor<32xf8E4M3FN>, tensor<32xf8E4M3FN>) -> tensor<32xf8E4M3FN>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<32xi1>, %arg3: tensor<32xf8E4M3FN>, %arg4: tensor<32xf8E4M3FN>):
    %2 = "stablehlo.select"(%arg2, %arg3, %arg4) : (tensor<32xi1>, tensor<32xf8E4M3FN>, tensor<32xf8E4M3FN>) -> tensor<32xf8E4M3FN>
    "func.return"(%2) : (tensor<32xf8E4M3FN>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<16xf8E5M2>, tensor<i32>) -> tensor<20xf8E5M2>, res_attrs = [{}], sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16xf8E5M2>, %arg1: tensor<i32>):
    %0 = "stablehlo.convert"(%arg1) : (tensor<i32>) -> tensor<f8E5M2>
    %1 = "stablehlo.pad"(%arg0, %0) <{edge_padding_high = array<i64: 2>, edge_padding_low = array<i64: 2>, interior_padding = array<i64: 0>}> : (tensor<16xf8E5M2>, tensor<f8E5M2>) -> tensor<20xf8E5M2>
    "func.return"(%1) : (tensor<20xf8E5M2>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
