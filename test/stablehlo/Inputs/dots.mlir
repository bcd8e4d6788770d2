// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_dots"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<3x5xf32>, tensor<5x4xf32>, tensor<6x6x6xf32>, tensor<7x5xf32>) -> (tensor<3x4xf32>, tensor<3x7xf32>, tensor<3xf32>, tensor<6x6x6xf32>, tensor<6x6x6xf32>, tensor<6x6x6xf32>, tensor<5x5xf32>, tensor<6x6xf32>, tensor<4xf32>, tensor<3xf32>, tensor<f32>, tensor<6x6x6xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<3x5xf32>, %arg1: tensor<5x4xf32>, %arg2: tensor<6x6x6xf32>, %arg3: tensor<7x5xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
    %1 = "stablehlo.dot_general"(%arg0, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x5xf32>, tensor<7x5xf32>) -> tensor<3x7xf32>
    %2 = "stablehlo.dot_general"(%arg0, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3xf32>
    %3 = "stablehlo.dot_general"(%arg2, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
    %4 = "stablehlo.slice"(%arg2) <{limit_indices = array<i64: 1, 6, 6>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<6x6x6xf32>) -> tensor<1x6x6xf32>
    %5 = "stablehlo.reshape"(%4) : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
    %6 = "stablehlo.dot_general"(%arg2, %5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<6x6x6xf32>, tensor<6x6xf32>) -> tensor<6x6x6xf32>
    %7 = "stablehlo.dot_general"(%arg2, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
    %8 = "stablehlo.transpose"(%7) <{permutation = array<i64: 1, 0, 2>}> : (tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
    %9 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 1, 5>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<3x5xf32>) -> tensor<1x5xf32>
    %10 = "stablehlo.reshape"(%9) : (tensor<1x5xf32>) -> tensor<5xf32>
    %11 = "stablehlo.slice"(%arg1) <{limit_indices = array<i64: 5, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<5x4xf32>) -> tensor<5x1xf32>
    %12 = "stablehlo.reshape"(%11) : (tensor<5x1xf32>) -> tensor<5xf32>
    %13 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64: 0>}> : (tensor<5xf32>) -> tensor<5x1xf32>
    %14 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64: 1>}> : (tensor<5xf32>) -> tensor<1x5xf32>
    %15 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<5x1xf32>) -> tensor<5x5xf32>
    %16 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x5xf32>) -> tensor<5x5xf32>
    %17 = "stablehlo.multiply"(%15, %16) : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
    %18 = "stablehlo.dot_general"(%arg2, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 2], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6xf32>
    %19 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 1, 5>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<3x5xf32>) -> tensor<1x5xf32>
    %20 = "stablehlo.reshape"(%19) : (tensor<1x5xf32>) -> tensor<5xf32>
    %21 = "stablehlo.dot_general"(%20, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5xf32>, tensor<5x4xf32>) -> tensor<4xf32>
    %22 = "stablehlo.slice"(%arg1) <{limit_indices = array<i64: 5, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<5x4xf32>) -> tensor<5x1xf32>
    %23 = "stablehlo.reshape"(%22) : (tensor<5x1xf32>) -> tensor<5xf32>
    %24 = "stablehlo.dot_general"(%arg0, %23) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3xf32>
    %25 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 1, 5>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<3x5xf32>) -> tensor<1x5xf32>
    %26 = "stablehlo.reshape"(%25) : (tensor<1x5xf32>) -> tensor<5xf32>
    %27 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 2, 5>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<3x5xf32>) -> tensor<1x5xf32>
    %28 = "stablehlo.reshape"(%27) : (tensor<1x5xf32>) -> tensor<5xf32>
    %29 = "stablehlo.dot_general"(%26, %28) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>
    %30 = "stablehlo.transpose"(%arg2) <{permutation = array<i64: 1, 0, 2>}> : (tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
    %31 = "stablehlo.dot_general"(%arg2, %30) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<6x6x6xf32>, tensor<6x6x6xf32>) -> tensor<6x6x6xf32>
    "func.return"(%0, %1, %2, %3, %6, %8, %17, %18, %21, %24, %29, %31) : (tensor<3x4xf32>, tensor<3x7xf32>, tensor<3xf32>, tensor<6x6x6xf32>, tensor<6x6x6xf32>, tensor<6x6x6xf32>, tensor<5x5xf32>, tensor<6x6xf32>, tensor<4xf32>, tensor<3xf32>, tensor<f32>, tensor<6x6x6xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
