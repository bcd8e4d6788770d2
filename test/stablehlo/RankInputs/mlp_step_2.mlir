// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_step"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<12x16xf32>, tensor<16x6xf32>, tensor<8x12xf32>, tensor<8x6xf32>) -> (tensor<f32>, tensor<12x16xf32>, tensor<16x6xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1][0]"}, {jax.result_info = "result[1][1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<12x16xf32>, %arg1: tensor<16x6xf32>, %arg2: tensor<8x12xf32>, %arg3: tensor<8x6xf32>):
    %0:5 = "sdy.manual_computation"(%arg2, %arg0, %arg1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>, <@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"y"}, {}]>]>}> ({
    ^bb0(%arg15: tensor<8x12xf32>, %arg16: tensor<12x8xf32>, %arg17: tensor<8x6xf32>):
      %37 = "stablehlo.dot_general"(%arg15, %arg16) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x12xf32>, tensor<12x8xf32>) -> tensor<8x8xf32>
      %38 = "stablehlo.tanh"(%37) : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %39 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %41 = "stablehlo.subtract"(%40, %38) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %42 = "stablehlo.dot_general"(%38, %arg17) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x8xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
      %43 = "stablehlo.all_reduce"(%42) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
        %44 = "stablehlo.add"(%arg18, %arg19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%44) : (tensor<f32>) -> ()
      }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
      "sdy.return"(%arg15, %38, %41, %arg17, %43) : (tensor<8x12xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>) -> ()
    }) : (tensor<8x12xf32>, tensor<12x16xf32>, tensor<16x6xf32>) -> (tensor<16x12xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x6xf32>, tensor<8x6xf32>)
    %1 = "stablehlo.subtract"(%0#4, %arg3) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %2 = "stablehlo.multiply"(%1, %1) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %3 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x6xf32>
    %5 = "stablehlo.multiply"(%4, %1) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %6 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%2, %6) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg13: tensor<f32>, %arg14: tensor<f32>):
      %36 = "stablehlo.add"(%arg13, %arg14) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%36) : (tensor<f32>) -> ()
    }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
    %8 = "stablehlo.constant"() <{value = dense<4.800000e+01> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.divide"(%7, %8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %10 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %11 = "stablehlo.constant"() <{value = dense<4.800000e+01> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.divide"(%10, %11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x6xf32>
    %14 = "stablehlo.multiply"(%13, %5) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %15:2 = "sdy.manual_computation"(%14, %0#0, %0#1, %0#2, %0#3) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>]>}> ({
    ^bb0(%arg4: tensor<8x6xf32>, %arg5: tensor<8x12xf32>, %arg6: tensor<8x8xf32>, %arg7: tensor<8x8xf32>, %arg8: tensor<8x6xf32>):
      %24 = "stablehlo.dot_general"(%arg4, %arg6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x6xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
      %25 = "stablehlo.transpose"(%24) <{permutation = array<i64: 1, 0>}> : (tensor<6x8xf32>) -> tensor<8x6xf32>
      %26 = "stablehlo.dot_general"(%arg4, %arg8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x8xf32>
      %27 = "stablehlo.all_reduce"(%25) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
        %35 = "stablehlo.add"(%arg11, %arg12) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%35) : (tensor<f32>) -> ()
      }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
      %28 = "stablehlo.multiply"(%26, %arg7) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %29 = "stablehlo.multiply"(%28, %arg6) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %30 = "stablehlo.add"(%28, %29) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %31 = "stablehlo.dot_general"(%30, %arg5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x8xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>
      %32 = "stablehlo.transpose"(%31) <{permutation = array<i64: 1, 0>}> : (tensor<8x12xf32>) -> tensor<12x8xf32>
      %33 = "stablehlo.all_reduce"(%32) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
        %34 = "stablehlo.add"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%34) : (tensor<f32>) -> ()
      }) : (tensor<12x8xf32>) -> tensor<12x8xf32>
      "sdy.return"(%33, %27) : (tensor<12x8xf32>, tensor<8x6xf32>) -> ()
    }) : (tensor<8x6xf32>, tensor<16x12xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x6xf32>) -> (tensor<12x16xf32>, tensor<16x6xf32>)
    %16 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x16xf32>
    %18 = "stablehlo.multiply"(%17, %15#0) : (tensor<12x16xf32>, tensor<12x16xf32>) -> tensor<12x16xf32>
    %19 = "stablehlo.subtract"(%arg0, %18) : (tensor<12x16xf32>, tensor<12x16xf32>) -> tensor<12x16xf32>
    %20 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x6xf32>
    %22 = "stablehlo.multiply"(%21, %15#1) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %23 = "stablehlo.subtract"(%arg1, %22) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    "func.return"(%9, %19, %23) : (tensor<f32>, tensor<12x16xf32>, tensor<16x6xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
