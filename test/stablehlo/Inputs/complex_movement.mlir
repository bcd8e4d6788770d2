// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_complex_movement"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<i32>) -> (tensor<2x12xcomplex<f32>>, tensor<6x4xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<8x6xcomplex<f32>>, tensor<6x8xcomplex<f32>>, tensor<2x6xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x2x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<6x3xcomplex<f32>>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg9: tensor<4x6xcomplex<f32>>, %arg10: tensor<4x6xcomplex<f32>>, %arg11: tensor<i32>):
    %50 = "stablehlo.constant"() <{value = dense<[2, 0]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %51 = "stablehlo.constant"() <{value = dense<[(1.000000e+00,0.000000e+00), (0.000000e+00,2.000000e+00), (3.000000e+00,0.000000e+00), (4.000000e+00,0.000000e+00), (5.000000e+00,0.000000e+00), (0.000000e+00,6.000000e+00)]> : tensor<6xcomplex<f32>>}> : () -> tensor<6xcomplex<f32>>
    %52 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2xi32>
    %53 = "stablehlo.reshape"(%arg9) : (tensor<4x6xcomplex<f32>>) -> tensor<2x12xcomplex<f32>>
    %54 = "stablehlo.transpose"(%arg9) <{permutation = array<i64: 1, 0>}> : (tensor<4x6xcomplex<f32>>) -> tensor<6x4xcomplex<f32>>
    %55 = "stablehlo.slice"(%arg9) <{limit_indices = array<i64: 3, 6>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 2>}> : (tensor<4x6xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    %56 = "stablehlo.reverse"(%arg9) <{dimensions = array<i64: 0>}> : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %57 = "stablehlo.concatenate"(%arg9, %arg10) <{dimension = 0 : i64}> : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<8x6xcomplex<f32>>
    %58 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %59 = "func.call"(%arg9, %58) <{callee = @_pad}> : (tensor<4x6xcomplex<f32>>, tensor<i32>) -> tensor<6x8xcomplex<f32>>
    %60 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %61 = "stablehlo.broadcast_in_dim"(%60) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %62 = "stablehlo.compare"(%50, %61) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %63 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %64 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %65 = "stablehlo.add"(%50, %64) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %66 = "stablehlo.select"(%62, %65, %50) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %67 = "stablehlo.broadcast_in_dim"(%66) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x1xi32>
    %68 = "stablehlo.gather"(%arg9, %67) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xcomplex<f32>>, tensor<2x1xi32>) -> tensor<2x6xcomplex<f32>>
    %69 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %70 = "stablehlo.compare"(%arg11, %69) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %71 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %72 = "stablehlo.add"(%arg11, %71) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %73 = "stablehlo.select"(%70, %72, %arg11) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %74 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %75 = "stablehlo.dynamic_slice"(%arg9, %73, %74) <{slice_sizes = array<i64: 2, 3>}> : (tensor<4x6xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<2x3xcomplex<f32>>
    %76 = "stablehlo.slice"(%arg10) <{limit_indices = array<i64: 2, 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x6xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
    %77 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %78 = "stablehlo.compare"(%arg11, %77) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %79 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %80 = "stablehlo.add"(%arg11, %79) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %81 = "stablehlo.select"(%78, %80, %arg11) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %82 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %83 = "stablehlo.dynamic_update_slice"(%arg9, %76, %81, %82) : (tensor<4x6xcomplex<f32>>, tensor<2x2xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<4x6xcomplex<f32>>
    %84 = "stablehlo.real"(%arg9) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %85 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %86 = "stablehlo.broadcast_in_dim"(%85) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6xf32>
    %87 = "stablehlo.compare"(%84, %86) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %88 = "func.call"(%87, %arg9, %arg10) <{callee = @_where}> : (tensor<4x6xi1>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %89 = "stablehlo.broadcast_in_dim"(%arg9) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<4x6xcomplex<f32>>) -> tensor<4x1x6xcomplex<f32>>
    %90 = "stablehlo.broadcast_in_dim"(%89) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x1x6xcomplex<f32>>) -> tensor<4x2x6xcomplex<f32>>
    %91 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %92 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %93 = "stablehlo.compare"(%52, %92) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %94 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %95 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %96 = "stablehlo.add"(%52, %95) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %97 = "stablehlo.select"(%93, %96, %52) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %98 = "stablehlo.broadcast_in_dim"(%97) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x1xi32>
    %99 = "stablehlo.constant"() <{value = dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %100 = "stablehlo.broadcast_in_dim"(%99) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<2x6xcomplex<f32>>
    %101 = "stablehlo.scatter"(%arg9, %98, %100) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg14: tensor<complex<f32>>, %arg15: tensor<complex<f32>>):
      %131 = "stablehlo.add"(%arg14, %arg15) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      "stablehlo.return"(%131) : (tensor<complex<f32>>) -> ()
    }) : (tensor<4x6xcomplex<f32>>, tensor<2x1xi32>, tensor<2x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %102 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %103 = "stablehlo.broadcast_in_dim"(%102) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %104 = "stablehlo.compare"(%52, %103) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %105 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %106 = "stablehlo.broadcast_in_dim"(%105) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %107 = "stablehlo.add"(%52, %106) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %108 = "stablehlo.select"(%104, %107, %52) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %109 = "stablehlo.broadcast_in_dim"(%108) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x1xi32>
    %110 = "stablehlo.gather"(%arg10, %109) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xcomplex<f32>>, tensor<2x1xi32>) -> tensor<2x6xcomplex<f32>>
    %111 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %112 = "stablehlo.broadcast_in_dim"(%111) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %113 = "stablehlo.compare"(%52, %112) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %114 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %115 = "stablehlo.broadcast_in_dim"(%114) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %116 = "stablehlo.add"(%52, %115) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %117 = "stablehlo.select"(%113, %116, %52) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %118 = "stablehlo.broadcast_in_dim"(%117) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x1xi32>
    %119 = "stablehlo.scatter"(%arg9, %118, %110) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg12: tensor<complex<f32>>, %arg13: tensor<complex<f32>>):
      "stablehlo.return"(%arg13) : (tensor<complex<f32>>) -> ()
    }) : (tensor<4x6xcomplex<f32>>, tensor<2x1xi32>, tensor<2x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %120 = "stablehlo.real"(%arg9) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %121 = "stablehlo.imag"(%arg9) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %122 = "stablehlo.real"(%arg9) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %123 = "stablehlo.convert"(%122) : (tensor<4x6xf32>) -> tensor<4x6xcomplex<f32>>
    %124 = "stablehlo.broadcast_in_dim"(%51) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %125 = "stablehlo.broadcast_in_dim"(%124) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %126 = "stablehlo.multiply"(%arg9, %125) : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %127 = "func.call"(%arg9) <{callee = @sort}> : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %128 = "stablehlo.slice"(%arg9) <{limit_indices = array<i64: 1, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x6xcomplex<f32>>) -> tensor<1x6xcomplex<f32>>
    %129 = "stablehlo.reshape"(%128) : (tensor<1x6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %130 = "func.call"(%129) <{callee = @vander}> : (tensor<6xcomplex<f32>>) -> tensor<6x3xcomplex<f32>>
    "func.return"(%53, %54, %55, %56, %57, %59, %68, %75, %83, %88, %90, %101, %119, %120, %121, %123, %126, %127, %130) : (tensor<2x12xcomplex<f32>>, tensor<6x4xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<8x6xcomplex<f32>>, tensor<6x8xcomplex<f32>>, tensor<2x6xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x2x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<6x3xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x6xcomplex<f32>>, tensor<i32>) -> tensor<6x8xcomplex<f32>>, res_attrs = [{}], sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<4x6xcomplex<f32>>, %arg8: tensor<i32>):
    %48 = "stablehlo.convert"(%arg8) : (tensor<i32>) -> tensor<complex<f32>>
    %49 = "stablehlo.pad"(%arg7, %48) <{edge_padding_high = array<i64: 1, 1>, edge_padding_low = array<i64: 1, 1>, interior_padding = array<i64: 0, 0>}> : (tensor<4x6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6x8xcomplex<f32>>
    "func.return"(%49) : (tensor<6x8xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x6xi1>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<4x6xi1>, %arg5: tensor<4x6xcomplex<f32>>, %arg6: tensor<4x6xcomplex<f32>>):
    %47 = "stablehlo.select"(%arg4, %arg5, %arg6) : (tensor<4x6xi1>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    "func.return"(%47) : (tensor<4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>, res_attrs = [{}], sym_name = "sort", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<4x6xcomplex<f32>>):
    %9 = "stablehlo.sort"(%arg1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<complex<f32>>, %arg3: tensor<complex<f32>>):
      %10 = "stablehlo.real"(%arg2) : (tensor<complex<f32>>) -> tensor<f32>
      %11 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %12 = "stablehlo.compare"(%10, %11) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %13 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %14 = "stablehlo.select"(%12, %13, %10) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %15 = "stablehlo.compare"(%10, %10) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %17 = "stablehlo.select"(%15, %16, %14) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %18 = "stablehlo.imag"(%arg2) : (tensor<complex<f32>>) -> tensor<f32>
      %19 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %20 = "stablehlo.compare"(%18, %19) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %21 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %22 = "stablehlo.select"(%20, %21, %18) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %23 = "stablehlo.compare"(%18, %18) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %24 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %25 = "stablehlo.select"(%23, %24, %22) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %26 = "stablehlo.real"(%arg3) : (tensor<complex<f32>>) -> tensor<f32>
      %27 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %28 = "stablehlo.compare"(%26, %27) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %29 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %30 = "stablehlo.select"(%28, %29, %26) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %31 = "stablehlo.compare"(%26, %26) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %32 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %33 = "stablehlo.select"(%31, %32, %30) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %34 = "stablehlo.imag"(%arg3) : (tensor<complex<f32>>) -> tensor<f32>
      %35 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %36 = "stablehlo.compare"(%34, %35) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %37 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %38 = "stablehlo.select"(%36, %37, %34) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %39 = "stablehlo.compare"(%34, %34) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %40 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %41 = "stablehlo.select"(%39, %40, %38) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %42 = "stablehlo.compare"(%25, %41) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %43 = "stablehlo.compare"(%17, %33) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %44 = "stablehlo.compare"(%17, %33) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %45 = "stablehlo.and"(%44, %42) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %46 = "stablehlo.or"(%43, %45) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%46) : (tensor<i1>) -> ()
    }) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    "func.return"(%9) : (tensor<4x6xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6xcomplex<f32>>) -> tensor<6x3xcomplex<f32>>, res_attrs = [{}], sym_name = "vander", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<6xcomplex<f32>>):
    %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3xcomplex<f32>>
    %1 = "stablehlo.constant"() <{value = dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
    %3 = "stablehlo.subtract"(%2, %0) : (tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
    %4 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xcomplex<f32>>) -> tensor<6x1xcomplex<f32>>
    %5 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xcomplex<f32>>) -> tensor<1x3xcomplex<f32>>
    %6 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<6x1xcomplex<f32>>) -> tensor<6x3xcomplex<f32>>
    %7 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xcomplex<f32>>) -> tensor<6x3xcomplex<f32>>
    %8 = "stablehlo.power"(%6, %7) : (tensor<6x3xcomplex<f32>>, tensor<6x3xcomplex<f32>>) -> tensor<6x3xcomplex<f32>>
    "func.return"(%8) : (tensor<6x3xcomplex<f32>>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
