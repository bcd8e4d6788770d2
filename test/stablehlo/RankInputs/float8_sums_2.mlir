// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x16xf32>) -> (tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>):
    %0:16 = "sdy.manual_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{}, {"y"}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{}, {"y"}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{}, {"y"}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>]>}> ({
    ^bb0(%arg1: tensor<4x16xf32>):
      %1 = "stablehlo.convert"(%arg1) : (tensor<4x16xf32>) -> tensor<4x16xf8E4M3FN>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg32: tensor<f8E4M3FN>, %arg33: tensor<f8E4M3FN>):
        %52 = "stablehlo.add"(%arg32, %arg33) : (tensor<f8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
        "stablehlo.return"(%52) : (tensor<f8E4M3FN>) -> ()
      }) : (tensor<4x16xf8E4M3FN>) -> tensor<4x16xf8E4M3FN>
      %3 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg30: tensor<f8E4M3FN>, %arg31: tensor<f8E4M3FN>):
        %51 = "stablehlo.maximum"(%arg30, %arg31) : (tensor<f8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
        "stablehlo.return"(%51) : (tensor<f8E4M3FN>) -> ()
      }) : (tensor<4x16xf8E4M3FN>) -> tensor<4x16xf8E4M3FN>
      %4 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg28: tensor<f8E4M3FN>, %arg29: tensor<f8E4M3FN>):
        %50 = "stablehlo.minimum"(%arg28, %arg29) : (tensor<f8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
        "stablehlo.return"(%50) : (tensor<f8E4M3FN>) -> ()
      }) : (tensor<4x16xf8E4M3FN>) -> tensor<4x16xf8E4M3FN>
      %5 = "stablehlo.reduce_scatter"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg26: tensor<f8E4M3FN>, %arg27: tensor<f8E4M3FN>):
        %49 = "stablehlo.add"(%arg26, %arg27) : (tensor<f8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
        "stablehlo.return"(%49) : (tensor<f8E4M3FN>) -> ()
      }) : (tensor<4x16xf8E4M3FN>) -> tensor<4x8xf8E4M3FN>
      %6 = "stablehlo.convert"(%arg1) : (tensor<4x16xf32>) -> tensor<4x16xf8E5M2>
      %7 = "stablehlo.all_reduce"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg24: tensor<f8E5M2>, %arg25: tensor<f8E5M2>):
        %48 = "stablehlo.add"(%arg24, %arg25) : (tensor<f8E5M2>, tensor<f8E5M2>) -> tensor<f8E5M2>
        "stablehlo.return"(%48) : (tensor<f8E5M2>) -> ()
      }) : (tensor<4x16xf8E5M2>) -> tensor<4x16xf8E5M2>
      %8 = "stablehlo.all_reduce"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg22: tensor<f8E5M2>, %arg23: tensor<f8E5M2>):
        %47 = "stablehlo.maximum"(%arg22, %arg23) : (tensor<f8E5M2>, tensor<f8E5M2>) -> tensor<f8E5M2>
        "stablehlo.return"(%47) : (tensor<f8E5M2>) -> ()
      }) : (tensor<4x16xf8E5M2>) -> tensor<4x16xf8E5M2>
      %9 = "stablehlo.all_reduce"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg20: tensor<f8E5M2>, %arg21: tensor<f8E5M2>):
        %46 = "stablehlo.minimum"(%arg20, %arg21) : (tensor<f8E5M2>, tensor<f8E5M2>) -> tensor<f8E5M2>
        "stablehlo.return"(%46) : (tensor<f8E5M2>) -> ()
      }) : (tensor<4x16xf8E5M2>) -> tensor<4x16xf8E5M2>
      %10 = "stablehlo.reduce_scatter"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg18: tensor<f8E5M2>, %arg19: tensor<f8E5M2>):
        %45 = "stablehlo.add"(%arg18, %arg19) : (tensor<f8E5M2>, tensor<f8E5M2>) -> tensor<f8E5M2>
        "stablehlo.return"(%45) : (tensor<f8E5M2>) -> ()
      }) : (tensor<4x16xf8E5M2>) -> tensor<4x8xf8E5M2>
      %11 = "stablehlo.convert"(%arg1) : (tensor<4x16xf32>) -> tensor<4x16xf8E4M3FNUZ>
      %12 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg16: tensor<f8E4M3FNUZ>, %arg17: tensor<f8E4M3FNUZ>):
        %44 = "stablehlo.add"(%arg16, %arg17) : (tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>) -> tensor<f8E4M3FNUZ>
        "stablehlo.return"(%44) : (tensor<f8E4M3FNUZ>) -> ()
      }) : (tensor<4x16xf8E4M3FNUZ>) -> tensor<4x16xf8E4M3FNUZ>
      %13 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg14: tensor<f8E4M3FNUZ>, %arg15: tensor<f8E4M3FNUZ>):
        %43 = "stablehlo.maximum"(%arg14, %arg15) : (tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>) -> tensor<f8E4M3FNUZ>
        "stablehlo.return"(%43) : (tensor<f8E4M3FNUZ>) -> ()
      }) : (tensor<4x16xf8E4M3FNUZ>) -> tensor<4x16xf8E4M3FNUZ>
      %14 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg12: tensor<f8E4M3FNUZ>, %arg13: tensor<f8E4M3FNUZ>):
        %42 = "stablehlo.minimum"(%arg12, %arg13) : (tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>) -> tensor<f8E4M3FNUZ>
        "stablehlo.return"(%42) : (tensor<f8E4M3FNUZ>) -> ()
      }) : (tensor<4x16xf8E4M3FNUZ>) -> tensor<4x16xf8E4M3FNUZ>
      %15 = "stablehlo.reduce_scatter"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg10: tensor<f8E4M3FNUZ>, %arg11: tensor<f8E4M3FNUZ>):
        %41 = "stablehlo.add"(%arg10, %arg11) : (tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>) -> tensor<f8E4M3FNUZ>
        "stablehlo.return"(%41) : (tensor<f8E4M3FNUZ>) -> ()
      }) : (tensor<4x16xf8E4M3FNUZ>) -> tensor<4x8xf8E4M3FNUZ>
      %16 = "stablehlo.convert"(%arg1) : (tensor<4x16xf32>) -> tensor<4x16xf8E5M2FNUZ>
      %17 = "stablehlo.all_reduce"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f8E5M2FNUZ>, %arg9: tensor<f8E5M2FNUZ>):
        %40 = "stablehlo.add"(%arg8, %arg9) : (tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>) -> tensor<f8E5M2FNUZ>
        "stablehlo.return"(%40) : (tensor<f8E5M2FNUZ>) -> ()
      }) : (tensor<4x16xf8E5M2FNUZ>) -> tensor<4x16xf8E5M2FNUZ>
      %18 = "stablehlo.all_reduce"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f8E5M2FNUZ>, %arg7: tensor<f8E5M2FNUZ>):
        %39 = "stablehlo.maximum"(%arg6, %arg7) : (tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>) -> tensor<f8E5M2FNUZ>
        "stablehlo.return"(%39) : (tensor<f8E5M2FNUZ>) -> ()
      }) : (tensor<4x16xf8E5M2FNUZ>) -> tensor<4x16xf8E5M2FNUZ>
      %19 = "stablehlo.all_reduce"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f8E5M2FNUZ>, %arg5: tensor<f8E5M2FNUZ>):
        %38 = "stablehlo.minimum"(%arg4, %arg5) : (tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>) -> tensor<f8E5M2FNUZ>
        "stablehlo.return"(%38) : (tensor<f8E5M2FNUZ>) -> ()
      }) : (tensor<4x16xf8E5M2FNUZ>) -> tensor<4x16xf8E5M2FNUZ>
      %20 = "stablehlo.reduce_scatter"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E5M2FNUZ>, %arg3: tensor<f8E5M2FNUZ>):
        %37 = "stablehlo.add"(%arg2, %arg3) : (tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>) -> tensor<f8E5M2FNUZ>
        "stablehlo.return"(%37) : (tensor<f8E5M2FNUZ>) -> ()
      }) : (tensor<4x16xf8E5M2FNUZ>) -> tensor<4x8xf8E5M2FNUZ>
      %21 = "stablehlo.bitcast_convert"(%2) : (tensor<4x16xf8E4M3FN>) -> tensor<4x16xui8>
      %22 = "stablehlo.bitcast_convert"(%3) : (tensor<4x16xf8E4M3FN>) -> tensor<4x16xui8>
      %23 = "stablehlo.bitcast_convert"(%4) : (tensor<4x16xf8E4M3FN>) -> tensor<4x16xui8>
      %24 = "stablehlo.bitcast_convert"(%5) : (tensor<4x8xf8E4M3FN>) -> tensor<4x8xui8>
      %25 = "stablehlo.bitcast_convert"(%7) : (tensor<4x16xf8E5M2>) -> tensor<4x16xui8>
      %26 = "stablehlo.bitcast_convert"(%8) : (tensor<4x16xf8E5M2>) -> tensor<4x16xui8>
      %27 = "stablehlo.bitcast_convert"(%9) : (tensor<4x16xf8E5M2>) -> tensor<4x16xui8>
      %28 = "stablehlo.bitcast_convert"(%10) : (tensor<4x8xf8E5M2>) -> tensor<4x8xui8>
      %29 = "stablehlo.bitcast_convert"(%12) : (tensor<4x16xf8E4M3FNUZ>) -> tensor<4x16xui8>
      %30 = "stablehlo.bitcast_convert"(%13) : (tensor<4x16xf8E4M3FNUZ>) -> tensor<4x16xui8>
      %31 = "stablehlo.bitcast_convert"(%14) : (tensor<4x16xf8E4M3FNUZ>) -> tensor<4x16xui8>
      %32 = "stablehlo.bitcast_convert"(%15) : (tensor<4x8xf8E4M3FNUZ>) -> tensor<4x8xui8>
      %33 = "stablehlo.bitcast_convert"(%17) : (tensor<4x16xf8E5M2FNUZ>) -> tensor<4x16xui8>
      %34 = "stablehlo.bitcast_convert"(%18) : (tensor<4x16xf8E5M2FNUZ>) -> tensor<4x16xui8>
      %35 = "stablehlo.bitcast_convert"(%19) : (tensor<4x16xf8E5M2FNUZ>) -> tensor<4x16xui8>
      %36 = "stablehlo.bitcast_convert"(%20) : (tensor<4x8xf8E5M2FNUZ>) -> tensor<4x8xui8>
      "sdy.return"(%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36) : (tensor<4x16xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<4x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<4x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<4x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<4x8xui8>) -> ()
    }) : (tensor<8x16xf32>) -> (tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>)
    "func.return"(%0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9, %0#10, %0#11, %0#12, %0#13, %0#14, %0#15) : (tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>, tensor<4x16xui8>, tensor<4x16xui8>, tensor<8x16xui8>, tensor<8x8xui8>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
