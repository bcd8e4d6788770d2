// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_angles"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<121xf32>, tensor<121xf32>) -> (tensor<121xf32>, tensor<121xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<121xf32>, %arg1: tensor<121xf32>):
    %0 = "stablehlo.atan2"(%arg0, %arg1) : (tensor<121xf32>, tensor<121xf32>) -> tensor<121xf32>
    %1 = "stablehlo.cbrt"(%arg1) : (tensor<121xf32>) -> tensor<121xf32>
    "func.return"(%0, %1) : (tensor<121xf32>, tensor<121xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
