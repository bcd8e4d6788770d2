// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x6xf32>, tensor<8xf32>) -> (tensor<4x6xf32>, tensor<8x6xcomplex<f32>>, tensor<8x6xf32>, tensor<4x6xcomplex<f32>>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x6xf32>, %arg1: tensor<8xf32>):
    %0:4 = "sdy.manual_computation"(%arg0, %arg1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{}, {}]>]>}> ({
    ^bb0(%arg2: tensor<4x6xf32>, %arg3: tensor<4xf32>):
      %1 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x1xf32>
      %2 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6xf32>
      %4 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf32>) -> tensor<4x6xf32>
      %5 = "stablehlo.multiply"(%4, %3) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
      %6 = "stablehlo.complex"(%arg2, %5) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xcomplex<f32>>
      %7 = "stablehlo.all_reduce"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<complex<f32>>, %arg7: tensor<complex<f32>>):
        %14 = "stablehlo.add"(%arg6, %arg7) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
        "stablehlo.return"(%14) : (tensor<complex<f32>>) -> ()
      }) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
      %8 = "stablehlo.all_gather"(%6) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, use_global_device_ids}> : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
      %9 = "stablehlo.collective_permute"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
      %10 = "stablehlo.abs"(%7) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
      %11 = "stablehlo.imag"(%9) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
      %12 = "stablehlo.all_reduce"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<complex<f32>>, %arg5: tensor<complex<f32>>):
        %13 = "stablehlo.add"(%arg4, %arg5) : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
        "stablehlo.return"(%13) : (tensor<complex<f32>>) -> ()
      }) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
      "sdy.return"(%10, %8, %11, %12) : (tensor<4x6xf32>, tensor<4x6xcomplex<f32>>, tensor<4x6xf32>, tensor<4x6xcomplex<f32>>) -> ()
    }) : (tensor<8x6xf32>, tensor<8xf32>) -> (tensor<4x6xf32>, tensor<8x6xcomplex<f32>>, tensor<8x6xf32>, tensor<4x6xcomplex<f32>>)
    "func.return"(%0#0, %0#1, %0#2, %0#3) : (tensor<4x6xf32>, tensor<8x6xcomplex<f32>>, tensor<8x6xf32>, tensor<4x6xcomplex<f32>>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
