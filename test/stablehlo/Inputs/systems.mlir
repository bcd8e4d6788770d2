// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_systems"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x70xf32>) -> (tensor<f32>, tensor<8x8xf32>, tensor<8x70xf32>, tensor<8x8xf32>, tensor<8x70xf32>, tensor<8x8xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg115: tensor<8x8xf32>, %arg116: tensor<8x8xf32>, %arg117: tensor<8x70xf32>):
    %537 = "func.call"(%arg115) <{callee = @det}> : (tensor<8x8xf32>) -> tensor<f32>
    %538 = "func.call"(%arg115) <{callee = @inv}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %539 = "func.call"(%arg115, %arg117) <{callee = @solve_1}> : (tensor<8x8xf32>, tensor<8x70xf32>) -> tensor<8x70xf32>
    %540 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %541 = "stablehlo.broadcast_in_dim"(%540) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %542 = "stablehlo.divide"(%arg115, %541) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %543 = "func.call"(%542) <{callee = @expm}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %544 = "func.call"(%arg116) <{callee = @_cholesky}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %545 = "func.call"(%544, %arg117) <{callee = @_cho_solve}> : (tensor<8x8xf32>, tensor<8x70xf32>) -> tensor<8x70xf32>
    %546:7 = "func.call"(%arg116) <{callee = @cholesky}> : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>)
    %547 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %548 = "stablehlo.reduce"(%546#0, %547) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg118: tensor<f32>, %arg119: tensor<f32>):
      %552 = "stablehlo.add"(%arg118, %arg119) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%552) : (tensor<f32>) -> ()
    }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    %549 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %550 = "stablehlo.broadcast_in_dim"(%549) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %551 = "func.call"(%546#1, %546#2, %546#3, %546#4, %546#5, %546#6, %550) <{callee = @cholesky_5}> : (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%537, %538, %539, %543, %545, %551) : (tensor<f32>, tensor<8x8xf32>, tensor<8x70xf32>, tensor<8x8xf32>, tensor<8x70xf32>, tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf32>) -> tensor<f32>, res_attrs = [{}], sym_name = "det", sym_visibility = "private"}> ({
  ^bb0(%arg114: tensor<8x8xf32>):
    %534:2 = "func.call"(%arg114) <{callee = @slogdet}> : (tensor<8x8xf32>) -> (tensor<f32>, tensor<f32>)
    %535 = "stablehlo.exponential"(%534#1) : (tensor<f32>) -> tensor<f32>
    %536 = "stablehlo.multiply"(%534#0, %535) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%536) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf32>) -> (tensor<f32>, tensor<f32>), res_attrs = [{}, {}], sym_name = "slogdet", sym_visibility = "private"}> ({
  ^bb0(%arg101: tensor<8x8xf32>):
    %480:3 = "stablehlo.custom_call"(%arg101) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_sgetrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=8, j=8, k=8, l=8, m=8}, custom>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xi32>, tensor<i32>)
    %481 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %482 = "stablehlo.broadcast_in_dim"(%481) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %483 = "stablehlo.subtract"(%480#1, %482) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %484 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %485 = "stablehlo.broadcast_in_dim"(%484) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %486 = "stablehlo.compare"(%480#2, %485) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %487 = "stablehlo.broadcast_in_dim"(%486) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %488 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %489 = "stablehlo.broadcast_in_dim"(%488) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %490 = "stablehlo.broadcast_in_dim"(%487) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %491 = "stablehlo.select"(%490, %480#0, %489) : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %492 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xi32>
    %493 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %494 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %495:4 = "stablehlo.while"(%483, %494, %493, %492) ({
    ^bb0(%arg110: tensor<8xi32>, %arg111: tensor<i32>, %arg112: tensor<i32>, %arg113: tensor<8xi32>):
      %532 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
      %533 = "stablehlo.compare"(%arg111, %532) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%533) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg106: tensor<8xi32>, %arg107: tensor<i32>, %arg108: tensor<i32>, %arg109: tensor<8xi32>):
      %529:2 = "func.call"(%arg106, %arg108, %arg109) <{callee = @closed_call}> : (tensor<8xi32>, tensor<i32>, tensor<8xi32>) -> (tensor<i32>, tensor<8xi32>)
      %530 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %531 = "stablehlo.add"(%arg107, %530) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg106, %531, %529#0, %529#1) : (tensor<8xi32>, tensor<i32>, tensor<i32>, tensor<8xi32>) -> ()
    }) : (tensor<8xi32>, tensor<i32>, tensor<i32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<i32>, tensor<i32>, tensor<8xi32>)
    %496 = "func.call"(%491) <{callee = @diagonal}> : (tensor<8x8xf32>) -> tensor<8xf32>
    %497 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %498 = "stablehlo.broadcast_in_dim"(%497) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %499 = "stablehlo.compare"(%496, %498) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %500 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %501 = "stablehlo.reduce"(%499, %500) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg104: tensor<i1>, %arg105: tensor<i1>):
      %528 = "stablehlo.or"(%arg104, %arg105) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%528) : (tensor<i1>) -> ()
    }) : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
    %502 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xi32>
    %503 = "stablehlo.compare"(%483, %502) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %504 = "func.call"(%503) <{callee = @count_nonzero}> : (tensor<8xi1>) -> tensor<i32>
    %505 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %506 = "stablehlo.broadcast_in_dim"(%505) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %507 = "stablehlo.compare"(%496, %506) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %508 = "func.call"(%507) <{callee = @count_nonzero}> : (tensor<8xi1>) -> tensor<i32>
    %509 = "stablehlo.add"(%504, %508) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %510 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %511 = "func.call"(%509, %510) <{callee = @remainder}> : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %512 = "stablehlo.constant"() <{value = dense<-2> : tensor<i32>}> : () -> tensor<i32>
    %513 = "stablehlo.multiply"(%512, %511) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %514 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %515 = "stablehlo.add"(%513, %514) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %516 = "stablehlo.convert"(%515) : (tensor<i32>) -> tensor<f32>
    %517 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %518 = "stablehlo.multiply"(%517, %516) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %519 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %520 = "func.call"(%501, %519, %518) <{callee = @_where_0}> : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %521 = "stablehlo.abs"(%496) : (tensor<8xf32>) -> tensor<8xf32>
    %522 = "stablehlo.log"(%521) : (tensor<8xf32>) -> tensor<8xf32>
    %523 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %524 = "stablehlo.reduce"(%522, %523) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg102: tensor<f32>, %arg103: tensor<f32>):
      %527 = "stablehlo.add"(%arg102, %arg103) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%527) : (tensor<f32>) -> ()
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %525 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %526 = "func.call"(%501, %525, %524) <{callee = @_where_0}> : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%520, %526) : (tensor<f32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xi32>, tensor<i32>, tensor<8xi32>) -> (tensor<i32>, tensor<8xi32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg94: tensor<8xi32>, %arg95: tensor<i32>, %arg96: tensor<8xi32>):
    %440 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %441 = "stablehlo.add"(%arg95, %440) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %442 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %443 = "stablehlo.compare"(%arg95, %442) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %444 = "stablehlo.convert"(%arg95) : (tensor<i32>) -> tensor<i32>
    %445 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %446 = "stablehlo.add"(%444, %445) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %447 = "stablehlo.select"(%443, %446, %arg95) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %448 = "stablehlo.dynamic_slice"(%arg94, %447) <{slice_sizes = array<i64: 1>}> : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
    %449 = "stablehlo.reshape"(%448) : (tensor<1xi32>) -> tensor<i32>
    %450 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %451 = "stablehlo.compare"(%arg95, %450) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %452 = "stablehlo.convert"(%arg95) : (tensor<i32>) -> tensor<i32>
    %453 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %454 = "stablehlo.add"(%452, %453) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %455 = "stablehlo.select"(%451, %454, %arg95) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %456 = "stablehlo.dynamic_slice"(%arg96, %455) <{slice_sizes = array<i64: 1>}> : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
    %457 = "stablehlo.reshape"(%456) : (tensor<1xi32>) -> tensor<i32>
    %458 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %459 = "stablehlo.compare"(%449, %458) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %460 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %461 = "stablehlo.add"(%449, %460) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %462 = "stablehlo.select"(%459, %461, %449) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %463 = "stablehlo.dynamic_slice"(%arg96, %462) <{slice_sizes = array<i64: 1>}> : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
    %464 = "stablehlo.reshape"(%463) : (tensor<1xi32>) -> tensor<i32>
    %465 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %466 = "stablehlo.compare"(%arg95, %465) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %467 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %468 = "stablehlo.add"(%arg95, %467) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %469 = "stablehlo.select"(%466, %468, %arg95) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %470 = "stablehlo.convert"(%469) : (tensor<i32>) -> tensor<i32>
    %471 = "stablehlo.broadcast_in_dim"(%470) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %472 = "stablehlo.scatter"(%arg96, %471, %464) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg99: tensor<i32>, %arg100: tensor<i32>):
      "stablehlo.return"(%arg100) : (tensor<i32>) -> ()
    }) : (tensor<8xi32>, tensor<1xi32>, tensor<i32>) -> tensor<8xi32>
    %473 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %474 = "stablehlo.compare"(%449, %473) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %475 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %476 = "stablehlo.add"(%449, %475) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %477 = "stablehlo.select"(%474, %476, %449) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %478 = "stablehlo.broadcast_in_dim"(%477) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %479 = "stablehlo.scatter"(%472, %478, %457) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg97: tensor<i32>, %arg98: tensor<i32>):
      "stablehlo.return"(%arg98) : (tensor<i32>) -> ()
    }) : (tensor<8xi32>, tensor<1xi32>, tensor<i32>) -> tensor<8xi32>
    "func.return"(%441, %479) : (tensor<i32>, tensor<8xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf32>) -> tensor<8xf32>, res_attrs = [{}], sym_name = "diagonal", sym_visibility = "private"}> ({
  ^bb0(%arg93: tensor<8x8xf32>):
    %408 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
    %409 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
    %410 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %411 = "stablehlo.broadcast_in_dim"(%410) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
    %412 = "stablehlo.add"(%408, %411) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %413 = "stablehlo.compare"(%412, %409) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %414 = "stablehlo.convert"(%413) : (tensor<8x8xi1>) -> tensor<8x8xf32>
    %415 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %416 = "stablehlo.case"(%415) ({
      %439 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      "stablehlo.return"(%439) : (tensor<i32>) -> ()
    }, {
      %438 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      "stablehlo.return"(%438) : (tensor<i32>) -> ()
    }) : (tensor<i32>) -> tensor<i32>
    %417 = "stablehlo.case"(%416) ({
      %418 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xi32>
      %419 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xi32>
      %420 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %421 = "stablehlo.broadcast_in_dim"(%420) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
      %422 = "stablehlo.compare"(%418, %421) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %423 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
      %424 = "stablehlo.broadcast_in_dim"(%423) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
      %425 = "stablehlo.add"(%418, %424) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
      %426 = "stablehlo.select"(%422, %425, %418) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
      %427 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %428 = "stablehlo.broadcast_in_dim"(%427) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
      %429 = "stablehlo.compare"(%419, %428) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %430 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
      %431 = "stablehlo.broadcast_in_dim"(%430) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
      %432 = "stablehlo.add"(%419, %431) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
      %433 = "stablehlo.select"(%429, %432, %419) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
      %434 = "stablehlo.broadcast_in_dim"(%426) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
      %435 = "stablehlo.broadcast_in_dim"(%433) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
      %436 = "stablehlo.concatenate"(%434, %435) <{dimension = 1 : i64}> : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
      %437 = "stablehlo.gather"(%arg93, %436) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<8x8xf32>, tensor<8x2xi32>) -> tensor<8xf32>
      "stablehlo.return"(%437) : (tensor<8xf32>) -> ()
    }) : (tensor<i32>) -> tensor<8xf32>
    "func.return"(%417) : (tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8xi1>) -> tensor<i32>, res_attrs = [{}], sym_name = "count_nonzero", sym_visibility = "private"}> ({
  ^bb0(%arg90: tensor<8xi1>):
    %401 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %402 = "stablehlo.broadcast_in_dim"(%401) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<8xi1>
    %403 = "stablehlo.compare"(%arg90, %402) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
    %404 = "stablehlo.convert"(%403) : (tensor<8xi1>) -> tensor<8xi32>
    %405 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %406 = "stablehlo.reduce"(%404, %405) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg91: tensor<i32>, %arg92: tensor<i32>):
      %407 = "stablehlo.add"(%arg91, %arg92) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%407) : (tensor<i32>) -> ()
    }) : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
    "func.return"(%406) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<i32>, tensor<i32>) -> tensor<i32>, res_attrs = [{}], sym_name = "remainder", sym_visibility = "private"}> ({
  ^bb0(%arg88: tensor<i32>, %arg89: tensor<i32>):
    %385 = "stablehlo.convert"(%arg89) : (tensor<i32>) -> tensor<i32>
    %386 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %387 = "stablehlo.compare"(%385, %386) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %388 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %389 = "func.call"(%387, %388, %385) <{callee = @_where}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %390 = "stablehlo.remainder"(%arg88, %389) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %391 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %392 = "stablehlo.compare"(%390, %391) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %393 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %394 = "stablehlo.compare"(%390, %393) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %395 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %396 = "stablehlo.compare"(%389, %395) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %397 = "stablehlo.compare"(%394, %396) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %398 = "stablehlo.and"(%397, %392) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %399 = "stablehlo.add"(%390, %389) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %400 = "stablehlo.select"(%398, %399, %390) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%400) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg85: tensor<i1>, %arg86: tensor<i32>, %arg87: tensor<i32>):
    %384 = "stablehlo.select"(%arg85, %arg86, %arg87) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%384) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>, res_attrs = [{}], sym_name = "_where_0", sym_visibility = "private"}> ({
  ^bb0(%arg82: tensor<i1>, %arg83: tensor<f32>, %arg84: tensor<f32>):
    %383 = "stablehlo.select"(%arg82, %arg83, %arg84) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%383) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf32>) -> tensor<8x8xf32>, res_attrs = [{}], sym_name = "inv", sym_visibility = "private"}> ({
  ^bb0(%arg81: tensor<8x8xf32>):
    %375 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
    %376 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
    %377 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %378 = "stablehlo.broadcast_in_dim"(%377) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
    %379 = "stablehlo.add"(%375, %378) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %380 = "stablehlo.compare"(%379, %376) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %381 = "stablehlo.convert"(%380) : (tensor<8x8xi1>) -> tensor<8x8xf32>
    %382 = "func.call"(%arg81, %381) <{callee = @solve}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%382) : (tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>, res_attrs = [{}], sym_name = "solve", sym_visibility = "private"}> ({
  ^bb0(%arg71: tensor<8x8xf32>, %arg72: tensor<8x8xf32>):
    %351:3 = "stablehlo.custom_call"(%arg71) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_sgetrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=8, j=8, k=8, l=8, m=8}, custom>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xi32>, tensor<i32>)
    %352 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %353 = "stablehlo.broadcast_in_dim"(%352) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %354 = "stablehlo.subtract"(%351#1, %353) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %355 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %356 = "stablehlo.broadcast_in_dim"(%355) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %357 = "stablehlo.compare"(%351#2, %356) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %358 = "stablehlo.broadcast_in_dim"(%357) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %359 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %360 = "stablehlo.broadcast_in_dim"(%359) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %361 = "stablehlo.broadcast_in_dim"(%358) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %362 = "stablehlo.select"(%361, %351#0, %360) : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %363 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xi32>
    %364 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %365 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %366:4 = "stablehlo.while"(%354, %365, %364, %363) ({
    ^bb0(%arg77: tensor<8xi32>, %arg78: tensor<i32>, %arg79: tensor<i32>, %arg80: tensor<8xi32>):
      %373 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
      %374 = "stablehlo.compare"(%arg78, %373) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%374) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg73: tensor<8xi32>, %arg74: tensor<i32>, %arg75: tensor<i32>, %arg76: tensor<8xi32>):
      %370:2 = "func.call"(%arg73, %arg75, %arg76) <{callee = @closed_call}> : (tensor<8xi32>, tensor<i32>, tensor<8xi32>) -> (tensor<i32>, tensor<8xi32>)
      %371 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %372 = "stablehlo.add"(%arg74, %371) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg73, %372, %370#0, %370#1) : (tensor<8xi32>, tensor<i32>, tensor<i32>, tensor<8xi32>) -> ()
    }) : (tensor<8xi32>, tensor<i32>, tensor<i32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<i32>, tensor<i32>, tensor<8xi32>)
    %367 = "stablehlo.transpose"(%arg72) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %368 = "func.call"(%362, %366#3, %367) <{callee = @_lu_solve}> : (tensor<8x8xf32>, tensor<8xi32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %369 = "stablehlo.transpose"(%368) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%369) : (tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<8x8xf32>, tensor<8xi32>, tensor<8x8xf32>) -> tensor<8x8xf32>, res_attrs = [{}], sym_name = "_lu_solve", sym_visibility = "private"}> ({
  ^bb0(%arg68: tensor<8x8xf32>, %arg69: tensor<8xi32>, %arg70: tensor<8x8xf32>):
    %332 = "stablehlo.broadcast_in_dim"(%arg70) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %333 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %334 = "stablehlo.broadcast_in_dim"(%333) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %335 = "stablehlo.compare"(%arg69, %334) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %336 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %337 = "stablehlo.broadcast_in_dim"(%336) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %338 = "stablehlo.add"(%arg69, %337) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %339 = "stablehlo.select"(%335, %338, %arg69) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %340 = "stablehlo.broadcast_in_dim"(%339) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %341 = "stablehlo.gather"(%332, %340) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 8, 1, 1>}> : (tensor<8x8x1xf32>, tensor<8x1xi32>) -> tensor<8x8x1xf32>
    %342 = "stablehlo.transpose"(%341) <{permutation = array<i64: 1, 2, 0>}> : (tensor<8x8x1xf32>) -> tensor<8x1x8xf32>
    %343 = "stablehlo.reshape"(%342) : (tensor<8x1x8xf32>) -> tensor<8x8xf32>
    %344 = "stablehlo.custom_call"(%arg68, %343) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_strsm_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> {mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=8, j=8, k=8, l=8, m=8, n=8}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %345 = "stablehlo.reshape"(%344) : (tensor<8x8xf32>) -> tensor<8x1x8xf32>
    %346 = "stablehlo.reshape"(%345) : (tensor<8x1x8xf32>) -> tensor<8x8xf32>
    %347 = "stablehlo.custom_call"(%arg68, %346) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_strsm_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=8, j=8, k=8, l=8, m=8, n=8}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %348 = "stablehlo.reshape"(%347) : (tensor<8x8xf32>) -> tensor<8x1x8xf32>
    %349 = "stablehlo.transpose"(%348) <{permutation = array<i64: 2, 0, 1>}> : (tensor<8x1x8xf32>) -> tensor<8x8x1xf32>
    %350 = "stablehlo.reshape"(%349) : (tensor<8x8x1xf32>) -> tensor<8x8xf32>
    "func.return"(%350) : (tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x8xf32>, tensor<8x70xf32>) -> tensor<8x70xf32>, res_attrs = [{}], sym_name = "solve_1", sym_visibility = "private"}> ({
  ^bb0(%arg58: tensor<8x8xf32>, %arg59: tensor<8x70xf32>):
    %308:3 = "stablehlo.custom_call"(%arg58) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_sgetrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=8, j=8, k=8, l=8, m=8}, custom>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xi32>, tensor<i32>)
    %309 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %310 = "stablehlo.broadcast_in_dim"(%309) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %311 = "stablehlo.subtract"(%308#1, %310) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %312 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %313 = "stablehlo.broadcast_in_dim"(%312) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %314 = "stablehlo.compare"(%308#2, %313) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %315 = "stablehlo.broadcast_in_dim"(%314) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %316 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %317 = "stablehlo.broadcast_in_dim"(%316) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %318 = "stablehlo.broadcast_in_dim"(%315) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %319 = "stablehlo.select"(%318, %308#0, %317) : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %320 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xi32>
    %321 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %322 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %323:4 = "stablehlo.while"(%311, %322, %321, %320) ({
    ^bb0(%arg64: tensor<8xi32>, %arg65: tensor<i32>, %arg66: tensor<i32>, %arg67: tensor<8xi32>):
      %330 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
      %331 = "stablehlo.compare"(%arg65, %330) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%331) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg60: tensor<8xi32>, %arg61: tensor<i32>, %arg62: tensor<i32>, %arg63: tensor<8xi32>):
      %327:2 = "func.call"(%arg60, %arg62, %arg63) <{callee = @closed_call}> : (tensor<8xi32>, tensor<i32>, tensor<8xi32>) -> (tensor<i32>, tensor<8xi32>)
      %328 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %329 = "stablehlo.add"(%arg61, %328) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg60, %329, %327#0, %327#1) : (tensor<8xi32>, tensor<i32>, tensor<i32>, tensor<8xi32>) -> ()
    }) : (tensor<8xi32>, tensor<i32>, tensor<i32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<i32>, tensor<i32>, tensor<8xi32>)
    %324 = "stablehlo.transpose"(%arg59) <{permutation = array<i64: 1, 0>}> : (tensor<8x70xf32>) -> tensor<70x8xf32>
    %325 = "func.call"(%319, %323#3, %324) <{callee = @_lu_solve_2}> : (tensor<8x8xf32>, tensor<8xi32>, tensor<70x8xf32>) -> tensor<70x8xf32>
    %326 = "stablehlo.transpose"(%325) <{permutation = array<i64: 1, 0>}> : (tensor<70x8xf32>) -> tensor<8x70xf32>
    "func.return"(%326) : (tensor<8x70xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<8x8xf32>, tensor<8xi32>, tensor<70x8xf32>) -> tensor<70x8xf32>, res_attrs = [{}], sym_name = "_lu_solve_2", sym_visibility = "private"}> ({
  ^bb0(%arg55: tensor<8x8xf32>, %arg56: tensor<8xi32>, %arg57: tensor<70x8xf32>):
    %289 = "stablehlo.broadcast_in_dim"(%arg57) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<70x8xf32>) -> tensor<70x8x1xf32>
    %290 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %291 = "stablehlo.broadcast_in_dim"(%290) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %292 = "stablehlo.compare"(%arg56, %291) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %293 = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %294 = "stablehlo.broadcast_in_dim"(%293) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8xi32>
    %295 = "stablehlo.add"(%arg56, %294) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %296 = "stablehlo.select"(%292, %295, %arg56) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %297 = "stablehlo.broadcast_in_dim"(%296) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %298 = "stablehlo.gather"(%289, %297) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 70, 1, 1>}> : (tensor<70x8x1xf32>, tensor<8x1xi32>) -> tensor<70x8x1xf32>
    %299 = "stablehlo.transpose"(%298) <{permutation = array<i64: 1, 2, 0>}> : (tensor<70x8x1xf32>) -> tensor<8x1x70xf32>
    %300 = "stablehlo.reshape"(%299) : (tensor<8x1x70xf32>) -> tensor<8x70xf32>
    %301 = "stablehlo.custom_call"(%arg55, %300) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_strsm_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> {mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=8, j=8, k=8, l=70, m=8, n=70}, custom>} : (tensor<8x8xf32>, tensor<8x70xf32>) -> tensor<8x70xf32>
    %302 = "stablehlo.reshape"(%301) : (tensor<8x70xf32>) -> tensor<8x1x70xf32>
    %303 = "stablehlo.reshape"(%302) : (tensor<8x1x70xf32>) -> tensor<8x70xf32>
    %304 = "stablehlo.custom_call"(%arg55, %303) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_strsm_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=8, j=8, k=8, l=70, m=8, n=70}, custom>} : (tensor<8x8xf32>, tensor<8x70xf32>) -> tensor<8x70xf32>
    %305 = "stablehlo.reshape"(%304) : (tensor<8x70xf32>) -> tensor<8x1x70xf32>
    %306 = "stablehlo.transpose"(%305) <{permutation = array<i64: 2, 0, 1>}> : (tensor<8x1x70xf32>) -> tensor<70x8x1xf32>
    %307 = "stablehlo.reshape"(%306) : (tensor<70x8x1xf32>) -> tensor<70x8xf32>
    "func.return"(%307) : (tensor<70x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf32>) -> tensor<8x8xf32>, res_attrs = [{}], sym_name = "expm", sym_visibility = "private"}> ({
  ^bb0(%arg54: tensor<8x8xf32>):
    %280:3 = "func.call"(%arg54) <{callee = @_calc_P_Q}> : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>)
    %281 = "stablehlo.constant"() <{value = dense<1.600000e+01> : tensor<f32>}> : () -> tensor<f32>
    %282 = "stablehlo.compare"(%280#2, %281) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %283 = "stablehlo.convert"(%282) : (tensor<i1>) -> tensor<i32>
    %284 = "stablehlo.case"(%283) ({
      %287 = "func.call"(%280#1, %280#0) <{callee = @solve}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %288 = "func.call"(%287, %280#2) <{callee = @_squaring}> : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
      "stablehlo.return"(%288) : (tensor<8x8xf32>) -> ()
    }, {
      %285 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %286 = "stablehlo.broadcast_in_dim"(%285) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      "stablehlo.return"(%286) : (tensor<8x8xf32>) -> ()
    }) : (tensor<i32>) -> tensor<8x8xf32>
    "func.return"(%284) : (tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>), res_attrs = [{}, {}, {}], sym_name = "_calc_P_Q", sym_visibility = "private"}> ({
  ^bb0(%arg53: tensor<8x8xf32>):
    %161 = "stablehlo.constant"() <{value = dense<[4.258730e-01, 1.8801527]> : tensor<2xf32>}> : () -> tensor<2xf32>
    %162 = "func.call"(%arg53) <{callee = @norm}> : (tensor<8x8xf32>) -> tensor<f32>
    %163 = "stablehlo.constant"() <{value = dense<3.92572474> : tensor<f32>}> : () -> tensor<f32>
    %164 = "stablehlo.divide"(%162, %163) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %165 = "stablehlo.log"(%164) : (tensor<f32>) -> tensor<f32>
    %166 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %167 = "stablehlo.log"(%166) : (tensor<f32>) -> tensor<f32>
    %168 = "stablehlo.divide"(%165, %167) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %169 = "stablehlo.floor"(%168) : (tensor<f32>) -> tensor<f32>
    %170 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %171 = "stablehlo.maximum"(%170, %169) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %172 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %173 = "stablehlo.power"(%172, %171) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %174 = "stablehlo.broadcast_in_dim"(%173) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %175 = "stablehlo.divide"(%arg53, %174) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %176 = "func.call"(%162, %161) <{callee = @digitize}> : (tensor<f32>, tensor<2xf32>) -> tensor<i32>
    %177 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %178 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %179 = "stablehlo.clamp"(%177, %176, %178) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %180:2 = "stablehlo.case"(%179) ({
      %257 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
      %258 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
      %259 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %260 = "stablehlo.broadcast_in_dim"(%259) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
      %261 = "stablehlo.add"(%257, %260) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
      %262 = "stablehlo.compare"(%261, %258) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %263 = "stablehlo.convert"(%262) : (tensor<8x8xi1>) -> tensor<8x8xf32>
      %264 = "stablehlo.dot_general"(%175, %175) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %265 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %266 = "stablehlo.broadcast_in_dim"(%265) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %267 = "stablehlo.multiply"(%266, %264) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %268 = "stablehlo.constant"() <{value = dense<6.000000e+01> : tensor<f32>}> : () -> tensor<f32>
      %269 = "stablehlo.broadcast_in_dim"(%268) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %270 = "stablehlo.multiply"(%269, %263) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %271 = "stablehlo.add"(%267, %270) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %272 = "stablehlo.dot_general"(%175, %271) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %273 = "stablehlo.constant"() <{value = dense<1.200000e+01> : tensor<f32>}> : () -> tensor<f32>
      %274 = "stablehlo.broadcast_in_dim"(%273) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %275 = "stablehlo.multiply"(%274, %264) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %276 = "stablehlo.constant"() <{value = dense<1.200000e+02> : tensor<f32>}> : () -> tensor<f32>
      %277 = "stablehlo.broadcast_in_dim"(%276) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %278 = "stablehlo.multiply"(%277, %263) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %279 = "stablehlo.add"(%275, %278) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      "stablehlo.return"(%272, %279) : (tensor<8x8xf32>, tensor<8x8xf32>) -> ()
    }, {
      %225 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
      %226 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
      %227 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %228 = "stablehlo.broadcast_in_dim"(%227) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
      %229 = "stablehlo.add"(%225, %228) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
      %230 = "stablehlo.compare"(%229, %226) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %231 = "stablehlo.convert"(%230) : (tensor<8x8xi1>) -> tensor<8x8xf32>
      %232 = "stablehlo.dot_general"(%175, %175) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %233 = "stablehlo.dot_general"(%232, %232) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %234 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %235 = "stablehlo.broadcast_in_dim"(%234) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %236 = "stablehlo.multiply"(%235, %233) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %237 = "stablehlo.constant"() <{value = dense<4.200000e+02> : tensor<f32>}> : () -> tensor<f32>
      %238 = "stablehlo.broadcast_in_dim"(%237) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %239 = "stablehlo.multiply"(%238, %232) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %240 = "stablehlo.add"(%236, %239) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %241 = "stablehlo.constant"() <{value = dense<1.512000e+04> : tensor<f32>}> : () -> tensor<f32>
      %242 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %243 = "stablehlo.multiply"(%242, %231) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %244 = "stablehlo.add"(%240, %243) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %245 = "stablehlo.dot_general"(%175, %244) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %246 = "stablehlo.constant"() <{value = dense<3.000000e+01> : tensor<f32>}> : () -> tensor<f32>
      %247 = "stablehlo.broadcast_in_dim"(%246) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %248 = "stablehlo.multiply"(%247, %233) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %249 = "stablehlo.constant"() <{value = dense<3.360000e+03> : tensor<f32>}> : () -> tensor<f32>
      %250 = "stablehlo.broadcast_in_dim"(%249) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %251 = "stablehlo.multiply"(%250, %232) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %252 = "stablehlo.add"(%248, %251) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %253 = "stablehlo.constant"() <{value = dense<3.024000e+04> : tensor<f32>}> : () -> tensor<f32>
      %254 = "stablehlo.broadcast_in_dim"(%253) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %255 = "stablehlo.multiply"(%254, %231) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %256 = "stablehlo.add"(%252, %255) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      "stablehlo.return"(%245, %256) : (tensor<8x8xf32>, tensor<8x8xf32>) -> ()
    }, {
      %184 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
      %185 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
      %186 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %187 = "stablehlo.broadcast_in_dim"(%186) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
      %188 = "stablehlo.add"(%184, %187) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
      %189 = "stablehlo.compare"(%188, %185) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %190 = "stablehlo.convert"(%189) : (tensor<8x8xi1>) -> tensor<8x8xf32>
      %191 = "stablehlo.dot_general"(%175, %175) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %192 = "stablehlo.dot_general"(%191, %191) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %193 = "stablehlo.dot_general"(%192, %191) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %194 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %195 = "stablehlo.broadcast_in_dim"(%194) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %196 = "stablehlo.multiply"(%195, %193) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %197 = "stablehlo.constant"() <{value = dense<1.512000e+03> : tensor<f32>}> : () -> tensor<f32>
      %198 = "stablehlo.broadcast_in_dim"(%197) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %199 = "stablehlo.multiply"(%198, %192) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %200 = "stablehlo.add"(%196, %199) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %201 = "stablehlo.constant"() <{value = dense<2.772000e+05> : tensor<f32>}> : () -> tensor<f32>
      %202 = "stablehlo.broadcast_in_dim"(%201) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %203 = "stablehlo.multiply"(%202, %191) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %204 = "stablehlo.add"(%200, %203) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %205 = "stablehlo.constant"() <{value = dense<8.648640e+06> : tensor<f32>}> : () -> tensor<f32>
      %206 = "stablehlo.broadcast_in_dim"(%205) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %207 = "stablehlo.multiply"(%206, %190) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %208 = "stablehlo.add"(%204, %207) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %209 = "stablehlo.dot_general"(%175, %208) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %210 = "stablehlo.constant"() <{value = dense<5.600000e+01> : tensor<f32>}> : () -> tensor<f32>
      %211 = "stablehlo.broadcast_in_dim"(%210) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %212 = "stablehlo.multiply"(%211, %193) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %213 = "stablehlo.constant"() <{value = dense<2.520000e+04> : tensor<f32>}> : () -> tensor<f32>
      %214 = "stablehlo.broadcast_in_dim"(%213) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %215 = "stablehlo.multiply"(%214, %192) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %216 = "stablehlo.add"(%212, %215) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %217 = "stablehlo.constant"() <{value = dense<1.995840e+06> : tensor<f32>}> : () -> tensor<f32>
      %218 = "stablehlo.broadcast_in_dim"(%217) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %219 = "stablehlo.multiply"(%218, %191) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %220 = "stablehlo.add"(%216, %219) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %221 = "stablehlo.constant"() <{value = dense<0x4B83F7C0> : tensor<f32>}> : () -> tensor<f32>
      %222 = "stablehlo.broadcast_in_dim"(%221) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
      %223 = "stablehlo.multiply"(%222, %190) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %224 = "stablehlo.add"(%220, %223) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      "stablehlo.return"(%209, %224) : (tensor<8x8xf32>, tensor<8x8xf32>) -> ()
    }) : (tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
    %181 = "stablehlo.add"(%180#0, %180#1) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %182 = "stablehlo.negate"(%180#0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %183 = "stablehlo.add"(%182, %180#1) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%181, %183, %171) : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf32>) -> tensor<f32>, res_attrs = [{}], sym_name = "norm", sym_visibility = "private"}> ({
  ^bb0(%arg48: tensor<8x8xf32>):
    %152 = "stablehlo.abs"(%arg48) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %153 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %154 = "stablehlo.reduce"(%152, %153) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg51: tensor<f32>, %arg52: tensor<f32>):
      %160 = "stablehlo.add"(%arg51, %arg52) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%160) : (tensor<f32>) -> ()
    }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %155 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %156 = "stablehlo.reduce"(%154, %155) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg49: tensor<f32>, %arg50: tensor<f32>):
      %159 = "stablehlo.maximum"(%arg49, %arg50) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%159) : (tensor<f32>) -> ()
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %157 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %158 = "stablehlo.maximum"(%157, %156) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%158) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<f32>, tensor<2xf32>) -> tensor<i32>, res_attrs = [{}], sym_name = "digitize", sym_visibility = "private"}> ({
  ^bb0(%arg46: tensor<f32>, %arg47: tensor<2xf32>):
    %141 = "stablehlo.slice"(%arg47) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xf32>) -> tensor<1xf32>
    %142 = "stablehlo.reshape"(%141) : (tensor<1xf32>) -> tensor<f32>
    %143 = "stablehlo.slice"(%arg47) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xf32>) -> tensor<1xf32>
    %144 = "stablehlo.reshape"(%143) : (tensor<1xf32>) -> tensor<f32>
    %145 = "stablehlo.compare"(%142, %144) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %146 = "func.call"(%arg47, %arg46) <{callee = @searchsorted}> : (tensor<2xf32>, tensor<f32>) -> tensor<i32>
    %147 = "stablehlo.reverse"(%arg47) <{dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2xf32>
    %148 = "func.call"(%147, %arg46) <{callee = @searchsorted}> : (tensor<2xf32>, tensor<f32>) -> tensor<i32>
    %149 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %150 = "stablehlo.subtract"(%149, %148) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %151 = "func.call"(%145, %146, %150) <{callee = @_where}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%151) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2xf32>, tensor<f32>) -> tensor<i32>, res_attrs = [{}], sym_name = "searchsorted", sym_visibility = "private"}> ({
  ^bb0(%arg44: tensor<2xf32>, %arg45: tensor<f32>):
    %140 = "func.call"(%arg44, %arg45) <{callee = @_searchsorted_scan_impl}> : (tensor<2xf32>, tensor<f32>) -> tensor<i32>
    "func.return"(%140) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2xf32>, tensor<f32>) -> tensor<i32>, res_attrs = [{}], sym_name = "_searchsorted_scan_impl", sym_visibility = "private"}> ({
  ^bb0(%arg32: tensor<2xf32>, %arg33: tensor<f32>):
    %130 = "stablehlo.constant"() <{value = dense<0> : tensor<ui32>}> : () -> tensor<ui32>
    %131 = "stablehlo.constant"() <{value = dense<2> : tensor<ui32>}> : () -> tensor<ui32>
    %132 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %133:5 = "stablehlo.while"(%arg32, %arg33, %132, %130, %131) ({
    ^bb0(%arg39: tensor<2xf32>, %arg40: tensor<f32>, %arg41: tensor<i32>, %arg42: tensor<ui32>, %arg43: tensor<ui32>):
      %138 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
      %139 = "stablehlo.compare"(%arg41, %138) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%139) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg34: tensor<2xf32>, %arg35: tensor<f32>, %arg36: tensor<i32>, %arg37: tensor<ui32>, %arg38: tensor<ui32>):
      %135:2 = "func.call"(%arg34, %arg35, %arg37, %arg38) <{callee = @closed_call_3}> : (tensor<2xf32>, tensor<f32>, tensor<ui32>, tensor<ui32>) -> (tensor<ui32>, tensor<ui32>)
      %136 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %137 = "stablehlo.add"(%arg36, %136) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg34, %arg35, %137, %135#0, %135#1) : (tensor<2xf32>, tensor<f32>, tensor<i32>, tensor<ui32>, tensor<ui32>) -> ()
    }) : (tensor<2xf32>, tensor<f32>, tensor<i32>, tensor<ui32>, tensor<ui32>) -> (tensor<2xf32>, tensor<f32>, tensor<i32>, tensor<ui32>, tensor<ui32>)
    %134 = "stablehlo.convert"(%133#4) : (tensor<ui32>) -> tensor<i32>
    "func.return"(%134) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2xf32>, tensor<f32>, tensor<ui32>, tensor<ui32>) -> (tensor<ui32>, tensor<ui32>), res_attrs = [{}, {}], sym_name = "closed_call_3", sym_visibility = "private"}> ({
  ^bb0(%arg28: tensor<2xf32>, %arg29: tensor<f32>, %arg30: tensor<ui32>, %arg31: tensor<ui32>):
    %107 = "stablehlo.subtract"(%arg31, %arg30) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %108 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %109 = "func.call"(%107, %108) <{callee = @floor_divide}> : (tensor<ui32>, tensor<i32>) -> tensor<ui32>
    %110 = "stablehlo.add"(%arg30, %109) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %111 = "stablehlo.dynamic_slice"(%arg28, %110) <{slice_sizes = array<i64: 1>}> : (tensor<2xf32>, tensor<ui32>) -> tensor<1xf32>
    %112 = "stablehlo.reshape"(%111) : (tensor<1xf32>) -> tensor<f32>
    %113 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %114 = "stablehlo.compare"(%arg29, %113) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %115 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %116 = "stablehlo.select"(%114, %115, %arg29) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %117 = "stablehlo.compare"(%arg29, %arg29) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %118 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %119 = "stablehlo.select"(%117, %118, %116) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %120 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %121 = "stablehlo.compare"(%112, %120) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %122 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %123 = "stablehlo.select"(%121, %122, %112) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %124 = "stablehlo.compare"(%112, %112) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %125 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %126 = "stablehlo.select"(%124, %125, %123) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %127 = "stablehlo.compare"(%119, %126) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %128 = "stablehlo.select"(%127, %arg30, %110) : (tensor<i1>, tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %129 = "stablehlo.select"(%127, %110, %arg31) : (tensor<i1>, tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    "func.return"(%128, %129) : (tensor<ui32>, tensor<ui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<ui32>, tensor<i32>) -> tensor<ui32>, res_attrs = [{}], sym_name = "floor_divide", sym_visibility = "private"}> ({
  ^bb0(%arg26: tensor<ui32>, %arg27: tensor<i32>):
    %105 = "stablehlo.convert"(%arg27) : (tensor<i32>) -> tensor<ui32>
    %106 = "stablehlo.divide"(%arg26, %105) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    "func.return"(%106) : (tensor<ui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>, res_attrs = [{}], sym_name = "_squaring", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<8x8xf32>, %arg17: tensor<f32>):
    %96 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<16xf32>
    %97 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %98:4 = "stablehlo.while"(%96, %arg17, %97, %arg16) ({
    ^bb0(%arg22: tensor<16xf32>, %arg23: tensor<f32>, %arg24: tensor<i32>, %arg25: tensor<8x8xf32>):
      %103 = "stablehlo.constant"() <{value = dense<16> : tensor<i32>}> : () -> tensor<i32>
      %104 = "stablehlo.compare"(%arg24, %103) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%104) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg18: tensor<16xf32>, %arg19: tensor<f32>, %arg20: tensor<i32>, %arg21: tensor<8x8xf32>):
      %99 = "func.call"(%arg18, %arg20) <{callee = @dynamic_index_in_dim}> : (tensor<16xf32>, tensor<i32>) -> tensor<f32>
      %100 = "func.call"(%arg19, %arg21, %99) <{callee = @closed_call_4}> : (tensor<f32>, tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
      %101 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %102 = "stablehlo.add"(%arg20, %101) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg18, %arg19, %102, %100) : (tensor<16xf32>, tensor<f32>, tensor<i32>, tensor<8x8xf32>) -> ()
    }) : (tensor<16xf32>, tensor<f32>, tensor<i32>, tensor<8x8xf32>) -> (tensor<16xf32>, tensor<f32>, tensor<i32>, tensor<8x8xf32>)
    "func.return"(%98#3) : (tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<16xf32>, tensor<i32>) -> tensor<f32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<16xf32>, %arg15: tensor<i32>):
    %94 = "stablehlo.dynamic_slice"(%arg14, %arg15) <{slice_sizes = array<i64: 1>}> : (tensor<16xf32>, tensor<i32>) -> tensor<1xf32>
    %95 = "stablehlo.reshape"(%94) : (tensor<1xf32>) -> tensor<f32>
    "func.return"(%95) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<f32>, tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>, res_attrs = [{}], sym_name = "closed_call_4", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<f32>, %arg12: tensor<8x8xf32>, %arg13: tensor<f32>):
    %90 = "stablehlo.compare"(%arg13, %arg11) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %91 = "stablehlo.convert"(%90) : (tensor<i1>) -> tensor<i32>
    %92 = "stablehlo.case"(%91) ({
      "stablehlo.return"(%arg12) : (tensor<8x8xf32>) -> ()
    }, {
      %93 = "stablehlo.dot_general"(%arg12, %arg12) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      "stablehlo.return"(%93) : (tensor<8x8xf32>) -> ()
    }) : (tensor<i32>) -> tensor<8x8xf32>
    "func.return"(%92) : (tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf32>) -> tensor<8x8xf32>, res_attrs = [{}], sym_name = "_cholesky", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<8x8xf32>):
    %70 = "stablehlo.transpose"(%arg10) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %71:2 = "stablehlo.custom_call"(%70) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_spotrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=8, j=8, k=8, l=8}, custom>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<i32>)
    %72 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %73 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %74 = "stablehlo.compare"(%71#1, %73) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %75 = "stablehlo.broadcast_in_dim"(%74) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %76 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %77 = "stablehlo.broadcast_in_dim"(%76) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %78 = "stablehlo.broadcast_in_dim"(%75) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %79 = "stablehlo.select"(%78, %71#0, %77) : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %80 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
    %81 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %82 = "stablehlo.broadcast_in_dim"(%81) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
    %83 = "stablehlo.add"(%80, %82) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %84 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
    %85 = "stablehlo.compare"(%83, %84) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %86 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %87 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %88 = "stablehlo.select"(%85, %79, %87) : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %89 = "stablehlo.transpose"(%88) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%89) : (tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<8x8xf32>, tensor<8x70xf32>) -> tensor<8x70xf32>, res_attrs = [{}], sym_name = "_cho_solve", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<8x8xf32>, %arg9: tensor<8x70xf32>):
    %68 = "stablehlo.custom_call"(%arg8, %arg9) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_strsm_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=8, j=8, k=8, l=70, m=8, n=70}, custom>} : (tensor<8x8xf32>, tensor<8x70xf32>) -> tensor<8x70xf32>
    %69 = "stablehlo.custom_call"(%arg8, %68) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_strsm_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=8, j=8, k=8, l=70, m=8, n=70}, custom>} : (tensor<8x8xf32>, tensor<8x70xf32>) -> tensor<8x70xf32>
    "func.return"(%69) : (tensor<8x70xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}], sym_name = "cholesky", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<8x8xf32>):
    %16 = "stablehlo.transpose"(%arg7) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %17 = "stablehlo.add"(%arg7, %16) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %18 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %20 = "stablehlo.divide"(%17, %19) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %21:2 = "stablehlo.custom_call"(%20) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_spotrf_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=8, j=8, k=8, l=8}, custom>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<i32>)
    %22 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<i32>
    %24 = "stablehlo.compare"(%21#1, %23) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1x1xi1>
    %26 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %28 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %29 = "stablehlo.select"(%28, %21#0, %27) : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %30 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
    %31 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
    %33 = "stablehlo.add"(%30, %32) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %34 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
    %35 = "stablehlo.compare"(%33, %34) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %36 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %38 = "stablehlo.select"(%35, %29, %37) : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %39 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
    %40 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
    %42 = "stablehlo.add"(%39, %41) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %43 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
    %44 = "stablehlo.compare"(%42, %43) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %45 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %46 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %47 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
    %48 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %49 = "stablehlo.broadcast_in_dim"(%48) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
    %50 = "stablehlo.add"(%47, %49) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %51 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
    %52 = "stablehlo.compare"(%50, %51) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %53 = "stablehlo.convert"(%52) : (tensor<8x8xi1>) -> tensor<8x8xf32>
    %54 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %55 = "stablehlo.broadcast_in_dim"(%54) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %56 = "stablehlo.add"(%55, %53) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %57 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
    %58 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %59 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x8xi32>
    %60 = "stablehlo.add"(%57, %59) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %61 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
    %62 = "stablehlo.compare"(%60, %61) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %63 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %65 = "stablehlo.select"(%62, %38, %64) : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %66 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %67 = "stablehlo.broadcast_in_dim"(%66) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    "func.return"(%65, %38, %44, %46, %56, %62, %67) : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}], function_type = (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>, res_attrs = [{}], sym_name = "cholesky_5", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xi1>, %arg2: tensor<8x8xf32>, %arg3: tensor<8x8xf32>, %arg4: tensor<8x8xi1>, %arg5: tensor<8x8xf32>, %arg6: tensor<8x8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %2 = "stablehlo.select"(%arg4, %arg6, %1) : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = "stablehlo.dot_general"(%2, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = "stablehlo.transpose"(%3) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = "stablehlo.divide"(%4, %arg3) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %8 = "stablehlo.select"(%arg1, %5, %7) : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %9 = "stablehlo.custom_call"(%arg0, %8) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_strsm_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=8, j=8, k=8, l=8, m=8, n=8}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %10 = "stablehlo.custom_call"(%arg0, %9) <{api_version = 1 : i32, backend_config = "", call_target_name = "lapack_strsm_ffi", called_computations = [], has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> {mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=8, j=8, k=8, l=8, m=8, n=8}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %11 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x8xf32>
    %13 = "stablehlo.divide"(%10, %12) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %14 = "stablehlo.transpose"(%13) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %15 = "stablehlo.add"(%13, %14) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%15) : (tensor<8x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
