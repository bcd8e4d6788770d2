// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_special"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}], function_type = (tensor<46xf32>, tensor<12xf32>, tensor<9xf32>, tensor<9xf32>, tensor<7xf32>, tensor<7xf32>, tensor<9xf32>) -> (tensor<46xf32>, tensor<12xf32>, tensor<46xf32>, tensor<12xf32>, tensor<9xf32>, tensor<7xf32>, tensor<9xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<46xf32>, %arg1: tensor<12xf32>, %arg2: tensor<9xf32>, %arg3: tensor<9xf32>, %arg4: tensor<7xf32>, %arg5: tensor<7xf32>, %arg6: tensor<9xf32>):
    %0 = "chlo.lgamma"(%arg0) : (tensor<46xf32>) -> tensor<46xf32>
    %1 = "chlo.lgamma"(%arg1) : (tensor<12xf32>) -> tensor<12xf32>
    %2 = "chlo.digamma"(%arg0) : (tensor<46xf32>) -> tensor<46xf32>
    %3 = "chlo.digamma"(%arg1) : (tensor<12xf32>) -> tensor<12xf32>
    %4 = "chlo.zeta"(%arg2, %arg3) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %5 = "chlo.polygamma"(%arg4, %arg5) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %6 = "chlo.bessel_i1e"(%arg6) : (tensor<9xf32>) -> tensor<9xf32>
    "func.return"(%0, %1, %2, %3, %4, %5, %6) : (tensor<46xf32>, tensor<12xf32>, tensor<46xf32>, tensor<12xf32>, tensor<9xf32>, tensor<7xf32>, tensor<9xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
