// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}], function_type = (tensor<12x32xf32>, tensor<32xf32>, tensor<32x24xf32>, tensor<24xf32>, tensor<24x7xf32>, tensor<7xf32>, tensor<5x12xf32>) -> (tensor<f32>, tensor<12x32xf32>, tensor<32xf32>, tensor<32x24xf32>, tensor<24xf32>, tensor<24x7xf32>, tensor<7xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1][0][0]"}, {jax.result_info = "result[1][0][1]"}, {jax.result_info = "result[1][1][0]"}, {jax.result_info = "result[1][1][1]"}, {jax.result_info = "result[1][2][0]"}, {jax.result_info = "result[1][2][1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg14: tensor<12x32xf32>, %arg15: tensor<32xf32>, %arg16: tensor<32x24xf32>, %arg17: tensor<24xf32>, %arg18: tensor<24x7xf32>, %arg19: tensor<7xf32>, %arg20: tensor<5x12xf32>):
    %35 = "stablehlo.dot_general"(%arg20, %arg14) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x12xf32>, tensor<12x32xf32>) -> tensor<5x32xf32>
    %36 = "stablehlo.broadcast_in_dim"(%arg15) <{broadcast_dimensions = array<i64: 1>}> : (tensor<32xf32>) -> tensor<1x32xf32>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x32xf32>) -> tensor<5x32xf32>
    %38 = "stablehlo.add"(%35, %37) : (tensor<5x32xf32>, tensor<5x32xf32>) -> tensor<5x32xf32>
    %39 = "func.call"(%38) <{callee = @relu}> : (tensor<5x32xf32>) -> tensor<5x32xf32>
    %40 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x32xf32>
    %42 = "stablehlo.compare"(%38, %41) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5x32xf32>, tensor<5x32xf32>) -> tensor<5x32xi1>
    %43 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x32xf32>
    %45 = "stablehlo.dot_general"(%39, %arg16) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x32xf32>, tensor<32x24xf32>) -> tensor<5x24xf32>
    %46 = "stablehlo.broadcast_in_dim"(%arg17) <{broadcast_dimensions = array<i64: 1>}> : (tensor<24xf32>) -> tensor<1x24xf32>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x24xf32>) -> tensor<5x24xf32>
    %48 = "stablehlo.add"(%45, %47) : (tensor<5x24xf32>, tensor<5x24xf32>) -> tensor<5x24xf32>
    %49 = "func.call"(%48) <{callee = @relu_0}> : (tensor<5x24xf32>) -> tensor<5x24xf32>
    %50 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %51 = "stablehlo.broadcast_in_dim"(%50) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x24xf32>
    %52 = "stablehlo.compare"(%48, %51) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<5x24xf32>, tensor<5x24xf32>) -> tensor<5x24xi1>
    %53 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %54 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x24xf32>
    %55 = "stablehlo.dot_general"(%49, %arg18) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x24xf32>, tensor<24x7xf32>) -> tensor<5x7xf32>
    %56 = "stablehlo.broadcast_in_dim"(%arg19) <{broadcast_dimensions = array<i64: 1>}> : (tensor<7xf32>) -> tensor<1x7xf32>
    %57 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x7xf32>) -> tensor<5x7xf32>
    %58 = "stablehlo.add"(%55, %57) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %59:3 = "func.call"(%58) <{callee = @log_softmax}> : (tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x1xf32>)
    %60 = "stablehlo.multiply"(%59#0, %59#0) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %61 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %62 = "stablehlo.broadcast_in_dim"(%61) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %63 = "stablehlo.multiply"(%62, %59#0) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %64 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %65 = "stablehlo.reduce"(%60, %64) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg33: tensor<f32>, %arg34: tensor<f32>):
      %133 = "stablehlo.add"(%arg33, %arg34) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%133) : (tensor<f32>) -> ()
    }) : (tensor<5x7xf32>, tensor<f32>) -> tensor<f32>
    %66 = "stablehlo.constant"() <{value = dense<3.500000e+01> : tensor<f32>}> : () -> tensor<f32>
    %67 = "stablehlo.divide"(%65, %66) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %68 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %69 = "stablehlo.constant"() <{value = dense<3.500000e+01> : tensor<f32>}> : () -> tensor<f32>
    %70 = "stablehlo.divide"(%68, %69) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x7xf32>
    %72 = "stablehlo.multiply"(%71, %63) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %73 = "func.call"(%59#1, %59#2, %72) <{callee = @log_softmax_1}> : (tensor<5x7xf32>, tensor<5x1xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %74 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %75 = "stablehlo.reduce"(%73, %74) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg31: tensor<f32>, %arg32: tensor<f32>):
      %132 = "stablehlo.add"(%arg31, %arg32) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%132) : (tensor<f32>) -> ()
    }) : (tensor<5x7xf32>, tensor<f32>) -> tensor<7xf32>
    %76 = "stablehlo.reshape"(%75) : (tensor<7xf32>) -> tensor<1x7xf32>
    %77 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %78 = "stablehlo.reduce"(%76, %77) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
      %131 = "stablehlo.add"(%arg29, %arg30) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%131) : (tensor<f32>) -> ()
    }) : (tensor<1x7xf32>, tensor<f32>) -> tensor<7xf32>
    %79 = "stablehlo.dot_general"(%73, %49) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x7xf32>, tensor<5x24xf32>) -> tensor<7x24xf32>
    %80 = "stablehlo.transpose"(%79) <{permutation = array<i64: 1, 0>}> : (tensor<7x24xf32>) -> tensor<24x7xf32>
    %81 = "stablehlo.dot_general"(%73, %arg18) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x7xf32>, tensor<24x7xf32>) -> tensor<5x24xf32>
    %82 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %83 = "stablehlo.broadcast_in_dim"(%82) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x24xf32>
    %84 = "stablehlo.select"(%52, %81, %83) : (tensor<5x24xi1>, tensor<5x24xf32>, tensor<5x24xf32>) -> tensor<5x24xf32>
    %85 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %86 = "stablehlo.reduce"(%84, %85) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg27: tensor<f32>, %arg28: tensor<f32>):
      %130 = "stablehlo.add"(%arg27, %arg28) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%130) : (tensor<f32>) -> ()
    }) : (tensor<5x24xf32>, tensor<f32>) -> tensor<24xf32>
    %87 = "stablehlo.reshape"(%86) : (tensor<24xf32>) -> tensor<1x24xf32>
    %88 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %89 = "stablehlo.reduce"(%87, %88) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %129 = "stablehlo.add"(%arg25, %arg26) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%129) : (tensor<f32>) -> ()
    }) : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %90 = "stablehlo.dot_general"(%84, %39) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x24xf32>, tensor<5x32xf32>) -> tensor<24x32xf32>
    %91 = "stablehlo.transpose"(%90) <{permutation = array<i64: 1, 0>}> : (tensor<24x32xf32>) -> tensor<32x24xf32>
    %92 = "stablehlo.dot_general"(%84, %arg16) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x24xf32>, tensor<32x24xf32>) -> tensor<5x32xf32>
    %93 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %94 = "stablehlo.broadcast_in_dim"(%93) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x32xf32>
    %95 = "stablehlo.select"(%42, %92, %94) : (tensor<5x32xi1>, tensor<5x32xf32>, tensor<5x32xf32>) -> tensor<5x32xf32>
    %96 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %97 = "stablehlo.reduce"(%95, %96) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg23: tensor<f32>, %arg24: tensor<f32>):
      %128 = "stablehlo.add"(%arg23, %arg24) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%128) : (tensor<f32>) -> ()
    }) : (tensor<5x32xf32>, tensor<f32>) -> tensor<32xf32>
    %98 = "stablehlo.reshape"(%97) : (tensor<32xf32>) -> tensor<1x32xf32>
    %99 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %100 = "stablehlo.reduce"(%98, %99) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg21: tensor<f32>, %arg22: tensor<f32>):
      %127 = "stablehlo.add"(%arg21, %arg22) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%127) : (tensor<f32>) -> ()
    }) : (tensor<1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %101 = "stablehlo.dot_general"(%95, %arg20) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<5x32xf32>, tensor<5x12xf32>) -> tensor<32x12xf32>
    %102 = "stablehlo.transpose"(%101) <{permutation = array<i64: 1, 0>}> : (tensor<32x12xf32>) -> tensor<12x32xf32>
    %103 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %104 = "stablehlo.broadcast_in_dim"(%103) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x32xf32>
    %105 = "stablehlo.multiply"(%104, %102) : (tensor<12x32xf32>, tensor<12x32xf32>) -> tensor<12x32xf32>
    %106 = "stablehlo.subtract"(%arg14, %105) : (tensor<12x32xf32>, tensor<12x32xf32>) -> tensor<12x32xf32>
    %107 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %108 = "stablehlo.broadcast_in_dim"(%107) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32xf32>
    %109 = "stablehlo.multiply"(%108, %100) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %110 = "stablehlo.subtract"(%arg15, %109) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %111 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %112 = "stablehlo.broadcast_in_dim"(%111) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x24xf32>
    %113 = "stablehlo.multiply"(%112, %91) : (tensor<32x24xf32>, tensor<32x24xf32>) -> tensor<32x24xf32>
    %114 = "stablehlo.subtract"(%arg16, %113) : (tensor<32x24xf32>, tensor<32x24xf32>) -> tensor<32x24xf32>
    %115 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %116 = "stablehlo.broadcast_in_dim"(%115) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24xf32>
    %117 = "stablehlo.multiply"(%116, %89) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %118 = "stablehlo.subtract"(%arg17, %117) : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %119 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %120 = "stablehlo.broadcast_in_dim"(%119) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<24x7xf32>
    %121 = "stablehlo.multiply"(%120, %80) : (tensor<24x7xf32>, tensor<24x7xf32>) -> tensor<24x7xf32>
    %122 = "stablehlo.subtract"(%arg18, %121) : (tensor<24x7xf32>, tensor<24x7xf32>) -> tensor<24x7xf32>
    %123 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %124 = "stablehlo.broadcast_in_dim"(%123) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<7xf32>
    %125 = "stablehlo.multiply"(%124, %78) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %126 = "stablehlo.subtract"(%arg19, %125) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    "func.return"(%67, %106, %110, %114, %118, %122, %126) : (tensor<f32>, tensor<12x32xf32>, tensor<32xf32>, tensor<32x24xf32>, tensor<24xf32>, tensor<24x7xf32>, tensor<7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<5x32xf32>) -> tensor<5x32xf32>, res_attrs = [{}], sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<5x32xf32>):
    %32 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %33 = "stablehlo.broadcast_in_dim"(%32) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x32xf32>
    %34 = "stablehlo.maximum"(%arg13, %33) : (tensor<5x32xf32>, tensor<5x32xf32>) -> tensor<5x32xf32>
    "func.return"(%34) : (tensor<5x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<5x24xf32>) -> tensor<5x24xf32>, res_attrs = [{}], sym_name = "relu_0", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<5x24xf32>):
    %29 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %30 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5x24xf32>
    %31 = "stablehlo.maximum"(%arg12, %30) : (tensor<5x24xf32>, tensor<5x24xf32>) -> tensor<5x24xf32>
    "func.return"(%31) : (tensor<5x24xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x1xf32>), res_attrs = [{}, {}, {}], sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<5x7xf32>):
    %12 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.reduce"(%arg7, %12) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %28 = "stablehlo.maximum"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%28) : (tensor<f32>) -> ()
    }) : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %14 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<5xf32>
    %16 = "stablehlo.maximum"(%15, %13) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64: 0>}> : (tensor<5xf32>) -> tensor<5x1xf32>
    %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<5x1xf32>) -> tensor<5x7xf32>
    %19 = "stablehlo.subtract"(%arg7, %18) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %20 = "stablehlo.exponential"(%19) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %21 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %22 = "stablehlo.reduce"(%20, %21) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %27 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%27) : (tensor<f32>) -> ()
    }) : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64: 0>}> : (tensor<5xf32>) -> tensor<5x1xf32>
    %24 = "stablehlo.log"(%23) : (tensor<5x1xf32>) -> tensor<5x1xf32>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<5x1xf32>) -> tensor<5x7xf32>
    %26 = "stablehlo.subtract"(%19, %25) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%26, %20, %23) : (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<5x7xf32>, tensor<5x1xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>, res_attrs = [{}], sym_name = "log_softmax_1", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<5x7xf32>, %arg1: tensor<5x1xf32>, %arg2: tensor<5x7xf32>):
    %0 = "stablehlo.negate"(%arg2) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %11 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%11) : (tensor<f32>) -> ()
    }) : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %3 = "stablehlo.reshape"(%2) : (tensor<5xf32>) -> tensor<5x1xf32>
    %4 = "stablehlo.divide"(%3, %arg1) : (tensor<5x1xf32>, tensor<5x1xf32>) -> tensor<5x1xf32>
    %5 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.reduce"(%4, %5) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %10 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%10) : (tensor<f32>) -> ()
    }) : (tensor<5x1xf32>, tensor<f32>) -> tensor<5xf32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64: 0>}> : (tensor<5xf32>) -> tensor<5x7xf32>
    %8 = "stablehlo.multiply"(%7, %arg0) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %9 = "stablehlo.add"(%arg2, %8) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    "func.return"(%9) : (tensor<5x7xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
