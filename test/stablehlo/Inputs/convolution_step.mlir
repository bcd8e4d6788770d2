// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}], function_type = (tensor<3x3x3x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<3x3x8x12xf32>, tensor<108x5xf32>, tensor<5xf32>, tensor<2x12x12x3xf32>) -> (tensor<f32>, tensor<3x3x3x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<3x3x8x12xf32>, tensor<108x5xf32>, tensor<5xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1][0]"}, {jax.result_info = "result[1][1]"}, {jax.result_info = "result[1][2]"}, {jax.result_info = "result[1][3]"}, {jax.result_info = "result[1][4][0]"}, {jax.result_info = "result[1][4][1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg22: tensor<3x3x3x8xf32>, %arg23: tensor<8xf32>, %arg24: tensor<8xf32>, %arg25: tensor<3x3x8x12xf32>, %arg26: tensor<108x5xf32>, %arg27: tensor<5xf32>, %arg28: tensor<2x12x12x3xf32>):
    %54 = "stablehlo.convolution"(%arg28, %arg22) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x12x12x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x12x12x8xf32>
    %55 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %56 = "stablehlo.reduce"(%54, %55) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg57: tensor<f32>, %arg58: tensor<f32>):
      %204 = "stablehlo.add"(%arg57, %arg58) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%204) : (tensor<f32>) -> ()
    }) : (tensor<2x12x12x8xf32>, tensor<f32>) -> tensor<8xf32>
    %57 = "stablehlo.constant"() <{value = dense<2.880000e+02> : tensor<f32>}> : () -> tensor<f32>
    %58 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %59 = "stablehlo.divide"(%56, %58) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %60 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %61:5 = "func.call"(%54, %60) <{callee = @_var}> : (tensor<2x12x12x8xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<2x12x12x8xf32>, tensor<f32>, tensor<i1>, tensor<8xf32>)
    %62 = "stablehlo.broadcast_in_dim"(%59) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %63 = "stablehlo.broadcast_in_dim"(%62) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<2x12x12x8xf32>
    %64 = "stablehlo.subtract"(%54, %63) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %65 = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<f32>}> : () -> tensor<f32>
    %66 = "stablehlo.broadcast_in_dim"(%65) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %67 = "stablehlo.add"(%61#0, %66) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %68 = "stablehlo.rsqrt"(%67) : (tensor<8xf32>) -> tensor<8xf32>
    %69 = "stablehlo.divide"(%68, %67) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %70 = "stablehlo.constant"() <{value = dense<-5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %72 = "stablehlo.multiply"(%71, %69) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %73 = "stablehlo.broadcast_in_dim"(%68) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %74 = "stablehlo.broadcast_in_dim"(%73) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<2x12x12x8xf32>
    %75 = "stablehlo.multiply"(%64, %74) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %76 = "stablehlo.broadcast_in_dim"(%arg23) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %77 = "stablehlo.broadcast_in_dim"(%76) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<2x12x12x8xf32>
    %78 = "stablehlo.multiply"(%75, %77) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %79 = "stablehlo.broadcast_in_dim"(%arg24) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %80 = "stablehlo.broadcast_in_dim"(%79) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<2x12x12x8xf32>
    %81 = "stablehlo.add"(%78, %80) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %82 = "func.call"(%81) <{callee = @relu}> : (tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %83 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %84 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x12x12x8xf32>
    %85 = "stablehlo.compare"(%81, %84) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xi1>
    %86 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %87 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x12x12x8xf32>
    %88 = "stablehlo.convolution"(%82, %arg25) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 2, 2>}> : (tensor<2x12x12x8xf32>, tensor<3x3x8x12xf32>) -> tensor<2x6x6x12xf32>
    %89 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %90 = "stablehlo.broadcast_in_dim"(%89) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %91 = "stablehlo.reduce_window"(%88, %90) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg55: tensor<f32>, %arg56: tensor<f32>):
      %203 = "stablehlo.maximum"(%arg55, %arg56) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%203) : (tensor<f32>) -> ()
    }) : (tensor<2x6x6x12xf32>, tensor<f32>) -> tensor<2x3x3x12xf32>
    %92 = "stablehlo.reshape"(%91) : (tensor<2x3x3x12xf32>) -> tensor<2x108xf32>
    %93 = "stablehlo.dot_general"(%92, %arg26) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x108xf32>, tensor<108x5xf32>) -> tensor<2x5xf32>
    %94 = "stablehlo.broadcast_in_dim"(%arg27) <{broadcast_dimensions = array<i64: 1>}> : (tensor<5xf32>) -> tensor<1x5xf32>
    %95 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x5xf32>) -> tensor<2x5xf32>
    %96 = "stablehlo.add"(%93, %95) : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    %97 = "stablehlo.multiply"(%96, %96) : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    %98 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %99 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x5xf32>
    %100 = "stablehlo.multiply"(%99, %96) : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    %101 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %102 = "stablehlo.reduce"(%97, %101) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg53: tensor<f32>, %arg54: tensor<f32>):
      %202 = "stablehlo.add"(%arg53, %arg54) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%202) : (tensor<f32>) -> ()
    }) : (tensor<2x5xf32>, tensor<f32>) -> tensor<f32>
    %103 = "stablehlo.constant"() <{value = dense<1.000000e+01> : tensor<f32>}> : () -> tensor<f32>
    %104 = "stablehlo.divide"(%102, %103) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %105 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %106 = "stablehlo.constant"() <{value = dense<1.000000e+01> : tensor<f32>}> : () -> tensor<f32>
    %107 = "stablehlo.divide"(%105, %106) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %108 = "stablehlo.broadcast_in_dim"(%107) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x5xf32>
    %109 = "stablehlo.multiply"(%108, %100) : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    %110 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %111 = "stablehlo.reduce"(%109, %110) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg51: tensor<f32>, %arg52: tensor<f32>):
      %201 = "stablehlo.add"(%arg51, %arg52) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%201) : (tensor<f32>) -> ()
    }) : (tensor<2x5xf32>, tensor<f32>) -> tensor<5xf32>
    %112 = "stablehlo.reshape"(%111) : (tensor<5xf32>) -> tensor<1x5xf32>
    %113 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %114 = "stablehlo.reduce"(%112, %113) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg49: tensor<f32>, %arg50: tensor<f32>):
      %200 = "stablehlo.add"(%arg49, %arg50) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%200) : (tensor<f32>) -> ()
    }) : (tensor<1x5xf32>, tensor<f32>) -> tensor<5xf32>
    %115 = "stablehlo.dot_general"(%109, %92) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x5xf32>, tensor<2x108xf32>) -> tensor<5x108xf32>
    %116 = "stablehlo.transpose"(%115) <{permutation = array<i64: 1, 0>}> : (tensor<5x108xf32>) -> tensor<108x5xf32>
    %117 = "stablehlo.dot_general"(%109, %arg26) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x5xf32>, tensor<108x5xf32>) -> tensor<2x108xf32>
    %118 = "stablehlo.reshape"(%117) : (tensor<2x108xf32>) -> tensor<2x3x3x12xf32>
    %119 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %120 = "stablehlo.pad"(%88, %119) <{edge_padding_high = array<i64: 0, 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<2x6x6x12xf32>, tensor<f32>) -> tensor<2x6x6x12xf32>
    %121 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %122 = "stablehlo.select_and_scatter"(%120, %118, %121) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg47: tensor<f32>, %arg48: tensor<f32>):
      %199 = "stablehlo.compare"(%arg47, %arg48) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%199) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg45: tensor<f32>, %arg46: tensor<f32>):
      %198 = "stablehlo.add"(%arg45, %arg46) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%198) : (tensor<f32>) -> ()
    }) : (tensor<2x6x6x12xf32>, tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<2x6x6x12xf32>
    %123 = "stablehlo.slice"(%122) <{limit_indices = array<i64: 2, 6, 6, 12>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<2x6x6x12xf32>) -> tensor<2x6x6x12xf32>
    %124 = "stablehlo.convolution"(%82, %123) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 2, 2>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x12x12x8xf32>, tensor<2x6x6x12xf32>) -> tensor<3x3x8x12xf32>
    %125 = "stablehlo.reverse"(%arg25) <{dimensions = array<i64: 0, 1>}> : (tensor<3x3x8x12xf32>) -> tensor<3x3x8x12xf32>
    %126 = "stablehlo.convolution"(%123, %125) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 2, 2>, padding = dense<[[2, 1], [2, 1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x6x6x12xf32>, tensor<3x3x8x12xf32>) -> tensor<2x12x12x8xf32>
    %127 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %128 = "stablehlo.broadcast_in_dim"(%127) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x12x12x8xf32>
    %129 = "stablehlo.select"(%85, %126, %128) : (tensor<2x12x12x8xi1>, tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %130 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %131 = "stablehlo.reduce"(%129, %130) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg43: tensor<f32>, %arg44: tensor<f32>):
      %197 = "stablehlo.add"(%arg43, %arg44) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%197) : (tensor<f32>) -> ()
    }) : (tensor<2x12x12x8xf32>, tensor<f32>) -> tensor<8xf32>
    %132 = "stablehlo.reshape"(%131) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %133 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %134 = "stablehlo.reduce"(%132, %133) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg41: tensor<f32>, %arg42: tensor<f32>):
      %196 = "stablehlo.add"(%arg41, %arg42) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%196) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %135 = "stablehlo.multiply"(%75, %129) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %136 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %137 = "stablehlo.reduce"(%135, %136) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg39: tensor<f32>, %arg40: tensor<f32>):
      %195 = "stablehlo.add"(%arg39, %arg40) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%195) : (tensor<f32>) -> ()
    }) : (tensor<2x12x12x8xf32>, tensor<f32>) -> tensor<8xf32>
    %138 = "stablehlo.reshape"(%137) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %139 = "stablehlo.broadcast_in_dim"(%76) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<2x12x12x8xf32>
    %140 = "stablehlo.multiply"(%129, %139) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %141 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %142 = "stablehlo.reduce"(%138, %141) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg37: tensor<f32>, %arg38: tensor<f32>):
      %194 = "stablehlo.add"(%arg37, %arg38) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%194) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %143 = "stablehlo.multiply"(%64, %140) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %144 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %145 = "stablehlo.reduce"(%143, %144) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg35: tensor<f32>, %arg36: tensor<f32>):
      %193 = "stablehlo.add"(%arg35, %arg36) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%193) : (tensor<f32>) -> ()
    }) : (tensor<2x12x12x8xf32>, tensor<f32>) -> tensor<8xf32>
    %146 = "stablehlo.reshape"(%145) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %147 = "stablehlo.broadcast_in_dim"(%73) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<2x12x12x8xf32>
    %148 = "stablehlo.multiply"(%140, %147) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %149 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %150 = "stablehlo.reduce"(%146, %149) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg33: tensor<f32>, %arg34: tensor<f32>):
      %192 = "stablehlo.add"(%arg33, %arg34) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%192) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %151 = "stablehlo.multiply"(%150, %72) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %152 = "stablehlo.negate"(%148) : (tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %153 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %154 = "stablehlo.reduce"(%152, %153) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg31: tensor<f32>, %arg32: tensor<f32>):
      %191 = "stablehlo.add"(%arg31, %arg32) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%191) : (tensor<f32>) -> ()
    }) : (tensor<2x12x12x8xf32>, tensor<f32>) -> tensor<8xf32>
    %155 = "stablehlo.reshape"(%154) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %156 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %157 = "stablehlo.reduce"(%155, %156) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
      %190 = "stablehlo.add"(%arg29, %arg30) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%190) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %158 = "func.call"(%61#1, %61#2, %61#3, %61#4, %151) <{callee = @_var_0}> : (tensor<2x12x12x8xf32>, tensor<f32>, tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x12x12x8xf32>
    %159 = "stablehlo.add"(%148, %158) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %160 = "stablehlo.constant"() <{value = dense<2.880000e+02> : tensor<f32>}> : () -> tensor<f32>
    %161 = "stablehlo.broadcast_in_dim"(%160) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %162 = "stablehlo.divide"(%157, %161) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %163 = "stablehlo.broadcast_in_dim"(%162) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<2x12x12x8xf32>
    %164 = "stablehlo.add"(%159, %163) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %165 = "stablehlo.convolution"(%arg28, %164) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<2x12x12x3xf32>, tensor<2x12x12x8xf32>) -> tensor<3x3x3x8xf32>
    %166 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %167 = "stablehlo.broadcast_in_dim"(%166) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3x3x8xf32>
    %168 = "stablehlo.multiply"(%167, %165) : (tensor<3x3x3x8xf32>, tensor<3x3x3x8xf32>) -> tensor<3x3x3x8xf32>
    %169 = "stablehlo.subtract"(%arg22, %168) : (tensor<3x3x3x8xf32>, tensor<3x3x3x8xf32>) -> tensor<3x3x3x8xf32>
    %170 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %171 = "stablehlo.broadcast_in_dim"(%170) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %172 = "stablehlo.multiply"(%171, %142) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %173 = "stablehlo.subtract"(%arg23, %172) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %174 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %175 = "stablehlo.broadcast_in_dim"(%174) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %176 = "stablehlo.multiply"(%175, %134) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %177 = "stablehlo.subtract"(%arg24, %176) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %178 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %179 = "stablehlo.broadcast_in_dim"(%178) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3x8x12xf32>
    %180 = "stablehlo.multiply"(%179, %124) : (tensor<3x3x8x12xf32>, tensor<3x3x8x12xf32>) -> tensor<3x3x8x12xf32>
    %181 = "stablehlo.subtract"(%arg25, %180) : (tensor<3x3x8x12xf32>, tensor<3x3x8x12xf32>) -> tensor<3x3x8x12xf32>
    %182 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %183 = "stablehlo.broadcast_in_dim"(%182) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<108x5xf32>
    %184 = "stablehlo.multiply"(%183, %116) : (tensor<108x5xf32>, tensor<108x5xf32>) -> tensor<108x5xf32>
    %185 = "stablehlo.subtract"(%arg26, %184) : (tensor<108x5xf32>, tensor<108x5xf32>) -> tensor<108x5xf32>
    %186 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %187 = "stablehlo.broadcast_in_dim"(%186) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5xf32>
    %188 = "stablehlo.multiply"(%187, %114) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %189 = "stablehlo.subtract"(%arg27, %188) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    "func.return"(%104, %169, %173, %177, %181, %185, %189) : (tensor<f32>, tensor<3x3x3x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<3x3x8x12xf32>, tensor<108x5xf32>, tensor<5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x12x12x8xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<2x12x12x8xf32>, tensor<f32>, tensor<i1>, tensor<8xf32>), res_attrs = [{}, {}, {}, {}, {}], sym_name = "_var", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<2x12x12x8xf32>, %arg17: tensor<i32>):
    %29 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %30 = "stablehlo.reduce"(%arg16, %29) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %53 = "stablehlo.add"(%arg20, %arg21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%53) : (tensor<f32>) -> ()
    }) : (tensor<2x12x12x8xf32>, tensor<f32>) -> tensor<8xf32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %32 = "stablehlo.constant"() <{value = dense<2.880000e+02> : tensor<f32>}> : () -> tensor<f32>
    %33 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %34 = "stablehlo.divide"(%31, %33) : (tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x8xf32>) -> tensor<2x12x12x8xf32>
    %36 = "stablehlo.subtract"(%arg16, %35) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %37 = "chlo.square"(%36) : (tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %38 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %39 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x12x12x8xf32>
    %40 = "stablehlo.multiply"(%39, %36) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %41 = "stablehlo.convert"(%arg17) : (tensor<i32>) -> tensor<f32>
    %42 = "stablehlo.constant"() <{value = dense<2.880000e+02> : tensor<f32>}> : () -> tensor<f32>
    %43 = "stablehlo.subtract"(%42, %41) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %44 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %45 = "stablehlo.reduce"(%37, %44) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %52 = "stablehlo.add"(%arg18, %arg19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%52) : (tensor<f32>) -> ()
    }) : (tensor<2x12x12x8xf32>, tensor<f32>) -> tensor<8xf32>
    %46 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %47 = "stablehlo.divide"(%45, %46) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %48 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %49 = "stablehlo.compare"(%43, %48) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %50 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %51:2 = "func.call"(%49, %47, %50) <{callee = @_where}> : (tensor<i1>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
    "func.return"(%51#0, %40, %43, %49, %51#1) : (tensor<8xf32>, tensor<2x12x12x8xf32>, tensor<f32>, tensor<i1>, tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>), res_attrs = [{}, {}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<i1>, %arg14: tensor<8xf32>, %arg15: tensor<f32>):
    %24 = "stablehlo.convert"(%arg15) : (tensor<f32>) -> tensor<f32>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %26 = "stablehlo.select"(%arg13, %arg14, %25) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %27 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %28 = "stablehlo.broadcast_in_dim"(%27) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    "func.return"(%26, %28) : (tensor<8xf32>, tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>, res_attrs = [{}], sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<2x12x12x8xf32>):
    %21 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %22 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x12x12x8xf32>
    %23 = "stablehlo.maximum"(%arg12, %22) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    "func.return"(%23) : (tensor<2x12x12x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}], function_type = (tensor<2x12x12x8xf32>, tensor<f32>, tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x12x12x8xf32>, res_attrs = [{}], sym_name = "_var_0", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<2x12x12x8xf32>, %arg4: tensor<f32>, %arg5: tensor<i1>, %arg6: tensor<8xf32>, %arg7: tensor<8xf32>):
    %3 = "func.call"(%arg5, %arg6, %arg7) <{callee = @_where_1}> : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %4 = "stablehlo.broadcast_in_dim"(%arg4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %5 = "stablehlo.divide"(%3, %4) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<2x12x12x8xf32>
    %7 = "stablehlo.multiply"(%6, %arg3) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %8 = "stablehlo.negate"(%7) : (tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    %9 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.reduce"(%8, %9) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %20 = "stablehlo.add"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%20) : (tensor<f32>) -> ()
    }) : (tensor<2x12x12x8xf32>, tensor<f32>) -> tensor<8xf32>
    %11 = "stablehlo.reshape"(%10) : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %12 = "stablehlo.constant"() <{value = dense<2.880000e+02> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %14 = "stablehlo.divide"(%11, %13) : (tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %15 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.reduce"(%14, %15) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %19 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%19) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64: 3>}> : (tensor<8xf32>) -> tensor<2x12x12x8xf32>
    %18 = "stablehlo.add"(%7, %17) : (tensor<2x12x12x8xf32>, tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
    "func.return"(%18) : (tensor<2x12x12x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>, res_attrs = [{}], sym_name = "_where_1", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %2 = "stablehlo.select"(%arg0, %arg2, %1) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%2) : (tensor<8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
