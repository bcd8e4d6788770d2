// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_newton"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<f32>):
    %0 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2:4 = "stablehlo.while"(%arg0, %arg0, %0, %1) ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<i32>):
      %11 = "stablehlo.constant"() <{value = dense<9.99999974E-5> : tensor<f32>}> : () -> tensor<f32>
      %12 = "stablehlo.compare"(%arg7, %11) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %13 = "stablehlo.constant"() <{value = dense<50> : tensor<i32>}> : () -> tensor<i32>
      %14 = "stablehlo.compare"(%arg8, %13) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %15 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
      %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<i1>
      %17 = "stablehlo.compare"(%14, %16) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %18 = "stablehlo.convert"(%17) : (tensor<i1>) -> tensor<i1>
      %19 = "stablehlo.and"(%12, %18) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%19) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>):
      %3 = "stablehlo.divide"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %4 = "stablehlo.add"(%arg2, %3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %5 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
      %6 = "stablehlo.multiply"(%5, %4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %7 = "stablehlo.subtract"(%6, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %8 = "stablehlo.abs"(%7) : (tensor<f32>) -> tensor<f32>
      %9 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %10 = "stablehlo.add"(%arg4, %9) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg1, %6, %8, %10) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>)
    "func.return"(%2#1, %2#2, %2#3) : (tensor<f32>, tensor<f32>, tensor<i32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
