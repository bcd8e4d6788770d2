// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<8x6xf32>, tensor<8x6xi32>, tensor<8xui8>, tensor<8x6xi1>) -> (tensor<4x6xf32>, tensor<8x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<8x6xi32>, tensor<4x6xi32>, tensor<4xui8>, tensor<8x6xf32>, tensor<4xui8>, tensor<4x6xi1>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x6xf32>, %arg1: tensor<8x6xi32>, %arg2: tensor<8xui8>, %arg3: tensor<8x6xi1>):
    %0:10 = "sdy.manual_computation"(%arg0, %arg1, %arg2, %arg3) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}, {"y"}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}]>, <@mesh, [{}, {}]>]>}> ({
    ^bb0(%arg4: tensor<4x6xf32>, %arg5: tensor<4x6xi32>, %arg6: tensor<4xui8>, %arg7: tensor<4x6xi1>):
      %1 = "stablehlo.convert"(%arg4) : (tensor<4x6xf32>) -> tensor<4x6xbf16>
      %2 = "stablehlo.all_reduce"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
        %29 = "stablehlo.add"(%arg26, %arg27) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%29) : (tensor<f32>) -> ()
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %3 = "stablehlo.all_reduce"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
        %28 = "stablehlo.add"(%arg24, %arg25) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%28) : (tensor<f32>) -> ()
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %4 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6xf32>
      %6 = "stablehlo.divide"(%3, %5) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
      %7 = "stablehlo.all_reduce"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg22: tensor<f32>, %arg23: tensor<f32>):
        %27 = "stablehlo.add"(%arg22, %arg23) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%27) : (tensor<f32>) -> ()
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %8 = "stablehlo.all_reduce"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
        %26 = "stablehlo.maximum"(%arg20, %arg21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%26) : (tensor<f32>) -> ()
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %9 = "stablehlo.all_reduce"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg18: tensor<i32>, %arg19: tensor<i32>):
        %25 = "stablehlo.minimum"(%arg18, %arg19) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%25) : (tensor<i32>) -> ()
      }) : (tensor<4x6xi32>) -> tensor<4x6xi32>
      %10 = "stablehlo.all_reduce"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg16: tensor<i32>, %arg17: tensor<i32>):
        %24 = "stablehlo.add"(%arg16, %arg17) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%24) : (tensor<i32>) -> ()
      }) : (tensor<4x6xi32>) -> tensor<4x6xi32>
      %11 = "stablehlo.all_reduce"(%arg6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg14: tensor<ui8>, %arg15: tensor<ui8>):
        %23 = "stablehlo.maximum"(%arg14, %arg15) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
        "stablehlo.return"(%23) : (tensor<ui8>) -> ()
      }) : (tensor<4xui8>) -> tensor<4xui8>
      %12 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg12: tensor<bf16>, %arg13: tensor<bf16>):
        %22 = "stablehlo.add"(%arg12, %arg13) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
        "stablehlo.return"(%22) : (tensor<bf16>) -> ()
      }) : (tensor<4x6xbf16>) -> tensor<4x6xbf16>
      %13 = "stablehlo.convert"(%12) : (tensor<4x6xbf16>) -> tensor<4x6xf32>
      %14 = "stablehlo.all_reduce"(%arg6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg10: tensor<ui8>, %arg11: tensor<ui8>):
        %21 = "stablehlo.minimum"(%arg10, %arg11) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
        "stablehlo.return"(%21) : (tensor<ui8>) -> ()
      }) : (tensor<4xui8>) -> tensor<4xui8>
      %15 = "stablehlo.convert"(%arg7) : (tensor<4x6xi1>) -> tensor<4x6xi32>
      %16 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<i32>, %arg9: tensor<i32>):
        %20 = "stablehlo.add"(%arg8, %arg9) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%20) : (tensor<i32>) -> ()
      }) : (tensor<4x6xi32>) -> tensor<4x6xi32>
      %17 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x6xi32>
      %19 = "stablehlo.compare"(%16, %18) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
      "sdy.return"(%2, %6, %7, %8, %9, %10, %11, %13, %14, %19) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi32>, tensor<4x6xi32>, tensor<4xui8>, tensor<4x6xf32>, tensor<4xui8>, tensor<4x6xi1>) -> ()
    }) : (tensor<8x6xf32>, tensor<8x6xi32>, tensor<8xui8>, tensor<8x6xi1>) -> (tensor<4x6xf32>, tensor<8x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<8x6xi32>, tensor<4x6xi32>, tensor<4xui8>, tensor<8x6xf32>, tensor<4xui8>, tensor<4x6xi1>)
    "func.return"(%0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9) : (tensor<4x6xf32>, tensor<8x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<8x6xi32>, tensor<4x6xi32>, tensor<4xui8>, tensor<8x6xf32>, tensor<4xui8>, tensor<4x6xi1>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
