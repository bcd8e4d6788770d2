// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<5x12xf32>, tensor<12x32xf32>, tensor<32x7xf32>, tensor<7xf32>) -> tensor<5x7xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<5x12xf32>, %arg1: tensor<12x32xf32>, %arg2: tensor<32x7xf32>, %arg3: tensor<7xf32>):
    %0 = "sdy.manual_computation"(%arg0, %arg1, %arg2, %arg3) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {"x", "y"}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}> ({
    ^bb0(%arg4: tensor<5x12xf32>, %arg5: tensor<12x16xf32>, %arg6: tensor<16x7xf32>, %arg7: tensor<7xf32>):
      %1 = "stablehlo.dot_general"(%arg4, %arg5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x12xf32>, tensor<12x16xf32>) -> tensor<5x16xf32>
      %2 = "stablehlo.multiply"(%1, %1) : (tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
      %3 = "stablehlo.multiply"(%2, %1) : (tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
      %4 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f32>}> : () -> tensor<f32>
      %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x16xf32>
      %6 = "stablehlo.multiply"(%5, %3) : (tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
      %7 = "stablehlo.add"(%1, %6) : (tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
      %8 = "stablehlo.constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> tensor<f32>
      %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x16xf32>
      %10 = "stablehlo.multiply"(%9, %7) : (tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
      %11 = "stablehlo.tanh"(%10) : (tensor<5x16xf32>) -> tensor<5x16xf32>
      %12 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x16xf32>
      %14 = "stablehlo.add"(%13, %11) : (tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
      %15 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
      %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x16xf32>
      %17 = "stablehlo.multiply"(%16, %14) : (tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
      %18 = "stablehlo.multiply"(%1, %17) : (tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
      %19 = "stablehlo.dot_general"(%18, %arg6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x16xf32>, tensor<16x7xf32>) -> tensor<5x7xf32>
      %20 = "stablehlo.all_reduce"(%19) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %24 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%24) : (tensor<f32>) -> ()
      }) : (tensor<5x7xf32>) -> tensor<5x7xf32>
      %21 = "stablehlo.broadcast_in_dim"(%arg7) <{broadcast_dimensions = array<i64: 1>}> : (tensor<7xf32>) -> tensor<1x7xf32>
      %22 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x7xf32>) -> tensor<5x7xf32>
      %23 = "stablehlo.add"(%20, %22) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
      "sdy.return"(%23) : (tensor<5x7xf32>) -> ()
    }) : (tensor<5x12xf32>, tensor<12x32xf32>, tensor<32x7xf32>, tensor<7xf32>) -> tensor<5x7xf32>
    "func.return"(%0) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
