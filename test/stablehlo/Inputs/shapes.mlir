// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_shapes"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6x5xf32>, tensor<6x2xf32>) -> (tensor<5x6xf32>, tensor<5x6xf32>, tensor<6x5xf32>, tensor<3x3xf32>, tensor<6x7xf32>, tensor<9x8xf32>, tensor<12x12xf32>, tensor<12x5xf32>, tensor<2x6x5xf32>, tensor<6x3x5xf32>, tensor<6x5xf32>, tensor<12x5xf32>, tensor<6x6xf32>, tensor<3x4xi32>, tensor<3x3xf32>, tensor<4x3xf32>, tensor<6x5xf32>, tensor<5x1x6xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg8: tensor<6x5xf32>, %arg9: tensor<6x2xf32>):
    %20 = "stablehlo.transpose"(%arg8) <{permutation = array<i64: 1, 0>}> : (tensor<6x5xf32>) -> tensor<5x6xf32>
    %21 = "stablehlo.reshape"(%arg8) : (tensor<6x5xf32>) -> tensor<5x6xf32>
    %22 = "stablehlo.reverse"(%arg8) <{dimensions = array<i64: 0>}> : (tensor<6x5xf32>) -> tensor<6x5xf32>
    %23 = "stablehlo.slice"(%arg8) <{limit_indices = array<i64: 4, 5>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 2>}> : (tensor<6x5xf32>) -> tensor<3x3xf32>
    %24 = "stablehlo.concatenate"(%arg8, %arg9) <{dimension = 1 : i64}> : (tensor<6x5xf32>, tensor<6x2xf32>) -> tensor<6x7xf32>
    %25 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %26 = "func.call"(%arg8, %25) <{callee = @_pad}> : (tensor<6x5xf32>, tensor<i32>) -> tensor<9x8xf32>
    %27 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %28 = "stablehlo.pad"(%arg8, %27) <{edge_padding_high = array<i64: 2, -2>, edge_padding_low = array<i64: -1, 1>, interior_padding = array<i64: 1, 2>}> : (tensor<6x5xf32>, tensor<f32>) -> tensor<12x12xf32>
    %29 = "stablehlo.reshape"(%arg8) : (tensor<6x5xf32>) -> tensor<1x6x1x5xf32>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x6x1x5xf32>) -> tensor<2x6x1x5xf32>
    %31 = "stablehlo.reshape"(%30) : (tensor<2x6x1x5xf32>) -> tensor<12x5xf32>
    %32 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %33 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x5xf32>
    %34 = "stablehlo.multiply"(%arg8, %33) : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
    %35 = "stablehlo.broadcast_in_dim"(%arg8) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<6x5xf32>) -> tensor<1x6x5xf32>
    %36 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<6x5xf32>) -> tensor<1x6x5xf32>
    %37 = "stablehlo.concatenate"(%35, %36) <{dimension = 0 : i64}> : (tensor<1x6x5xf32>, tensor<1x6x5xf32>) -> tensor<2x6x5xf32>
    %38 = "stablehlo.broadcast_in_dim"(%arg8) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<6x5xf32>) -> tensor<6x1x5xf32>
    %39 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<6x1x5xf32>) -> tensor<6x3x5xf32>
    %40 = "func.call"(%arg8) <{callee = @_roll_static}> : (tensor<6x5xf32>) -> tensor<6x5xf32>
    %41 = "stablehlo.broadcast_in_dim"(%arg8) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<6x5xf32>) -> tensor<6x2x5xf32>
    %42 = "stablehlo.reshape"(%41) : (tensor<6x2x5xf32>) -> tensor<12x5xf32>
    %43 = "stablehlo.slice"(%arg8) <{limit_indices = array<i64: 6, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x5xf32>) -> tensor<6x1xf32>
    %44 = "stablehlo.reshape"(%43) : (tensor<6x1xf32>) -> tensor<6xf32>
    %45 = "func.call"(%44) <{callee = @_diag}> : (tensor<6xf32>) -> tensor<6x6xf32>
    %46 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<12xi32>
    %47 = "stablehlo.reshape"(%46) : (tensor<12xi32>) -> tensor<3x4xi32>
    %48 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %49 = "stablehlo.broadcast_in_dim"(%48) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3x4xi32>
    %50 = "stablehlo.add"(%47, %49) : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
    %51 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %52 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %53 = "stablehlo.dynamic_slice"(%arg8, %51, %52) <{slice_sizes = array<i64: 3, 3>}> : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<3x3xf32>
    %54 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4x4xi32>
    %55 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x4xi32>
    %56 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %57 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x4xi32>
    %58 = "stablehlo.add"(%54, %57) : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
    %59 = "stablehlo.compare"(%58, %55) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %60 = "stablehlo.convert"(%59) : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %61 = "stablehlo.slice"(%60) <{limit_indices = array<i64: 4, 4>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 1>}> : (tensor<4x4xf32>) -> tensor<4x3xf32>
    %62 = "stablehlo.reverse"(%arg8) <{dimensions = array<i64: 1>}> : (tensor<6x5xf32>) -> tensor<6x5xf32>
    %63 = "stablehlo.broadcast_in_dim"(%arg8) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<6x5xf32>) -> tensor<1x6x5xf32>
    %64 = "stablehlo.transpose"(%63) <{permutation = array<i64: 2, 0, 1>}> : (tensor<1x6x5xf32>) -> tensor<5x1x6xf32>
    %65 = "func.call"(%64) <{callee = @_flip}> : (tensor<5x1x6xf32>) -> tensor<5x1x6xf32>
    "func.return"(%20, %21, %22, %23, %24, %26, %28, %31, %37, %39, %40, %42, %45, %50, %53, %61, %62, %65) : (tensor<5x6xf32>, tensor<5x6xf32>, tensor<6x5xf32>, tensor<3x3xf32>, tensor<6x7xf32>, tensor<9x8xf32>, tensor<12x12xf32>, tensor<12x5xf32>, tensor<2x6x5xf32>, tensor<6x3x5xf32>, tensor<6x5xf32>, tensor<12x5xf32>, tensor<6x6xf32>, tensor<3x4xi32>, tensor<3x3xf32>, tensor<4x3xf32>, tensor<6x5xf32>, tensor<5x1x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6x5xf32>, tensor<i32>) -> tensor<9x8xf32>, res_attrs = [{}], sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<6x5xf32>, %arg7: tensor<i32>):
    %18 = "stablehlo.convert"(%arg7) : (tensor<i32>) -> tensor<f32>
    %19 = "stablehlo.pad"(%arg6, %18) <{edge_padding_high = array<i64: 2, 3>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<6x5xf32>, tensor<f32>) -> tensor<9x8xf32>
    "func.return"(%19) : (tensor<9x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x5xf32>) -> tensor<6x5xf32>, res_attrs = [{}], sym_name = "_roll_static", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<6x5xf32>):
    %15 = "stablehlo.slice"(%arg5) <{limit_indices = array<i64: 6, 5>, start_indices = array<i64: 0, 3>, strides = array<i64: 1, 1>}> : (tensor<6x5xf32>) -> tensor<6x2xf32>
    %16 = "stablehlo.slice"(%arg5) <{limit_indices = array<i64: 6, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<6x5xf32>) -> tensor<6x3xf32>
    %17 = "stablehlo.concatenate"(%15, %16) <{dimension = 1 : i64}> : (tensor<6x2xf32>, tensor<6x3xf32>) -> tensor<6x5xf32>
    "func.return"(%17) : (tensor<6x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6xf32>) -> tensor<6x6xf32>, res_attrs = [{}], sym_name = "_diag", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<6xf32>):
    %4 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.pad"(%arg4, %4) <{edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 0>}> : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
    %6 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<6x6xi32>
    %7 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<6x6xi32>
    %8 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6x6xi32>
    %10 = "stablehlo.add"(%6, %9) : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi32>
    %11 = "stablehlo.compare"(%10, %7) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %12 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xf32>) -> tensor<6x1xf32>
    %13 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %14 = "func.call"(%11, %12, %13) <{callee = @_where}> : (tensor<6x6xi1>, tensor<6x1xf32>, tensor<f32>) -> tensor<6x6xf32>
    "func.return"(%14) : (tensor<6x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<6x6xi1>, tensor<6x1xf32>, tensor<f32>) -> tensor<6x6xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<6x6xi1>, %arg2: tensor<6x1xf32>, %arg3: tensor<f32>):
    %1 = "stablehlo.broadcast_in_dim"(%arg2) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<6x1xf32>) -> tensor<6x6xf32>
    %2 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x6xf32>
    %3 = "stablehlo.select"(%arg1, %1, %2) : (tensor<6x6xi1>, tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    "func.return"(%3) : (tensor<6x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<5x1x6xf32>) -> tensor<5x1x6xf32>, res_attrs = [{}], sym_name = "_flip", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<5x1x6xf32>):
    %0 = "stablehlo.reverse"(%arg0) <{dimensions = array<i64: 2>}> : (tensor<5x1x6xf32>) -> tensor<5x1x6xf32>
    "func.return"(%0) : (tensor<5x1x6xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
