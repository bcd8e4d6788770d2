// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<[]>, sym_name = "empty_mesh"}> {stablehlo.mesh = {axes = []}} : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {sdy.sharding = #sdy.sharding<@empty_mesh, []>}], function_type = (tensor<8x6xf32>, tensor<i32>) -> (tensor<8x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x6xf32>, %arg1: tensor<i32>):
    %0:3 = "sdy.manual_computation"(%arg0, %arg1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>, <@mesh, []>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"y"}]>]>}> ({
    ^bb0(%arg2: tensor<4x6xf32>, %arg3: tensor<i32>):
      %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %2 = "stablehlo.reduce"(%arg2, %1) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
        %38 = "stablehlo.add"(%arg18, %arg19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%38) : (tensor<f32>) -> ()
      }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
      %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
        %37 = "stablehlo.add"(%arg16, %arg17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%37) : (tensor<f32>) -> ()
      }) : (tensor<f32>) -> tensor<f32>
      %4 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %5 = "stablehlo.compare"(%3, %4) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = "stablehlo.convert"(%5) : (tensor<i1>) -> tensor<i32>
      %7 = "stablehlo.case"(%6) ({
        %32 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> ({
        ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
          %36 = "stablehlo.maximum"(%arg14, %arg15) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%36) : (tensor<f32>) -> ()
        }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %33 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
        %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6xf32>
        %35 = "stablehlo.multiply"(%32, %34) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
        "stablehlo.return"(%35) : (tensor<4x6xf32>) -> ()
      }, {
        %30 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> ({
        ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
          %31 = "stablehlo.add"(%arg12, %arg13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%31) : (tensor<f32>) -> ()
        }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
        "stablehlo.return"(%30) : (tensor<4x6xf32>) -> ()
      }) : (tensor<i32>) -> tensor<4x6xf32>
      %8 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %9 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
      %10 = "stablehlo.clamp"(%8, %arg3, %9) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
      %11 = "stablehlo.case"(%10) ({
        %28 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
          %29 = "stablehlo.add"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%29) : (tensor<f32>) -> ()
        }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
        "stablehlo.return"(%28) : (tensor<4x6xf32>) -> ()
      }, {
        %23 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
          %27 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%27) : (tensor<f32>) -> ()
        }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %24 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
        %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6xf32>
        %26 = "stablehlo.divide"(%23, %25) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
        "stablehlo.return"(%26) : (tensor<4x6xf32>) -> ()
      }, {
        %21 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
        %22 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6xf32>
        "stablehlo.return"(%22) : (tensor<4x6xf32>) -> ()
      }) : (tensor<i32>) -> tensor<4x6xf32>
      %12 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %13 = "stablehlo.compare"(%arg3, %12) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %14 = "stablehlo.convert"(%13) : (tensor<i1>) -> tensor<i32>
      %15 = "stablehlo.case"(%14) ({
        %18 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
          %20 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%20) : (tensor<f32>) -> ()
        }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %19 = "stablehlo.negate"(%18) : (tensor<4x6xf32>) -> tensor<4x6xf32>
        "stablehlo.return"(%19) : (tensor<4x6xf32>) -> ()
      }, {
        %16 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %17 = "stablehlo.add"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%17) : (tensor<f32>) -> ()
        }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
        "stablehlo.return"(%16) : (tensor<4x6xf32>) -> ()
      }) : (tensor<i32>) -> tensor<4x6xf32>
      "sdy.return"(%7, %11, %15) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> ()
    }) : (tensor<8x6xf32>, tensor<i32>) -> (tensor<8x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
