// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module @jit_body attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x6xf32>, %arg1: tensor<6xf32>) -> (tensor<8x6xf32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}, tensor<8x6xf32> {jax.result_info = "result[2]"}, tensor<5xf32> {jax.result_info = "result[3]"}) {
    %0:4 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}]>] manual_axes={"x", "y"} (%arg2: tensor<4x6xf32>, %arg3: tensor<6xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %c_0 = stablehlo.constant dense<0> : tensor<i32>
      %1:4 = stablehlo.while(%iterArg = %c_0, %iterArg_3 = %c, %iterArg_4 = %arg2, %iterArg_5 = %arg2) : tensor<i32>, tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>
      cond {
        %c_6 = stablehlo.constant dense<1> : tensor<i32>
        %7 = stablehlo.compare LT, %iterArg, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %7 : tensor<i1>
      } do {
        %7:3 = func.call @closed_call(%iterArg_3, %iterArg_4, %iterArg_5) : (tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>)
        %c_6 = stablehlo.constant dense<1> : tensor<i32>
        %8 = stablehlo.add %iterArg, %c_6 : tensor<i32>
        stablehlo.return %8, %7#0, %7#1, %7#2 : tensor<i32>, tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>
      }
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %3:4 = stablehlo.while(%iterArg = %arg2, %iterArg_3 = %c_1, %iterArg_4 = %arg3, %iterArg_5 = %2) : tensor<4x6xf32>, tensor<i32>, tensor<6xf32>, tensor<4xf32>
      cond {
        %c_6 = stablehlo.constant dense<4> : tensor<i32>
        %7 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %7 : tensor<i1>
      } do {
        %7 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_3) : (tensor<4x6xf32>, tensor<i32>) -> tensor<6xf32>
        %8:2 = func.call @closed_call_0(%iterArg_4, %7) : (tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<f32>)
        %9 = func.call @dynamic_update_index_in_dim(%iterArg_5, %8#1, %iterArg_3) : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
        %c_6 = stablehlo.constant dense<1> : tensor<i32>
        %10 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
        stablehlo.return %iterArg, %10, %8#0, %9 : tensor<4x6xf32>, tensor<i32>, tensor<6xf32>, tensor<4xf32>
      }
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %4:2 = stablehlo.while(%iterArg = %arg2, %iterArg_3 = %c_2) : tensor<4x6xf32>, tensor<i32>
      cond {
        %7 = stablehlo.multiply %iterArg, %iterArg : tensor<4x6xf32>
        %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %8 = stablehlo.reduce(%7 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
        %9 = "stablehlo.all_reduce"(%8) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
          stablehlo.return %11 : tensor<f32>
        }) : (tensor<f32>) -> tensor<f32>
        %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
        %10 = stablehlo.compare GT, %9, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %10 : tensor<i1>
      } do {
        %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
        %7 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
        %8 = stablehlo.multiply %iterArg, %7 : tensor<4x6xf32>
        %c_5 = stablehlo.constant dense<1> : tensor<i32>
        %9 = stablehlo.add %iterArg_3, %c_5 : tensor<i32>
        stablehlo.return %8, %9 : tensor<4x6xf32>, tensor<i32>
      }
      %5 = stablehlo.convert %4#1 : (tensor<i32>) -> tensor<f32>
      %6 = func.call @append(%3#3, %5) : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
      sdy.return %1#2, %3#2, %4#0, %6 : tensor<4x6xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<5xf32>
    } : (tensor<8x6xf32>, tensor<6xf32>) -> (tensor<8x6xf32>, tensor<6xf32>, tensor<8x6xf32>, tensor<5xf32>)
    return %0#0, %0#1, %0#2, %0#3 : tensor<8x6xf32>, tensor<6xf32>, tensor<8x6xf32>, tensor<5xf32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) -> (tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = "stablehlo.collective_permute"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %2 = stablehlo.add %arg1, %1 : tensor<4x6xf32>
    return %0, %2, %1 : tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x6xf32>, %arg1: tensor<i32>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 6] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6xf32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @closed_call_0(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32>, tensor<f32>) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<6xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %5 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<6xf32>) -> tensor<6xf32>
    %2 = stablehlo.tanh %1 : tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %5 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<f32>) -> tensor<f32>
    return %2, %4 : tensor<6xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @append(%arg0: tensor<4xf32>, %arg1: tensor<f32>) -> tensor<5xf32> {
    %0 = stablehlo.reshape %arg1 : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.concatenate %arg0, %0, dim = 0 : (tensor<4xf32>, tensor<1xf32>) -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
}
