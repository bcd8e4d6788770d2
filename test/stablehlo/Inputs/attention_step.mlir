// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}], function_type = (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<2x10x32xf32>) -> (tensor<f32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1][0]"}, {jax.result_info = "result[1][1]"}, {jax.result_info = "result[1][2]"}, {jax.result_info = "result[1][3]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg7: tensor<32x32xf32>, %arg8: tensor<32x32xf32>, %arg9: tensor<32x32xf32>, %arg10: tensor<32x32xf32>, %arg11: tensor<2x10x32xf32>):
    %18 = "stablehlo.dot_general"(%arg11, %arg7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<32x32xf32>) -> tensor<2x10x32xf32>
    %19 = "stablehlo.reshape"(%18) : (tensor<2x10x32xf32>) -> tensor<2x10x4x8xf32>
    %20 = "stablehlo.dot_general"(%arg11, %arg8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<32x32xf32>) -> tensor<2x10x32xf32>
    %21 = "stablehlo.reshape"(%20) : (tensor<2x10x32xf32>) -> tensor<2x10x4x8xf32>
    %22 = "stablehlo.dot_general"(%arg11, %arg9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<32x32xf32>) -> tensor<2x10x32xf32>
    %23 = "stablehlo.reshape"(%22) : (tensor<2x10x32xf32>) -> tensor<2x10x4x8xf32>
    %24 = "stablehlo.dot_general"(%19, %21) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x4x8xf32>, tensor<2x10x4x8xf32>) -> tensor<2x4x10x10xf32>
    %25 = "stablehlo.constant"() <{value = dense<8.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %26 = "stablehlo.sqrt"(%25) : (tensor<f32>) -> tensor<f32>
    %27 = "stablehlo.convert"(%26) : (tensor<f32>) -> tensor<f32>
    %28 = "stablehlo.broadcast_in_dim"(%27) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10x10xf32>
    %29 = "stablehlo.divide"(%24, %28) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %30 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<10x10xi1>
    %32 = "func.call"(%31) <{callee = @tril}> : (tensor<10x10xi1>) -> tensor<10x10xi1>
    %33 = "stablehlo.constant"() <{value = dense<-1.000000e+30> : tensor<f32>}> : () -> tensor<f32>
    %34:3 = "func.call"(%32, %29, %33) <{callee = @_where}> : (tensor<10x10xi1>, tensor<2x4x10x10xf32>, tensor<f32>) -> (tensor<2x4x10x10xf32>, tensor<2x4x10x10xi1>, tensor<2x4x10x10xf32>)
    %35 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %36 = "stablehlo.reduce"(%34#0, %35) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg22: tensor<f32>, %arg23: tensor<f32>):
      %150 = "stablehlo.maximum"(%arg22, %arg23) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%150) : (tensor<f32>) -> ()
    }) : (tensor<2x4x10x10xf32>, tensor<f32>) -> tensor<2x4x10xf32>
    %37 = "stablehlo.reshape"(%36) : (tensor<2x4x10xf32>) -> tensor<2x4x10x1xf32>
    %38 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x10x1xf32>) -> tensor<2x4x10x10xf32>
    %39 = "stablehlo.compare"(%34#0, %38) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xi1>
    %40 = "stablehlo.convert"(%39) : (tensor<2x4x10x10xi1>) -> tensor<2x4x10x10xf32>
    %41 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %42 = "stablehlo.reduce"(%40, %41) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %149 = "stablehlo.add"(%arg20, %arg21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%149) : (tensor<f32>) -> ()
    }) : (tensor<2x4x10x10xf32>, tensor<f32>) -> tensor<2x4x10xf32>
    %43 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10xf32>
    %45 = "stablehlo.maximum"(%44, %36) : (tensor<2x4x10xf32>, tensor<2x4x10xf32>) -> tensor<2x4x10xf32>
    %46 = "stablehlo.compare"(%36, %45) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<2x4x10xf32>, tensor<2x4x10xf32>) -> tensor<2x4x10xi1>
    %47 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %48 = "stablehlo.broadcast_in_dim"(%47) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10xf32>
    %49 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10xf32>
    %51 = "stablehlo.select"(%46, %48, %50) : (tensor<2x4x10xi1>, tensor<2x4x10xf32>, tensor<2x4x10xf32>) -> tensor<2x4x10xf32>
    %52 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %53 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10xf32>
    %54 = "stablehlo.compare"(%53, %45) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<2x4x10xf32>, tensor<2x4x10xf32>) -> tensor<2x4x10xi1>
    %55 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10xf32>
    %57 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %58 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10xf32>
    %59 = "stablehlo.select"(%54, %56, %58) : (tensor<2x4x10xi1>, tensor<2x4x10xf32>, tensor<2x4x10xf32>) -> tensor<2x4x10xf32>
    %60 = "stablehlo.divide"(%51, %59) : (tensor<2x4x10xf32>, tensor<2x4x10xf32>) -> tensor<2x4x10xf32>
    %61 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x4x10xf32>) -> tensor<2x4x10x1xf32>
    %62 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x10x1xf32>) -> tensor<2x4x10x10xf32>
    %63 = "stablehlo.subtract"(%34#0, %62) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %64 = "stablehlo.exponential"(%63) : (tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %65 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %66 = "stablehlo.reduce"(%64, %65) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %148 = "stablehlo.add"(%arg18, %arg19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%148) : (tensor<f32>) -> ()
    }) : (tensor<2x4x10x10xf32>, tensor<f32>) -> tensor<2x4x10xf32>
    %67 = "stablehlo.broadcast_in_dim"(%66) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x4x10xf32>) -> tensor<2x4x10x1xf32>
    %68 = "stablehlo.broadcast_in_dim"(%67) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x10x1xf32>) -> tensor<2x4x10x10xf32>
    %69 = "stablehlo.divide"(%64, %68) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %70 = "stablehlo.multiply"(%67, %67) : (tensor<2x4x10x1xf32>, tensor<2x4x10x1xf32>) -> tensor<2x4x10x1xf32>
    %71 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %72 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10x1xf32>
    %73 = "stablehlo.divide"(%72, %70) : (tensor<2x4x10x1xf32>, tensor<2x4x10x1xf32>) -> tensor<2x4x10x1xf32>
    %74 = "stablehlo.dot_general"(%23, %69) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x4x8xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x8x10xf32>
    %75 = "stablehlo.transpose"(%74) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x4x8x10xf32>) -> tensor<2x10x4x8xf32>
    %76 = "stablehlo.reshape"(%75) : (tensor<2x10x4x8xf32>) -> tensor<2x10x32xf32>
    %77 = "stablehlo.dot_general"(%76, %arg10) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<32x32xf32>) -> tensor<2x10x32xf32>
    %78 = "stablehlo.multiply"(%77, %77) : (tensor<2x10x32xf32>, tensor<2x10x32xf32>) -> tensor<2x10x32xf32>
    %79 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %80 = "stablehlo.broadcast_in_dim"(%79) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x10x32xf32>
    %81 = "stablehlo.multiply"(%80, %77) : (tensor<2x10x32xf32>, tensor<2x10x32xf32>) -> tensor<2x10x32xf32>
    %82 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %83 = "stablehlo.reduce"(%78, %82) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %147 = "stablehlo.add"(%arg16, %arg17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%147) : (tensor<f32>) -> ()
    }) : (tensor<2x10x32xf32>, tensor<f32>) -> tensor<f32>
    %84 = "stablehlo.constant"() <{value = dense<6.400000e+02> : tensor<f32>}> : () -> tensor<f32>
    %85 = "stablehlo.divide"(%83, %84) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %86 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %87 = "stablehlo.constant"() <{value = dense<6.400000e+02> : tensor<f32>}> : () -> tensor<f32>
    %88 = "stablehlo.divide"(%86, %87) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %89 = "stablehlo.broadcast_in_dim"(%88) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x10x32xf32>
    %90 = "stablehlo.multiply"(%89, %81) : (tensor<2x10x32xf32>, tensor<2x10x32xf32>) -> tensor<2x10x32xf32>
    %91 = "stablehlo.dot_general"(%90, %76) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<2x10x32xf32>) -> tensor<32x32xf32>
    %92 = "stablehlo.transpose"(%91) <{permutation = array<i64: 1, 0>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %93 = "stablehlo.dot_general"(%90, %arg10) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<32x32xf32>) -> tensor<2x10x32xf32>
    %94 = "stablehlo.reshape"(%93) : (tensor<2x10x32xf32>) -> tensor<2x10x4x8xf32>
    %95 = "stablehlo.transpose"(%94) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<2x10x4x8xf32>) -> tensor<2x4x8x10xf32>
    %96 = "stablehlo.dot_general"(%95, %23) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [3]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x8x10xf32>, tensor<2x10x4x8xf32>) -> tensor<2x4x10x10xf32>
    %97 = "stablehlo.dot_general"(%95, %69) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x8x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x8x10xf32>
    %98 = "stablehlo.transpose"(%97) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x4x8x10xf32>) -> tensor<2x10x4x8xf32>
    %99 = "stablehlo.broadcast_in_dim"(%73) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x10x1xf32>) -> tensor<2x4x10x10xf32>
    %100 = "stablehlo.multiply"(%96, %99) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %101 = "stablehlo.multiply"(%100, %64) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %102 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %103 = "stablehlo.reduce"(%101, %102) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %146 = "stablehlo.add"(%arg14, %arg15) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%146) : (tensor<f32>) -> ()
    }) : (tensor<2x4x10x10xf32>, tensor<f32>) -> tensor<2x4x10xf32>
    %104 = "stablehlo.reshape"(%103) : (tensor<2x4x10xf32>) -> tensor<2x4x10x1xf32>
    %105 = "stablehlo.negate"(%104) : (tensor<2x4x10x1xf32>) -> tensor<2x4x10x1xf32>
    %106 = "stablehlo.broadcast_in_dim"(%67) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x10x1xf32>) -> tensor<2x4x10x10xf32>
    %107 = "stablehlo.divide"(%96, %106) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %108 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %109 = "stablehlo.reduce"(%105, %108) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %145 = "stablehlo.add"(%arg12, %arg13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%145) : (tensor<f32>) -> ()
    }) : (tensor<2x4x10x1xf32>, tensor<f32>) -> tensor<2x4x10xf32>
    %110 = "stablehlo.broadcast_in_dim"(%109) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x4x10xf32>) -> tensor<2x4x10x10xf32>
    %111 = "stablehlo.add"(%107, %110) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %112 = "stablehlo.multiply"(%111, %64) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %113 = "func.call"(%34#1, %34#2, %112) <{callee = @_where_0}> : (tensor<2x4x10x10xi1>, tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %114 = "stablehlo.broadcast_in_dim"(%27) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10x10xf32>
    %115 = "stablehlo.divide"(%113, %114) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %116 = "stablehlo.dot_general"(%115, %19) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x10x10xf32>, tensor<2x10x4x8xf32>) -> tensor<2x4x10x8xf32>
    %117 = "stablehlo.transpose"(%116) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x4x10x8xf32>) -> tensor<2x10x4x8xf32>
    %118 = "stablehlo.dot_general"(%115, %21) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x10x10xf32>, tensor<2x10x4x8xf32>) -> tensor<2x4x10x8xf32>
    %119 = "stablehlo.transpose"(%118) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x4x10x8xf32>) -> tensor<2x10x4x8xf32>
    %120 = "stablehlo.reshape"(%98) : (tensor<2x10x4x8xf32>) -> tensor<2x10x32xf32>
    %121 = "stablehlo.dot_general"(%120, %arg11) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<2x10x32xf32>) -> tensor<32x32xf32>
    %122 = "stablehlo.transpose"(%121) <{permutation = array<i64: 1, 0>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %123 = "stablehlo.reshape"(%117) : (tensor<2x10x4x8xf32>) -> tensor<2x10x32xf32>
    %124 = "stablehlo.dot_general"(%123, %arg11) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<2x10x32xf32>) -> tensor<32x32xf32>
    %125 = "stablehlo.transpose"(%124) <{permutation = array<i64: 1, 0>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %126 = "stablehlo.reshape"(%119) : (tensor<2x10x4x8xf32>) -> tensor<2x10x32xf32>
    %127 = "stablehlo.dot_general"(%126, %arg11) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x10x32xf32>, tensor<2x10x32xf32>) -> tensor<32x32xf32>
    %128 = "stablehlo.transpose"(%127) <{permutation = array<i64: 1, 0>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %129 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %130 = "stablehlo.broadcast_in_dim"(%129) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x32xf32>
    %131 = "stablehlo.multiply"(%130, %128) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %132 = "stablehlo.subtract"(%arg7, %131) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %133 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %134 = "stablehlo.broadcast_in_dim"(%133) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x32xf32>
    %135 = "stablehlo.multiply"(%134, %125) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %136 = "stablehlo.subtract"(%arg8, %135) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %137 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %138 = "stablehlo.broadcast_in_dim"(%137) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x32xf32>
    %139 = "stablehlo.multiply"(%138, %122) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %140 = "stablehlo.subtract"(%arg9, %139) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %141 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %142 = "stablehlo.broadcast_in_dim"(%141) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x32xf32>
    %143 = "stablehlo.multiply"(%142, %92) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %144 = "stablehlo.subtract"(%arg10, %143) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    "func.return"(%85, %132, %136, %140, %144) : (tensor<f32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<10x10xi1>) -> tensor<10x10xi1>, res_attrs = [{}], sym_name = "tril", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<10x10xi1>):
    %9 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<10x10xi32>
    %10 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<10x10xi32>
    %12 = "stablehlo.add"(%9, %11) : (tensor<10x10xi32>, tensor<10x10xi32>) -> tensor<10x10xi32>
    %13 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<10x10xi32>
    %14 = "stablehlo.compare"(%12, %13) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<10x10xi32>, tensor<10x10xi32>) -> tensor<10x10xi1>
    %15 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<10x10xi1>
    %17 = "stablehlo.select"(%14, %arg6, %16) : (tensor<10x10xi1>, tensor<10x10xi1>, tensor<10x10xi1>) -> tensor<10x10xi1>
    "func.return"(%17) : (tensor<10x10xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<10x10xi1>, tensor<2x4x10x10xf32>, tensor<f32>) -> (tensor<2x4x10x10xf32>, tensor<2x4x10x10xi1>, tensor<2x4x10x10xf32>), res_attrs = [{}, {}, {}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<10x10xi1>, %arg4: tensor<2x4x10x10xf32>, %arg5: tensor<f32>):
    %3 = "stablehlo.convert"(%arg5) : (tensor<f32>) -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64: 2, 3>}> : (tensor<10x10xi1>) -> tensor<2x4x10x10xi1>
    %5 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10x10xf32>
    %6 = "stablehlo.select"(%4, %arg4, %5) : (tensor<2x4x10x10xi1>, tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    %7 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10x10xf32>
    "func.return"(%6, %4, %8) : (tensor<2x4x10x10xf32>, tensor<2x4x10x10xi1>, tensor<2x4x10x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2x4x10x10xi1>, tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>, res_attrs = [{}], sym_name = "_where_0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<2x4x10x10xi1>, %arg1: tensor<2x4x10x10xf32>, %arg2: tensor<2x4x10x10xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x10x10xf32>
    %2 = "stablehlo.select"(%arg0, %arg2, %1) : (tensor<2x4x10x10xi1>, tensor<2x4x10x10xf32>, tensor<2x4x10x10xf32>) -> tensor<2x4x10x10xf32>
    "func.return"(%2) : (tensor<2x4x10x10xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
