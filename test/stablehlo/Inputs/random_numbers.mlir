// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_random_numbers"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2xui32>) -> (tensor<4x5xf32>, tensor<7xf32>, tensor<5xi32>, tensor<9xi1>, tensor<3xui32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg234: tensor<2xui32>):
    %746 = "func.call"(%arg234) <{callee = @_threefry_split}> : (tensor<2xui32>) -> tensor<4x2xui32>
    %747 = "stablehlo.slice"(%746) <{limit_indices = array<i64: 1, 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x2xui32>) -> tensor<1x2xui32>
    %748 = "stablehlo.reshape"(%747) : (tensor<1x2xui32>) -> tensor<2xui32>
    %749 = "stablehlo.slice"(%746) <{limit_indices = array<i64: 2, 2>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<4x2xui32>) -> tensor<1x2xui32>
    %750 = "stablehlo.reshape"(%749) : (tensor<1x2xui32>) -> tensor<2xui32>
    %751 = "stablehlo.slice"(%746) <{limit_indices = array<i64: 3, 2>, start_indices = array<i64: 2, 0>, strides = array<i64: 1, 1>}> : (tensor<4x2xui32>) -> tensor<1x2xui32>
    %752 = "stablehlo.reshape"(%751) : (tensor<1x2xui32>) -> tensor<2xui32>
    %753 = "stablehlo.slice"(%746) <{limit_indices = array<i64: 4, 2>, start_indices = array<i64: 3, 0>, strides = array<i64: 1, 1>}> : (tensor<4x2xui32>) -> tensor<1x2xui32>
    %754 = "stablehlo.reshape"(%753) : (tensor<1x2xui32>) -> tensor<2xui32>
    %755 = "func.call"(%748) <{callee = @_normal}> : (tensor<2xui32>) -> tensor<4x5xf32>
    %756 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %757 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %758 = "func.call"(%750, %756, %757) <{callee = @_uniform_2}> : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<7xf32>
    %759 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %760 = "stablehlo.constant"() <{value = dense<10> : tensor<i32>}> : () -> tensor<i32>
    %761 = "func.call"(%752, %759, %760) <{callee = @_randint}> : (tensor<2xui32>, tensor<i32>, tensor<i32>) -> tensor<5xi32>
    %762 = "stablehlo.constant"() <{value = dense<3.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %763 = "func.call"(%754, %762) <{callee = @_bernoulli}> : (tensor<2xui32>, tensor<f32>) -> tensor<9xi1>
    %764 = "stablehlo.slice"(%748) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %765 = "stablehlo.reshape"(%764) : (tensor<1xui32>) -> tensor<ui32>
    %766 = "stablehlo.slice"(%748) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %767 = "stablehlo.reshape"(%766) : (tensor<1xui32>) -> tensor<ui32>
    %768 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3xui64>
    %769 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %770 = "stablehlo.broadcast_in_dim"(%769) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<3xui64>
    %771 = "stablehlo.multiply"(%770, %768) : (tensor<3xui64>, tensor<3xui64>) -> tensor<3xui64>
    %772 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %773 = "stablehlo.broadcast_in_dim"(%772) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<3xui64>
    %774 = "stablehlo.shift_right_logical"(%771, %773) : (tensor<3xui64>, tensor<3xui64>) -> tensor<3xui64>
    %775 = "stablehlo.convert"(%771) : (tensor<3xui64>) -> tensor<3xui32>
    %776 = "stablehlo.convert"(%774) : (tensor<3xui64>) -> tensor<3xui32>
    %777:2 = "func.call"(%765, %767, %776, %775) <{callee = @threefry2x32_14}> : (tensor<ui32>, tensor<ui32>, tensor<3xui32>, tensor<3xui32>) -> (tensor<3xui32>, tensor<3xui32>)
    %778 = "stablehlo.xor"(%777#0, %777#1) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    "func.return"(%755, %758, %761, %763, %778) : (tensor<4x5xf32>, tensor<7xf32>, tensor<5xi32>, tensor<9xi1>, tensor<3xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2xui32>) -> tensor<4x2xui32>, res_attrs = [{}], sym_name = "_threefry_split", sym_visibility = "private"}> ({
  ^bb0(%arg233: tensor<2xui32>):
    %729 = "stablehlo.slice"(%arg233) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %730 = "stablehlo.reshape"(%729) : (tensor<1xui32>) -> tensor<ui32>
    %731 = "stablehlo.slice"(%arg233) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %732 = "stablehlo.reshape"(%731) : (tensor<1xui32>) -> tensor<ui32>
    %733 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xui64>
    %734 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %735 = "stablehlo.broadcast_in_dim"(%734) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4xui64>
    %736 = "stablehlo.multiply"(%735, %733) : (tensor<4xui64>, tensor<4xui64>) -> tensor<4xui64>
    %737 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %738 = "stablehlo.broadcast_in_dim"(%737) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4xui64>
    %739 = "stablehlo.shift_right_logical"(%736, %738) : (tensor<4xui64>, tensor<4xui64>) -> tensor<4xui64>
    %740 = "stablehlo.convert"(%736) : (tensor<4xui64>) -> tensor<4xui32>
    %741 = "stablehlo.convert"(%739) : (tensor<4xui64>) -> tensor<4xui32>
    %742:2 = "func.call"(%730, %732, %741, %740) <{callee = @threefry2x32}> : (tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>)
    %743 = "stablehlo.broadcast_in_dim"(%742#0) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xui32>) -> tensor<4x1xui32>
    %744 = "stablehlo.broadcast_in_dim"(%742#1) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xui32>) -> tensor<4x1xui32>
    %745 = "stablehlo.concatenate"(%743, %744) <{dimension = 1 : i64}> : (tensor<4x1xui32>, tensor<4x1xui32>) -> tensor<4x2xui32>
    "func.return"(%745) : (tensor<4x2xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>), sym_name = "threefry2x32", sym_visibility = "private"}> ({
  ^bb0(%arg211: tensor<ui32>, %arg212: tensor<ui32>, %arg213: tensor<4xui32>, %arg214: tensor<4xui32>):
    %712 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %713 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %714 = "stablehlo.xor"(%arg211, %arg212) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %715 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %716 = "stablehlo.xor"(%714, %715) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %717 = "stablehlo.broadcast_in_dim"(%arg211) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %718 = "stablehlo.add"(%arg213, %717) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %719 = "stablehlo.broadcast_in_dim"(%arg212) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %720 = "stablehlo.add"(%arg214, %719) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %721 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %722 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %723:9 = "stablehlo.while"(%722, %721, %718, %720, %arg212, %716, %arg211, %712, %713) ({
    ^bb0(%arg224: tensor<i32>, %arg225: tensor<i32>, %arg226: tensor<4xui32>, %arg227: tensor<4xui32>, %arg228: tensor<ui32>, %arg229: tensor<ui32>, %arg230: tensor<ui32>, %arg231: tensor<4xui32>, %arg232: tensor<4xui32>):
      %727 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %728 = "stablehlo.compare"(%arg224, %727) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%728) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg215: tensor<i32>, %arg216: tensor<i32>, %arg217: tensor<4xui32>, %arg218: tensor<4xui32>, %arg219: tensor<ui32>, %arg220: tensor<ui32>, %arg221: tensor<ui32>, %arg222: tensor<4xui32>, %arg223: tensor<4xui32>):
      %724:8 = "func.call"(%arg216, %arg217, %arg218, %arg219, %arg220, %arg221, %arg222, %arg223) <{callee = @closed_call}> : (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %725 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %726 = "stablehlo.add"(%arg215, %725) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%726, %724#0, %724#1, %724#2, %724#3, %724#4, %724#5, %724#6, %724#7) : (tensor<i32>, tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%723#2, %723#3) : (tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg203: tensor<i32>, %arg204: tensor<4xui32>, %arg205: tensor<4xui32>, %arg206: tensor<ui32>, %arg207: tensor<ui32>, %arg208: tensor<ui32>, %arg209: tensor<4xui32>, %arg210: tensor<4xui32>):
    %657 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %658 = "stablehlo.add"(%arg203, %657) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %659 = "stablehlo.slice"(%arg209) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %660 = "stablehlo.reshape"(%659) : (tensor<1xui32>) -> tensor<ui32>
    %661 = "stablehlo.add"(%arg204, %arg205) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %662 = "stablehlo.broadcast_in_dim"(%660) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %663 = "stablehlo.shift_left"(%arg205, %662) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %664 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %665 = "stablehlo.subtract"(%664, %660) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %666 = "stablehlo.broadcast_in_dim"(%665) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %667 = "stablehlo.shift_right_logical"(%arg205, %666) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %668 = "stablehlo.or"(%663, %667) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %669 = "stablehlo.xor"(%661, %668) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %670 = "stablehlo.slice"(%arg209) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %671 = "stablehlo.reshape"(%670) : (tensor<1xui32>) -> tensor<ui32>
    %672 = "stablehlo.add"(%661, %669) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %673 = "stablehlo.broadcast_in_dim"(%671) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %674 = "stablehlo.shift_left"(%669, %673) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %675 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %676 = "stablehlo.subtract"(%675, %671) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %677 = "stablehlo.broadcast_in_dim"(%676) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %678 = "stablehlo.shift_right_logical"(%669, %677) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %679 = "stablehlo.or"(%674, %678) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %680 = "stablehlo.xor"(%672, %679) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %681 = "stablehlo.slice"(%arg209) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %682 = "stablehlo.reshape"(%681) : (tensor<1xui32>) -> tensor<ui32>
    %683 = "stablehlo.add"(%672, %680) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %684 = "stablehlo.broadcast_in_dim"(%682) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %685 = "stablehlo.shift_left"(%680, %684) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %686 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %687 = "stablehlo.subtract"(%686, %682) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %688 = "stablehlo.broadcast_in_dim"(%687) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %689 = "stablehlo.shift_right_logical"(%680, %688) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %690 = "stablehlo.or"(%685, %689) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %691 = "stablehlo.xor"(%683, %690) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %692 = "stablehlo.slice"(%arg209) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %693 = "stablehlo.reshape"(%692) : (tensor<1xui32>) -> tensor<ui32>
    %694 = "stablehlo.add"(%683, %691) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %695 = "stablehlo.broadcast_in_dim"(%693) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %696 = "stablehlo.shift_left"(%691, %695) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %697 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %698 = "stablehlo.subtract"(%697, %693) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %699 = "stablehlo.broadcast_in_dim"(%698) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %700 = "stablehlo.shift_right_logical"(%691, %699) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %701 = "stablehlo.or"(%696, %700) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %702 = "stablehlo.xor"(%694, %701) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %703 = "stablehlo.broadcast_in_dim"(%arg206) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %704 = "stablehlo.add"(%694, %703) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %705 = "stablehlo.broadcast_in_dim"(%arg207) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %706 = "stablehlo.add"(%702, %705) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %707 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %708 = "stablehlo.add"(%arg203, %707) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %709 = "stablehlo.convert"(%708) : (tensor<i32>) -> tensor<ui32>
    %710 = "stablehlo.broadcast_in_dim"(%709) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4xui32>
    %711 = "stablehlo.add"(%706, %710) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    "func.return"(%658, %704, %711, %arg207, %arg208, %arg206, %arg210, %arg209) : (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2xui32>) -> tensor<4x5xf32>, res_attrs = [{}], sym_name = "_normal", sym_visibility = "private"}> ({
  ^bb0(%arg202: tensor<2xui32>):
    %656 = "func.call"(%arg202) <{callee = @_normal_real}> : (tensor<2xui32>) -> tensor<4x5xf32>
    "func.return"(%656) : (tensor<4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2xui32>) -> tensor<4x5xf32>, res_attrs = [{}], sym_name = "_normal_real", sym_visibility = "private"}> ({
  ^bb0(%arg201: tensor<2xui32>):
    %649 = "stablehlo.constant"() <{value = dense<-0.99999994> : tensor<f32>}> : () -> tensor<f32>
    %650 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %651 = "func.call"(%arg201, %649, %650) <{callee = @_uniform}> : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<4x5xf32>
    %652 = "chlo.erf_inv"(%651) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %653 = "stablehlo.constant"() <{value = dense<1.41421354> : tensor<f32>}> : () -> tensor<f32>
    %654 = "stablehlo.broadcast_in_dim"(%653) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %655 = "stablehlo.multiply"(%654, %652) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%655) : (tensor<4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<4x5xf32>, res_attrs = [{}], sym_name = "_uniform", sym_visibility = "private"}> ({
  ^bb0(%arg198: tensor<2xui32>, %arg199: tensor<f32>, %arg200: tensor<f32>):
    %610 = "stablehlo.broadcast_in_dim"(%arg199) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1xf32>
    %611 = "stablehlo.broadcast_in_dim"(%arg200) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1xf32>
    %612 = "stablehlo.slice"(%arg198) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %613 = "stablehlo.reshape"(%612) : (tensor<1xui32>) -> tensor<ui32>
    %614 = "stablehlo.slice"(%arg198) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %615 = "stablehlo.reshape"(%614) : (tensor<1xui32>) -> tensor<ui32>
    %616 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4x5xui64>
    %617 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x5xui64>
    %618 = "stablehlo.constant"() <{value = dense<5> : tensor<ui64>}> : () -> tensor<ui64>
    %619 = "stablehlo.broadcast_in_dim"(%618) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4x5xui64>
    %620 = "stablehlo.multiply"(%619, %616) : (tensor<4x5xui64>, tensor<4x5xui64>) -> tensor<4x5xui64>
    %621 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %622 = "stablehlo.broadcast_in_dim"(%621) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4x5xui64>
    %623 = "stablehlo.multiply"(%622, %617) : (tensor<4x5xui64>, tensor<4x5xui64>) -> tensor<4x5xui64>
    %624 = "stablehlo.add"(%620, %623) : (tensor<4x5xui64>, tensor<4x5xui64>) -> tensor<4x5xui64>
    %625 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %626 = "stablehlo.broadcast_in_dim"(%625) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<4x5xui64>
    %627 = "stablehlo.shift_right_logical"(%624, %626) : (tensor<4x5xui64>, tensor<4x5xui64>) -> tensor<4x5xui64>
    %628 = "stablehlo.convert"(%624) : (tensor<4x5xui64>) -> tensor<4x5xui32>
    %629 = "stablehlo.convert"(%627) : (tensor<4x5xui64>) -> tensor<4x5xui32>
    %630:2 = "func.call"(%613, %615, %629, %628) <{callee = @threefry2x32_0}> : (tensor<ui32>, tensor<ui32>, tensor<4x5xui32>, tensor<4x5xui32>) -> (tensor<4x5xui32>, tensor<4x5xui32>)
    %631 = "stablehlo.xor"(%630#0, %630#1) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %632 = "stablehlo.constant"() <{value = dense<9> : tensor<ui32>}> : () -> tensor<ui32>
    %633 = "stablehlo.broadcast_in_dim"(%632) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %634 = "stablehlo.shift_right_logical"(%631, %633) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %635 = "stablehlo.constant"() <{value = dense<1065353216> : tensor<ui32>}> : () -> tensor<ui32>
    %636 = "stablehlo.broadcast_in_dim"(%635) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %637 = "stablehlo.or"(%634, %636) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %638 = "stablehlo.bitcast_convert"(%637) : (tensor<4x5xui32>) -> tensor<4x5xf32>
    %639 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %640 = "stablehlo.broadcast_in_dim"(%639) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %641 = "stablehlo.subtract"(%638, %640) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %642 = "stablehlo.subtract"(%611, %610) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %643 = "stablehlo.broadcast_in_dim"(%642) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xf32>) -> tensor<4x5xf32>
    %644 = "stablehlo.multiply"(%641, %643) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %645 = "stablehlo.broadcast_in_dim"(%610) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xf32>) -> tensor<4x5xf32>
    %646 = "stablehlo.add"(%644, %645) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %647 = "stablehlo.broadcast_in_dim"(%610) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x1xf32>) -> tensor<4x5xf32>
    %648 = "stablehlo.maximum"(%647, %646) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"(%648) : (tensor<4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<4x5xui32>, tensor<4x5xui32>) -> (tensor<4x5xui32>, tensor<4x5xui32>), sym_name = "threefry2x32_0", sym_visibility = "private"}> ({
  ^bb0(%arg176: tensor<ui32>, %arg177: tensor<ui32>, %arg178: tensor<4x5xui32>, %arg179: tensor<4x5xui32>):
    %593 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %594 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %595 = "stablehlo.xor"(%arg176, %arg177) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %596 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %597 = "stablehlo.xor"(%595, %596) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %598 = "stablehlo.broadcast_in_dim"(%arg176) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %599 = "stablehlo.add"(%arg178, %598) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %600 = "stablehlo.broadcast_in_dim"(%arg177) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %601 = "stablehlo.add"(%arg179, %600) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %602 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %603 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %604:9 = "stablehlo.while"(%603, %602, %599, %601, %arg177, %597, %arg176, %593, %594) ({
    ^bb0(%arg189: tensor<i32>, %arg190: tensor<i32>, %arg191: tensor<4x5xui32>, %arg192: tensor<4x5xui32>, %arg193: tensor<ui32>, %arg194: tensor<ui32>, %arg195: tensor<ui32>, %arg196: tensor<4xui32>, %arg197: tensor<4xui32>):
      %608 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %609 = "stablehlo.compare"(%arg189, %608) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%609) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg180: tensor<i32>, %arg181: tensor<i32>, %arg182: tensor<4x5xui32>, %arg183: tensor<4x5xui32>, %arg184: tensor<ui32>, %arg185: tensor<ui32>, %arg186: tensor<ui32>, %arg187: tensor<4xui32>, %arg188: tensor<4xui32>):
      %605:8 = "func.call"(%arg181, %arg182, %arg183, %arg184, %arg185, %arg186, %arg187, %arg188) <{callee = @closed_call_1}> : (tensor<i32>, tensor<4x5xui32>, tensor<4x5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4x5xui32>, tensor<4x5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %606 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %607 = "stablehlo.add"(%arg180, %606) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%607, %605#0, %605#1, %605#2, %605#3, %605#4, %605#5, %605#6, %605#7) : (tensor<i32>, tensor<i32>, tensor<4x5xui32>, tensor<4x5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<4x5xui32>, tensor<4x5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<4x5xui32>, tensor<4x5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%604#2, %604#3) : (tensor<4x5xui32>, tensor<4x5xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<4x5xui32>, tensor<4x5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4x5xui32>, tensor<4x5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_1", sym_visibility = "private"}> ({
  ^bb0(%arg168: tensor<i32>, %arg169: tensor<4x5xui32>, %arg170: tensor<4x5xui32>, %arg171: tensor<ui32>, %arg172: tensor<ui32>, %arg173: tensor<ui32>, %arg174: tensor<4xui32>, %arg175: tensor<4xui32>):
    %538 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %539 = "stablehlo.add"(%arg168, %538) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %540 = "stablehlo.slice"(%arg174) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %541 = "stablehlo.reshape"(%540) : (tensor<1xui32>) -> tensor<ui32>
    %542 = "stablehlo.add"(%arg169, %arg170) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %543 = "stablehlo.broadcast_in_dim"(%541) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %544 = "stablehlo.shift_left"(%arg170, %543) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %545 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %546 = "stablehlo.subtract"(%545, %541) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %547 = "stablehlo.broadcast_in_dim"(%546) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %548 = "stablehlo.shift_right_logical"(%arg170, %547) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %549 = "stablehlo.or"(%544, %548) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %550 = "stablehlo.xor"(%542, %549) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %551 = "stablehlo.slice"(%arg174) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %552 = "stablehlo.reshape"(%551) : (tensor<1xui32>) -> tensor<ui32>
    %553 = "stablehlo.add"(%542, %550) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %554 = "stablehlo.broadcast_in_dim"(%552) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %555 = "stablehlo.shift_left"(%550, %554) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %556 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %557 = "stablehlo.subtract"(%556, %552) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %558 = "stablehlo.broadcast_in_dim"(%557) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %559 = "stablehlo.shift_right_logical"(%550, %558) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %560 = "stablehlo.or"(%555, %559) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %561 = "stablehlo.xor"(%553, %560) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %562 = "stablehlo.slice"(%arg174) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %563 = "stablehlo.reshape"(%562) : (tensor<1xui32>) -> tensor<ui32>
    %564 = "stablehlo.add"(%553, %561) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %565 = "stablehlo.broadcast_in_dim"(%563) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %566 = "stablehlo.shift_left"(%561, %565) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %567 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %568 = "stablehlo.subtract"(%567, %563) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %569 = "stablehlo.broadcast_in_dim"(%568) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %570 = "stablehlo.shift_right_logical"(%561, %569) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %571 = "stablehlo.or"(%566, %570) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %572 = "stablehlo.xor"(%564, %571) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %573 = "stablehlo.slice"(%arg174) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %574 = "stablehlo.reshape"(%573) : (tensor<1xui32>) -> tensor<ui32>
    %575 = "stablehlo.add"(%564, %572) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %576 = "stablehlo.broadcast_in_dim"(%574) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %577 = "stablehlo.shift_left"(%572, %576) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %578 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %579 = "stablehlo.subtract"(%578, %574) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %580 = "stablehlo.broadcast_in_dim"(%579) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %581 = "stablehlo.shift_right_logical"(%572, %580) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %582 = "stablehlo.or"(%577, %581) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %583 = "stablehlo.xor"(%575, %582) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %584 = "stablehlo.broadcast_in_dim"(%arg171) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %585 = "stablehlo.add"(%575, %584) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %586 = "stablehlo.broadcast_in_dim"(%arg172) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %587 = "stablehlo.add"(%583, %586) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    %588 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %589 = "stablehlo.add"(%arg168, %588) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %590 = "stablehlo.convert"(%589) : (tensor<i32>) -> tensor<ui32>
    %591 = "stablehlo.broadcast_in_dim"(%590) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<4x5xui32>
    %592 = "stablehlo.add"(%587, %591) : (tensor<4x5xui32>, tensor<4x5xui32>) -> tensor<4x5xui32>
    "func.return"(%539, %585, %592, %arg172, %arg173, %arg171, %arg175, %arg174) : (tensor<i32>, tensor<4x5xui32>, tensor<4x5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<7xf32>, res_attrs = [{}], sym_name = "_uniform_2", sym_visibility = "private"}> ({
  ^bb0(%arg165: tensor<2xui32>, %arg166: tensor<f32>, %arg167: tensor<f32>):
    %502 = "stablehlo.convert"(%arg166) : (tensor<f32>) -> tensor<f32>
    %503 = "stablehlo.convert"(%arg167) : (tensor<f32>) -> tensor<f32>
    %504 = "stablehlo.broadcast_in_dim"(%502) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %505 = "stablehlo.broadcast_in_dim"(%503) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %506 = "stablehlo.slice"(%arg165) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %507 = "stablehlo.reshape"(%506) : (tensor<1xui32>) -> tensor<ui32>
    %508 = "stablehlo.slice"(%arg165) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %509 = "stablehlo.reshape"(%508) : (tensor<1xui32>) -> tensor<ui32>
    %510 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<7xui64>
    %511 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %512 = "stablehlo.broadcast_in_dim"(%511) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<7xui64>
    %513 = "stablehlo.multiply"(%512, %510) : (tensor<7xui64>, tensor<7xui64>) -> tensor<7xui64>
    %514 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %515 = "stablehlo.broadcast_in_dim"(%514) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<7xui64>
    %516 = "stablehlo.shift_right_logical"(%513, %515) : (tensor<7xui64>, tensor<7xui64>) -> tensor<7xui64>
    %517 = "stablehlo.convert"(%513) : (tensor<7xui64>) -> tensor<7xui32>
    %518 = "stablehlo.convert"(%516) : (tensor<7xui64>) -> tensor<7xui32>
    %519:2 = "func.call"(%507, %509, %518, %517) <{callee = @threefry2x32_3}> : (tensor<ui32>, tensor<ui32>, tensor<7xui32>, tensor<7xui32>) -> (tensor<7xui32>, tensor<7xui32>)
    %520 = "stablehlo.xor"(%519#0, %519#1) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %521 = "stablehlo.constant"() <{value = dense<9> : tensor<ui32>}> : () -> tensor<ui32>
    %522 = "stablehlo.broadcast_in_dim"(%521) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %523 = "stablehlo.shift_right_logical"(%520, %522) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %524 = "stablehlo.constant"() <{value = dense<1065353216> : tensor<ui32>}> : () -> tensor<ui32>
    %525 = "stablehlo.broadcast_in_dim"(%524) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %526 = "stablehlo.or"(%523, %525) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %527 = "stablehlo.bitcast_convert"(%526) : (tensor<7xui32>) -> tensor<7xf32>
    %528 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %529 = "stablehlo.broadcast_in_dim"(%528) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %530 = "stablehlo.subtract"(%527, %529) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %531 = "stablehlo.subtract"(%505, %504) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %532 = "stablehlo.broadcast_in_dim"(%531) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<7xf32>
    %533 = "stablehlo.multiply"(%530, %532) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %534 = "stablehlo.broadcast_in_dim"(%504) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<7xf32>
    %535 = "stablehlo.add"(%533, %534) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %536 = "stablehlo.broadcast_in_dim"(%504) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<7xf32>
    %537 = "stablehlo.maximum"(%536, %535) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    "func.return"(%537) : (tensor<7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<7xui32>, tensor<7xui32>) -> (tensor<7xui32>, tensor<7xui32>), sym_name = "threefry2x32_3", sym_visibility = "private"}> ({
  ^bb0(%arg143: tensor<ui32>, %arg144: tensor<ui32>, %arg145: tensor<7xui32>, %arg146: tensor<7xui32>):
    %485 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %486 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %487 = "stablehlo.xor"(%arg143, %arg144) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %488 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %489 = "stablehlo.xor"(%487, %488) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %490 = "stablehlo.broadcast_in_dim"(%arg143) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %491 = "stablehlo.add"(%arg145, %490) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %492 = "stablehlo.broadcast_in_dim"(%arg144) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %493 = "stablehlo.add"(%arg146, %492) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %494 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %495 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %496:9 = "stablehlo.while"(%495, %494, %491, %493, %arg144, %489, %arg143, %485, %486) ({
    ^bb0(%arg156: tensor<i32>, %arg157: tensor<i32>, %arg158: tensor<7xui32>, %arg159: tensor<7xui32>, %arg160: tensor<ui32>, %arg161: tensor<ui32>, %arg162: tensor<ui32>, %arg163: tensor<4xui32>, %arg164: tensor<4xui32>):
      %500 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %501 = "stablehlo.compare"(%arg156, %500) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%501) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg147: tensor<i32>, %arg148: tensor<i32>, %arg149: tensor<7xui32>, %arg150: tensor<7xui32>, %arg151: tensor<ui32>, %arg152: tensor<ui32>, %arg153: tensor<ui32>, %arg154: tensor<4xui32>, %arg155: tensor<4xui32>):
      %497:8 = "func.call"(%arg148, %arg149, %arg150, %arg151, %arg152, %arg153, %arg154, %arg155) <{callee = @closed_call_4}> : (tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %498 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %499 = "stablehlo.add"(%arg147, %498) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%499, %497#0, %497#1, %497#2, %497#3, %497#4, %497#5, %497#6, %497#7) : (tensor<i32>, tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%496#2, %496#3) : (tensor<7xui32>, tensor<7xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_4", sym_visibility = "private"}> ({
  ^bb0(%arg135: tensor<i32>, %arg136: tensor<7xui32>, %arg137: tensor<7xui32>, %arg138: tensor<ui32>, %arg139: tensor<ui32>, %arg140: tensor<ui32>, %arg141: tensor<4xui32>, %arg142: tensor<4xui32>):
    %430 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %431 = "stablehlo.add"(%arg135, %430) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %432 = "stablehlo.slice"(%arg141) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %433 = "stablehlo.reshape"(%432) : (tensor<1xui32>) -> tensor<ui32>
    %434 = "stablehlo.add"(%arg136, %arg137) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %435 = "stablehlo.broadcast_in_dim"(%433) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %436 = "stablehlo.shift_left"(%arg137, %435) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %437 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %438 = "stablehlo.subtract"(%437, %433) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %439 = "stablehlo.broadcast_in_dim"(%438) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %440 = "stablehlo.shift_right_logical"(%arg137, %439) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %441 = "stablehlo.or"(%436, %440) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %442 = "stablehlo.xor"(%434, %441) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %443 = "stablehlo.slice"(%arg141) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %444 = "stablehlo.reshape"(%443) : (tensor<1xui32>) -> tensor<ui32>
    %445 = "stablehlo.add"(%434, %442) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %446 = "stablehlo.broadcast_in_dim"(%444) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %447 = "stablehlo.shift_left"(%442, %446) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %448 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %449 = "stablehlo.subtract"(%448, %444) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %450 = "stablehlo.broadcast_in_dim"(%449) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %451 = "stablehlo.shift_right_logical"(%442, %450) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %452 = "stablehlo.or"(%447, %451) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %453 = "stablehlo.xor"(%445, %452) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %454 = "stablehlo.slice"(%arg141) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %455 = "stablehlo.reshape"(%454) : (tensor<1xui32>) -> tensor<ui32>
    %456 = "stablehlo.add"(%445, %453) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %457 = "stablehlo.broadcast_in_dim"(%455) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %458 = "stablehlo.shift_left"(%453, %457) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %459 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %460 = "stablehlo.subtract"(%459, %455) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %461 = "stablehlo.broadcast_in_dim"(%460) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %462 = "stablehlo.shift_right_logical"(%453, %461) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %463 = "stablehlo.or"(%458, %462) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %464 = "stablehlo.xor"(%456, %463) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %465 = "stablehlo.slice"(%arg141) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %466 = "stablehlo.reshape"(%465) : (tensor<1xui32>) -> tensor<ui32>
    %467 = "stablehlo.add"(%456, %464) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %468 = "stablehlo.broadcast_in_dim"(%466) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %469 = "stablehlo.shift_left"(%464, %468) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %470 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %471 = "stablehlo.subtract"(%470, %466) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %472 = "stablehlo.broadcast_in_dim"(%471) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %473 = "stablehlo.shift_right_logical"(%464, %472) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %474 = "stablehlo.or"(%469, %473) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %475 = "stablehlo.xor"(%467, %474) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %476 = "stablehlo.broadcast_in_dim"(%arg138) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %477 = "stablehlo.add"(%467, %476) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %478 = "stablehlo.broadcast_in_dim"(%arg139) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %479 = "stablehlo.add"(%475, %478) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    %480 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %481 = "stablehlo.add"(%arg135, %480) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %482 = "stablehlo.convert"(%481) : (tensor<i32>) -> tensor<ui32>
    %483 = "stablehlo.broadcast_in_dim"(%482) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<7xui32>
    %484 = "stablehlo.add"(%479, %483) : (tensor<7xui32>, tensor<7xui32>) -> tensor<7xui32>
    "func.return"(%431, %477, %484, %arg139, %arg140, %arg138, %arg142, %arg141) : (tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2xui32>, tensor<i32>, tensor<i32>) -> tensor<5xi32>, res_attrs = [{}], sym_name = "_randint", sym_visibility = "private"}> ({
  ^bb0(%arg132: tensor<2xui32>, %arg133: tensor<i32>, %arg134: tensor<i32>):
    %350 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %351 = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
    %352 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %353 = "func.call"(%350, %351, %352) <{callee = @clip}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %354 = "stablehlo.compare"(%arg134, %353) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %355 = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
    %356 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %357 = "func.call"(%arg133, %355, %356) <{callee = @clip_5}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %358 = "stablehlo.convert"(%357) : (tensor<i32>) -> tensor<i32>
    %359 = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
    %360 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %361 = "func.call"(%arg134, %359, %360) <{callee = @clip_5}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %362 = "stablehlo.convert"(%361) : (tensor<i32>) -> tensor<i32>
    %363 = "stablehlo.broadcast_in_dim"(%358) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %364 = "stablehlo.broadcast_in_dim"(%362) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %365 = "func.call"(%arg132) <{callee = @_threefry_split_6}> : (tensor<2xui32>) -> tensor<2x2xui32>
    %366 = "stablehlo.slice"(%365) <{limit_indices = array<i64: 1, 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %367 = "stablehlo.reshape"(%366) : (tensor<1x2xui32>) -> tensor<2xui32>
    %368 = "stablehlo.slice"(%365) <{limit_indices = array<i64: 2, 2>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %369 = "stablehlo.reshape"(%368) : (tensor<1x2xui32>) -> tensor<2xui32>
    %370 = "stablehlo.slice"(%367) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %371 = "stablehlo.reshape"(%370) : (tensor<1xui32>) -> tensor<ui32>
    %372 = "stablehlo.slice"(%367) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %373 = "stablehlo.reshape"(%372) : (tensor<1xui32>) -> tensor<ui32>
    %374 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<5xui64>
    %375 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %376 = "stablehlo.broadcast_in_dim"(%375) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<5xui64>
    %377 = "stablehlo.multiply"(%376, %374) : (tensor<5xui64>, tensor<5xui64>) -> tensor<5xui64>
    %378 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %379 = "stablehlo.broadcast_in_dim"(%378) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<5xui64>
    %380 = "stablehlo.shift_right_logical"(%377, %379) : (tensor<5xui64>, tensor<5xui64>) -> tensor<5xui64>
    %381 = "stablehlo.convert"(%377) : (tensor<5xui64>) -> tensor<5xui32>
    %382 = "stablehlo.convert"(%380) : (tensor<5xui64>) -> tensor<5xui32>
    %383:2 = "func.call"(%371, %373, %382, %381) <{callee = @threefry2x32_9}> : (tensor<ui32>, tensor<ui32>, tensor<5xui32>, tensor<5xui32>) -> (tensor<5xui32>, tensor<5xui32>)
    %384 = "stablehlo.xor"(%383#0, %383#1) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %385 = "stablehlo.slice"(%369) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %386 = "stablehlo.reshape"(%385) : (tensor<1xui32>) -> tensor<ui32>
    %387 = "stablehlo.slice"(%369) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %388 = "stablehlo.reshape"(%387) : (tensor<1xui32>) -> tensor<ui32>
    %389 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<5xui64>
    %390 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %391 = "stablehlo.broadcast_in_dim"(%390) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<5xui64>
    %392 = "stablehlo.multiply"(%391, %389) : (tensor<5xui64>, tensor<5xui64>) -> tensor<5xui64>
    %393 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %394 = "stablehlo.broadcast_in_dim"(%393) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<5xui64>
    %395 = "stablehlo.shift_right_logical"(%392, %394) : (tensor<5xui64>, tensor<5xui64>) -> tensor<5xui64>
    %396 = "stablehlo.convert"(%392) : (tensor<5xui64>) -> tensor<5xui32>
    %397 = "stablehlo.convert"(%395) : (tensor<5xui64>) -> tensor<5xui32>
    %398:2 = "func.call"(%386, %388, %397, %396) <{callee = @threefry2x32_9}> : (tensor<ui32>, tensor<ui32>, tensor<5xui32>, tensor<5xui32>) -> (tensor<5xui32>, tensor<5xui32>)
    %399 = "stablehlo.xor"(%398#0, %398#1) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %400 = "stablehlo.subtract"(%364, %363) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %401 = "stablehlo.convert"(%400) : (tensor<1xi32>) -> tensor<1xui32>
    %402 = "stablehlo.compare"(%364, %363) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %403 = "stablehlo.constant"() <{value = dense<1> : tensor<ui32>}> : () -> tensor<ui32>
    %404 = "stablehlo.broadcast_in_dim"(%403) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<1xui32>
    %405 = "stablehlo.select"(%402, %404, %401) : (tensor<1xi1>, tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %406 = "stablehlo.compare"(%364, %363) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %407 = "stablehlo.broadcast_in_dim"(%354) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
    %408 = "stablehlo.and"(%407, %406) : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
    %409 = "stablehlo.constant"() <{value = dense<1> : tensor<ui32>}> : () -> tensor<ui32>
    %410 = "stablehlo.broadcast_in_dim"(%409) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<1xui32>
    %411 = "stablehlo.add"(%405, %410) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %412 = "stablehlo.select"(%408, %411, %405) : (tensor<1xi1>, tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %413 = "stablehlo.constant"() <{value = dense<65536> : tensor<ui32>}> : () -> tensor<ui32>
    %414 = "stablehlo.broadcast_in_dim"(%413) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<1xui32>
    %415 = "stablehlo.remainder"(%414, %412) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %416 = "stablehlo.multiply"(%415, %415) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %417 = "stablehlo.remainder"(%416, %412) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %418 = "stablehlo.broadcast_in_dim"(%412) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xui32>) -> tensor<5xui32>
    %419 = "stablehlo.remainder"(%384, %418) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %420 = "stablehlo.broadcast_in_dim"(%417) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xui32>) -> tensor<5xui32>
    %421 = "stablehlo.multiply"(%419, %420) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %422 = "stablehlo.broadcast_in_dim"(%412) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xui32>) -> tensor<5xui32>
    %423 = "stablehlo.remainder"(%399, %422) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %424 = "stablehlo.add"(%421, %423) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %425 = "stablehlo.broadcast_in_dim"(%412) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xui32>) -> tensor<5xui32>
    %426 = "stablehlo.remainder"(%424, %425) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %427 = "stablehlo.convert"(%426) : (tensor<5xui32>) -> tensor<5xi32>
    %428 = "stablehlo.broadcast_in_dim"(%363) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xi32>) -> tensor<5xi32>
    %429 = "stablehlo.add"(%428, %427) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    "func.return"(%429) : (tensor<5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>, res_attrs = [{}], sym_name = "clip", sym_visibility = "private"}> ({
  ^bb0(%arg129: tensor<i32>, %arg130: tensor<i32>, %arg131: tensor<i32>):
    %348 = "stablehlo.maximum"(%arg130, %arg129) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %349 = "stablehlo.minimum"(%arg131, %348) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%349) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>, res_attrs = [{}], sym_name = "clip_5", sym_visibility = "private"}> ({
  ^bb0(%arg126: tensor<i32>, %arg127: tensor<i32>, %arg128: tensor<i32>):
    %346 = "stablehlo.maximum"(%arg127, %arg126) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %347 = "stablehlo.minimum"(%arg128, %346) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%347) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2xui32>) -> tensor<2x2xui32>, res_attrs = [{}], sym_name = "_threefry_split_6", sym_visibility = "private"}> ({
  ^bb0(%arg125: tensor<2xui32>):
    %329 = "stablehlo.slice"(%arg125) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %330 = "stablehlo.reshape"(%329) : (tensor<1xui32>) -> tensor<ui32>
    %331 = "stablehlo.slice"(%arg125) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %332 = "stablehlo.reshape"(%331) : (tensor<1xui32>) -> tensor<ui32>
    %333 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2xui64>
    %334 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %335 = "stablehlo.broadcast_in_dim"(%334) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<2xui64>
    %336 = "stablehlo.multiply"(%335, %333) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %337 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %338 = "stablehlo.broadcast_in_dim"(%337) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<2xui64>
    %339 = "stablehlo.shift_right_logical"(%336, %338) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %340 = "stablehlo.convert"(%336) : (tensor<2xui64>) -> tensor<2xui32>
    %341 = "stablehlo.convert"(%339) : (tensor<2xui64>) -> tensor<2xui32>
    %342:2 = "func.call"(%330, %332, %341, %340) <{callee = @threefry2x32_7}> : (tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %343 = "stablehlo.broadcast_in_dim"(%342#0) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xui32>) -> tensor<2x1xui32>
    %344 = "stablehlo.broadcast_in_dim"(%342#1) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xui32>) -> tensor<2x1xui32>
    %345 = "stablehlo.concatenate"(%343, %344) <{dimension = 1 : i64}> : (tensor<2x1xui32>, tensor<2x1xui32>) -> tensor<2x2xui32>
    "func.return"(%345) : (tensor<2x2xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>), sym_name = "threefry2x32_7", sym_visibility = "private"}> ({
  ^bb0(%arg103: tensor<ui32>, %arg104: tensor<ui32>, %arg105: tensor<2xui32>, %arg106: tensor<2xui32>):
    %312 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %313 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %314 = "stablehlo.xor"(%arg103, %arg104) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %315 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %316 = "stablehlo.xor"(%314, %315) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %317 = "stablehlo.broadcast_in_dim"(%arg103) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %318 = "stablehlo.add"(%arg105, %317) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %319 = "stablehlo.broadcast_in_dim"(%arg104) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %320 = "stablehlo.add"(%arg106, %319) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %321 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %322 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %323:9 = "stablehlo.while"(%322, %321, %318, %320, %arg104, %316, %arg103, %312, %313) ({
    ^bb0(%arg116: tensor<i32>, %arg117: tensor<i32>, %arg118: tensor<2xui32>, %arg119: tensor<2xui32>, %arg120: tensor<ui32>, %arg121: tensor<ui32>, %arg122: tensor<ui32>, %arg123: tensor<4xui32>, %arg124: tensor<4xui32>):
      %327 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %328 = "stablehlo.compare"(%arg116, %327) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%328) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg107: tensor<i32>, %arg108: tensor<i32>, %arg109: tensor<2xui32>, %arg110: tensor<2xui32>, %arg111: tensor<ui32>, %arg112: tensor<ui32>, %arg113: tensor<ui32>, %arg114: tensor<4xui32>, %arg115: tensor<4xui32>):
      %324:8 = "func.call"(%arg108, %arg109, %arg110, %arg111, %arg112, %arg113, %arg114, %arg115) <{callee = @closed_call_8}> : (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %325 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %326 = "stablehlo.add"(%arg107, %325) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%326, %324#0, %324#1, %324#2, %324#3, %324#4, %324#5, %324#6, %324#7) : (tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%323#2, %323#3) : (tensor<2xui32>, tensor<2xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_8", sym_visibility = "private"}> ({
  ^bb0(%arg95: tensor<i32>, %arg96: tensor<2xui32>, %arg97: tensor<2xui32>, %arg98: tensor<ui32>, %arg99: tensor<ui32>, %arg100: tensor<ui32>, %arg101: tensor<4xui32>, %arg102: tensor<4xui32>):
    %257 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %258 = "stablehlo.add"(%arg95, %257) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %259 = "stablehlo.slice"(%arg101) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %260 = "stablehlo.reshape"(%259) : (tensor<1xui32>) -> tensor<ui32>
    %261 = "stablehlo.add"(%arg96, %arg97) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %262 = "stablehlo.broadcast_in_dim"(%260) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %263 = "stablehlo.shift_left"(%arg97, %262) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %264 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %265 = "stablehlo.subtract"(%264, %260) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %266 = "stablehlo.broadcast_in_dim"(%265) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %267 = "stablehlo.shift_right_logical"(%arg97, %266) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %268 = "stablehlo.or"(%263, %267) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %269 = "stablehlo.xor"(%261, %268) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %270 = "stablehlo.slice"(%arg101) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %271 = "stablehlo.reshape"(%270) : (tensor<1xui32>) -> tensor<ui32>
    %272 = "stablehlo.add"(%261, %269) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %273 = "stablehlo.broadcast_in_dim"(%271) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %274 = "stablehlo.shift_left"(%269, %273) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %275 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %276 = "stablehlo.subtract"(%275, %271) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %277 = "stablehlo.broadcast_in_dim"(%276) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %278 = "stablehlo.shift_right_logical"(%269, %277) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %279 = "stablehlo.or"(%274, %278) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %280 = "stablehlo.xor"(%272, %279) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %281 = "stablehlo.slice"(%arg101) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %282 = "stablehlo.reshape"(%281) : (tensor<1xui32>) -> tensor<ui32>
    %283 = "stablehlo.add"(%272, %280) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %284 = "stablehlo.broadcast_in_dim"(%282) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %285 = "stablehlo.shift_left"(%280, %284) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %286 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %287 = "stablehlo.subtract"(%286, %282) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %288 = "stablehlo.broadcast_in_dim"(%287) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %289 = "stablehlo.shift_right_logical"(%280, %288) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %290 = "stablehlo.or"(%285, %289) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %291 = "stablehlo.xor"(%283, %290) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %292 = "stablehlo.slice"(%arg101) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %293 = "stablehlo.reshape"(%292) : (tensor<1xui32>) -> tensor<ui32>
    %294 = "stablehlo.add"(%283, %291) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %295 = "stablehlo.broadcast_in_dim"(%293) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %296 = "stablehlo.shift_left"(%291, %295) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %297 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %298 = "stablehlo.subtract"(%297, %293) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %299 = "stablehlo.broadcast_in_dim"(%298) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %300 = "stablehlo.shift_right_logical"(%291, %299) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %301 = "stablehlo.or"(%296, %300) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %302 = "stablehlo.xor"(%294, %301) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %303 = "stablehlo.broadcast_in_dim"(%arg98) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %304 = "stablehlo.add"(%294, %303) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %305 = "stablehlo.broadcast_in_dim"(%arg99) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %306 = "stablehlo.add"(%302, %305) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %307 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %308 = "stablehlo.add"(%arg95, %307) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %309 = "stablehlo.convert"(%308) : (tensor<i32>) -> tensor<ui32>
    %310 = "stablehlo.broadcast_in_dim"(%309) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<2xui32>
    %311 = "stablehlo.add"(%306, %310) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    "func.return"(%258, %304, %311, %arg99, %arg100, %arg98, %arg102, %arg101) : (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<5xui32>, tensor<5xui32>) -> (tensor<5xui32>, tensor<5xui32>), sym_name = "threefry2x32_9", sym_visibility = "private"}> ({
  ^bb0(%arg73: tensor<ui32>, %arg74: tensor<ui32>, %arg75: tensor<5xui32>, %arg76: tensor<5xui32>):
    %240 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %241 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %242 = "stablehlo.xor"(%arg73, %arg74) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %243 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %244 = "stablehlo.xor"(%242, %243) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %245 = "stablehlo.broadcast_in_dim"(%arg73) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %246 = "stablehlo.add"(%arg75, %245) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %247 = "stablehlo.broadcast_in_dim"(%arg74) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %248 = "stablehlo.add"(%arg76, %247) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %249 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %250 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %251:9 = "stablehlo.while"(%250, %249, %246, %248, %arg74, %244, %arg73, %240, %241) ({
    ^bb0(%arg86: tensor<i32>, %arg87: tensor<i32>, %arg88: tensor<5xui32>, %arg89: tensor<5xui32>, %arg90: tensor<ui32>, %arg91: tensor<ui32>, %arg92: tensor<ui32>, %arg93: tensor<4xui32>, %arg94: tensor<4xui32>):
      %255 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %256 = "stablehlo.compare"(%arg86, %255) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%256) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg77: tensor<i32>, %arg78: tensor<i32>, %arg79: tensor<5xui32>, %arg80: tensor<5xui32>, %arg81: tensor<ui32>, %arg82: tensor<ui32>, %arg83: tensor<ui32>, %arg84: tensor<4xui32>, %arg85: tensor<4xui32>):
      %252:8 = "func.call"(%arg78, %arg79, %arg80, %arg81, %arg82, %arg83, %arg84, %arg85) <{callee = @closed_call_10}> : (tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %253 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %254 = "stablehlo.add"(%arg77, %253) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%254, %252#0, %252#1, %252#2, %252#3, %252#4, %252#5, %252#6, %252#7) : (tensor<i32>, tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%251#2, %251#3) : (tensor<5xui32>, tensor<5xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_10", sym_visibility = "private"}> ({
  ^bb0(%arg65: tensor<i32>, %arg66: tensor<5xui32>, %arg67: tensor<5xui32>, %arg68: tensor<ui32>, %arg69: tensor<ui32>, %arg70: tensor<ui32>, %arg71: tensor<4xui32>, %arg72: tensor<4xui32>):
    %185 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %186 = "stablehlo.add"(%arg65, %185) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %187 = "stablehlo.slice"(%arg71) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %188 = "stablehlo.reshape"(%187) : (tensor<1xui32>) -> tensor<ui32>
    %189 = "stablehlo.add"(%arg66, %arg67) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %190 = "stablehlo.broadcast_in_dim"(%188) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %191 = "stablehlo.shift_left"(%arg67, %190) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %192 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %193 = "stablehlo.subtract"(%192, %188) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %194 = "stablehlo.broadcast_in_dim"(%193) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %195 = "stablehlo.shift_right_logical"(%arg67, %194) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %196 = "stablehlo.or"(%191, %195) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %197 = "stablehlo.xor"(%189, %196) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %198 = "stablehlo.slice"(%arg71) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %199 = "stablehlo.reshape"(%198) : (tensor<1xui32>) -> tensor<ui32>
    %200 = "stablehlo.add"(%189, %197) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %201 = "stablehlo.broadcast_in_dim"(%199) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %202 = "stablehlo.shift_left"(%197, %201) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %203 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %204 = "stablehlo.subtract"(%203, %199) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %205 = "stablehlo.broadcast_in_dim"(%204) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %206 = "stablehlo.shift_right_logical"(%197, %205) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %207 = "stablehlo.or"(%202, %206) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %208 = "stablehlo.xor"(%200, %207) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %209 = "stablehlo.slice"(%arg71) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %210 = "stablehlo.reshape"(%209) : (tensor<1xui32>) -> tensor<ui32>
    %211 = "stablehlo.add"(%200, %208) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %212 = "stablehlo.broadcast_in_dim"(%210) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %213 = "stablehlo.shift_left"(%208, %212) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %214 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %215 = "stablehlo.subtract"(%214, %210) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %216 = "stablehlo.broadcast_in_dim"(%215) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %217 = "stablehlo.shift_right_logical"(%208, %216) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %218 = "stablehlo.or"(%213, %217) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %219 = "stablehlo.xor"(%211, %218) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %220 = "stablehlo.slice"(%arg71) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %221 = "stablehlo.reshape"(%220) : (tensor<1xui32>) -> tensor<ui32>
    %222 = "stablehlo.add"(%211, %219) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %223 = "stablehlo.broadcast_in_dim"(%221) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %224 = "stablehlo.shift_left"(%219, %223) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %225 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %226 = "stablehlo.subtract"(%225, %221) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %227 = "stablehlo.broadcast_in_dim"(%226) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %228 = "stablehlo.shift_right_logical"(%219, %227) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %229 = "stablehlo.or"(%224, %228) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %230 = "stablehlo.xor"(%222, %229) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %231 = "stablehlo.broadcast_in_dim"(%arg68) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %232 = "stablehlo.add"(%222, %231) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %233 = "stablehlo.broadcast_in_dim"(%arg69) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %234 = "stablehlo.add"(%230, %233) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    %235 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %236 = "stablehlo.add"(%arg65, %235) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %237 = "stablehlo.convert"(%236) : (tensor<i32>) -> tensor<ui32>
    %238 = "stablehlo.broadcast_in_dim"(%237) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<5xui32>
    %239 = "stablehlo.add"(%234, %238) : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
    "func.return"(%186, %232, %239, %arg69, %arg70, %arg68, %arg72, %arg71) : (tensor<i32>, tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2xui32>, tensor<f32>) -> tensor<9xi1>, res_attrs = [{}], sym_name = "_bernoulli", sym_visibility = "private"}> ({
  ^bb0(%arg63: tensor<2xui32>, %arg64: tensor<f32>):
    %180 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %181 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %182 = "func.call"(%arg63, %180, %181) <{callee = @_uniform_11}> : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<9xf32>
    %183 = "stablehlo.broadcast_in_dim"(%arg64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<9xf32>
    %184 = "stablehlo.compare"(%182, %183) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    "func.return"(%184) : (tensor<9xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<9xf32>, res_attrs = [{}], sym_name = "_uniform_11", sym_visibility = "private"}> ({
  ^bb0(%arg60: tensor<2xui32>, %arg61: tensor<f32>, %arg62: tensor<f32>):
    %144 = "stablehlo.convert"(%arg61) : (tensor<f32>) -> tensor<f32>
    %145 = "stablehlo.convert"(%arg62) : (tensor<f32>) -> tensor<f32>
    %146 = "stablehlo.broadcast_in_dim"(%144) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %147 = "stablehlo.broadcast_in_dim"(%145) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %148 = "stablehlo.slice"(%arg60) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %149 = "stablehlo.reshape"(%148) : (tensor<1xui32>) -> tensor<ui32>
    %150 = "stablehlo.slice"(%arg60) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xui32>) -> tensor<1xui32>
    %151 = "stablehlo.reshape"(%150) : (tensor<1xui32>) -> tensor<ui32>
    %152 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<9xui64>
    %153 = "stablehlo.constant"() <{value = dense<1> : tensor<ui64>}> : () -> tensor<ui64>
    %154 = "stablehlo.broadcast_in_dim"(%153) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<9xui64>
    %155 = "stablehlo.multiply"(%154, %152) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %156 = "stablehlo.constant"() <{value = dense<32> : tensor<ui64>}> : () -> tensor<ui64>
    %157 = "stablehlo.broadcast_in_dim"(%156) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<9xui64>
    %158 = "stablehlo.shift_right_logical"(%155, %157) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %159 = "stablehlo.convert"(%155) : (tensor<9xui64>) -> tensor<9xui32>
    %160 = "stablehlo.convert"(%158) : (tensor<9xui64>) -> tensor<9xui32>
    %161:2 = "func.call"(%149, %151, %160, %159) <{callee = @threefry2x32_12}> : (tensor<ui32>, tensor<ui32>, tensor<9xui32>, tensor<9xui32>) -> (tensor<9xui32>, tensor<9xui32>)
    %162 = "stablehlo.xor"(%161#0, %161#1) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %163 = "stablehlo.constant"() <{value = dense<9> : tensor<ui32>}> : () -> tensor<ui32>
    %164 = "stablehlo.broadcast_in_dim"(%163) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %165 = "stablehlo.shift_right_logical"(%162, %164) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %166 = "stablehlo.constant"() <{value = dense<1065353216> : tensor<ui32>}> : () -> tensor<ui32>
    %167 = "stablehlo.broadcast_in_dim"(%166) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %168 = "stablehlo.or"(%165, %167) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %169 = "stablehlo.bitcast_convert"(%168) : (tensor<9xui32>) -> tensor<9xf32>
    %170 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %171 = "stablehlo.broadcast_in_dim"(%170) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<9xf32>
    %172 = "stablehlo.subtract"(%169, %171) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %173 = "stablehlo.subtract"(%147, %146) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %174 = "stablehlo.broadcast_in_dim"(%173) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<9xf32>
    %175 = "stablehlo.multiply"(%172, %174) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %176 = "stablehlo.broadcast_in_dim"(%146) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<9xf32>
    %177 = "stablehlo.add"(%175, %176) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %178 = "stablehlo.broadcast_in_dim"(%146) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<9xf32>
    %179 = "stablehlo.maximum"(%178, %177) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    "func.return"(%179) : (tensor<9xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<9xui32>, tensor<9xui32>) -> (tensor<9xui32>, tensor<9xui32>), sym_name = "threefry2x32_12", sym_visibility = "private"}> ({
  ^bb0(%arg38: tensor<ui32>, %arg39: tensor<ui32>, %arg40: tensor<9xui32>, %arg41: tensor<9xui32>):
    %127 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %128 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %129 = "stablehlo.xor"(%arg38, %arg39) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %130 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %131 = "stablehlo.xor"(%129, %130) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %132 = "stablehlo.broadcast_in_dim"(%arg38) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %133 = "stablehlo.add"(%arg40, %132) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %134 = "stablehlo.broadcast_in_dim"(%arg39) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %135 = "stablehlo.add"(%arg41, %134) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %136 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %137 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %138:9 = "stablehlo.while"(%137, %136, %133, %135, %arg39, %131, %arg38, %127, %128) ({
    ^bb0(%arg51: tensor<i32>, %arg52: tensor<i32>, %arg53: tensor<9xui32>, %arg54: tensor<9xui32>, %arg55: tensor<ui32>, %arg56: tensor<ui32>, %arg57: tensor<ui32>, %arg58: tensor<4xui32>, %arg59: tensor<4xui32>):
      %142 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %143 = "stablehlo.compare"(%arg51, %142) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%143) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg42: tensor<i32>, %arg43: tensor<i32>, %arg44: tensor<9xui32>, %arg45: tensor<9xui32>, %arg46: tensor<ui32>, %arg47: tensor<ui32>, %arg48: tensor<ui32>, %arg49: tensor<4xui32>, %arg50: tensor<4xui32>):
      %139:8 = "func.call"(%arg43, %arg44, %arg45, %arg46, %arg47, %arg48, %arg49, %arg50) <{callee = @closed_call_13}> : (tensor<i32>, tensor<9xui32>, tensor<9xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<9xui32>, tensor<9xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %140 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %141 = "stablehlo.add"(%arg42, %140) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%141, %139#0, %139#1, %139#2, %139#3, %139#4, %139#5, %139#6, %139#7) : (tensor<i32>, tensor<i32>, tensor<9xui32>, tensor<9xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<9xui32>, tensor<9xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<9xui32>, tensor<9xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%138#2, %138#3) : (tensor<9xui32>, tensor<9xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<9xui32>, tensor<9xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<9xui32>, tensor<9xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_13", sym_visibility = "private"}> ({
  ^bb0(%arg30: tensor<i32>, %arg31: tensor<9xui32>, %arg32: tensor<9xui32>, %arg33: tensor<ui32>, %arg34: tensor<ui32>, %arg35: tensor<ui32>, %arg36: tensor<4xui32>, %arg37: tensor<4xui32>):
    %72 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %73 = "stablehlo.add"(%arg30, %72) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %74 = "stablehlo.slice"(%arg36) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %75 = "stablehlo.reshape"(%74) : (tensor<1xui32>) -> tensor<ui32>
    %76 = "stablehlo.add"(%arg31, %arg32) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %77 = "stablehlo.broadcast_in_dim"(%75) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %78 = "stablehlo.shift_left"(%arg32, %77) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %79 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %80 = "stablehlo.subtract"(%79, %75) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %81 = "stablehlo.broadcast_in_dim"(%80) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %82 = "stablehlo.shift_right_logical"(%arg32, %81) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %83 = "stablehlo.or"(%78, %82) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %84 = "stablehlo.xor"(%76, %83) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %85 = "stablehlo.slice"(%arg36) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %86 = "stablehlo.reshape"(%85) : (tensor<1xui32>) -> tensor<ui32>
    %87 = "stablehlo.add"(%76, %84) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %88 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %89 = "stablehlo.shift_left"(%84, %88) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %90 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %91 = "stablehlo.subtract"(%90, %86) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %92 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %93 = "stablehlo.shift_right_logical"(%84, %92) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %94 = "stablehlo.or"(%89, %93) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %95 = "stablehlo.xor"(%87, %94) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %96 = "stablehlo.slice"(%arg36) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %97 = "stablehlo.reshape"(%96) : (tensor<1xui32>) -> tensor<ui32>
    %98 = "stablehlo.add"(%87, %95) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %99 = "stablehlo.broadcast_in_dim"(%97) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %100 = "stablehlo.shift_left"(%95, %99) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %101 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %102 = "stablehlo.subtract"(%101, %97) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %103 = "stablehlo.broadcast_in_dim"(%102) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %104 = "stablehlo.shift_right_logical"(%95, %103) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %105 = "stablehlo.or"(%100, %104) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %106 = "stablehlo.xor"(%98, %105) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %107 = "stablehlo.slice"(%arg36) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %108 = "stablehlo.reshape"(%107) : (tensor<1xui32>) -> tensor<ui32>
    %109 = "stablehlo.add"(%98, %106) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %110 = "stablehlo.broadcast_in_dim"(%108) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %111 = "stablehlo.shift_left"(%106, %110) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %112 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %113 = "stablehlo.subtract"(%112, %108) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %114 = "stablehlo.broadcast_in_dim"(%113) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %115 = "stablehlo.shift_right_logical"(%106, %114) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %116 = "stablehlo.or"(%111, %115) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %117 = "stablehlo.xor"(%109, %116) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %118 = "stablehlo.broadcast_in_dim"(%arg33) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %119 = "stablehlo.add"(%109, %118) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %120 = "stablehlo.broadcast_in_dim"(%arg34) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %121 = "stablehlo.add"(%117, %120) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %122 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %123 = "stablehlo.add"(%arg30, %122) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %124 = "stablehlo.convert"(%123) : (tensor<i32>) -> tensor<ui32>
    %125 = "stablehlo.broadcast_in_dim"(%124) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<9xui32>
    %126 = "stablehlo.add"(%121, %125) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    "func.return"(%73, %119, %126, %arg34, %arg35, %arg33, %arg37, %arg36) : (tensor<i32>, tensor<9xui32>, tensor<9xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<ui32>, tensor<ui32>, tensor<3xui32>, tensor<3xui32>) -> (tensor<3xui32>, tensor<3xui32>), sym_name = "threefry2x32_14", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<ui32>, %arg9: tensor<ui32>, %arg10: tensor<3xui32>, %arg11: tensor<3xui32>):
    %55 = "stablehlo.constant"() <{value = dense<[13, 15, 26, 6]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %56 = "stablehlo.constant"() <{value = dense<[17, 29, 16, 24]> : tensor<4xui32>}> : () -> tensor<4xui32>
    %57 = "stablehlo.xor"(%arg8, %arg9) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %58 = "stablehlo.constant"() <{value = dense<466688986> : tensor<ui32>}> : () -> tensor<ui32>
    %59 = "stablehlo.xor"(%57, %58) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %60 = "stablehlo.broadcast_in_dim"(%arg8) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %61 = "stablehlo.add"(%arg10, %60) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %62 = "stablehlo.broadcast_in_dim"(%arg9) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %63 = "stablehlo.add"(%arg11, %62) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %64 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %65 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %66:9 = "stablehlo.while"(%65, %64, %61, %63, %arg9, %59, %arg8, %55, %56) ({
    ^bb0(%arg21: tensor<i32>, %arg22: tensor<i32>, %arg23: tensor<3xui32>, %arg24: tensor<3xui32>, %arg25: tensor<ui32>, %arg26: tensor<ui32>, %arg27: tensor<ui32>, %arg28: tensor<4xui32>, %arg29: tensor<4xui32>):
      %70 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %71 = "stablehlo.compare"(%arg21, %70) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%71) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg12: tensor<i32>, %arg13: tensor<i32>, %arg14: tensor<3xui32>, %arg15: tensor<3xui32>, %arg16: tensor<ui32>, %arg17: tensor<ui32>, %arg18: tensor<ui32>, %arg19: tensor<4xui32>, %arg20: tensor<4xui32>):
      %67:8 = "func.call"(%arg13, %arg14, %arg15, %arg16, %arg17, %arg18, %arg19, %arg20) <{callee = @closed_call_15}> : (tensor<i32>, tensor<3xui32>, tensor<3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<3xui32>, tensor<3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %68 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %69 = "stablehlo.add"(%arg12, %68) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%69, %67#0, %67#1, %67#2, %67#3, %67#4, %67#5, %67#6, %67#7) : (tensor<i32>, tensor<i32>, tensor<3xui32>, tensor<3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<3xui32>, tensor<3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<i32>, tensor<3xui32>, tensor<3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
    "func.return"(%66#2, %66#3) : (tensor<3xui32>, tensor<3xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<3xui32>, tensor<3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<3xui32>, tensor<3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>), res_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], sym_name = "closed_call_15", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<3xui32>, %arg2: tensor<3xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>):
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.add"(%arg0, %0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = "stablehlo.slice"(%arg6) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %3 = "stablehlo.reshape"(%2) : (tensor<1xui32>) -> tensor<ui32>
    %4 = "stablehlo.add"(%arg1, %arg2) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %5 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %6 = "stablehlo.shift_left"(%arg2, %5) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %7 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %8 = "stablehlo.subtract"(%7, %3) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %10 = "stablehlo.shift_right_logical"(%arg2, %9) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %11 = "stablehlo.or"(%6, %10) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %12 = "stablehlo.xor"(%4, %11) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %13 = "stablehlo.slice"(%arg6) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %14 = "stablehlo.reshape"(%13) : (tensor<1xui32>) -> tensor<ui32>
    %15 = "stablehlo.add"(%4, %12) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %16 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %17 = "stablehlo.shift_left"(%12, %16) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %18 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %19 = "stablehlo.subtract"(%18, %14) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %20 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %21 = "stablehlo.shift_right_logical"(%12, %20) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %22 = "stablehlo.or"(%17, %21) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %23 = "stablehlo.xor"(%15, %22) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %24 = "stablehlo.slice"(%arg6) <{limit_indices = array<i64: 3>, start_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %25 = "stablehlo.reshape"(%24) : (tensor<1xui32>) -> tensor<ui32>
    %26 = "stablehlo.add"(%15, %23) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %27 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %28 = "stablehlo.shift_left"(%23, %27) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %29 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %30 = "stablehlo.subtract"(%29, %25) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %32 = "stablehlo.shift_right_logical"(%23, %31) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %33 = "stablehlo.or"(%28, %32) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %34 = "stablehlo.xor"(%26, %33) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %35 = "stablehlo.slice"(%arg6) <{limit_indices = array<i64: 4>, start_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %36 = "stablehlo.reshape"(%35) : (tensor<1xui32>) -> tensor<ui32>
    %37 = "stablehlo.add"(%26, %34) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %38 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %39 = "stablehlo.shift_left"(%34, %38) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %40 = "stablehlo.constant"() <{value = dense<32> : tensor<ui32>}> : () -> tensor<ui32>
    %41 = "stablehlo.subtract"(%40, %36) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %42 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %43 = "stablehlo.shift_right_logical"(%34, %42) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %44 = "stablehlo.or"(%39, %43) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %45 = "stablehlo.xor"(%37, %44) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %46 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %47 = "stablehlo.add"(%37, %46) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %48 = "stablehlo.broadcast_in_dim"(%arg4) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %49 = "stablehlo.add"(%45, %48) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    %50 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %51 = "stablehlo.add"(%arg0, %50) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %52 = "stablehlo.convert"(%51) : (tensor<i32>) -> tensor<ui32>
    %53 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<3xui32>
    %54 = "stablehlo.add"(%49, %53) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
    "func.return"(%1, %47, %54, %arg4, %arg5, %arg3, %arg7, %arg6) : (tensor<i32>, tensor<3xui32>, tensor<3xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
