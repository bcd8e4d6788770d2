// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_direct"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<8x8xf64>, tensor<8x8xf64>, tensor<2x7x4xf64>, tensor<2x4x7xf64>) -> (tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8xi32>, tensor<8xi32>, tensor<2x7x4xf64>, tensor<2x4xi32>, tensor<2x7xi32>, tensor<2x4x7xf64>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<8x8xf64>, tensor<8xi32>, tensor<8xi32>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<2x7x4xf64>, tensor<2x4x4xf64>, tensor<2x4x4xf64>, tensor<2x4x7xf64>, tensor<2x7x7xf64>, tensor<2x7x4xf64>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3][0]"}, {jax.result_info = "result[3][1]"}, {jax.result_info = "result[3][2]"}, {jax.result_info = "result[4][0]"}, {jax.result_info = "result[4][1]"}, {jax.result_info = "result[4][2]"}, {jax.result_info = "result[5][0]"}, {jax.result_info = "result[5][1]"}, {jax.result_info = "result[5][2]"}, {jax.result_info = "result[6][0]"}, {jax.result_info = "result[6][1]"}, {jax.result_info = "result[6][2]"}, {jax.result_info = "result[7].Q"}, {jax.result_info = "result[7].R"}, {jax.result_info = "result[8].Q"}, {jax.result_info = "result[8].R"}, {jax.result_info = "result[9].Q"}, {jax.result_info = "result[9].R"}, {jax.result_info = "result[10].Q"}, {jax.result_info = "result[10].R"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg27: tensor<8x8xf64>, %arg28: tensor<8x8xf64>, %arg29: tensor<2x7x4xf64>, %arg30: tensor<2x4x7xf64>):
    %232 = "func.call"(%arg28) <{callee = @cholesky}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %233 = "func.call"(%arg28) <{callee = @cholesky_0}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %234 = "stablehlo.negate"(%arg28) : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %235 = "func.call"(%234) <{callee = @cholesky}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %236:3 = "stablehlo.custom_call"(%arg27) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgetrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=8, j=8, k=8, l=8, m=8}, custom>} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8xi32>, tensor<i32>)
    %237 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %238 = "stablehlo.broadcast_in_dim"(%237) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %239 = "stablehlo.subtract"(%236#1, %238) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %240 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %241 = "stablehlo.broadcast_in_dim"(%240) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %242 = "stablehlo.compare"(%236#2, %241) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %243 = "stablehlo.broadcast_in_dim"(%242) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %244 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %245 = "stablehlo.broadcast_in_dim"(%244) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %246 = "stablehlo.broadcast_in_dim"(%243) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %247 = "stablehlo.select"(%246, %236#0, %245) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %248 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xi32>
    %249 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %250 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %251:4 = "stablehlo.while"(%239, %250, %249, %248) ({
    ^bb0(%arg59: tensor<8xi32>, %arg60: tensor<i64>, %arg61: tensor<i64>, %arg62: tensor<8xi32>):
      %325 = "stablehlo.constant"() <{value = dense<8> : tensor<i64>}> : () -> tensor<i64>
      %326 = "stablehlo.compare"(%arg60, %325) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%326) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg55: tensor<8xi32>, %arg56: tensor<i64>, %arg57: tensor<i64>, %arg58: tensor<8xi32>):
      %322:2 = "func.call"(%arg55, %arg57, %arg58) <{callee = @closed_call}> : (tensor<8xi32>, tensor<i64>, tensor<8xi32>) -> (tensor<i64>, tensor<8xi32>)
      %323 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
      %324 = "stablehlo.add"(%arg56, %323) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%arg55, %324, %322#0, %322#1) : (tensor<8xi32>, tensor<i64>, tensor<i64>, tensor<8xi32>) -> ()
    }) : (tensor<8xi32>, tensor<i64>, tensor<i64>, tensor<8xi32>) -> (tensor<8xi32>, tensor<i64>, tensor<i64>, tensor<8xi32>)
    %252:3 = "stablehlo.custom_call"(%arg29) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgetrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=2, j=7, k=4, l=7, m=4, n=4}, custom>} : (tensor<2x7x4xf64>) -> (tensor<2x7x4xf64>, tensor<2x4xi32>, tensor<2xi32>)
    %253 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %254 = "stablehlo.broadcast_in_dim"(%253) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x4xi32>
    %255 = "stablehlo.subtract"(%252#1, %254) : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
    %256 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %257 = "stablehlo.broadcast_in_dim"(%256) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %258 = "stablehlo.compare"(%252#2, %257) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %259 = "stablehlo.broadcast_in_dim"(%258) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %260 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %261 = "stablehlo.broadcast_in_dim"(%260) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x7x4xf64>
    %262 = "stablehlo.broadcast_in_dim"(%259) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x1xi1>) -> tensor<2x7x4xi1>
    %263 = "stablehlo.select"(%262, %252#0, %261) : (tensor<2x7x4xi1>, tensor<2x7x4xf64>, tensor<2x7x4xf64>) -> tensor<2x7x4xf64>
    %264 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x7xi32>
    %265 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %266 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %267:4 = "stablehlo.while"(%255, %266, %265, %264) ({
    ^bb0(%arg51: tensor<2x4xi32>, %arg52: tensor<i64>, %arg53: tensor<i64>, %arg54: tensor<2x7xi32>):
      %320 = "stablehlo.constant"() <{value = dense<4> : tensor<i64>}> : () -> tensor<i64>
      %321 = "stablehlo.compare"(%arg52, %320) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%321) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg47: tensor<2x4xi32>, %arg48: tensor<i64>, %arg49: tensor<i64>, %arg50: tensor<2x7xi32>):
      %317:2 = "func.call"(%arg47, %arg49, %arg50) <{callee = @closed_call_1}> : (tensor<2x4xi32>, tensor<i64>, tensor<2x7xi32>) -> (tensor<i64>, tensor<2x7xi32>)
      %318 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
      %319 = "stablehlo.add"(%arg48, %318) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%arg47, %319, %317#0, %317#1) : (tensor<2x4xi32>, tensor<i64>, tensor<i64>, tensor<2x7xi32>) -> ()
    }) : (tensor<2x4xi32>, tensor<i64>, tensor<i64>, tensor<2x7xi32>) -> (tensor<2x4xi32>, tensor<i64>, tensor<i64>, tensor<2x7xi32>)
    %268:3 = "stablehlo.custom_call"(%arg30) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgetrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=2, j=4, k=7, l=4, m=7, n=4}, custom>} : (tensor<2x4x7xf64>) -> (tensor<2x4x7xf64>, tensor<2x4xi32>, tensor<2xi32>)
    %269 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %270 = "stablehlo.broadcast_in_dim"(%269) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x4xi32>
    %271 = "stablehlo.subtract"(%268#1, %270) : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
    %272 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %273 = "stablehlo.broadcast_in_dim"(%272) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %274 = "stablehlo.compare"(%268#2, %273) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %275 = "stablehlo.broadcast_in_dim"(%274) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %276 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %277 = "stablehlo.broadcast_in_dim"(%276) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x7xf64>
    %278 = "stablehlo.broadcast_in_dim"(%275) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x1x1xi1>) -> tensor<2x4x7xi1>
    %279 = "stablehlo.select"(%278, %268#0, %277) : (tensor<2x4x7xi1>, tensor<2x4x7xf64>, tensor<2x4x7xf64>) -> tensor<2x4x7xf64>
    %280 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x4xi32>
    %281 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %282 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %283:4 = "stablehlo.while"(%271, %282, %281, %280) ({
    ^bb0(%arg43: tensor<2x4xi32>, %arg44: tensor<i64>, %arg45: tensor<i64>, %arg46: tensor<2x4xi32>):
      %315 = "stablehlo.constant"() <{value = dense<4> : tensor<i64>}> : () -> tensor<i64>
      %316 = "stablehlo.compare"(%arg44, %315) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%316) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg39: tensor<2x4xi32>, %arg40: tensor<i64>, %arg41: tensor<i64>, %arg42: tensor<2x4xi32>):
      %312:2 = "func.call"(%arg39, %arg41, %arg42) <{callee = @closed_call_2}> : (tensor<2x4xi32>, tensor<i64>, tensor<2x4xi32>) -> (tensor<i64>, tensor<2x4xi32>)
      %313 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
      %314 = "stablehlo.add"(%arg40, %313) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%arg39, %314, %312#0, %312#1) : (tensor<2x4xi32>, tensor<i64>, tensor<i64>, tensor<2x4xi32>) -> ()
    }) : (tensor<2x4xi32>, tensor<i64>, tensor<i64>, tensor<2x4xi32>) -> (tensor<2x4xi32>, tensor<i64>, tensor<i64>, tensor<2x4xi32>)
    %284 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %285 = "stablehlo.broadcast_in_dim"(%284) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %286 = "stablehlo.multiply"(%arg27, %285) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %287:3 = "stablehlo.custom_call"(%286) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgetrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=8, j=8, k=8, l=8, m=8}, custom>} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8xi32>, tensor<i32>)
    %288 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %289 = "stablehlo.broadcast_in_dim"(%288) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %290 = "stablehlo.subtract"(%287#1, %289) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %291 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %292 = "stablehlo.broadcast_in_dim"(%291) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %293 = "stablehlo.compare"(%287#2, %292) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %294 = "stablehlo.broadcast_in_dim"(%293) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %295 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %296 = "stablehlo.broadcast_in_dim"(%295) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %297 = "stablehlo.broadcast_in_dim"(%294) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %298 = "stablehlo.select"(%297, %287#0, %296) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %299 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xi32>
    %300 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %301 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %302:4 = "stablehlo.while"(%290, %301, %300, %299) ({
    ^bb0(%arg35: tensor<8xi32>, %arg36: tensor<i64>, %arg37: tensor<i64>, %arg38: tensor<8xi32>):
      %310 = "stablehlo.constant"() <{value = dense<8> : tensor<i64>}> : () -> tensor<i64>
      %311 = "stablehlo.compare"(%arg36, %310) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%311) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg31: tensor<8xi32>, %arg32: tensor<i64>, %arg33: tensor<i64>, %arg34: tensor<8xi32>):
      %307:2 = "func.call"(%arg31, %arg33, %arg34) <{callee = @closed_call}> : (tensor<8xi32>, tensor<i64>, tensor<8xi32>) -> (tensor<i64>, tensor<8xi32>)
      %308 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
      %309 = "stablehlo.add"(%arg32, %308) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%arg31, %309, %307#0, %307#1) : (tensor<8xi32>, tensor<i64>, tensor<i64>, tensor<8xi32>) -> ()
    }) : (tensor<8xi32>, tensor<i64>, tensor<i64>, tensor<8xi32>) -> (tensor<8xi32>, tensor<i64>, tensor<i64>, tensor<8xi32>)
    %303:2 = "func.call"(%arg27) <{callee = @qr}> : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8x8xf64>)
    %304:2 = "func.call"(%arg29) <{callee = @qr_3}> : (tensor<2x7x4xf64>) -> (tensor<2x7x4xf64>, tensor<2x4x4xf64>)
    %305:2 = "func.call"(%arg30) <{callee = @qr_4}> : (tensor<2x4x7xf64>) -> (tensor<2x4x4xf64>, tensor<2x4x7xf64>)
    %306:2 = "func.call"(%arg29) <{callee = @qr_5}> : (tensor<2x7x4xf64>) -> (tensor<2x7x7xf64>, tensor<2x7x4xf64>)
    "func.return"(%232, %233, %235, %247, %239, %251#3, %263, %255, %267#3, %279, %271, %283#3, %298, %290, %302#3, %303#0, %303#1, %304#0, %304#1, %305#0, %305#1, %306#0, %306#1) : (tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8xi32>, tensor<8xi32>, tensor<2x7x4xf64>, tensor<2x4xi32>, tensor<2x7xi32>, tensor<2x4x7xf64>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<8x8xf64>, tensor<8xi32>, tensor<8xi32>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<2x7x4xf64>, tensor<2x4x4xf64>, tensor<2x4x4xf64>, tensor<2x4x7xf64>, tensor<2x7x7xf64>, tensor<2x7x4xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf64>) -> tensor<8x8xf64>, res_attrs = [{}], sym_name = "cholesky", sym_visibility = "private"}> ({
  ^bb0(%arg26: tensor<8x8xf64>):
    %209 = "stablehlo.transpose"(%arg26) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %210 = "stablehlo.add"(%arg26, %209) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %211 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %212 = "stablehlo.broadcast_in_dim"(%211) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %213 = "stablehlo.divide"(%210, %212) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %214:2 = "stablehlo.custom_call"(%213) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dpotrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=8, j=8, k=8, l=8}, custom>} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<i32>)
    %215 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %216 = "stablehlo.broadcast_in_dim"(%215) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %217 = "stablehlo.compare"(%214#1, %216) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %218 = "stablehlo.broadcast_in_dim"(%217) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %219 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %220 = "stablehlo.broadcast_in_dim"(%219) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %221 = "stablehlo.broadcast_in_dim"(%218) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %222 = "stablehlo.select"(%221, %214#0, %220) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %223 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi64>
    %224 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %225 = "stablehlo.broadcast_in_dim"(%224) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<8x8xi64>
    %226 = "stablehlo.add"(%223, %225) : (tensor<8x8xi64>, tensor<8x8xi64>) -> tensor<8x8xi64>
    %227 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi64>
    %228 = "stablehlo.compare"(%226, %227) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x8xi64>, tensor<8x8xi64>) -> tensor<8x8xi1>
    %229 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %230 = "stablehlo.broadcast_in_dim"(%229) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %231 = "stablehlo.select"(%228, %222, %230) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    "func.return"(%231) : (tensor<8x8xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf64>) -> tensor<8x8xf64>, res_attrs = [{}], sym_name = "cholesky_0", sym_visibility = "private"}> ({
  ^bb0(%arg25: tensor<8x8xf64>):
    %185 = "stablehlo.transpose"(%arg25) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    %186 = "stablehlo.add"(%arg25, %185) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %187 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %188 = "stablehlo.broadcast_in_dim"(%187) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %189 = "stablehlo.divide"(%186, %188) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %190:2 = "stablehlo.custom_call"(%189) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dpotrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=8, j=8, k=8, l=8}, custom>} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<i32>)
    %191 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %192 = "stablehlo.broadcast_in_dim"(%191) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %193 = "stablehlo.compare"(%190#1, %192) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %194 = "stablehlo.broadcast_in_dim"(%193) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %195 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %196 = "stablehlo.broadcast_in_dim"(%195) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %197 = "stablehlo.broadcast_in_dim"(%194) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %198 = "stablehlo.select"(%197, %190#0, %196) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %199 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi64>
    %200 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %201 = "stablehlo.broadcast_in_dim"(%200) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<8x8xi64>
    %202 = "stablehlo.add"(%199, %201) : (tensor<8x8xi64>, tensor<8x8xi64>) -> tensor<8x8xi64>
    %203 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi64>
    %204 = "stablehlo.compare"(%202, %203) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x8xi64>, tensor<8x8xi64>) -> tensor<8x8xi1>
    %205 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %206 = "stablehlo.broadcast_in_dim"(%205) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %207 = "stablehlo.select"(%204, %198, %206) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %208 = "stablehlo.transpose"(%207) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf64>) -> tensor<8x8xf64>
    "func.return"(%208) : (tensor<8x8xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xi32>, tensor<i64>, tensor<8xi32>) -> (tensor<i64>, tensor<8xi32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<8xi32>, %arg19: tensor<i64>, %arg20: tensor<8xi32>):
    %145 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %146 = "stablehlo.add"(%arg19, %145) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %147 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %148 = "stablehlo.compare"(%arg19, %147) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %149 = "stablehlo.convert"(%arg19) : (tensor<i64>) -> tensor<i64>
    %150 = "stablehlo.constant"() <{value = dense<8> : tensor<i64>}> : () -> tensor<i64>
    %151 = "stablehlo.add"(%149, %150) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %152 = "stablehlo.select"(%148, %151, %arg19) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %153 = "stablehlo.dynamic_slice"(%arg18, %152) <{slice_sizes = array<i64: 1>}> : (tensor<8xi32>, tensor<i64>) -> tensor<1xi32>
    %154 = "stablehlo.reshape"(%153) : (tensor<1xi32>) -> tensor<i32>
    %155 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %156 = "stablehlo.compare"(%arg19, %155) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %157 = "stablehlo.convert"(%arg19) : (tensor<i64>) -> tensor<i64>
    %158 = "stablehlo.constant"() <{value = dense<8> : tensor<i64>}> : () -> tensor<i64>
    %159 = "stablehlo.add"(%157, %158) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %160 = "stablehlo.select"(%156, %159, %arg19) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %161 = "stablehlo.dynamic_slice"(%arg20, %160) <{slice_sizes = array<i64: 1>}> : (tensor<8xi32>, tensor<i64>) -> tensor<1xi32>
    %162 = "stablehlo.reshape"(%161) : (tensor<1xi32>) -> tensor<i32>
    %163 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %164 = "stablehlo.compare"(%154, %163) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %165 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %166 = "stablehlo.add"(%154, %165) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %167 = "stablehlo.select"(%164, %166, %154) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %168 = "stablehlo.dynamic_slice"(%arg20, %167) <{slice_sizes = array<i64: 1>}> : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
    %169 = "stablehlo.reshape"(%168) : (tensor<1xi32>) -> tensor<i32>
    %170 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %171 = "stablehlo.compare"(%arg19, %170) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %172 = "stablehlo.constant"() <{value = dense<8> : tensor<i64>}> : () -> tensor<i64>
    %173 = "stablehlo.add"(%arg19, %172) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %174 = "stablehlo.select"(%171, %173, %arg19) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %175 = "stablehlo.convert"(%174) : (tensor<i64>) -> tensor<i32>
    %176 = "stablehlo.broadcast_in_dim"(%175) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %177 = "stablehlo.scatter"(%arg20, %176, %169) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg23: tensor<i32>, %arg24: tensor<i32>):
      "stablehlo.return"(%arg24) : (tensor<i32>) -> ()
    }) : (tensor<8xi32>, tensor<1xi32>, tensor<i32>) -> tensor<8xi32>
    %178 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %179 = "stablehlo.compare"(%154, %178) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %180 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %181 = "stablehlo.add"(%154, %180) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %182 = "stablehlo.select"(%179, %181, %154) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %183 = "stablehlo.broadcast_in_dim"(%182) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %184 = "stablehlo.scatter"(%177, %183, %162) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg21: tensor<i32>, %arg22: tensor<i32>):
      "stablehlo.return"(%arg22) : (tensor<i32>) -> ()
    }) : (tensor<8xi32>, tensor<1xi32>, tensor<i32>) -> tensor<8xi32>
    "func.return"(%146, %184) : (tensor<i64>, tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4xi32>, tensor<i64>, tensor<2x7xi32>) -> (tensor<i64>, tensor<2x7xi32>), res_attrs = [{}, {}], sym_name = "closed_call_1", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<2x4xi32>, %arg12: tensor<i64>, %arg13: tensor<2x7xi32>):
    %98 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %99 = "stablehlo.add"(%arg12, %98) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %100 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %101 = "stablehlo.compare"(%arg12, %100) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %102 = "stablehlo.convert"(%arg12) : (tensor<i64>) -> tensor<i64>
    %103 = "stablehlo.constant"() <{value = dense<4> : tensor<i64>}> : () -> tensor<i64>
    %104 = "stablehlo.add"(%102, %103) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %105 = "stablehlo.select"(%101, %104, %arg12) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %106 = "stablehlo.broadcast_in_dim"(%105) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<1xi64>
    %107 = "stablehlo.gather"(%arg11, %106) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x4xi32>, tensor<1xi64>) -> tensor<2x1xi32>
    %108 = "stablehlo.reshape"(%107) : (tensor<2x1xi32>) -> tensor<2xi32>
    %109 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %110 = "stablehlo.compare"(%arg12, %109) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %111 = "stablehlo.convert"(%arg12) : (tensor<i64>) -> tensor<i64>
    %112 = "stablehlo.constant"() <{value = dense<7> : tensor<i64>}> : () -> tensor<i64>
    %113 = "stablehlo.add"(%111, %112) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %114 = "stablehlo.select"(%110, %113, %arg12) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %115 = "stablehlo.broadcast_in_dim"(%114) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<1xi64>
    %116 = "stablehlo.gather"(%arg13, %115) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x7xi32>, tensor<1xi64>) -> tensor<2x1xi32>
    %117 = "stablehlo.reshape"(%116) : (tensor<2x1xi32>) -> tensor<2xi32>
    %118 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %119 = "stablehlo.broadcast_in_dim"(%118) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %120 = "stablehlo.compare"(%108, %119) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %121 = "stablehlo.constant"() <{value = dense<7> : tensor<i32>}> : () -> tensor<i32>
    %122 = "stablehlo.broadcast_in_dim"(%121) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %123 = "stablehlo.add"(%108, %122) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %124 = "stablehlo.select"(%120, %123, %108) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %125 = "stablehlo.broadcast_in_dim"(%124) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x1xi32>
    %126 = "stablehlo.gather"(%arg13, %125) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<2x7xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
    %127 = "stablehlo.reshape"(%126) : (tensor<2x1xi32>) -> tensor<2xi32>
    %128 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %129 = "stablehlo.compare"(%arg12, %128) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %130 = "stablehlo.constant"() <{value = dense<7> : tensor<i64>}> : () -> tensor<i64>
    %131 = "stablehlo.add"(%arg12, %130) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %132 = "stablehlo.select"(%129, %131, %arg12) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %133 = "stablehlo.convert"(%132) : (tensor<i64>) -> tensor<i32>
    %134 = "stablehlo.broadcast_in_dim"(%133) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %135 = "stablehlo.scatter"(%arg13, %134, %127) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg16: tensor<i32>, %arg17: tensor<i32>):
      "stablehlo.return"(%arg17) : (tensor<i32>) -> ()
    }) : (tensor<2x7xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<2x7xi32>
    %136 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %137 = "stablehlo.broadcast_in_dim"(%136) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %138 = "stablehlo.compare"(%108, %137) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %139 = "stablehlo.constant"() <{value = dense<7> : tensor<i32>}> : () -> tensor<i32>
    %140 = "stablehlo.broadcast_in_dim"(%139) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %141 = "stablehlo.add"(%108, %140) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %142 = "stablehlo.select"(%138, %141, %108) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %143 = "stablehlo.broadcast_in_dim"(%142) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x1xi32>
    %144 = "stablehlo.scatter"(%135, %143, %117) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg14: tensor<i32>, %arg15: tensor<i32>):
      "stablehlo.return"(%arg15) : (tensor<i32>) -> ()
    }) : (tensor<2x7xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x7xi32>
    "func.return"(%99, %144) : (tensor<i64>, tensor<2x7xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4xi32>, tensor<i64>, tensor<2x4xi32>) -> (tensor<i64>, tensor<2x4xi32>), res_attrs = [{}, {}], sym_name = "closed_call_2", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<2x4xi32>, %arg5: tensor<i64>, %arg6: tensor<2x4xi32>):
    %51 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %52 = "stablehlo.add"(%arg5, %51) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %53 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %54 = "stablehlo.compare"(%arg5, %53) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %55 = "stablehlo.convert"(%arg5) : (tensor<i64>) -> tensor<i64>
    %56 = "stablehlo.constant"() <{value = dense<4> : tensor<i64>}> : () -> tensor<i64>
    %57 = "stablehlo.add"(%55, %56) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %58 = "stablehlo.select"(%54, %57, %arg5) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %59 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<1xi64>
    %60 = "stablehlo.gather"(%arg4, %59) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x4xi32>, tensor<1xi64>) -> tensor<2x1xi32>
    %61 = "stablehlo.reshape"(%60) : (tensor<2x1xi32>) -> tensor<2xi32>
    %62 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %63 = "stablehlo.compare"(%arg5, %62) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %64 = "stablehlo.convert"(%arg5) : (tensor<i64>) -> tensor<i64>
    %65 = "stablehlo.constant"() <{value = dense<4> : tensor<i64>}> : () -> tensor<i64>
    %66 = "stablehlo.add"(%64, %65) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %67 = "stablehlo.select"(%63, %66, %arg5) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %68 = "stablehlo.broadcast_in_dim"(%67) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<1xi64>
    %69 = "stablehlo.gather"(%arg6, %68) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x4xi32>, tensor<1xi64>) -> tensor<2x1xi32>
    %70 = "stablehlo.reshape"(%69) : (tensor<2x1xi32>) -> tensor<2xi32>
    %71 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %72 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %73 = "stablehlo.compare"(%61, %72) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %74 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %75 = "stablehlo.broadcast_in_dim"(%74) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %76 = "stablehlo.add"(%61, %75) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %77 = "stablehlo.select"(%73, %76, %61) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x1xi32>
    %79 = "stablehlo.gather"(%arg6, %78) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<2x4xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
    %80 = "stablehlo.reshape"(%79) : (tensor<2x1xi32>) -> tensor<2xi32>
    %81 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %82 = "stablehlo.compare"(%arg5, %81) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %83 = "stablehlo.constant"() <{value = dense<4> : tensor<i64>}> : () -> tensor<i64>
    %84 = "stablehlo.add"(%arg5, %83) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %85 = "stablehlo.select"(%82, %84, %arg5) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %86 = "stablehlo.convert"(%85) : (tensor<i64>) -> tensor<i32>
    %87 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %88 = "stablehlo.scatter"(%arg6, %87, %80) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg9: tensor<i32>, %arg10: tensor<i32>):
      "stablehlo.return"(%arg10) : (tensor<i32>) -> ()
    }) : (tensor<2x4xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<2x4xi32>
    %89 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %90 = "stablehlo.broadcast_in_dim"(%89) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %91 = "stablehlo.compare"(%61, %90) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %92 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %93 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2xi32>
    %94 = "stablehlo.add"(%61, %93) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %95 = "stablehlo.select"(%91, %94, %61) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %96 = "stablehlo.broadcast_in_dim"(%95) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x1xi32>
    %97 = "stablehlo.scatter"(%88, %96, %70) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg7: tensor<i32>, %arg8: tensor<i32>):
      "stablehlo.return"(%arg8) : (tensor<i32>) -> ()
    }) : (tensor<2x4xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xi32>
    "func.return"(%52, %97) : (tensor<i64>, tensor<2x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8x8xf64>), res_attrs = [{}, {}], sym_name = "qr", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<8x8xf64>):
    %40:2 = "stablehlo.custom_call"(%arg3) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgeqrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=8, j=8, k=8, l=8, m=8}, custom>} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8xf64>)
    %41 = "stablehlo.custom_call"(%40#0, %40#1) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dorgqr_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=8, j=8, k=8, l=8, m=8}, custom>} : (tensor<8x8xf64>, tensor<8xf64>) -> tensor<8x8xf64>
    %42 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi64>
    %43 = "stablehlo.constant"() <{value = dense<-1> : tensor<i64>}> : () -> tensor<i64>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<8x8xi64>
    %45 = "stablehlo.add"(%42, %44) : (tensor<8x8xi64>, tensor<8x8xi64>) -> tensor<8x8xi64>
    %46 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi64>
    %47 = "stablehlo.compare"(%45, %46) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x8xi64>, tensor<8x8xi64>) -> tensor<8x8xi1>
    %48 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %49 = "stablehlo.broadcast_in_dim"(%48) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<8x8xf64>
    %50 = "stablehlo.select"(%47, %49, %40#0) : (tensor<8x8xi1>, tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    "func.return"(%41, %50) : (tensor<8x8xf64>, tensor<8x8xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x7x4xf64>) -> (tensor<2x7x4xf64>, tensor<2x4x4xf64>), res_attrs = [{}, {}], sym_name = "qr_3", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<2x7x4xf64>):
    %27:2 = "stablehlo.custom_call"(%arg2) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgeqrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n]) {i=2, j=7, k=4, l=7, m=4, n=4}, custom>} : (tensor<2x7x4xf64>) -> (tensor<2x7x4xf64>, tensor<2x4xf64>)
    %28 = "stablehlo.custom_call"(%27#0, %27#1) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dorgqr_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=2, j=7, k=4, l=4, m=7, n=4}, custom>} : (tensor<2x7x4xf64>, tensor<2x4xf64>) -> tensor<2x7x4xf64>
    %29 = "stablehlo.slice"(%27#0) <{limit_indices = array<i64: 2, 4, 4>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<2x7x4xf64>) -> tensor<2x4x4xf64>
    %30 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4x4xi64>
    %31 = "stablehlo.constant"() <{value = dense<-1> : tensor<i64>}> : () -> tensor<i64>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<4x4xi64>
    %33 = "stablehlo.add"(%30, %32) : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi64>
    %34 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x4xi64>
    %35 = "stablehlo.compare"(%33, %34) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x4xi1>) -> tensor<2x4x4xi1>
    %37 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %38 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x4xf64>
    %39 = "stablehlo.select"(%36, %38, %29) : (tensor<2x4x4xi1>, tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    "func.return"(%28, %39) : (tensor<2x7x4xf64>, tensor<2x4x4xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x4x7xf64>) -> (tensor<2x4x4xf64>, tensor<2x4x7xf64>), res_attrs = [{}, {}], sym_name = "qr_4", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<2x4x7xf64>):
    %14:2 = "stablehlo.custom_call"(%arg1) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgeqrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n]) {i=2, j=4, k=7, l=4, m=7, n=4}, custom>} : (tensor<2x4x7xf64>) -> (tensor<2x4x7xf64>, tensor<2x4xf64>)
    %15 = "stablehlo.slice"(%14#0) <{limit_indices = array<i64: 2, 4, 4>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<2x4x7xf64>) -> tensor<2x4x4xf64>
    %16 = "stablehlo.custom_call"(%15, %14#1) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dorgqr_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=2, j=4, k=4, l=4, m=4, n=4}, custom>} : (tensor<2x4x4xf64>, tensor<2x4xf64>) -> tensor<2x4x4xf64>
    %17 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4x7xi64>
    %18 = "stablehlo.constant"() <{value = dense<-1> : tensor<i64>}> : () -> tensor<i64>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<4x7xi64>
    %20 = "stablehlo.add"(%17, %19) : (tensor<4x7xi64>, tensor<4x7xi64>) -> tensor<4x7xi64>
    %21 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x7xi64>
    %22 = "stablehlo.compare"(%20, %21) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x7xi64>, tensor<4x7xi64>) -> tensor<4x7xi1>
    %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x7xi1>) -> tensor<2x4x7xi1>
    %24 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x7xf64>
    %26 = "stablehlo.select"(%23, %25, %14#0) : (tensor<2x4x7xi1>, tensor<2x4x7xf64>, tensor<2x4x7xf64>) -> tensor<2x4x7xf64>
    "func.return"(%16, %26) : (tensor<2x4x4xf64>, tensor<2x4x7xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x7x4xf64>) -> (tensor<2x7x7xf64>, tensor<2x7x4xf64>), res_attrs = [{}, {}], sym_name = "qr_5", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<2x7x4xf64>):
    %0:2 = "stablehlo.custom_call"(%arg0) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dgeqrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n]) {i=2, j=7, k=4, l=7, m=4, n=4}, custom>} : (tensor<2x7x4xf64>) -> (tensor<2x7x4xf64>, tensor<2x4xf64>)
    %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %2 = "stablehlo.pad"(%0#0, %1) <{edge_padding_high = array<i64: 0, 0, 3>, edge_padding_low = array<i64: 0, 0, 0>, interior_padding = array<i64: 0, 0, 0>}> : (tensor<2x7x4xf64>, tensor<f64>) -> tensor<2x7x7xf64>
    %3 = "stablehlo.custom_call"(%2, %0#1) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_dorgqr_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=2, j=7, k=7, l=4, m=7, n=7}, custom>} : (tensor<2x7x7xf64>, tensor<2x4xf64>) -> tensor<2x7x7xf64>
    %4 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<7x4xi64>
    %5 = "stablehlo.constant"() <{value = dense<-1> : tensor<i64>}> : () -> tensor<i64>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<7x4xi64>
    %7 = "stablehlo.add"(%4, %6) : (tensor<7x4xi64>, tensor<7x4xi64>) -> tensor<7x4xi64>
    %8 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<7x4xi64>
    %9 = "stablehlo.compare"(%7, %8) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<7x4xi64>, tensor<7x4xi64>) -> tensor<7x4xi1>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<7x4xi1>) -> tensor<2x7x4xi1>
    %11 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x7x4xf64>
    %13 = "stablehlo.select"(%10, %12, %0#0) : (tensor<2x7x4xi1>, tensor<2x7x4xf64>, tensor<2x7x4xf64>) -> tensor<2x7x4xf64>
    "func.return"(%3, %13) : (tensor<2x7x7xf64>, tensor<2x7x4xf64>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
