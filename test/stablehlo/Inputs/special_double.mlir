// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_special"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}], function_type = (tensor<46xf64>, tensor<12xf64>, tensor<9xf64>, tensor<9xf64>, tensor<7xf64>, tensor<7xf64>, tensor<9xf64>) -> (tensor<46xf64>, tensor<12xf64>, tensor<46xf64>, tensor<12xf64>, tensor<9xf64>, tensor<7xf64>, tensor<9xf64>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<46xf64>, %arg1: tensor<12xf64>, %arg2: tensor<9xf64>, %arg3: tensor<9xf64>, %arg4: tensor<7xf64>, %arg5: tensor<7xf64>, %arg6: tensor<9xf64>):
    %0 = "chlo.lgamma"(%arg0) : (tensor<46xf64>) -> tensor<46xf64>
    %1 = "chlo.lgamma"(%arg1) : (tensor<12xf64>) -> tensor<12xf64>
    %2 = "chlo.digamma"(%arg0) : (tensor<46xf64>) -> tensor<46xf64>
    %3 = "chlo.digamma"(%arg1) : (tensor<12xf64>) -> tensor<12xf64>
    %4 = "chlo.zeta"(%arg2, %arg3) : (tensor<9xf64>, tensor<9xf64>) -> tensor<9xf64>
    %5 = "chlo.polygamma"(%arg4, %arg5) : (tensor<7xf64>, tensor<7xf64>) -> tensor<7xf64>
    %6 = "chlo.bessel_i1e"(%arg6) : (tensor<9xf64>) -> tensor<9xf64>
    "func.return"(%0, %1, %2, %3, %4, %5, %6) : (tensor<46xf64>, tensor<12xf64>, tensor<46xf64>, tensor<12xf64>, tensor<9xf64>, tensor<7xf64>, tensor<9xf64>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
