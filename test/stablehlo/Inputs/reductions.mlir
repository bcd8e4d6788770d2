// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_reductions"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x5x6xf32>, tensor<4x9xi32>, tensor<4x5xi1>) -> (tensor<f32>, tensor<5x6xf32>, tensor<4xf32>, tensor<4x5xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4xi32>, tensor<i32>, tensor<4xi1>, tensor<i1>, tensor<4x6xi32>, tensor<5x6xi32>, tensor<4xi32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<5x6xf32>, tensor<4x6xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}, {jax.result_info = "result[11]"}, {jax.result_info = "result[12]"}, {jax.result_info = "result[13]"}, {jax.result_info = "result[14]"}, {jax.result_info = "result[15]"}, {jax.result_info = "result[16]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg29: tensor<4x5x6xf32>, %arg30: tensor<4x9xi32>, %arg31: tensor<4x5xi1>):
    %71 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %72 = "stablehlo.reduce"(%arg29, %71) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg54: tensor<f32>, %arg55: tensor<f32>):
      %132 = "stablehlo.add"(%arg54, %arg55) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%132) : (tensor<f32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<f32>) -> tensor<f32>
    %73 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %74 = "stablehlo.reduce"(%arg29, %73) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg52: tensor<f32>, %arg53: tensor<f32>):
      %131 = "stablehlo.add"(%arg52, %arg53) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%131) : (tensor<f32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<f32>) -> tensor<5x6xf32>
    %75 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %76 = "stablehlo.reduce"(%arg29, %75) <{dimensions = array<i64: 1, 2>}> ({
    ^bb0(%arg50: tensor<f32>, %arg51: tensor<f32>):
      %130 = "stablehlo.add"(%arg50, %arg51) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%130) : (tensor<f32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<f32>) -> tensor<4xf32>
    %77 = "stablehlo.constant"() <{value = dense<3.000000e+01> : tensor<f32>}> : () -> tensor<f32>
    %78 = "stablehlo.broadcast_in_dim"(%77) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %79 = "stablehlo.divide"(%76, %78) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %80 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %81 = "stablehlo.reduce"(%arg29, %80) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg48: tensor<f32>, %arg49: tensor<f32>):
      %129 = "stablehlo.maximum"(%arg48, %arg49) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%129) : (tensor<f32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<f32>) -> tensor<4x5xf32>
    %82 = "stablehlo.constant"() <{value = dense<0x7F800000> : tensor<f32>}> : () -> tensor<f32>
    %83 = "stablehlo.reduce"(%arg29, %82) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg46: tensor<f32>, %arg47: tensor<f32>):
      %128 = "stablehlo.minimum"(%arg46, %arg47) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%128) : (tensor<f32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<f32>) -> tensor<6xf32>
    %84 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %85 = "stablehlo.reduce"(%arg29, %84) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg44: tensor<f32>, %arg45: tensor<f32>):
      %127 = "stablehlo.multiply"(%arg44, %arg45) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%127) : (tensor<f32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %86 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %87 = "stablehlo.reduce"(%arg30, %86) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg42: tensor<i32>, %arg43: tensor<i32>):
      %126 = "stablehlo.add"(%arg42, %arg43) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%126) : (tensor<i32>) -> ()
    }) : (tensor<4x9xi32>, tensor<i32>) -> tensor<4xi32>
    %88 = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
    %89 = "stablehlo.reduce"(%arg30, %88) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg40: tensor<i32>, %arg41: tensor<i32>):
      %125 = "stablehlo.maximum"(%arg40, %arg41) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%125) : (tensor<i32>) -> ()
    }) : (tensor<4x9xi32>, tensor<i32>) -> tensor<i32>
    %90 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %91 = "stablehlo.reduce"(%arg31, %90) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg38: tensor<i1>, %arg39: tensor<i1>):
      %124 = "stablehlo.or"(%arg38, %arg39) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%124) : (tensor<i1>) -> ()
    }) : (tensor<4x5xi1>, tensor<i1>) -> tensor<4xi1>
    %92 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %93 = "stablehlo.reduce"(%arg31, %92) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg36: tensor<i1>, %arg37: tensor<i1>):
      %123 = "stablehlo.and"(%arg36, %arg37) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%123) : (tensor<i1>) -> ()
    }) : (tensor<4x5xi1>, tensor<i1>) -> tensor<i1>
    %94 = "func.call"(%arg29) <{callee = @argmax}> : (tensor<4x5x6xf32>) -> tensor<4x6xi32>
    %95 = "func.call"(%arg29) <{callee = @argmin}> : (tensor<4x5x6xf32>) -> tensor<5x6xi32>
    %96 = "func.call"(%arg30) <{callee = @argmax_0}> : (tensor<4x9xi32>) -> tensor<4xi32>
    %97 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %98 = "stablehlo.reduce"(%arg29, %97) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg34: tensor<f32>, %arg35: tensor<f32>):
      %122 = "stablehlo.maximum"(%arg34, %arg35) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%122) : (tensor<f32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<f32>) -> tensor<4x5xf32>
    %99 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %100 = "stablehlo.broadcast_in_dim"(%99) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %101 = "stablehlo.maximum"(%100, %98) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %102 = "stablehlo.is_finite"(%101) : (tensor<4x5xf32>) -> tensor<4x5xi1>
    %103 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %104 = "stablehlo.broadcast_in_dim"(%103) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x5xf32>
    %105 = "stablehlo.select"(%102, %101, %104) : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %106 = "stablehlo.broadcast_in_dim"(%105) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x5xf32>) -> tensor<4x5x1xf32>
    %107 = "stablehlo.broadcast_in_dim"(%106) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x5x1xf32>) -> tensor<4x5x6xf32>
    %108 = "stablehlo.subtract"(%arg29, %107) : (tensor<4x5x6xf32>, tensor<4x5x6xf32>) -> tensor<4x5x6xf32>
    %109 = "stablehlo.exponential"(%108) : (tensor<4x5x6xf32>) -> tensor<4x5x6xf32>
    %110 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %111 = "stablehlo.reduce"(%109, %110) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg32: tensor<f32>, %arg33: tensor<f32>):
      %121 = "stablehlo.add"(%arg32, %arg33) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%121) : (tensor<f32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<f32>) -> tensor<4x5xf32>
    %112 = "stablehlo.sign"(%111) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %113 = "stablehlo.abs"(%111) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %114 = "stablehlo.log"(%113) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %115 = "stablehlo.add"(%114, %105) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %116 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %117 = "func.call"(%arg29, %116) <{callee = @_var}> : (tensor<4x5x6xf32>, tensor<i32>) -> tensor<4x6xf32>
    %118 = "func.call"(%arg29) <{callee = @norm}> : (tensor<4x5x6xf32>) -> tensor<5x6xf32>
    %119 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %120 = "func.call"(%arg29, %119) <{callee = @_std}> : (tensor<4x5x6xf32>, tensor<i32>) -> tensor<4x6xf32>
    "func.return"(%72, %74, %79, %81, %83, %85, %87, %89, %91, %93, %94, %95, %96, %115, %117, %118, %120) : (tensor<f32>, tensor<5x6xf32>, tensor<4xf32>, tensor<4x5xf32>, tensor<6xf32>, tensor<4x6xf32>, tensor<4xi32>, tensor<i32>, tensor<4xi1>, tensor<i1>, tensor<4x6xi32>, tensor<5x6xi32>, tensor<4xi32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<5x6xf32>, tensor<4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x5x6xf32>) -> tensor<4x6xi32>, sym_name = "argmax", sym_visibility = "private"}> ({
  ^bb0(%arg24: tensor<4x5x6xf32>):
    %58 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x5x6xi32>
    %59 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %60 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %61:2 = "stablehlo.reduce"(%arg24, %58, %59, %60) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<i32>, %arg27: tensor<f32>, %arg28: tensor<i32>):
      %62 = "stablehlo.compare"(%arg25, %arg27) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %63 = "stablehlo.compare"(%arg25, %arg25) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %64 = "stablehlo.or"(%62, %63) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %65 = "stablehlo.compare"(%arg25, %arg27) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %66 = "stablehlo.compare"(%arg26, %arg28) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %67 = "stablehlo.and"(%65, %66) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %68 = "stablehlo.or"(%64, %67) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %69 = "stablehlo.select"(%64, %arg25, %arg27) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %70 = "stablehlo.select"(%68, %arg26, %arg28) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%69, %70) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<4x5x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
    "func.return"(%61#1) : (tensor<4x6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x5x6xf32>) -> tensor<5x6xi32>, sym_name = "argmin", sym_visibility = "private"}> ({
  ^bb0(%arg19: tensor<4x5x6xf32>):
    %45 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4x5x6xi32>
    %46 = "stablehlo.constant"() <{value = dense<0x7F800000> : tensor<f32>}> : () -> tensor<f32>
    %47 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %48:2 = "stablehlo.reduce"(%arg19, %45, %46, %47) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<i32>, %arg22: tensor<f32>, %arg23: tensor<i32>):
      %49 = "stablehlo.compare"(%arg20, %arg22) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %50 = "stablehlo.compare"(%arg20, %arg20) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %51 = "stablehlo.or"(%49, %50) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %52 = "stablehlo.compare"(%arg20, %arg22) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %53 = "stablehlo.compare"(%arg21, %arg23) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %54 = "stablehlo.and"(%52, %53) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %55 = "stablehlo.or"(%51, %54) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %56 = "stablehlo.select"(%51, %arg20, %arg22) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %57 = "stablehlo.select"(%55, %arg21, %arg23) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%56, %57) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<4x5x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<5x6xf32>, tensor<5x6xi32>)
    "func.return"(%48#1) : (tensor<5x6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x9xi32>) -> tensor<4xi32>, sym_name = "argmax_0", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<4x9xi32>):
    %32 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x9xi32>
    %33 = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
    %34 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %35:2 = "stablehlo.reduce"(%arg14, %32, %33, %34) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg15: tensor<i32>, %arg16: tensor<i32>, %arg17: tensor<i32>, %arg18: tensor<i32>):
      %36 = "stablehlo.compare"(%arg15, %arg17) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %37 = "stablehlo.compare"(%arg15, %arg15) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %38 = "stablehlo.or"(%36, %37) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %39 = "stablehlo.compare"(%arg15, %arg17) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %40 = "stablehlo.compare"(%arg16, %arg18) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %41 = "stablehlo.and"(%39, %40) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %42 = "stablehlo.or"(%38, %41) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %43 = "stablehlo.select"(%38, %arg15, %arg17) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      %44 = "stablehlo.select"(%42, %arg16, %arg18) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%43, %44) : (tensor<i32>, tensor<i32>) -> ()
    }) : (tensor<4x9xi32>, tensor<4x9xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
    "func.return"(%35#1) : (tensor<4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x5x6xf32>, tensor<i32>) -> tensor<4x6xf32>, res_attrs = [{}], sym_name = "_var", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<4x5x6xf32>, %arg9: tensor<i32>):
    %10 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %11 = "stablehlo.reduce"(%arg8, %10) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %31 = "stablehlo.add"(%arg12, %arg13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%31) : (tensor<f32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<4x6xf32>) -> tensor<4x1x6xf32>
    %13 = "stablehlo.constant"() <{value = dense<5.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x1x6xf32>
    %15 = "stablehlo.divide"(%12, %14) : (tensor<4x1x6xf32>, tensor<4x1x6xf32>) -> tensor<4x1x6xf32>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<4x1x6xf32>) -> tensor<4x5x6xf32>
    %17 = "stablehlo.subtract"(%arg8, %16) : (tensor<4x5x6xf32>, tensor<4x5x6xf32>) -> tensor<4x5x6xf32>
    %18 = "chlo.square"(%17) : (tensor<4x5x6xf32>) -> tensor<4x5x6xf32>
    %19 = "stablehlo.convert"(%arg9) : (tensor<i32>) -> tensor<f32>
    %20 = "stablehlo.constant"() <{value = dense<5.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %21 = "stablehlo.subtract"(%20, %19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %22 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %23 = "stablehlo.reduce"(%18, %22) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %30 = "stablehlo.add"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%30) : (tensor<f32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %24 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6xf32>
    %25 = "stablehlo.divide"(%23, %24) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %26 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %27 = "stablehlo.compare"(%21, %26) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %28 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %29 = "func.call"(%27, %25, %28) <{callee = @_where}> : (tensor<i1>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    "func.return"(%29) : (tensor<4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<i1>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<i1>, %arg6: tensor<4x6xf32>, %arg7: tensor<f32>):
    %7 = "stablehlo.convert"(%arg7) : (tensor<f32>) -> tensor<f32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6xf32>
    %9 = "stablehlo.select"(%arg5, %arg6, %8) : (tensor<i1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    "func.return"(%9) : (tensor<4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x5x6xf32>) -> tensor<5x6xf32>, res_attrs = [{}], sym_name = "norm", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<4x5x6xf32>):
    %2 = "stablehlo.multiply"(%arg2, %arg2) : (tensor<4x5x6xf32>, tensor<4x5x6xf32>) -> tensor<4x5x6xf32>
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %6 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%6) : (tensor<f32>) -> ()
    }) : (tensor<4x5x6xf32>, tensor<f32>) -> tensor<5x6xf32>
    %5 = "stablehlo.sqrt"(%4) : (tensor<5x6xf32>) -> tensor<5x6xf32>
    "func.return"(%5) : (tensor<5x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x5x6xf32>, tensor<i32>) -> tensor<4x6xf32>, res_attrs = [{}], sym_name = "_std", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x5x6xf32>, %arg1: tensor<i32>):
    %0 = "func.call"(%arg0, %arg1) <{callee = @_var}> : (tensor<4x5x6xf32>, tensor<i32>) -> tensor<4x6xf32>
    %1 = "stablehlo.sqrt"(%0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    "func.return"(%1) : (tensor<4x6xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
