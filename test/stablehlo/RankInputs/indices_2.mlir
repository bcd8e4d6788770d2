// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_body"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<11x4xf32>, tensor<8x6xf32>) -> (tensor<4xi32>, tensor<2xi32>, tensor<2x4xf32>, tensor<8x6xf32>, tensor<2x4xf32>, tensor<8x6xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg3: tensor<11x4xf32>, %arg4: tensor<8x6xf32>):
    %1:6 = "sdy.manual_computation"(%arg3, %arg4) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{"x"}, {"y"}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}]>, <@mesh, [{"x", "y"}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x"}, {"y"}]>]>}> ({
    ^bb0(%arg5: tensor<11x4xf32>, %arg6: tensor<4x6xf32>):
      %2 = "stablehlo.constant"() <{value = dense<1> : tensor<ui32>}> : () -> tensor<ui32>
      %3 = "stablehlo.constant"() <{value = dense<2> : tensor<ui32>}> : () -> tensor<ui32>
      %4 = "stablehlo.partition_id"() : () -> tensor<ui32>
      %5 = "stablehlo.divide"(%4, %2) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      %6 = "stablehlo.remainder"(%5, %3) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      %7 = "stablehlo.convert"(%6) : (tensor<ui32>) -> tensor<i32>
      %8 = "stablehlo.constant"() <{value = dense<1> : tensor<ui32>}> : () -> tensor<ui32>
      %9 = "stablehlo.constant"() <{value = dense<1> : tensor<ui32>}> : () -> tensor<ui32>
      %10 = "stablehlo.partition_id"() : () -> tensor<ui32>
      %11 = "stablehlo.divide"(%10, %8) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      %12 = "stablehlo.remainder"(%11, %9) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      %13 = "stablehlo.convert"(%12) : (tensor<ui32>) -> tensor<i32>
      %14 = "stablehlo.constant"() <{value = dense<1> : tensor<ui32>}> : () -> tensor<ui32>
      %15 = "stablehlo.constant"() <{value = dense<2> : tensor<ui32>}> : () -> tensor<ui32>
      %16 = "stablehlo.partition_id"() : () -> tensor<ui32>
      %17 = "stablehlo.divide"(%16, %14) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      %18 = "stablehlo.remainder"(%17, %15) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      %19 = "stablehlo.convert"(%18) : (tensor<ui32>) -> tensor<i32>
      %20 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %21 = "stablehlo.multiply"(%19, %20) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %22 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %23 = "stablehlo.add"(%22, %21) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %24 = "stablehlo.constant"() <{value = dense<1> : tensor<ui32>}> : () -> tensor<ui32>
      %25 = "stablehlo.constant"() <{value = dense<1> : tensor<ui32>}> : () -> tensor<ui32>
      %26 = "stablehlo.partition_id"() : () -> tensor<ui32>
      %27 = "stablehlo.divide"(%26, %24) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      %28 = "stablehlo.remainder"(%27, %25) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      %29 = "stablehlo.convert"(%28) : (tensor<ui32>) -> tensor<i32>
      %30 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
      %31 = "stablehlo.multiply"(%29, %30) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %32 = "stablehlo.add"(%23, %31) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %33 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
      %34 = "stablehlo.multiply"(%33, %7) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %35 = "stablehlo.add"(%34, %13) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %36 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %37 = "stablehlo.compare"(%35, %36) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %38 = "stablehlo.constant"() <{value = dense<11> : tensor<i32>}> : () -> tensor<i32>
      %39 = "stablehlo.add"(%35, %38) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %40 = "stablehlo.select"(%37, %39, %35) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      %41 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %42 = "stablehlo.dynamic_slice"(%arg5, %40, %41) <{slice_sizes = array<i64: 1, 4>}> : (tensor<11x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %43 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %44 = "stablehlo.compare"(%13, %43) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %45 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %46 = "stablehlo.add"(%7, %45) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %47 = "stablehlo.convert"(%46) : (tensor<i32>) -> tensor<f32>
      %48 = "stablehlo.broadcast_in_dim"(%47) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6xf32>
      %49 = "stablehlo.multiply"(%arg6, %48) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
      %50 = "func.call"(%44, %arg6, %49) <{callee = @_where}> : (tensor<i1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
      %51 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
      %52 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
      %53 = "stablehlo.concatenate"(%51, %52) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %54 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
      %55 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %56 = "stablehlo.compare"(%32, %55) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %57 = "stablehlo.constant"() <{value = dense<11> : tensor<i32>}> : () -> tensor<i32>
      %58 = "stablehlo.add"(%32, %57) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %59 = "stablehlo.select"(%56, %58, %32) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      %60 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %61 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %62 = "stablehlo.compare"(%60, %61) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %63 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %64 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
      %65 = "stablehlo.add"(%63, %64) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %66 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %67 = "stablehlo.select"(%62, %65, %66) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      %68 = "stablehlo.dynamic_slice"(%arg5, %59, %67) <{slice_sizes = array<i64: 1, 4>}> : (tensor<11x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %69 = "stablehlo.reshape"(%68) : (tensor<1x4xf32>) -> tensor<4xf32>
      %70 = "stablehlo.broadcast_in_dim"(%69) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1x4xf32>
      %71 = "stablehlo.slice"(%arg6) <{limit_indices = array<i64: 1, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x6xf32>) -> tensor<1x1xf32>
      %72 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %73 = "stablehlo.compare"(%13, %72) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %74 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
      %75 = "stablehlo.add"(%13, %74) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %76 = "stablehlo.select"(%73, %75, %13) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      %77 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %78 = "stablehlo.dynamic_update_slice"(%arg6, %71, %77, %76) : (tensor<4x6xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
      "sdy.return"(%53, %54, %42, %50, %70, %78) : (tensor<2xi32>, tensor<1xi32>, tensor<1x4xf32>, tensor<4x6xf32>, tensor<1x4xf32>, tensor<4x6xf32>) -> ()
    }) : (tensor<11x4xf32>, tensor<8x6xf32>) -> (tensor<4xi32>, tensor<2xi32>, tensor<2x4xf32>, tensor<8x6xf32>, tensor<2x4xf32>, tensor<8x6xf32>)
    "func.return"(%1#0, %1#1, %1#2, %1#3, %1#4, %1#5) : (tensor<4xi32>, tensor<2xi32>, tensor<2x4xf32>, tensor<8x6xf32>, tensor<2x4xf32>, tensor<8x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>):
    %0 = "stablehlo.select"(%arg0, %arg1, %arg2) : (tensor<i1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    "func.return"(%0) : (tensor<4x6xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
