// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_attention"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}], function_type = (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<2x10x32xf32>) -> tensor<2x10x32xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg4: tensor<32x32xf32>, %arg5: tensor<32x32xf32>, %arg6: tensor<32x32xf32>, %arg7: tensor<32x32xf32>, %arg8: tensor<2x10x32xf32>):
    %13 = "stablehlo.dot_general"(%arg8, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<32x32xf32>) -> tensor<2x10x32xf32>
    %14 = "stablehlo.reshape"(%13) : (tensor<2x10x32xf32>) -> tensor<2x10x4x8xf32>
    %15 = "stablehlo.dot_general"(%arg8, %arg5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<32x32xf32>) -> tensor<2x10x32xf32>
    %16 = "stablehlo.reshape"(%15) : (tensor<2x10x32xf32>) -> tensor<2x10x4x8xf32>
    %17 = "stablehlo.dot_general"(%arg8, %arg6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<32x32xf32>) -> tensor<2x10x32xf32>
    %18 = "stablehlo.reshape"(%17) : (tensor<2x10x32xf32>) -> tensor<2x10x4x8xf32>
    %19 = "stablehlo.dot_general"(%14, %16) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x4x8xf32>, tensor<2x10x4x8xf32>) -> tensor<2x4x10x10xf32>
    %20 = "stablehlo.constant"() <{value = dense<8.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %21 = "stablehlo.sqrt"(%20) : (tensor<f32>) -> tensor<f32>
    %22 = "stablehlo.convert"(%21) : (tensor<f32>) -> tensor<f32>
    %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10x10xf32>
    %24 = "stablehlo.divide"(%19, %23) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %25 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %26 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<10x10xi1>
    %27 = "func.call"(%26) <{callee = @tril}> : (tensor<10x10xi1>) -> tensor<10x10xi1>
    %28 = "stablehlo.constant"() <{value = dense<-1.000000e+30> : tensor<f32>}> : () -> tensor<f32>
    %29 = "func.call"(%27, %24, %28) <{callee = @_where}> : (tensor<10x10xi1>, tensor<2x4x10x10xf32>, tensor<f32>) -> tensor<2x4x10x10xf32>
    %30 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %31 = "stablehlo.reduce"(%29, %30) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %49 = "stablehlo.maximum"(%arg11, %arg12) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%49) : (tensor<f32>) -> ()
    }) : (tensor<2x4x10x10xf32>, tensor<f32>) -> tensor<2x4x10xf32>
    %32 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %33 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10xf32>
    %34 = "stablehlo.maximum"(%33, %31) : (tensor<2x4x10xf32>, tensor<2x4x10xf32>) -> tensor<2x4x10xf32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x4x10xf32>) -> tensor<2x4x10x1xf32>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x10x1xf32>) -> tensor<2x4x10x10xf32>
    %37 = "stablehlo.subtract"(%29, %36) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %38 = "stablehlo.exponential"(%37) : (tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %39 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %40 = "stablehlo.reduce"(%38, %39) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %48 = "stablehlo.add"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%48) : (tensor<f32>) -> ()
    }) : (tensor<2x4x10x10xf32>, tensor<f32>) -> tensor<2x4x10xf32>
    %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x4x10xf32>) -> tensor<2x4x10x1xf32>
    %42 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x10x1xf32>) -> tensor<2x4x10x10xf32>
    %43 = "stablehlo.divide"(%38, %42) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %44 = "stablehlo.dot_general"(%18, %43) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x4x8xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x8x10xf32>
    %45 = "stablehlo.transpose"(%44) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x4x8x10xf32>) -> tensor<2x10x4x8xf32>
    %46 = "stablehlo.reshape"(%45) : (tensor<2x10x4x8xf32>) -> tensor<2x10x32xf32>
    %47 = "stablehlo.dot_general"(%46, %arg7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<32x32xf32>) -> tensor<2x10x32xf32>
    "func.return"(%47) : (tensor<2x10x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<10x10xi1>) -> tensor<10x10xi1>, res_attrs = [{}], sym_name = "tril", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<10x10xi1>):
    %4 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<10x10xi32>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<10x10xi32>
    %7 = "stablehlo.add"(%4, %6) : (tensor<10x10xi32>, tensor<10x10xi32>) -> tensor<10x10xi32>
    %8 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<10x10xi32>
    %9 = "stablehlo.compare"(%7, %8) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<10x10xi32>, tensor<10x10xi32>) -> tensor<10x10xi1>
    %10 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<10x10xi1>
    %12 = "stablehlo.select"(%9, %arg3, %11) : (tensor<10x10xi1>, tensor<10x10xi1>, tensor<10x10xi1>) -> tensor<10x10xi1>
    "func.return"(%12) : (tensor<10x10xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<10x10xi1>, tensor<2x4x10x10xf32>, tensor<f32>) -> tensor<2x4x10x10xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<10x10xi1>, %arg1: tensor<2x4x10x10xf32>, %arg2: tensor<f32>):
    %0 = "stablehlo.convert"(%arg2) : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 2, 3>}> : (tensor<10x10xi1>) -> tensor<2x4x10x10xi1>
    %2 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10x10xf32>
    %3 = "stablehlo.select"(%1, %arg1, %2) : (tensor<2x4x10x10xi1>, tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    "func.return"(%3) : (tensor<2x4x10x10xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
