// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_special_limits"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}], function_type = (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<9xf32>, %arg1: tensor<9xf32>, %arg2: tensor<9xf32>, %arg3: tensor<9xf32>, %arg4: tensor<9xf32>):
    %0 = "chlo.lgamma"(%arg0) : (tensor<9xf32>) -> tensor<9xf32>
    %1 = "chlo.digamma"(%arg0) : (tensor<9xf32>) -> tensor<9xf32>
    %2 = "chlo.zeta"(%arg1, %arg2) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %3 = "chlo.polygamma"(%arg3, %arg4) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %4 = "chlo.bessel_i1e"(%arg0) : (tensor<9xf32>) -> tensor<9xf32>
    "func.return"(%0, %1, %2, %3, %4) : (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
