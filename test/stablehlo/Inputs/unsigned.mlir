// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_unsigned"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x4xui8>, tensor<3x4xui8>) -> (tensor<3x4xui8>, tensor<3x4xi1>, tensor<ui32>, tensor<ui8>, tensor<3x4xi32>, tensor<3x4xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg2: tensor<3x4xui8>, %arg3: tensor<3x4xui8>):
    %1 = "stablehlo.constant"() <{value = dense<1> : tensor<ui8>}> : () -> tensor<ui8>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<ui8>) -> tensor<3x4xui8>
    %3 = "stablehlo.maximum"(%arg3, %2) : (tensor<3x4xui8>, tensor<3x4xui8>) -> tensor<3x4xui8>
    %4 = "func.call"(%arg2, %3) <{callee = @floor_divide}> : (tensor<3x4xui8>, tensor<3x4xui8>) -> tensor<3x4xui8>
    %5 = "stablehlo.compare"(%arg2, %arg3) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<3x4xui8>, tensor<3x4xui8>) -> tensor<3x4xi1>
    %6 = "stablehlo.convert"(%arg2) : (tensor<3x4xui8>) -> tensor<3x4xui32>
    %7 = "stablehlo.constant"() <{value = dense<0> : tensor<ui32>}> : () -> tensor<ui32>
    %8 = "stablehlo.reduce"(%6, %7) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg6: tensor<ui32>, %arg7: tensor<ui32>):
      %17 = "stablehlo.add"(%arg6, %arg7) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      "stablehlo.return"(%17) : (tensor<ui32>) -> ()
    }) : (tensor<3x4xui32>, tensor<ui32>) -> tensor<ui32>
    %9 = "stablehlo.constant"() <{value = dense<0> : tensor<ui8>}> : () -> tensor<ui8>
    %10 = "stablehlo.reduce"(%arg2, %9) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg4: tensor<ui8>, %arg5: tensor<ui8>):
      %16 = "stablehlo.maximum"(%arg4, %arg5) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
      "stablehlo.return"(%16) : (tensor<ui8>) -> ()
    }) : (tensor<3x4xui8>, tensor<ui8>) -> tensor<ui8>
    %11 = "stablehlo.constant"() <{value = dense<1> : tensor<ui8>}> : () -> tensor<ui8>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<ui8>) -> tensor<3x4xui8>
    %13 = "stablehlo.shift_right_logical"(%arg2, %12) : (tensor<3x4xui8>, tensor<3x4xui8>) -> tensor<3x4xui8>
    %14 = "stablehlo.convert"(%13) : (tensor<3x4xui8>) -> tensor<3x4xi32>
    %15 = "stablehlo.convert"(%arg2) : (tensor<3x4xui8>) -> tensor<3x4xf32>
    "func.return"(%4, %5, %8, %10, %14, %15) : (tensor<3x4xui8>, tensor<3x4xi1>, tensor<ui32>, tensor<ui8>, tensor<3x4xi32>, tensor<3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x4xui8>, tensor<3x4xui8>) -> tensor<3x4xui8>, res_attrs = [{}], sym_name = "floor_divide", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3x4xui8>, %arg1: tensor<3x4xui8>):
    %0 = "stablehlo.divide"(%arg0, %arg1) : (tensor<3x4xui8>, tensor<3x4xui8>) -> tensor<3x4xui8>
    "func.return"(%0) : (tensor<3x4xui8>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
