// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16x5xf32>) -> tensor<16x5xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg2: tensor<16x5xf32>):
    %21 = "sdy.manual_computation"(%arg2) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}> ({
    ^bb0(%arg3: tensor<8x5xf32>):
      %22 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %23 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %24:3 = "stablehlo.while"(%23, %22, %arg3) ({
      ^bb0(%arg7: tensor<i32>, %arg8: tensor<i32>, %arg9: tensor<8x5xf32>):
        %28 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
        %29 = "stablehlo.compare"(%arg7, %28) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
        "stablehlo.return"(%29) : (tensor<i1>) -> ()
      }, {
      ^bb0(%arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<8x5xf32>):
        %25:2 = "func.call"(%arg5, %arg6) <{callee = @closed_call}> : (tensor<i32>, tensor<8x5xf32>) -> (tensor<i32>, tensor<8x5xf32>)
        %26 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
        %27 = "stablehlo.add"(%arg4, %26) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%27, %25#0, %25#1) : (tensor<i32>, tensor<i32>, tensor<8x5xf32>) -> ()
      }) : (tensor<i32>, tensor<i32>, tensor<8x5xf32>) -> (tensor<i32>, tensor<i32>, tensor<8x5xf32>)
      "sdy.return"(%24#2) : (tensor<8x5xf32>) -> ()
    }) : (tensor<16x5xf32>) -> tensor<16x5xf32>
    "func.return"(%21) : (tensor<16x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<8x5xf32>) -> (tensor<i32>, tensor<8x5xf32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<8x5xf32>):
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.add"(%arg0, %0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = "stablehlo.slice"(%arg1) <{limit_indices = array<i64: 8, 5>, start_indices = array<i64: 7, 0>, strides = array<i64: 1, 1>}> : (tensor<8x5xf32>) -> tensor<1x5xf32>
    %3 = "stablehlo.collective_permute"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1x5xf32>) -> tensor<1x5xf32>
    %4 = "stablehlo.slice"(%arg1) <{limit_indices = array<i64: 1, 5>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x5xf32>) -> tensor<1x5xf32>
    %5 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<1x5xf32>) -> tensor<1x5xf32>
    %6 = "stablehlo.concatenate"(%3, %arg1, %5) <{dimension = 0 : i64}> : (tensor<1x5xf32>, tensor<8x5xf32>, tensor<1x5xf32>) -> tensor<10x5xf32>
    %7 = "stablehlo.slice"(%6) <{limit_indices = array<i64: 8, 5>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<10x5xf32>) -> tensor<8x5xf32>
    %8 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x5xf32>
    %10 = "stablehlo.multiply"(%9, %7) : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
    %11 = "stablehlo.slice"(%6) <{limit_indices = array<i64: 9, 5>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<10x5xf32>) -> tensor<8x5xf32>
    %12 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x5xf32>
    %14 = "stablehlo.multiply"(%13, %11) : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
    %15 = "stablehlo.add"(%10, %14) : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
    %16 = "stablehlo.slice"(%6) <{limit_indices = array<i64: 10, 5>, start_indices = array<i64: 2, 0>, strides = array<i64: 1, 1>}> : (tensor<10x5xf32>) -> tensor<8x5xf32>
    %17 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x5xf32>
    %19 = "stablehlo.multiply"(%18, %16) : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
    %20 = "stablehlo.add"(%15, %19) : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
    "func.return"(%1, %20) : (tensor<i32>, tensor<8x5xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
