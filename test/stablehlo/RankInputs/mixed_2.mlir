// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x6xf32>) -> (tensor<4xf32>, tensor<8x6xf32>, tensor<6x8xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x6xf32>):
    %0 = "stablehlo.constant"() <{value = dense<[[-0.837311208, -0.751872778, 0.769190609, 1.35361743, 0.0390960611, 1.0101229], [-2.37359381, 0.297856659, -1.15929329, 0.9621495, 1.28501332, 1.15248644], [0.827475607, 1.17584598, 1.83456278, -0.473355621, 1.61901522, -0.269733638], [-1.31342089, 0.657287776, 0.825957298, 0.388170183, -0.572090268, 0.682254791], [-0.152978644, 2.52847028, 0.432174653, 0.488756895, -0.432680577, 0.683306813], [1.75002217, -0.630433321, -0.277344465, -1.82362878, 0.00310744811, 1.68307197], [-1.12020636, -0.324903697, -0.686509191, -0.219697803, -0.720401168, -3.065630e-01], [-1.06617415, 0.255579352, 1.0121907, 0.807643294, -1.81848705, 1.36085582]]> : tensor<8x6xf32>}> : () -> tensor<8x6xf32>
    %1 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x6xf32>
    %3 = "stablehlo.multiply"(%arg0, %2) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %4 = "sdy.manual_computation"(%3, %0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}> ({
    ^bb0(%arg8: tensor<4x6xf32>, %arg9: tensor<4x6xf32>):
      %17 = "stablehlo.multiply"(%arg8, %arg9) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
      %18 = "stablehlo.all_reduce"(%arg8) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
        %20 = "stablehlo.add"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%20) : (tensor<f32>) -> ()
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %19 = "stablehlo.add"(%17, %18) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
      "sdy.return"(%19) : (tensor<4x6xf32>) -> ()
    }) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %5 = "sdy.manual_computation"(%4) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}> ({
    ^bb0(%arg5: tensor<4x6xf32>):
      %15 = "stablehlo.all_reduce"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %16 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%16) : (tensor<f32>) -> ()
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      "sdy.return"(%15) : (tensor<4x6xf32>) -> ()
    }) : (tensor<8x6xf32>) -> tensor<4x6xf32>
    %6 = "sdy.manual_computation"(%4, %arg0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}> ({
    ^bb0(%arg3: tensor<4x6xf32>, %arg4: tensor<4x6xf32>):
      %14 = "stablehlo.subtract"(%arg3, %arg4) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
      "sdy.return"(%14) : (tensor<4x6xf32>) -> ()
    }) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %7 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.reduce"(%5, %7) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %13 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%13) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %9 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %11 = "stablehlo.add"(%8, %10) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %12 = "stablehlo.transpose"(%4) <{permutation = array<i64: 1, 0>}> : (tensor<8x6xf32>) -> tensor<6x8xf32>
    "func.return"(%11, %6, %12) : (tensor<4xf32>, tensor<8x6xf32>, tensor<6x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
