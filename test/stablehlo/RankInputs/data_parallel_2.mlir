// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_step"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<6x10xf32>, tensor<10x3xf32>, tensor<16x6xf32>, tensor<16x3xf32>) -> (tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1][0]"}, {jax.result_info = "result[1][1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<6x10xf32>, %arg1: tensor<10x3xf32>, %arg2: tensor<16x6xf32>, %arg3: tensor<16x3xf32>):
    %0:3 = "sdy.manual_computation"(%arg0, %arg1, %arg2, %arg3) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}]>, <@mesh, [{}, {}]>]>}> ({
    ^bb0(%arg4: tensor<6x10xf32>, %arg5: tensor<10x3xf32>, %arg6: tensor<8x6xf32>, %arg7: tensor<8x3xf32>):
      %1 = "stablehlo.dot_general"(%arg6, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x6xf32>, tensor<6x10xf32>) -> tensor<8x10xf32>
      %2 = "stablehlo.tanh"(%1) : (tensor<8x10xf32>) -> tensor<8x10xf32>
      %3 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x10xf32>
      %5 = "stablehlo.subtract"(%4, %2) : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xf32>
      %6 = "stablehlo.dot_general"(%2, %arg5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x10xf32>, tensor<10x3xf32>) -> tensor<8x3xf32>
      %7 = "stablehlo.subtract"(%6, %arg7) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
      %8 = "stablehlo.multiply"(%7, %7) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
      %9 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
      %11 = "stablehlo.multiply"(%10, %7) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
      %12 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %13 = "stablehlo.reduce"(%8, %12) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
        %51 = "stablehlo.add"(%arg14, %arg15) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%51) : (tensor<f32>) -> ()
      }) : (tensor<8x3xf32>, tensor<f32>) -> tensor<f32>
      %14 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
      %15 = "stablehlo.divide"(%13, %14) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %16 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %17 = "stablehlo.constant"() <{value = dense<2.400000e+01> : tensor<f32>}> : () -> tensor<f32>
      %18 = "stablehlo.divide"(%16, %17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x3xf32>
      %20 = "stablehlo.multiply"(%19, %11) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
      %21 = "stablehlo.dot_general"(%20, %2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x3xf32>, tensor<8x10xf32>) -> tensor<3x10xf32>
      %22 = "stablehlo.transpose"(%21) <{permutation = array<i64: 1, 0>}> : (tensor<3x10xf32>) -> tensor<10x3xf32>
      %23 = "stablehlo.dot_general"(%20, %arg5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x3xf32>, tensor<10x3xf32>) -> tensor<8x10xf32>
      %24 = "stablehlo.multiply"(%23, %5) : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xf32>
      %25 = "stablehlo.multiply"(%24, %2) : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xf32>
      %26 = "stablehlo.add"(%24, %25) : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xf32>
      %27 = "stablehlo.dot_general"(%26, %arg6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x10xf32>, tensor<8x6xf32>) -> tensor<10x6xf32>
      %28 = "stablehlo.transpose"(%27) <{permutation = array<i64: 1, 0>}> : (tensor<10x6xf32>) -> tensor<6x10xf32>
      %29 = "stablehlo.all_reduce"(%28) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        %50 = "stablehlo.add"(%arg12, %arg13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%50) : (tensor<f32>) -> ()
      }) : (tensor<6x10xf32>) -> tensor<6x10xf32>
      %30 = "stablehlo.all_reduce"(%22) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
        %49 = "stablehlo.add"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%49) : (tensor<f32>) -> ()
      }) : (tensor<10x3xf32>) -> tensor<10x3xf32>
      %31 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x10xf32>
      %33 = "stablehlo.divide"(%29, %32) : (tensor<6x10xf32>, tensor<6x10xf32>) -> tensor<6x10xf32>
      %34 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10x3xf32>
      %36 = "stablehlo.divide"(%30, %35) : (tensor<10x3xf32>, tensor<10x3xf32>) -> tensor<10x3xf32>
      %37 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %48 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%48) : (tensor<f32>) -> ()
      }) : (tensor<f32>) -> tensor<f32>
      %38 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %39 = "stablehlo.divide"(%37, %38) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %40 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
      %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x10xf32>
      %42 = "stablehlo.multiply"(%41, %33) : (tensor<6x10xf32>, tensor<6x10xf32>) -> tensor<6x10xf32>
      %43 = "stablehlo.subtract"(%arg4, %42) : (tensor<6x10xf32>, tensor<6x10xf32>) -> tensor<6x10xf32>
      %44 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
      %45 = "stablehlo.broadcast_in_dim"(%44) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10x3xf32>
      %46 = "stablehlo.multiply"(%45, %36) : (tensor<10x3xf32>, tensor<10x3xf32>) -> tensor<10x3xf32>
      %47 = "stablehlo.subtract"(%arg5, %46) : (tensor<10x3xf32>, tensor<10x3xf32>) -> tensor<10x3xf32>
      "sdy.return"(%39, %43, %47) : (tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>) -> ()
    }) : (tensor<6x10xf32>, tensor<10x3xf32>, tensor<16x6xf32>, tensor<16x3xf32>) -> (tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
