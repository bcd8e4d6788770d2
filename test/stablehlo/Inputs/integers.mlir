// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_integers"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x5xi32>, tensor<4x5xi32>) -> (tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi1>, tensor<4x5xi1>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}, {jax.result_info = "result[21]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<4x5xi32>, %arg1: tensor<4x5xi32>):
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %1 = "stablehlo.subtract"(%arg0, %arg1) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %2 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %3 = "stablehlo.and"(%arg0, %arg1) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %4 = "stablehlo.or"(%arg0, %arg1) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %5 = "stablehlo.xor"(%arg0, %arg1) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %6 = "stablehlo.divide"(%arg0, %arg1) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %7 = "stablehlo.remainder"(%arg0, %arg1) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %8 = "stablehlo.maximum"(%arg0, %arg1) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %9 = "stablehlo.minimum"(%arg0, %arg1) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %10 = "stablehlo.compare"(%arg0, %arg1) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi1>
    %11 = "stablehlo.compare"(%arg0, %arg1) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi1>
    %12 = "stablehlo.not"(%arg0) : (tensor<4x5xi32>) -> tensor<4x5xi32>
    %13 = "stablehlo.negate"(%arg0) : (tensor<4x5xi32>) -> tensor<4x5xi32>
    %14 = "stablehlo.abs"(%arg0) : (tensor<4x5xi32>) -> tensor<4x5xi32>
    %15 = "stablehlo.sign"(%arg0) : (tensor<4x5xi32>) -> tensor<4x5xi32>
    %16 = "stablehlo.popcnt"(%arg0) : (tensor<4x5xi32>) -> tensor<4x5xi32>
    %17 = "stablehlo.count_leading_zeros"(%arg0) : (tensor<4x5xi32>) -> tensor<4x5xi32>
    %18 = "stablehlo.multiply"(%arg0, %arg0) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %19 = "stablehlo.multiply"(%18, %arg0) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %20 = "stablehlo.constant"() <{value = dense<7> : tensor<i32>}> : () -> tensor<i32>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x5xi32>
    %22 = "stablehlo.and"(%arg1, %21) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %23 = "stablehlo.shift_left"(%arg0, %22) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %24 = "stablehlo.constant"() <{value = dense<7> : tensor<i32>}> : () -> tensor<i32>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x5xi32>
    %26 = "stablehlo.and"(%arg1, %25) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %27 = "stablehlo.shift_right_logical"(%arg0, %26) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %28 = "stablehlo.constant"() <{value = dense<7> : tensor<i32>}> : () -> tensor<i32>
    %29 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x5xi32>
    %30 = "stablehlo.and"(%arg1, %29) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %31 = "stablehlo.shift_right_arithmetic"(%arg0, %30) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    "func.return"(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %19, %23, %27, %31) : (tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi1>, tensor<4x5xi1>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
