// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8x8xf32>) -> (tensor<16x8x4xf32>, tensor<8x16x4xf32>, tensor<512xf32>, tensor<8x8x8xf32>, tensor<4x4x8xf32>, tensor<256x2xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x8x8xf32>):
    %0:6 = "sdy.manual_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}, {}]>, <@mesh, [{"x"}, {"y"}, {}]>, <@mesh, [{"x", "y"}]>, <@mesh, [{"x"}, {"y"}, {}]>, <@mesh, [{"x"}, {"y"}, {}]>, <@mesh, [{"x", "y"}, {}]>]>}> ({
    ^bb0(%arg1: tensor<4x8x8xf32>):
      %1 = "stablehlo.reshape"(%arg1) : (tensor<4x8x8xf32>) -> tensor<256xf32>
      %2 = "stablehlo.all_to_all"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<256xf32>) -> tensor<256xf32>
      %3 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<4x8x8xf32>) -> tensor<8x8x4xf32>
      %4 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<4x8x8xf32>) -> tensor<4x16x4xf32>
      %5 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
      %6 = "stablehlo.slice"(%arg1) <{limit_indices = array<i64: 4, 8, 2>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<4x8x8xf32>) -> tensor<4x8x2xf32>
      %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64: 1, 2, 3>}> : (tensor<4x8x2xf32>) -> tensor<1x4x8x2xf32>
      %8 = "stablehlo.all_to_all"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 3 : i64}> : (tensor<1x4x8x2xf32>) -> tensor<2x4x8x1xf32>
      %9 = "stablehlo.reshape"(%8) : (tensor<2x4x8x1xf32>) -> tensor<2x4x8xf32>
      %10 = "stablehlo.reshape"(%arg1) : (tensor<4x8x8xf32>) -> tensor<2x128xf32>
      %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x128xf32>) -> tensor<2x128x1xf32>
      %12 = "stablehlo.all_to_all"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x128x1xf32>) -> tensor<1x128x2xf32>
      %13 = "stablehlo.reshape"(%12) : (tensor<1x128x2xf32>) -> tensor<128x2xf32>
      "sdy.return"(%3, %4, %2, %5, %9, %13) : (tensor<8x8x4xf32>, tensor<4x16x4xf32>, tensor<256xf32>, tensor<4x8x8xf32>, tensor<2x4x8xf32>, tensor<128x2xf32>) -> ()
    }) : (tensor<8x8x8xf32>) -> (tensor<16x8x4xf32>, tensor<8x16x4xf32>, tensor<512xf32>, tensor<8x8x8xf32>, tensor<4x4x8xf32>, tensor<256x2xf32>)
    "func.return"(%0#0, %0#1, %0#2, %0#3, %0#4, %0#5) : (tensor<16x8x4xf32>, tensor<8x16x4xf32>, tensor<512xf32>, tensor<8x8x8xf32>, tensor<4x4x8xf32>, tensor<256x2xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
