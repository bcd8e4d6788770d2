// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_embedding_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<400x16xf32>, tensor<10x10xi32>, tensor<10x16xf32>) -> (tensor<f32>, tensor<400x16xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<400x16xf32>, %arg1: tensor<10x10xi32>, %arg2: tensor<10x16xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<10x10xi32>
    %2 = "stablehlo.compare"(%arg1, %1) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<10x10xi32>, tensor<10x10xi32>) -> tensor<10x10xi1>
    %3 = "stablehlo.constant"() <{value = dense<400> : tensor<i32>}> : () -> tensor<i32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<10x10xi32>
    %5 = "stablehlo.add"(%arg1, %4) : (tensor<10x10xi32>, tensor<10x10xi32>) -> tensor<10x10xi32>
    %6 = "stablehlo.select"(%2, %5, %arg1) : (tensor<10x10xi1>, tensor<10x10xi32>, tensor<10x10xi32>) -> tensor<10x10xi32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<10x10xi32>) -> tensor<10x10x1xi32>
    %8 = "stablehlo.gather"(%arg0, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<400x16xf32>, tensor<10x10x1xi32>) -> tensor<10x10x16xf32>
    %9 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.reduce"(%8, %9) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %41 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%41) : (tensor<f32>) -> ()
    }) : (tensor<10x10x16xf32>, tensor<f32>) -> tensor<10x16xf32>
    %11 = "stablehlo.constant"() <{value = dense<1.000000e+01> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10x16xf32>
    %13 = "stablehlo.divide"(%10, %12) : (tensor<10x16xf32>, tensor<10x16xf32>) -> tensor<10x16xf32>
    %14 = "stablehlo.subtract"(%13, %arg2) : (tensor<10x16xf32>, tensor<10x16xf32>) -> tensor<10x16xf32>
    %15 = "stablehlo.multiply"(%14, %14) : (tensor<10x16xf32>, tensor<10x16xf32>) -> tensor<10x16xf32>
    %16 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10x16xf32>
    %18 = "stablehlo.multiply"(%17, %14) : (tensor<10x16xf32>, tensor<10x16xf32>) -> tensor<10x16xf32>
    %19 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %20 = "stablehlo.reduce"(%15, %19) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %40 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%40) : (tensor<f32>) -> ()
    }) : (tensor<10x16xf32>, tensor<f32>) -> tensor<f32>
    %21 = "stablehlo.constant"() <{value = dense<1.600000e+02> : tensor<f32>}> : () -> tensor<f32>
    %22 = "stablehlo.divide"(%20, %21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %23 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %24 = "stablehlo.constant"() <{value = dense<1.600000e+02> : tensor<f32>}> : () -> tensor<f32>
    %25 = "stablehlo.divide"(%23, %24) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %26 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10x16xf32>
    %27 = "stablehlo.multiply"(%26, %18) : (tensor<10x16xf32>, tensor<10x16xf32>) -> tensor<10x16xf32>
    %28 = "stablehlo.constant"() <{value = dense<1.000000e+01> : tensor<f32>}> : () -> tensor<f32>
    %29 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10x16xf32>
    %30 = "stablehlo.divide"(%27, %29) : (tensor<10x16xf32>, tensor<10x16xf32>) -> tensor<10x16xf32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<10x16xf32>) -> tensor<10x10x16xf32>
    %32 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %33 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<400x16xf32>
    %34 = "stablehlo.scatter"(%33, %7, %31) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %39 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%39) : (tensor<f32>) -> ()
    }) : (tensor<400x16xf32>, tensor<10x10x1xi32>, tensor<10x10x16xf32>) -> tensor<400x16xf32>
    %35 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<400x16xf32>
    %37 = "stablehlo.multiply"(%36, %34) : (tensor<400x16xf32>, tensor<400x16xf32>) -> tensor<400x16xf32>
    %38 = "stablehlo.subtract"(%arg0, %37) : (tensor<400x16xf32>, tensor<400x16xf32>) -> tensor<400x16xf32>
    "func.return"(%22, %38) : (tensor<f32>, tensor<400x16xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
