// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg11: tensor<16x8xf32>, %arg12: tensor<16x8xf32>, %arg13: tensor<16x8xf32>):
    %32 = "sdy.manual_computation"(%arg11, %arg12, %arg13) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}> ({
    ^bb0(%arg14: tensor<8x8xf32>, %arg15: tensor<8x8xf32>, %arg16: tensor<8x8xf32>):
      %33 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
      %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x1xf32>
      %35 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x1xf32>
      %37 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %38 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %39 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %40 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %41:8 = "stablehlo.while"(%arg14, %40, %39, %arg15, %arg16, %34, %36, %38) ({
      ^bb0(%arg25: tensor<8x8xf32>, %arg26: tensor<i32>, %arg27: tensor<i32>, %arg28: tensor<8x8xf32>, %arg29: tensor<8x8xf32>, %arg30: tensor<8x1xf32>, %arg31: tensor<8x1xf32>, %arg32: tensor<8x8xf32>):
        %47 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
        %48 = "stablehlo.compare"(%arg26, %47) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
        "stablehlo.return"(%48) : (tensor<i1>) -> ()
      }, {
      ^bb0(%arg17: tensor<8x8xf32>, %arg18: tensor<i32>, %arg19: tensor<i32>, %arg20: tensor<8x8xf32>, %arg21: tensor<8x8xf32>, %arg22: tensor<8x1xf32>, %arg23: tensor<8x1xf32>, %arg24: tensor<8x8xf32>):
        %44:6 = "func.call"(%arg17, %arg19, %arg20, %arg21, %arg22, %arg23, %arg24) <{callee = @closed_call}> : (tensor<8x8xf32>, tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x8xf32>) -> (tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x8xf32>)
        %45 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
        %46 = "stablehlo.add"(%arg18, %45) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%arg17, %46, %44#0, %44#1, %44#2, %44#3, %44#4, %44#5) : (tensor<8x8xf32>, tensor<i32>, tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x8xf32>) -> ()
      }) : (tensor<8x8xf32>, tensor<i32>, tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<i32>, tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x8xf32>)
      %42 = "stablehlo.broadcast_in_dim"(%41#6) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x1xf32>) -> tensor<8x8xf32>
      %43 = "stablehlo.divide"(%41#7, %42) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      "sdy.return"(%43) : (tensor<8x8xf32>) -> ()
    }) : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    "func.return"(%32) : (tensor<16x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x8xf32>, tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x8xf32>) -> (tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x8xf32>), res_attrs = [{}, {}, {}, {}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>, %arg2: tensor<8x8xf32>, %arg3: tensor<8x8xf32>, %arg4: tensor<8x1xf32>, %arg5: tensor<8x1xf32>, %arg6: tensor<8x8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.add"(%arg1, %0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = "stablehlo.transpose"(%arg2) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = "stablehlo.dot_general"(%arg0, %2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = "stablehlo.constant"() <{value = dense<8.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.sqrt"(%4) : (tensor<f32>) -> tensor<f32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %7 = "stablehlo.divide"(%3, %6) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %8 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.reduce"(%7, %8) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %31 = "stablehlo.maximum"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xf32>) -> tensor<8x1xf32>
    %11 = "stablehlo.convert"(%arg4) : (tensor<8x1xf32>) -> tensor<8x1xf32>
    %12 = "stablehlo.maximum"(%11, %10) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x1xf32>) -> tensor<8x8xf32>
    %14 = "stablehlo.subtract"(%7, %13) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %15 = "stablehlo.exponential"(%14) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %16 = "stablehlo.convert"(%arg4) : (tensor<8x1xf32>) -> tensor<8x1xf32>
    %17 = "stablehlo.subtract"(%16, %12) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %18 = "stablehlo.exponential"(%17) : (tensor<8x1xf32>) -> tensor<8x1xf32>
    %19 = "stablehlo.collective_permute"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %20 = "stablehlo.collective_permute"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %21 = "stablehlo.multiply"(%arg5, %18) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %22 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %23 = "stablehlo.reduce"(%15, %22) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %30 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%30) : (tensor<f32>) -> ()
    }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %24 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xf32>) -> tensor<8x1xf32>
    %25 = "stablehlo.add"(%21, %24) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %26 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x1xf32>) -> tensor<8x8xf32>
    %27 = "stablehlo.multiply"(%arg6, %26) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %28 = "stablehlo.dot_general"(%15, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %29 = "stablehlo.add"(%27, %28) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%1, %19, %20, %12, %25, %29) : (tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
