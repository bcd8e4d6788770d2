// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x16xf32>) -> (tensor<2x16xui8> {jax.result_info = "result[0]"}, tensor<2x8xui8> {jax.result_info = "result[1]"}, tensor<8x8xui8> {jax.result_info = "result[2]"}, tensor<8x4xui8> {jax.result_info = "result[3]"}, tensor<2x16xui8> {jax.result_info = "result[4]"}, tensor<2x8xui8> {jax.result_info = "result[5]"}, tensor<8x8xui8> {jax.result_info = "result[6]"}, tensor<8x4xui8> {jax.result_info = "result[7]"}, tensor<2x16xui8> {jax.result_info = "result[8]"}, tensor<2x8xui8> {jax.result_info = "result[9]"}, tensor<8x8xui8> {jax.result_info = "result[10]"}, tensor<8x4xui8> {jax.result_info = "result[11]"}, tensor<2x16xui8> {jax.result_info = "result[12]"}, tensor<2x8xui8> {jax.result_info = "result[13]"}, tensor<8x8xui8> {jax.result_info = "result[14]"}, tensor<8x4xui8> {jax.result_info = "result[15]"}) {
    %0:16 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{}, {"y"}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{}, {"y"}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{}, {"y"}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%arg1: tensor<2x8xf32>) {
      %1 = stablehlo.convert %arg1 : (tensor<2x8xf32>) -> tensor<2x8xf8E4M3FN>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E4M3FN>, %arg3: tensor<f8E4M3FN>):
        %37 = stablehlo.add %arg2, %arg3 : tensor<f8E4M3FN>
        stablehlo.return %37 : tensor<f8E4M3FN>
      }) : (tensor<2x8xf8E4M3FN>) -> tensor<2x8xf8E4M3FN>
      %3 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E4M3FN>, %arg3: tensor<f8E4M3FN>):
        %37 = stablehlo.maximum %arg2, %arg3 : tensor<f8E4M3FN>
        stablehlo.return %37 : tensor<f8E4M3FN>
      }) : (tensor<2x8xf8E4M3FN>) -> tensor<2x8xf8E4M3FN>
      %4 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E4M3FN>, %arg3: tensor<f8E4M3FN>):
        %37 = stablehlo.minimum %arg2, %arg3 : tensor<f8E4M3FN>
        stablehlo.return %37 : tensor<f8E4M3FN>
      }) : (tensor<2x8xf8E4M3FN>) -> tensor<2x8xf8E4M3FN>
      %5 = "stablehlo.reduce_scatter"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E4M3FN>, %arg3: tensor<f8E4M3FN>):
        %37 = stablehlo.add %arg2, %arg3 : tensor<f8E4M3FN>
        stablehlo.return %37 : tensor<f8E4M3FN>
      }) : (tensor<2x8xf8E4M3FN>) -> tensor<2x2xf8E4M3FN>
      %6 = stablehlo.convert %arg1 : (tensor<2x8xf32>) -> tensor<2x8xf8E5M2>
      %7 = "stablehlo.all_reduce"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E5M2>, %arg3: tensor<f8E5M2>):
        %37 = stablehlo.add %arg2, %arg3 : tensor<f8E5M2>
        stablehlo.return %37 : tensor<f8E5M2>
      }) : (tensor<2x8xf8E5M2>) -> tensor<2x8xf8E5M2>
      %8 = "stablehlo.all_reduce"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E5M2>, %arg3: tensor<f8E5M2>):
        %37 = stablehlo.maximum %arg2, %arg3 : tensor<f8E5M2>
        stablehlo.return %37 : tensor<f8E5M2>
      }) : (tensor<2x8xf8E5M2>) -> tensor<2x8xf8E5M2>
      %9 = "stablehlo.all_reduce"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E5M2>, %arg3: tensor<f8E5M2>):
        %37 = stablehlo.minimum %arg2, %arg3 : tensor<f8E5M2>
        stablehlo.return %37 : tensor<f8E5M2>
      }) : (tensor<2x8xf8E5M2>) -> tensor<2x8xf8E5M2>
      %10 = "stablehlo.reduce_scatter"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E5M2>, %arg3: tensor<f8E5M2>):
        %37 = stablehlo.add %arg2, %arg3 : tensor<f8E5M2>
        stablehlo.return %37 : tensor<f8E5M2>
      }) : (tensor<2x8xf8E5M2>) -> tensor<2x2xf8E5M2>
      %11 = stablehlo.convert %arg1 : (tensor<2x8xf32>) -> tensor<2x8xf8E4M3FNUZ>
      %12 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E4M3FNUZ>, %arg3: tensor<f8E4M3FNUZ>):
        %37 = stablehlo.add %arg2, %arg3 : tensor<f8E4M3FNUZ>
        stablehlo.return %37 : tensor<f8E4M3FNUZ>
      }) : (tensor<2x8xf8E4M3FNUZ>) -> tensor<2x8xf8E4M3FNUZ>
      %13 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E4M3FNUZ>, %arg3: tensor<f8E4M3FNUZ>):
        %37 = stablehlo.maximum %arg2, %arg3 : tensor<f8E4M3FNUZ>
        stablehlo.return %37 : tensor<f8E4M3FNUZ>
      }) : (tensor<2x8xf8E4M3FNUZ>) -> tensor<2x8xf8E4M3FNUZ>
      %14 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E4M3FNUZ>, %arg3: tensor<f8E4M3FNUZ>):
        %37 = stablehlo.minimum %arg2, %arg3 : tensor<f8E4M3FNUZ>
        stablehlo.return %37 : tensor<f8E4M3FNUZ>
      }) : (tensor<2x8xf8E4M3FNUZ>) -> tensor<2x8xf8E4M3FNUZ>
      %15 = "stablehlo.reduce_scatter"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E4M3FNUZ>, %arg3: tensor<f8E4M3FNUZ>):
        %37 = stablehlo.add %arg2, %arg3 : tensor<f8E4M3FNUZ>
        stablehlo.return %37 : tensor<f8E4M3FNUZ>
      }) : (tensor<2x8xf8E4M3FNUZ>) -> tensor<2x2xf8E4M3FNUZ>
      %16 = stablehlo.convert %arg1 : (tensor<2x8xf32>) -> tensor<2x8xf8E5M2FNUZ>
      %17 = "stablehlo.all_reduce"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E5M2FNUZ>, %arg3: tensor<f8E5M2FNUZ>):
        %37 = stablehlo.add %arg2, %arg3 : tensor<f8E5M2FNUZ>
        stablehlo.return %37 : tensor<f8E5M2FNUZ>
      }) : (tensor<2x8xf8E5M2FNUZ>) -> tensor<2x8xf8E5M2FNUZ>
      %18 = "stablehlo.all_reduce"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E5M2FNUZ>, %arg3: tensor<f8E5M2FNUZ>):
        %37 = stablehlo.maximum %arg2, %arg3 : tensor<f8E5M2FNUZ>
        stablehlo.return %37 : tensor<f8E5M2FNUZ>
      }) : (tensor<2x8xf8E5M2FNUZ>) -> tensor<2x8xf8E5M2FNUZ>
      %19 = "stablehlo.all_reduce"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E5M2FNUZ>, %arg3: tensor<f8E5M2FNUZ>):
        %37 = stablehlo.minimum %arg2, %arg3 : tensor<f8E5M2FNUZ>
        stablehlo.return %37 : tensor<f8E5M2FNUZ>
      }) : (tensor<2x8xf8E5M2FNUZ>) -> tensor<2x8xf8E5M2FNUZ>
      %20 = "stablehlo.reduce_scatter"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f8E5M2FNUZ>, %arg3: tensor<f8E5M2FNUZ>):
        %37 = stablehlo.add %arg2, %arg3 : tensor<f8E5M2FNUZ>
        stablehlo.return %37 : tensor<f8E5M2FNUZ>
      }) : (tensor<2x8xf8E5M2FNUZ>) -> tensor<2x2xf8E5M2FNUZ>
      %21 = stablehlo.bitcast_convert %2 : (tensor<2x8xf8E4M3FN>) -> tensor<2x8xui8>
      %22 = stablehlo.bitcast_convert %3 : (tensor<2x8xf8E4M3FN>) -> tensor<2x8xui8>
      %23 = stablehlo.bitcast_convert %4 : (tensor<2x8xf8E4M3FN>) -> tensor<2x8xui8>
      %24 = stablehlo.bitcast_convert %5 : (tensor<2x2xf8E4M3FN>) -> tensor<2x2xui8>
      %25 = stablehlo.bitcast_convert %7 : (tensor<2x8xf8E5M2>) -> tensor<2x8xui8>
      %26 = stablehlo.bitcast_convert %8 : (tensor<2x8xf8E5M2>) -> tensor<2x8xui8>
      %27 = stablehlo.bitcast_convert %9 : (tensor<2x8xf8E5M2>) -> tensor<2x8xui8>
      %28 = stablehlo.bitcast_convert %10 : (tensor<2x2xf8E5M2>) -> tensor<2x2xui8>
      %29 = stablehlo.bitcast_convert %12 : (tensor<2x8xf8E4M3FNUZ>) -> tensor<2x8xui8>
      %30 = stablehlo.bitcast_convert %13 : (tensor<2x8xf8E4M3FNUZ>) -> tensor<2x8xui8>
      %31 = stablehlo.bitcast_convert %14 : (tensor<2x8xf8E4M3FNUZ>) -> tensor<2x8xui8>
      %32 = stablehlo.bitcast_convert %15 : (tensor<2x2xf8E4M3FNUZ>) -> tensor<2x2xui8>
      %33 = stablehlo.bitcast_convert %17 : (tensor<2x8xf8E5M2FNUZ>) -> tensor<2x8xui8>
      %34 = stablehlo.bitcast_convert %18 : (tensor<2x8xf8E5M2FNUZ>) -> tensor<2x8xui8>
      %35 = stablehlo.bitcast_convert %19 : (tensor<2x8xf8E5M2FNUZ>) -> tensor<2x8xui8>
      %36 = stablehlo.bitcast_convert %20 : (tensor<2x2xf8E5M2FNUZ>) -> tensor<2x2xui8>
      sdy.return %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36 : tensor<2x8xui8>, tensor<2x8xui8>, tensor<2x8xui8>, tensor<2x2xui8>, tensor<2x8xui8>, tensor<2x8xui8>, tensor<2x8xui8>, tensor<2x2xui8>, tensor<2x8xui8>, tensor<2x8xui8>, tensor<2x8xui8>, tensor<2x2xui8>, tensor<2x8xui8>, tensor<2x8xui8>, tensor<2x8xui8>, tensor<2x2xui8>
    } : (tensor<8x16xf32>) -> (tensor<2x16xui8>, tensor<2x8xui8>, tensor<8x8xui8>, tensor<8x4xui8>, tensor<2x16xui8>, tensor<2x8xui8>, tensor<8x8xui8>, tensor<8x4xui8>, tensor<2x16xui8>, tensor<2x8xui8>, tensor<8x8xui8>, tensor<8x4xui8>, tensor<2x16xui8>, tensor<2x8xui8>, tensor<8x8xui8>, tensor<8x4xui8>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9, %0#10, %0#11, %0#12, %0#13, %0#14, %0#15 : tensor<2x16xui8>, tensor<2x8xui8>, tensor<8x8xui8>, tensor<8x4xui8>, tensor<2x16xui8>, tensor<2x8xui8>, tensor<8x8xui8>, tensor<8x4xui8>, tensor<2x16xui8>, tensor<2x8xui8>, tensor<8x8xui8>, tensor<8x4xui8>, tensor<2x16xui8>, tensor<2x8xui8>, tensor<8x8xui8>, tensor<8x4xui8>
  }
}
