// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x6xf32>, tensor<6xf32>) -> (tensor<8x6xf32>, tensor<6xf32>, tensor<8x6xf32>, tensor<5xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg18: tensor<8x6xf32>, %arg19: tensor<6xf32>):
    %20:4 = "sdy.manual_computation"(%arg18, %arg19) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}]>]>}> ({
    ^bb0(%arg20: tensor<4x6xf32>, %arg21: tensor<6xf32>):
      %21 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %22 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %23:4 = "stablehlo.while"(%22, %21, %arg20, %arg20) ({
      ^bb0(%arg42: tensor<i32>, %arg43: tensor<i32>, %arg44: tensor<4x6xf32>, %arg45: tensor<4x6xf32>):
        %55 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
        %56 = "stablehlo.compare"(%arg42, %55) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
        "stablehlo.return"(%56) : (tensor<i1>) -> ()
      }, {
      ^bb0(%arg38: tensor<i32>, %arg39: tensor<i32>, %arg40: tensor<4x6xf32>, %arg41: tensor<4x6xf32>):
        %52:3 = "func.call"(%arg39, %arg40, %arg41) <{callee = @closed_call}> : (tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>)
        %53 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
        %54 = "stablehlo.add"(%arg38, %53) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%54, %52#0, %52#1, %52#2) : (tensor<i32>, tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>) -> ()
      }) : (tensor<i32>, tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<i32>, tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>)
      %24 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
      %26 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %27:4 = "stablehlo.while"(%arg20, %26, %arg21, %25) ({
      ^bb0(%arg34: tensor<4x6xf32>, %arg35: tensor<i32>, %arg36: tensor<6xf32>, %arg37: tensor<4xf32>):
        %50 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
        %51 = "stablehlo.compare"(%arg35, %50) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
        "stablehlo.return"(%51) : (tensor<i1>) -> ()
      }, {
      ^bb0(%arg30: tensor<4x6xf32>, %arg31: tensor<i32>, %arg32: tensor<6xf32>, %arg33: tensor<4xf32>):
        %45 = "func.call"(%arg30, %arg31) <{callee = @dynamic_index_in_dim}> : (tensor<4x6xf32>, tensor<i32>) -> tensor<6xf32>
        %46:2 = "func.call"(%arg32, %45) <{callee = @closed_call_0}> : (tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<f32>)
        %47 = "func.call"(%arg33, %46#1, %arg31) <{callee = @dynamic_update_index_in_dim}> : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
        %48 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
        %49 = "stablehlo.add"(%arg31, %48) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%arg30, %49, %46#0, %47) : (tensor<4x6xf32>, tensor<i32>, tensor<6xf32>, tensor<4xf32>) -> ()
      }) : (tensor<4x6xf32>, tensor<i32>, tensor<6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<i32>, tensor<6xf32>, tensor<4xf32>)
      %28 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %29:2 = "stablehlo.while"(%arg20, %28) ({
      ^bb0(%arg24: tensor<4x6xf32>, %arg25: tensor<i32>):
        %37 = "stablehlo.multiply"(%arg24, %arg24) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
        %38 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
        %39 = "stablehlo.reduce"(%37, %38) <{dimensions = array<i64: 0, 1>}> ({
        ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
          %44 = "stablehlo.add"(%arg28, %arg29) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%44) : (tensor<f32>) -> ()
        }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
        %40 = "stablehlo.all_reduce"(%39) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
          %43 = "stablehlo.add"(%arg26, %arg27) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%43) : (tensor<f32>) -> ()
        }) : (tensor<f32>) -> tensor<f32>
        %41 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
        %42 = "stablehlo.compare"(%40, %41) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
        "stablehlo.return"(%42) : (tensor<i1>) -> ()
      }, {
      ^bb0(%arg22: tensor<4x6xf32>, %arg23: tensor<i32>):
        %32 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
        %33 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6xf32>
        %34 = "stablehlo.multiply"(%arg22, %33) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
        %35 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
        %36 = "stablehlo.add"(%arg23, %35) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%34, %36) : (tensor<4x6xf32>, tensor<i32>) -> ()
      }) : (tensor<4x6xf32>, tensor<i32>) -> (tensor<4x6xf32>, tensor<i32>)
      %30 = "stablehlo.convert"(%29#1) : (tensor<i32>) -> tensor<f32>
      %31 = "func.call"(%27#3, %30) <{callee = @append}> : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
      "sdy.return"(%23#2, %27#2, %29#0, %31) : (tensor<4x6xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<5xf32>) -> ()
    }) : (tensor<8x6xf32>, tensor<6xf32>) -> (tensor<8x6xf32>, tensor<6xf32>, tensor<8x6xf32>, tensor<5xf32>)
    "func.return"(%20#0, %20#1, %20#2, %20#3) : (tensor<8x6xf32>, tensor<6xf32>, tensor<8x6xf32>, tensor<5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>), res_attrs = [{}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<i32>, %arg16: tensor<4x6xf32>, %arg17: tensor<4x6xf32>):
    %16 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %17 = "stablehlo.add"(%arg15, %16) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %18 = "stablehlo.collective_permute"(%arg17) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %19 = "stablehlo.add"(%arg16, %18) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    "func.return"(%17, %19, %18) : (tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x6xf32>, tensor<i32>) -> tensor<6xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<4x6xf32>, %arg14: tensor<i32>):
    %13 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %14 = "stablehlo.dynamic_slice"(%arg13, %arg14, %13) <{slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %15 = "stablehlo.reshape"(%14) : (tensor<1x6xf32>) -> tensor<6xf32>
    "func.return"(%15) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<f32>), res_attrs = [{}, {}], sym_name = "closed_call_0", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<6xf32>, %arg6: tensor<6xf32>):
    %4 = "stablehlo.multiply"(%arg5, %arg6) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %5 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %12 = "stablehlo.add"(%arg11, %arg12) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%12) : (tensor<f32>) -> ()
    }) : (tensor<6xf32>) -> tensor<6xf32>
    %6 = "stablehlo.tanh"(%5) : (tensor<6xf32>) -> tensor<6xf32>
    %7 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.reduce"(%arg6, %7) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %11 = "stablehlo.add"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%11) : (tensor<f32>) -> ()
    }) : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %9 = "stablehlo.all_reduce"(%8) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %10 = "stablehlo.maximum"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%10) : (tensor<f32>) -> ()
    }) : (tensor<f32>) -> tensor<f32>
    "func.return"(%6, %9) : (tensor<6xf32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<4xf32>, %arg3: tensor<f32>, %arg4: tensor<i32>):
    %2 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %3 = "stablehlo.dynamic_update_slice"(%arg2, %2, %arg4) : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    "func.return"(%3) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>, res_attrs = [{}], sym_name = "append", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<f32>):
    %0 = "stablehlo.reshape"(%arg1) : (tensor<f32>) -> tensor<1xf32>
    %1 = "stablehlo.concatenate"(%arg0, %0) <{dimension = 0 : i64}> : (tensor<4xf32>, tensor<1xf32>) -> tensor<5xf32>
    "func.return"(%1) : (tensor<5xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
