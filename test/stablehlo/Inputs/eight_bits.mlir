// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_eight_bits"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x6xi8>, tensor<6x5xi8>) -> (tensor<4x5xi32>, tensor<4x5xi8>, tensor<4xi8>, tensor<4x6xi8>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<4x6xi8>, %arg1: tensor<6x5xi8>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x6xi8>, tensor<6x5xi8>) -> tensor<4x5xi32>
    %1 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x5xi32>
    %3 = "stablehlo.shift_right_arithmetic"(%0, %2) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %4 = "stablehlo.convert"(%3) : (tensor<4x5xi32>) -> tensor<4x5xi8>
    %5 = "stablehlo.constant"() <{value = dense<-128> : tensor<i8>}> : () -> tensor<i8>
    %6 = "stablehlo.reduce"(%arg0, %5) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg2: tensor<i8>, %arg3: tensor<i8>):
      %8 = "stablehlo.maximum"(%arg2, %arg3) : (tensor<i8>, tensor<i8>) -> tensor<i8>
      "stablehlo.return"(%8) : (tensor<i8>) -> ()
    }) : (tensor<4x6xi8>, tensor<i8>) -> tensor<4xi8>
    %7 = "stablehlo.add"(%arg0, %arg0) : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
    "func.return"(%0, %4, %6, %7) : (tensor<4x5xi32>, tensor<4x5xi8>, tensor<4xi8>, tensor<4x6xi8>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
