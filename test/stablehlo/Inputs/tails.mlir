// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_tails"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<60xf32>, tensor<60xf32>) -> (tensor<60xf32>, tensor<60xf32>, tensor<60xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<60xf32>, %arg1: tensor<60xf32>):
    %0 = "chlo.erfc"(%arg0) : (tensor<60xf32>) -> tensor<60xf32>
    %1 = "chlo.erf_inv"(%arg1) : (tensor<60xf32>) -> tensor<60xf32>
    %2 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<60xf32>
    %4 = "stablehlo.multiply"(%3, %arg0) : (tensor<60xf32>, tensor<60xf32>) -> tensor<60xf32>
    %5 = "stablehlo.negate"(%arg0) : (tensor<60xf32>) -> tensor<60xf32>
    %6 = "stablehlo.constant"() <{value = dense<0.707106769> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<60xf32>
    %8 = "stablehlo.multiply"(%5, %7) : (tensor<60xf32>, tensor<60xf32>) -> tensor<60xf32>
    %9 = "chlo.erfc"(%8) : (tensor<60xf32>) -> tensor<60xf32>
    %10 = "stablehlo.multiply"(%4, %9) : (tensor<60xf32>, tensor<60xf32>) -> tensor<60xf32>
    "func.return"(%0, %1, %10) : (tensor<60xf32>, tensor<60xf32>, tensor<60xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
