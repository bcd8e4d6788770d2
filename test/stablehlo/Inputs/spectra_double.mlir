// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_spectra"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}], function_type = (tensor<8x8xf64>, tensor<8x8xf64>, tensor<2x7x4xf64>, tensor<2x4x7xf64>, tensor<6x5xf64>) -> (tensor<i64>, tensor<5x6xf64>, tensor<f64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8x8xf64>, tensor<8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<2x4xf64>, tensor<2x7x4xf64>, tensor<2x4x4xf64>, tensor<2x4x4xf64>, tensor<2x4xf64>, tensor<2x4x7xf64>, tensor<2x4x4xf64>, tensor<2x4x4xf64>, tensor<5xf64>, tensor<6x5xf64>, tensor<5x5xf64>, tensor<5x5xf64>, tensor<5xf64>, tensor<6x5xf64>, tensor<5x5xf64>, tensor<5x5xf64>, tensor<2x7x7xf64>, tensor<2x4x4xf64>, tensor<2x7x4xf64>, tensor<2x4x4xf64>, tensor<2x7x7xf64>, tensor<2x4x7xf64>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}, {jax.result_info = "result[17]"}, {jax.result_info = "result[18]"}, {jax.result_info = "result[19]"}, {jax.result_info = "result[20]"}, {jax.result_info = "result[21]"}, {jax.result_info = "result[22]"}, {jax.result_info = "result[23]"}, {jax.result_info = "result[24]"}, {jax.result_info = "result[25]"}, {jax.result_info = "result[26]"}, {jax.result_info = "result[27]"}, {jax.result_info = "result[28]"}, {jax.result_info = "result[29]"}, {jax.result_info = "result[30]"}, {jax.result_info = "result[31]"}, {jax.result_info = "result[32]"}, {jax.result_info = "result[33]"}, {jax.result_info = "result[34]"}, {jax.result_info = "result[35]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg30: tensor<8x8xf64>, %arg31: tensor<8x8xf64>, %arg32: tensor<2x7x4xf64>, %arg33: tensor<2x4x7xf64>, %arg34: tensor<6x5xf64>):
    %287 = "func.call"(%arg34) <{callee = @matrix_rank}> : (tensor<6x5xf64>) -> tensor<i64>
    %288 = "func.call"(%arg34) <{callee = @_pinv}> : (tensor<6x5xf64>) -> tensor<5x6xf64>
    %289 = "func.call"(%arg30) <{callee = @cond}> : (tensor<8x8xf64>) -> tensor<f64>
    %290 = "stablehlo.transpose"(%arg30) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %291 = "stablehlo.add"(%arg30, %290) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %292 = "func.call"(%291) <{callee = @eigvalsh}> : (tensor<8x8xf64>) -> tensor<8xf64>
    %293 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %294 = "stablehlo.broadcast_in_dim"(%293) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %295 = "stablehlo.multiply"(%arg31, %294) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %296 = "func.call"(%295) <{callee = @eigvalsh}> : (tensor<8x8xf64>) -> tensor<8xf64>
    %297 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %298 = "stablehlo.broadcast_in_dim"(%297) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %299 = "stablehlo.multiply"(%arg30, %298) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %300 = "func.call"(%299) <{callee = @svd_2}> : (tensor<8x8xf64>) -> tensor<8xf64>
    %301:4 = "func.call"(%arg30) <{callee = @svd_3}> : (tensor<8x8xf64>) -> (tensor<8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x2xi32>)
    %302 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %303 = "stablehlo.reduce"(%301#0, %302) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg35: tensor<f64>, %arg36: tensor<f64>):
      %383 = "stablehlo.add"(%arg35, %arg36) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%383) : (tensor<f64>) -> ()
    }) : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
    %304 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %305 = "stablehlo.broadcast_in_dim"(%304) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8xf64>
    %306 = "func.call"(%301#1, %301#2, %301#3, %305) <{callee = @svd_4}> : (tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x2xi32>, tensor<8xf64>) -> tensor<8x8xf64>
    %307:2 = "func.call"(%arg31) <{callee = @eigh_5}> : (tensor<8x8xf64>) -> (tensor<8xf64>, tensor<8x8xf64>)
    %308 = "stablehlo.broadcast_in_dim"(%307#0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<8xf64>) -> tensor<1x8xf64>
    %309 = "stablehlo.broadcast_in_dim"(%308) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x8xf64>) -> tensor<8x8xf64>
    %310 = "stablehlo.multiply"(%307#1, %309) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %311 = "stablehlo.transpose"(%307#1) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %312 = "stablehlo.dot_general"(%310, %311) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %313 = "stablehlo.transpose"(%307#1) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %314 = "stablehlo.dot_general"(%313, %307#1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %315 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %316 = "stablehlo.broadcast_in_dim"(%315) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<6x5xf64>
    %317 = "stablehlo.multiply"(%arg34, %316) : (tensor<6x5xf64>, tensor<6x5xf64>) -> tensor<6x5xf64>
    %318:3 = "func.call"(%arg30) <{callee = @svd_6}> : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8xf64>, tensor<8x8xf64>)
    %319 = "stablehlo.broadcast_in_dim"(%318#1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<8xf64>) -> tensor<1x8xf64>
    %320 = "stablehlo.broadcast_in_dim"(%319) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x8xf64>) -> tensor<8x8xf64>
    %321 = "stablehlo.multiply"(%318#0, %320) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %322 = "stablehlo.dot_general"(%321, %318#2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %323 = "stablehlo.transpose"(%318#0) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %324 = "stablehlo.dot_general"(%323, %318#0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %325 = "stablehlo.transpose"(%318#2) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %326 = "stablehlo.dot_general"(%318#2, %325) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %327:3 = "func.call"(%arg32) <{callee = @svd_7}> : (tensor<2x7x4xf64>) -> (tensor<2x7x4xf64>, tensor<2x4xf64>, tensor<2x4x4xf64>)
    %328 = "stablehlo.broadcast_in_dim"(%327#1) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x4xf64>) -> tensor<2x1x4xf64>
    %329 = "stablehlo.broadcast_in_dim"(%328) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x4xf64>) -> tensor<2x7x4xf64>
    %330 = "stablehlo.multiply"(%327#0, %329) : (tensor<2x7x4xf64>, tensor<2x7x4xf64>) -> tensor<2x7x4xf64>
    %331 = "stablehlo.dot_general"(%330, %327#2) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x7x4xf64>, tensor<2x4x4xf64>) -> tensor<2x7x4xf64>
    %332 = "stablehlo.transpose"(%327#0) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x7x4xf64>) -> tensor<2x4x7xf64>
    %333 = "stablehlo.dot_general"(%332, %327#0) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x7xf64>, tensor<2x7x4xf64>) -> tensor<2x4x4xf64>
    %334 = "stablehlo.transpose"(%327#2) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %335 = "stablehlo.dot_general"(%327#2, %334) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %336:3 = "func.call"(%arg33) <{callee = @svd_8}> : (tensor<2x4x7xf64>) -> (tensor<2x4x4xf64>, tensor<2x4xf64>, tensor<2x4x7xf64>)
    %337 = "stablehlo.broadcast_in_dim"(%336#1) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x4xf64>) -> tensor<2x1x4xf64>
    %338 = "stablehlo.broadcast_in_dim"(%337) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x4xf64>) -> tensor<2x4x4xf64>
    %339 = "stablehlo.multiply"(%336#0, %338) : (tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %340 = "stablehlo.dot_general"(%339, %336#2) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x4xf64>, tensor<2x4x7xf64>) -> tensor<2x4x7xf64>
    %341 = "stablehlo.transpose"(%336#0) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %342 = "stablehlo.dot_general"(%341, %336#0) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %343 = "stablehlo.transpose"(%336#2) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x4x7xf64>) -> tensor<2x7x4xf64>
    %344 = "stablehlo.dot_general"(%336#2, %343) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x7xf64>, tensor<2x7x4xf64>) -> tensor<2x4x4xf64>
    %345:3 = "func.call"(%arg34) <{callee = @svd_9}> : (tensor<6x5xf64>) -> (tensor<6x5xf64>, tensor<5xf64>, tensor<5x5xf64>)
    %346 = "stablehlo.broadcast_in_dim"(%345#1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<5xf64>) -> tensor<1x5xf64>
    %347 = "stablehlo.broadcast_in_dim"(%346) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x5xf64>) -> tensor<6x5xf64>
    %348 = "stablehlo.multiply"(%345#0, %347) : (tensor<6x5xf64>, tensor<6x5xf64>) -> tensor<6x5xf64>
    %349 = "stablehlo.dot_general"(%348, %345#2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<6x5xf64>, tensor<5x5xf64>) -> tensor<6x5xf64>
    %350 = "stablehlo.transpose"(%345#0) <{permutation = array<i64: 1, 0>}> : (tensor<6x5xf64>) -> tensor<5x6xf64>
    %351 = "stablehlo.dot_general"(%350, %345#0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x6xf64>, tensor<6x5xf64>) -> tensor<5x5xf64>
    %352 = "stablehlo.transpose"(%345#2) <{permutation = array<i64: 1, 0>}> : (tensor<5x5xf64>) -> tensor<5x5xf64>
    %353 = "stablehlo.dot_general"(%345#2, %352) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<5x5xf64>
    %354:3 = "func.call"(%317) <{callee = @svd_9}> : (tensor<6x5xf64>) -> (tensor<6x5xf64>, tensor<5xf64>, tensor<5x5xf64>)
    %355 = "stablehlo.broadcast_in_dim"(%354#1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<5xf64>) -> tensor<1x5xf64>
    %356 = "stablehlo.broadcast_in_dim"(%355) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x5xf64>) -> tensor<6x5xf64>
    %357 = "stablehlo.multiply"(%354#0, %356) : (tensor<6x5xf64>, tensor<6x5xf64>) -> tensor<6x5xf64>
    %358 = "stablehlo.dot_general"(%357, %354#2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<6x5xf64>, tensor<5x5xf64>) -> tensor<6x5xf64>
    %359 = "stablehlo.transpose"(%354#0) <{permutation = array<i64: 1, 0>}> : (tensor<6x5xf64>) -> tensor<5x6xf64>
    %360 = "stablehlo.dot_general"(%359, %354#0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x6xf64>, tensor<6x5xf64>) -> tensor<5x5xf64>
    %361 = "stablehlo.transpose"(%354#2) <{permutation = array<i64: 1, 0>}> : (tensor<5x5xf64>) -> tensor<5x5xf64>
    %362 = "stablehlo.dot_general"(%354#2, %361) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<5x5xf64>
    %363:3 = "func.call"(%arg32) <{callee = @svd_10}> : (tensor<2x7x4xf64>) -> (tensor<2x7x7xf64>, tensor<2x4xf64>, tensor<2x4x4xf64>)
    %364 = "stablehlo.transpose"(%363#0) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x7x7xf64>) -> tensor<2x7x7xf64>
    %365 = "stablehlo.dot_general"(%364, %363#0) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x7x7xf64>, tensor<2x7x7xf64>) -> tensor<2x7x7xf64>
    %366 = "stablehlo.transpose"(%363#2) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %367 = "stablehlo.dot_general"(%363#2, %366) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %368 = "stablehlo.transpose"(%363#0) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x7x7xf64>) -> tensor<2x7x7xf64>
    %369 = "stablehlo.dot_general"(%368, %arg32) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x7x7xf64>, tensor<2x7x4xf64>) -> tensor<2x7x4xf64>
    %370 = "stablehlo.transpose"(%363#2) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %371 = "stablehlo.dot_general"(%369, %370) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x7x4xf64>, tensor<2x4x4xf64>) -> tensor<2x7x4xf64>
    %372 = "stablehlo.abs"(%371) : (tensor<2x7x4xf64>) -> tensor<2x7x4xf64>
    %373:3 = "func.call"(%arg33) <{callee = @svd_11}> : (tensor<2x4x7xf64>) -> (tensor<2x4x4xf64>, tensor<2x4xf64>, tensor<2x7x7xf64>)
    %374 = "stablehlo.transpose"(%373#0) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %375 = "stablehlo.dot_general"(%374, %373#0) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %376 = "stablehlo.transpose"(%373#2) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x7x7xf64>) -> tensor<2x7x7xf64>
    %377 = "stablehlo.dot_general"(%373#2, %376) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x7x7xf64>, tensor<2x7x7xf64>) -> tensor<2x7x7xf64>
    %378 = "stablehlo.transpose"(%373#0) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %379 = "stablehlo.dot_general"(%378, %arg33) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x4xf64>, tensor<2x4x7xf64>) -> tensor<2x4x7xf64>
    %380 = "stablehlo.transpose"(%373#2) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x7x7xf64>) -> tensor<2x7x7xf64>
    %381 = "stablehlo.dot_general"(%379, %380) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x7xf64>, tensor<2x7x7xf64>) -> tensor<2x4x7xf64>
    %382 = "stablehlo.abs"(%381) : (tensor<2x4x7xf64>) -> tensor<2x4x7xf64>
    "func.return"(%287, %288, %289, %292, %296, %300, %306, %307#0, %312, %314, %318#1, %322, %324, %326, %327#1, %331, %333, %335, %336#1, %340, %342, %344, %345#1, %349, %351, %353, %354#1, %358, %360, %362, %365, %367, %372, %375, %377, %382) : (tensor<i64>, tensor<5x6xf64>, tensor<f64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8x8xf64>, tensor<8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<2x4xf64>, tensor<2x7x4xf64>, tensor<2x4x4xf64>, tensor<2x4x4xf64>, tensor<2x4xf64>, tensor<2x4x7xf64>, tensor<2x4x4xf64>, tensor<2x4x4xf64>, tensor<5xf64>, tensor<6x5xf64>, tensor<5x5xf64>, tensor<5x5xf64>, tensor<5xf64>, tensor<6x5xf64>, tensor<5x5xf64>, tensor<5x5xf64>, tensor<2x7x7xf64>, tensor<2x4x4xf64>, tensor<2x7x4xf64>, tensor<2x4x4xf64>, tensor<2x7x7xf64>, tensor<2x4x7xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x5xf64>) -> tensor<i64>, res_attrs = [{}], sym_name = "matrix_rank", sym_visibility = "private"}> ({
  ^bb0(%arg25: tensor<6x5xf64>):
    %271 = "func.call"(%arg25) <{callee = @svd}> : (tensor<6x5xf64>) -> tensor<5xf64>
    %272 = "stablehlo.constant"() <{value = dense<0xFFF0000000000000> : tensor<f64>}> : () -> tensor<f64>
    %273 = "stablehlo.reduce"(%271, %272) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg28: tensor<f64>, %arg29: tensor<f64>):
      %286 = "stablehlo.maximum"(%arg28, %arg29) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%286) : (tensor<f64>) -> ()
    }) : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %274 = "stablehlo.constant"() <{value = dense<6.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %275 = "stablehlo.multiply"(%273, %274) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %276 = "stablehlo.constant"() <{value = dense<2.2204460492503131E-16> : tensor<f64>}> : () -> tensor<f64>
    %277 = "stablehlo.multiply"(%275, %276) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %278 = "stablehlo.broadcast_in_dim"(%277) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<1xf64>
    %279 = "stablehlo.broadcast_in_dim"(%278) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf64>) -> tensor<5xf64>
    %280 = "stablehlo.compare"(%271, %279) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %281 = "stablehlo.convert"(%280) : (tensor<5xi1>) -> tensor<5xi32>
    %282 = "stablehlo.convert"(%281) : (tensor<5xi32>) -> tensor<5xi64>
    %283 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %284 = "stablehlo.reduce"(%282, %283) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg26: tensor<i64>, %arg27: tensor<i64>):
      %285 = "stablehlo.add"(%arg26, %arg27) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%285) : (tensor<i64>) -> ()
    }) : (tensor<5xi64>, tensor<i64>) -> tensor<i64>
    "func.return"(%284) : (tensor<i64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x5xf64>) -> tensor<5xf64>, res_attrs = [{}], sym_name = "svd", sym_visibility = "private"}> ({
  ^bb0(%arg24: tensor<6x5xf64>):
    %262:5 = "stablehlo.custom_call"(%arg24) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgesdd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=6, j=5, k=6, l=5, m=5, n=6, o=5, p=5, q=5}, custom>} : (tensor<6x5xf64>) -> (tensor<6x5xf64>, tensor<5xf64>, tensor<6x5xf64>, tensor<5x5xf64>, tensor<i32>)
    %263 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %264 = "stablehlo.broadcast_in_dim"(%263) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %265 = "stablehlo.compare"(%262#4, %264) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %266 = "stablehlo.broadcast_in_dim"(%265) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
    %267 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %268 = "stablehlo.broadcast_in_dim"(%267) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<5xf64>
    %269 = "stablehlo.broadcast_in_dim"(%266) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xi1>) -> tensor<5xi1>
    %270 = "stablehlo.select"(%269, %262#1, %268) : (tensor<5xi1>, tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
    "func.return"(%270) : (tensor<5xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x5xf64>) -> tensor<5x6xf64>, res_attrs = [{}], sym_name = "_pinv", sym_visibility = "private"}> ({
  ^bb0(%arg23: tensor<6x5xf64>):
    %245 = "stablehlo.constant"() <{value = dense<6.000000e+01> : tensor<f64>}> : () -> tensor<f64>
    %246 = "stablehlo.constant"() <{value = dense<2.2204460492503131E-16> : tensor<f64>}> : () -> tensor<f64>
    %247 = "stablehlo.multiply"(%245, %246) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %248:3 = "func.call"(%arg23) <{callee = @svd_0}> : (tensor<6x5xf64>) -> (tensor<6x5xf64>, tensor<5xf64>, tensor<5x5xf64>)
    %249 = "stablehlo.broadcast_in_dim"(%247) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<1xf64>
    %250 = "stablehlo.slice"(%248#1) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<5xf64>) -> tensor<1xf64>
    %251 = "stablehlo.multiply"(%249, %250) : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    %252 = "stablehlo.broadcast_in_dim"(%251) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf64>) -> tensor<5xf64>
    %253 = "stablehlo.compare"(%248#1, %252) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %254 = "stablehlo.constant"() <{value = dense<0x7FF0000000000000> : tensor<f64>}> : () -> tensor<f64>
    %255 = "func.call"(%253, %248#1, %254) <{callee = @_where}> : (tensor<5xi1>, tensor<5xf64>, tensor<f64>) -> tensor<5xf64>
    %256 = "stablehlo.transpose"(%248#2) <{permutation = array<i64: 1, 0>}> : (tensor<5x5xf64>) -> tensor<5x5xf64>
    %257 = "stablehlo.transpose"(%248#0) <{permutation = array<i64: 1, 0>}> : (tensor<6x5xf64>) -> tensor<5x6xf64>
    %258 = "stablehlo.broadcast_in_dim"(%255) <{broadcast_dimensions = array<i64: 0>}> : (tensor<5xf64>) -> tensor<5x1xf64>
    %259 = "stablehlo.broadcast_in_dim"(%258) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<5x1xf64>) -> tensor<5x6xf64>
    %260 = "stablehlo.divide"(%257, %259) : (tensor<5x6xf64>, tensor<5x6xf64>) -> tensor<5x6xf64>
    %261 = "stablehlo.dot_general"(%256, %260) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<5x5xf64>, tensor<5x6xf64>) -> tensor<5x6xf64>
    "func.return"(%261) : (tensor<5x6xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x5xf64>) -> (tensor<6x5xf64>, tensor<5xf64>, tensor<5x5xf64>), res_attrs = [{}, {}, {}], sym_name = "svd_0", sym_visibility = "private"}> ({
  ^bb0(%arg22: tensor<6x5xf64>):
    %226:5 = "stablehlo.custom_call"(%arg22) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgesdd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=6, j=5, k=6, l=5, m=5, n=6, o=5, p=5, q=5}, custom>} : (tensor<6x5xf64>) -> (tensor<6x5xf64>, tensor<5xf64>, tensor<6x5xf64>, tensor<5x5xf64>, tensor<i32>)
    %227 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %228 = "stablehlo.broadcast_in_dim"(%227) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %229 = "stablehlo.compare"(%226#4, %228) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %230 = "stablehlo.broadcast_in_dim"(%229) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
    %231 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %232 = "stablehlo.broadcast_in_dim"(%231) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<5xf64>
    %233 = "stablehlo.broadcast_in_dim"(%230) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xi1>) -> tensor<5xi1>
    %234 = "stablehlo.select"(%233, %226#1, %232) : (tensor<5xi1>, tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
    %235 = "stablehlo.broadcast_in_dim"(%229) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %236 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %237 = "stablehlo.broadcast_in_dim"(%236) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<6x5xf64>
    %238 = "stablehlo.broadcast_in_dim"(%235) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<6x5xi1>
    %239 = "stablehlo.select"(%238, %226#2, %237) : (tensor<6x5xi1>, tensor<6x5xf64>, tensor<6x5xf64>) -> tensor<6x5xf64>
    %240 = "stablehlo.broadcast_in_dim"(%229) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %241 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %242 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<5x5xf64>
    %243 = "stablehlo.broadcast_in_dim"(%240) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<5x5xi1>
    %244 = "stablehlo.select"(%243, %226#3, %242) : (tensor<5x5xi1>, tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<5x5xf64>
    "func.return"(%239, %234, %244) : (tensor<6x5xf64>, tensor<5xf64>, tensor<5x5xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<5xi1>, tensor<5xf64>, tensor<f64>) -> tensor<5xf64>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg19: tensor<5xi1>, %arg20: tensor<5xf64>, %arg21: tensor<f64>):
    %223 = "stablehlo.convert"(%arg21) : (tensor<f64>) -> tensor<f64>
    %224 = "stablehlo.broadcast_in_dim"(%223) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<5xf64>
    %225 = "stablehlo.select"(%arg19, %arg20, %224) : (tensor<5xi1>, tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
    "func.return"(%225) : (tensor<5xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf64>) -> tensor<f64>, res_attrs = [{}], sym_name = "cond", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<8x8xf64>):
    %217 = "func.call"(%arg18) <{callee = @svd_1}> : (tensor<8x8xf64>) -> tensor<8xf64>
    %218 = "stablehlo.slice"(%217) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<8xf64>) -> tensor<1xf64>
    %219 = "stablehlo.reshape"(%218) : (tensor<1xf64>) -> tensor<f64>
    %220 = "stablehlo.slice"(%217) <{limit_indices = array<i64: 8>, start_indices = array<i64: 7>, strides = array<i64: 1>}> : (tensor<8xf64>) -> tensor<1xf64>
    %221 = "stablehlo.reshape"(%220) : (tensor<1xf64>) -> tensor<f64>
    %222 = "stablehlo.divide"(%219, %221) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    "func.return"(%222) : (tensor<f64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf64>) -> tensor<8xf64>, res_attrs = [{}], sym_name = "svd_1", sym_visibility = "private"}> ({
  ^bb0(%arg17: tensor<8x8xf64>):
    %208:5 = "stablehlo.custom_call"(%arg17) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgesdd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=8, j=8, k=8, l=8, m=8, n=8, o=8, p=8, q=8}, custom>} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<i32>)
    %209 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %210 = "stablehlo.broadcast_in_dim"(%209) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %211 = "stablehlo.compare"(%208#4, %210) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %212 = "stablehlo.broadcast_in_dim"(%211) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
    %213 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %214 = "stablehlo.broadcast_in_dim"(%213) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8xf64>
    %215 = "stablehlo.broadcast_in_dim"(%212) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xi1>) -> tensor<8xi1>
    %216 = "stablehlo.select"(%215, %208#1, %214) : (tensor<8xi1>, tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    "func.return"(%216) : (tensor<8xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf64>) -> tensor<8xf64>, res_attrs = [{}], sym_name = "eigvalsh", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<8x8xf64>):
    %207:2 = "func.call"(%arg16) <{callee = @eigh}> : (tensor<8x8xf64>) -> (tensor<8xf64>, tensor<8x8xf64>)
    "func.return"(%207#0) : (tensor<8xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf64>) -> (tensor<8xf64>, tensor<8x8xf64>), res_attrs = [{}, {}], sym_name = "eigh", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<8x8xf64>):
    %188 = "stablehlo.transpose"(%arg15) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %189 = "stablehlo.add"(%arg15, %188) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %190 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %191 = "stablehlo.broadcast_in_dim"(%190) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %192 = "stablehlo.divide"(%189, %191) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %193:3 = "stablehlo.custom_call"(%192) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dsyevd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=8, j=8, k=8, l=8, m=8}, custom>} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8xf64>, tensor<i32>)
    %194 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %195 = "stablehlo.broadcast_in_dim"(%194) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %196 = "stablehlo.compare"(%193#2, %195) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %197 = "stablehlo.broadcast_in_dim"(%196) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %198 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %199 = "stablehlo.broadcast_in_dim"(%198) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %200 = "stablehlo.broadcast_in_dim"(%197) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %201 = "stablehlo.select"(%200, %193#0, %199) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %202 = "stablehlo.broadcast_in_dim"(%196) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
    %203 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %204 = "stablehlo.broadcast_in_dim"(%203) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8xf64>
    %205 = "stablehlo.broadcast_in_dim"(%202) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xi1>) -> tensor<8xi1>
    %206 = "stablehlo.select"(%205, %193#1, %204) : (tensor<8xi1>, tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    "func.return"(%206, %201) : (tensor<8xf64>, tensor<8x8xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf64>) -> tensor<8xf64>, res_attrs = [{}], sym_name = "svd_2", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<8x8xf64>):
    %179:5 = "stablehlo.custom_call"(%arg14) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgesdd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=8, j=8, k=8, l=8, m=8, n=8, o=8, p=8, q=8}, custom>} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<i32>)
    %180 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %181 = "stablehlo.broadcast_in_dim"(%180) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %182 = "stablehlo.compare"(%179#4, %181) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %183 = "stablehlo.broadcast_in_dim"(%182) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
    %184 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %185 = "stablehlo.broadcast_in_dim"(%184) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8xf64>
    %186 = "stablehlo.broadcast_in_dim"(%183) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xi1>) -> tensor<8xi1>
    %187 = "stablehlo.select"(%186, %179#1, %185) : (tensor<8xi1>, tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    "func.return"(%187) : (tensor<8xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf64>) -> (tensor<8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x2xi32>), res_attrs = [{}, {}, {}, {}], sym_name = "svd_3", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<8x8xf64>):
    %140:5 = "stablehlo.custom_call"(%arg13) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgesdd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=8, j=8, k=8, l=8, m=8, n=8, o=8, p=8, q=8}, custom>} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<i32>)
    %141 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %142 = "stablehlo.broadcast_in_dim"(%141) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %143 = "stablehlo.compare"(%140#4, %142) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %144 = "stablehlo.broadcast_in_dim"(%143) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
    %145 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %146 = "stablehlo.broadcast_in_dim"(%145) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8xf64>
    %147 = "stablehlo.broadcast_in_dim"(%144) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xi1>) -> tensor<8xi1>
    %148 = "stablehlo.select"(%147, %140#1, %146) : (tensor<8xi1>, tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    %149 = "stablehlo.broadcast_in_dim"(%143) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %150 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %151 = "stablehlo.broadcast_in_dim"(%150) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %152 = "stablehlo.broadcast_in_dim"(%149) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %153 = "stablehlo.select"(%152, %140#2, %151) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %154 = "stablehlo.broadcast_in_dim"(%143) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %155 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %156 = "stablehlo.broadcast_in_dim"(%155) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %157 = "stablehlo.broadcast_in_dim"(%154) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %158 = "stablehlo.select"(%157, %140#3, %156) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %159 = "stablehlo.transpose"(%153) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %160 = "stablehlo.transpose"(%158) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %161 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xi32>
    %162 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %163 = "stablehlo.broadcast_in_dim"(%162) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %164 = "stablehlo.compare"(%161, %163) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %165 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %166 = "stablehlo.broadcast_in_dim"(%165) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %167 = "stablehlo.add"(%161, %166) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %168 = "stablehlo.select"(%164, %167, %161) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %169 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %170 = "stablehlo.broadcast_in_dim"(%169) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %171 = "stablehlo.compare"(%161, %170) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %172 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %173 = "stablehlo.broadcast_in_dim"(%172) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %174 = "stablehlo.add"(%161, %173) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %175 = "stablehlo.select"(%171, %174, %161) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %176 = "stablehlo.broadcast_in_dim"(%168) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %177 = "stablehlo.broadcast_in_dim"(%175) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %178 = "stablehlo.concatenate"(%176, %177) <{dimension = 1 : i64}> : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
    "func.return"(%148, %159, %160, %178) : (tensor<8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x2xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x2xi32>, tensor<8xf64>) -> tensor<8x8xf64>, res_attrs = [{}], sym_name = "svd_4", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<8x8xf64>, %arg8: tensor<8x8xf64>, %arg9: tensor<8x2xi32>, %arg10: tensor<8xf64>):
    %133 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %134 = "stablehlo.broadcast_in_dim"(%133) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %135 = "stablehlo.scatter"(%134, %arg9, %arg10) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg11: tensor<f64>, %arg12: tensor<f64>):
      %139 = "stablehlo.add"(%arg11, %arg12) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%139) : (tensor<f64>) -> ()
    }) : (tensor<8x8xf64>, tensor<8x2xi32>, tensor<8xf64>) -> tensor<8x8xf64>
    %136 = "stablehlo.dot_general"(%135, %arg8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %137 = "stablehlo.dot_general"(%136, %arg7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %138 = "stablehlo.transpose"(%137) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    "func.return"(%138) : (tensor<8x8xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf64>) -> (tensor<8xf64>, tensor<8x8xf64>), res_attrs = [{}, {}], sym_name = "eigh_5", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<8x8xf64>):
    %114 = "stablehlo.transpose"(%arg6) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %115 = "stablehlo.add"(%arg6, %114) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %116 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %117 = "stablehlo.broadcast_in_dim"(%116) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %118 = "stablehlo.divide"(%115, %117) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %119:3 = "stablehlo.custom_call"(%118) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dsyevd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=8, j=8, k=8, l=8, m=8}, custom>} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8xf64>, tensor<i32>)
    %120 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %121 = "stablehlo.broadcast_in_dim"(%120) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %122 = "stablehlo.compare"(%119#2, %121) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %123 = "stablehlo.broadcast_in_dim"(%122) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %124 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %125 = "stablehlo.broadcast_in_dim"(%124) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %126 = "stablehlo.broadcast_in_dim"(%123) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %127 = "stablehlo.select"(%126, %119#0, %125) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %128 = "stablehlo.broadcast_in_dim"(%122) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
    %129 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %130 = "stablehlo.broadcast_in_dim"(%129) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8xf64>
    %131 = "stablehlo.broadcast_in_dim"(%128) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xi1>) -> tensor<8xi1>
    %132 = "stablehlo.select"(%131, %119#1, %130) : (tensor<8xi1>, tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    "func.return"(%132, %127) : (tensor<8xf64>, tensor<8x8xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8xf64>, tensor<8x8xf64>), res_attrs = [{}, {}, {}], sym_name = "svd_6", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<8x8xf64>):
    %95:5 = "stablehlo.custom_call"(%arg5) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgesdd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=8, j=8, k=8, l=8, m=8, n=8, o=8, p=8, q=8}, custom>} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<i32>)
    %96 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %97 = "stablehlo.broadcast_in_dim"(%96) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %98 = "stablehlo.compare"(%95#4, %97) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %99 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
    %100 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %101 = "stablehlo.broadcast_in_dim"(%100) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8xf64>
    %102 = "stablehlo.broadcast_in_dim"(%99) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xi1>) -> tensor<8xi1>
    %103 = "stablehlo.select"(%102, %95#1, %101) : (tensor<8xi1>, tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    %104 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %105 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %106 = "stablehlo.broadcast_in_dim"(%105) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %107 = "stablehlo.broadcast_in_dim"(%104) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %108 = "stablehlo.select"(%107, %95#2, %106) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %109 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %110 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %111 = "stablehlo.broadcast_in_dim"(%110) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %112 = "stablehlo.broadcast_in_dim"(%109) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %113 = "stablehlo.select"(%112, %95#3, %111) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    "func.return"(%108, %103, %113) : (tensor<8x8xf64>, tensor<8xf64>, tensor<8x8xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x7x4xf64>) -> (tensor<2x7x4xf64>, tensor<2x4xf64>, tensor<2x4x4xf64>), res_attrs = [{}, {}, {}], sym_name = "svd_7", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<2x7x4xf64>):
    %76:5 = "stablehlo.custom_call"(%arg4) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgesdd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]}> {mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=7, k=4, l=7, m=4, n=4, o=7, p=4, q=4, r=4}, custom>} : (tensor<2x7x4xf64>) -> (tensor<2x7x4xf64>, tensor<2x4xf64>, tensor<2x7x4xf64>, tensor<2x4x4xf64>, tensor<2xi32>)
    %77 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %79 = "stablehlo.compare"(%76#4, %78) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %80 = "stablehlo.broadcast_in_dim"(%79) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1xi1>
    %81 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %82 = "stablehlo.broadcast_in_dim"(%81) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4xf64>
    %83 = "stablehlo.broadcast_in_dim"(%80) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x1xi1>) -> tensor<2x4xi1>
    %84 = "stablehlo.select"(%83, %76#1, %82) : (tensor<2x4xi1>, tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %85 = "stablehlo.broadcast_in_dim"(%79) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %86 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %87 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x7x4xf64>
    %88 = "stablehlo.broadcast_in_dim"(%85) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x1xi1>) -> tensor<2x7x4xi1>
    %89 = "stablehlo.select"(%88, %76#2, %87) : (tensor<2x7x4xi1>, tensor<2x7x4xf64>, tensor<2x7x4xf64>) -> tensor<2x7x4xf64>
    %90 = "stablehlo.broadcast_in_dim"(%79) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %91 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %92 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x4xf64>
    %93 = "stablehlo.broadcast_in_dim"(%90) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %94 = "stablehlo.select"(%93, %76#3, %92) : (tensor<2x4x4xi1>, tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    "func.return"(%89, %84, %94) : (tensor<2x7x4xf64>, tensor<2x4xf64>, tensor<2x4x4xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x4x7xf64>) -> (tensor<2x4x4xf64>, tensor<2x4xf64>, tensor<2x4x7xf64>), res_attrs = [{}, {}, {}], sym_name = "svd_8", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<2x4x7xf64>):
    %57:5 = "stablehlo.custom_call"(%arg3) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgesdd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]}> {mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=4, k=7, l=4, m=7, n=4, o=4, p=4, q=4, r=7}, custom>} : (tensor<2x4x7xf64>) -> (tensor<2x4x7xf64>, tensor<2x4xf64>, tensor<2x4x4xf64>, tensor<2x4x7xf64>, tensor<2xi32>)
    %58 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %59 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %60 = "stablehlo.compare"(%57#4, %59) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %61 = "stablehlo.broadcast_in_dim"(%60) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1xi1>
    %62 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %63 = "stablehlo.broadcast_in_dim"(%62) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4xf64>
    %64 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x1xi1>) -> tensor<2x4xi1>
    %65 = "stablehlo.select"(%64, %57#1, %63) : (tensor<2x4xi1>, tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %66 = "stablehlo.broadcast_in_dim"(%60) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %67 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %68 = "stablehlo.broadcast_in_dim"(%67) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x4xf64>
    %69 = "stablehlo.broadcast_in_dim"(%66) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %70 = "stablehlo.select"(%69, %57#2, %68) : (tensor<2x4x4xi1>, tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %71 = "stablehlo.broadcast_in_dim"(%60) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %72 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %73 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x7xf64>
    %74 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x1xi1>) -> tensor<2x4x7xi1>
    %75 = "stablehlo.select"(%74, %57#3, %73) : (tensor<2x4x7xi1>, tensor<2x4x7xf64>, tensor<2x4x7xf64>) -> tensor<2x4x7xf64>
    "func.return"(%70, %65, %75) : (tensor<2x4x4xf64>, tensor<2x4xf64>, tensor<2x4x7xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<6x5xf64>) -> (tensor<6x5xf64>, tensor<5xf64>, tensor<5x5xf64>), res_attrs = [{}, {}, {}], sym_name = "svd_9", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<6x5xf64>):
    %38:5 = "stablehlo.custom_call"(%arg2) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgesdd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=6, j=5, k=6, l=5, m=5, n=6, o=5, p=5, q=5}, custom>} : (tensor<6x5xf64>) -> (tensor<6x5xf64>, tensor<5xf64>, tensor<6x5xf64>, tensor<5x5xf64>, tensor<i32>)
    %39 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %41 = "stablehlo.compare"(%38#4, %40) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %42 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
    %43 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<5xf64>
    %45 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xi1>) -> tensor<5xi1>
    %46 = "stablehlo.select"(%45, %38#1, %44) : (tensor<5xi1>, tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
    %47 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %48 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %49 = "stablehlo.broadcast_in_dim"(%48) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<6x5xf64>
    %50 = "stablehlo.broadcast_in_dim"(%47) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<6x5xi1>
    %51 = "stablehlo.select"(%50, %38#2, %49) : (tensor<6x5xi1>, tensor<6x5xf64>, tensor<6x5xf64>) -> tensor<6x5xf64>
    %52 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %53 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %54 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<5x5xf64>
    %55 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<5x5xi1>
    %56 = "stablehlo.select"(%55, %38#3, %54) : (tensor<5x5xi1>, tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<5x5xf64>
    "func.return"(%51, %46, %56) : (tensor<6x5xf64>, tensor<5xf64>, tensor<5x5xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x7x4xf64>) -> (tensor<2x7x7xf64>, tensor<2x4xf64>, tensor<2x4x4xf64>), res_attrs = [{}, {}, {}], sym_name = "svd_10", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<2x7x4xf64>):
    %19:5 = "stablehlo.custom_call"(%arg1) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgesdd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]}> {mhlo.backend_config = {mode = 65 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=7, k=4, l=7, m=4, n=4, o=7, p=7, q=4, r=4}, custom>} : (tensor<2x7x4xf64>) -> (tensor<2x7x4xf64>, tensor<2x4xf64>, tensor<2x7x7xf64>, tensor<2x4x4xf64>, tensor<2xi32>)
    %20 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %22 = "stablehlo.compare"(%19#4, %21) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1xi1>
    %24 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4xf64>
    %26 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x1xi1>) -> tensor<2x4xi1>
    %27 = "stablehlo.select"(%26, %19#1, %25) : (tensor<2x4xi1>, tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %28 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %29 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x7x7xf64>
    %31 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x1xi1>) -> tensor<2x7x7xi1>
    %32 = "stablehlo.select"(%31, %19#2, %30) : (tensor<2x7x7xi1>, tensor<2x7x7xf64>, tensor<2x7x7xf64>) -> tensor<2x7x7xf64>
    %33 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %34 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x4xf64>
    %36 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %37 = "stablehlo.select"(%36, %19#3, %35) : (tensor<2x4x4xi1>, tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    "func.return"(%32, %27, %37) : (tensor<2x7x7xf64>, tensor<2x4xf64>, tensor<2x4x4xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x4x7xf64>) -> (tensor<2x4x4xf64>, tensor<2x4xf64>, tensor<2x7x7xf64>), res_attrs = [{}, {}, {}], sym_name = "svd_11", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<2x4x7xf64>):
    %0:5 = "stablehlo.custom_call"(%arg0) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgesdd_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]}> {mhlo.backend_config = {mode = 65 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=4, k=7, l=4, m=7, n=4, o=4, p=4, q=7, r=7}, custom>} : (tensor<2x4x7xf64>) -> (tensor<2x4x7xf64>, tensor<2x4xf64>, tensor<2x4x4xf64>, tensor<2x7x7xf64>, tensor<2xi32>)
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %3 = "stablehlo.compare"(%0#4, %2) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1xi1>
    %5 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4xf64>
    %7 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x1xi1>) -> tensor<2x4xi1>
    %8 = "stablehlo.select"(%7, %0#1, %6) : (tensor<2x4xi1>, tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %9 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %10 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x4xf64>
    %12 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %13 = "stablehlo.select"(%12, %0#2, %11) : (tensor<2x4x4xi1>, tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %14 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %15 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x7x7xf64>
    %17 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x1xi1>) -> tensor<2x7x7xi1>
    %18 = "stablehlo.select"(%17, %0#3, %16) : (tensor<2x7x7xi1>, tensor<2x7x7xf64>, tensor<2x7x7xf64>) -> tensor<2x7x7xf64>
    "func.return"(%13, %8, %18) : (tensor<2x4x4xf64>, tensor<2x4xf64>, tensor<2x7x7xf64>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
