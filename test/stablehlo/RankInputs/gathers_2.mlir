// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x4x3xf32>) -> (tensor<8x4x3xf32>, tensor<8x4x3xf32>, tensor<8x4x3xf32>, tensor<8x4x3xf32>, tensor<8x1x4x3xf32>, tensor<4x4x3x2xf32>, tensor<2xf32>, tensor<8x4x3xi8>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x4x3xf32>):
    %0:8 = "sdy.manual_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{}, {"y"}, {}]>, <@mesh, [{"x"}, {}, {}]>, <@mesh, [{}, {}, {}]>, <@mesh, [{"x"}, {}, {}, {}]>, <@mesh, [{}, {}, {}, {}]>, <@mesh, [{}]>, <@mesh, [{"x"}, {}, {}]>]>}> ({
    ^bb0(%arg1: tensor<4x4x3xf32>):
      %1 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> : (tensor<4x4x3xf32>) -> tensor<4x4x3xf32>
      %2 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4x4x3xf32>) -> tensor<8x4x3xf32>
      %3 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> : (tensor<4x4x3xf32>) -> tensor<4x4x3xf32>
      %4 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4x4x3xf32>) -> tensor<8x4x3xf32>
      %5 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 0, 2, 3>}> : (tensor<4x4x3xf32>) -> tensor<4x1x4x3xf32>
      %6 = "stablehlo.all_gather"(%5) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> : (tensor<4x1x4x3xf32>) -> tensor<4x1x4x3xf32>
      %7 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x4x3xf32>) -> tensor<4x4x3x1xf32>
      %8 = "stablehlo.all_gather"(%7) <{all_gather_dim = 3 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4x4x3x1xf32>) -> tensor<4x4x3x2xf32>
      %9 = "stablehlo.slice"(%arg1) <{limit_indices = array<i64: 1, 1, 1>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<4x4x3xf32>) -> tensor<1x1x1xf32>
      %10 = "stablehlo.reshape"(%9) : (tensor<1x1x1xf32>) -> tensor<f32>
      %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
      %12 = "stablehlo.all_gather"(%11) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1xf32>) -> tensor<2xf32>
      %13 = "stablehlo.convert"(%arg1) : (tensor<4x4x3xf32>) -> tensor<4x4x3xi8>
      %14 = "stablehlo.all_gather"(%13) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> : (tensor<4x4x3xi8>) -> tensor<4x4x3xi8>
      "sdy.return"(%1, %2, %3, %4, %6, %8, %12, %14) : (tensor<4x4x3xf32>, tensor<8x4x3xf32>, tensor<4x4x3xf32>, tensor<8x4x3xf32>, tensor<4x1x4x3xf32>, tensor<4x4x3x2xf32>, tensor<2xf32>, tensor<4x4x3xi8>) -> ()
    }) : (tensor<8x4x3xf32>) -> (tensor<8x4x3xf32>, tensor<8x4x3xf32>, tensor<8x4x3xf32>, tensor<8x4x3xf32>, tensor<8x1x4x3xf32>, tensor<4x4x3x2xf32>, tensor<2xf32>, tensor<8x4x3xi8>)
    "func.return"(%0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7) : (tensor<8x4x3xf32>, tensor<8x4x3xf32>, tensor<8x4x3xf32>, tensor<8x4x3xf32>, tensor<8x1x4x3xf32>, tensor<4x4x3x2xf32>, tensor<2xf32>, tensor<8x4x3xi8>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
