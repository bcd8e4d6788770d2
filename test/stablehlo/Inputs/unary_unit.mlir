// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_unary_unit"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<3x5xf32>):
    %0 = "chlo.asin"(%arg0) : (tensor<3x5xf32>) -> tensor<3x5xf32>
    %1 = "chlo.acos"(%arg0) : (tensor<3x5xf32>) -> tensor<3x5xf32>
    %2 = "chlo.atanh"(%arg0) : (tensor<3x5xf32>) -> tensor<3x5xf32>
    %3 = "chlo.erf_inv"(%arg0) : (tensor<3x5xf32>) -> tensor<3x5xf32>
    %4 = "chlo.asinh"(%arg0) : (tensor<3x5xf32>) -> tensor<3x5xf32>
    "func.return"(%0, %1, %2, %3, %4) : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
