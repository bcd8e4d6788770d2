// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_unsigned_places"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<9xf32>, tensor<3xf32>, tensor<ui8>, tensor<ui32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<9xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<9xf32>, %arg1: tensor<3xf32>, %arg2: tensor<ui8>, %arg3: tensor<ui32>):
    %0 = "stablehlo.dynamic_slice"(%arg0, %arg2) <{slice_sizes = array<i64: 3>}> : (tensor<9xf32>, tensor<ui8>) -> tensor<3xf32>
    %1 = "stablehlo.dynamic_slice"(%arg0, %arg3) <{slice_sizes = array<i64: 3>}> : (tensor<9xf32>, tensor<ui32>) -> tensor<3xf32>
    %2 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg3) : (tensor<9xf32>, tensor<3xf32>, tensor<ui32>) -> tensor<9xf32>
    "func.return"(%0, %1, %2) : (tensor<3xf32>, tensor<3xf32>, tensor<9xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
