// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_sorting"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x9xf32>, tensor<4x9xi32>) -> (tensor<4x9xf32>, tensor<4x9xi32>, tensor<4x9xi32>, tensor<4x9xi32>, tensor<4x3xf32>, tensor<4x3xi32>, tensor<4xf32>, tensor<4x9xi32>, tensor<4x9xf32>, tensor<36xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4][0]"}, {jax.result_info = "result[4][1]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6][0]"}, {jax.result_info = "result[6][1]"}, {jax.result_info = "result[7]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg29: tensor<4x9xf32>, %arg30: tensor<4x9xi32>):
    %115 = "func.call"(%arg29) <{callee = @sort}> : (tensor<4x9xf32>) -> tensor<4x9xf32>
    %116 = "func.call"(%arg29) <{callee = @argsort}> : (tensor<4x9xf32>) -> tensor<4x9xi32>
    %117 = "func.call"(%arg30) <{callee = @sort_0}> : (tensor<4x9xi32>) -> tensor<4x9xi32>
    %118 = "func.call"(%arg30) <{callee = @argsort_1}> : (tensor<4x9xi32>) -> tensor<4x9xi32>
    %119:2 = "chlo.top_k"(%arg29) <{k = 3 : i64}> : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    %120 = "func.call"(%arg29) <{callee = @median}> : (tensor<4x9xf32>) -> tensor<4xf32>
    %121:2 = "stablehlo.sort"(%arg30, %arg29) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg31: tensor<i32>, %arg32: tensor<i32>, %arg33: tensor<f32>, %arg34: tensor<f32>):
      %125 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %126 = "stablehlo.compare"(%arg33, %125) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %127 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %128 = "stablehlo.select"(%126, %127, %arg33) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %129 = "stablehlo.compare"(%arg33, %arg33) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %130 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %131 = "stablehlo.select"(%129, %130, %128) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %132 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %133 = "stablehlo.compare"(%arg34, %132) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %134 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %135 = "stablehlo.select"(%133, %134, %arg34) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %136 = "stablehlo.compare"(%arg34, %arg34) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %137 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %138 = "stablehlo.select"(%136, %137, %135) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %139 = "stablehlo.compare"(%131, %138) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %140 = "stablehlo.compare"(%arg31, %arg32) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %141 = "stablehlo.compare"(%arg31, %arg32) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %142 = "stablehlo.and"(%141, %139) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %143 = "stablehlo.or"(%140, %142) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%143) : (tensor<i1>) -> ()
    }) : (tensor<4x9xi32>, tensor<4x9xf32>) -> (tensor<4x9xi32>, tensor<4x9xf32>)
    %122 = "stablehlo.reshape"(%arg29) : (tensor<4x9xf32>) -> tensor<36xf32>
    %123 = "func.call"(%122) <{callee = @sort_2}> : (tensor<36xf32>) -> tensor<36xf32>
    %124 = "stablehlo.reverse"(%123) <{dimensions = array<i64: 0>}> : (tensor<36xf32>) -> tensor<36xf32>
    "func.return"(%115, %116, %117, %118, %119#0, %119#1, %120, %121#0, %121#1, %124) : (tensor<4x9xf32>, tensor<4x9xi32>, tensor<4x9xi32>, tensor<4x9xi32>, tensor<4x3xf32>, tensor<4x3xi32>, tensor<4xf32>, tensor<4x9xi32>, tensor<4x9xf32>, tensor<36xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x9xf32>) -> tensor<4x9xf32>, res_attrs = [{}], sym_name = "sort", sym_visibility = "private"}> ({
  ^bb0(%arg26: tensor<4x9xf32>):
    %99 = "stablehlo.sort"(%arg26) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg27: tensor<f32>, %arg28: tensor<f32>):
      %100 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %101 = "stablehlo.compare"(%arg27, %100) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %102 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %103 = "stablehlo.select"(%101, %102, %arg27) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %104 = "stablehlo.compare"(%arg27, %arg27) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %105 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %106 = "stablehlo.select"(%104, %105, %103) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %107 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %108 = "stablehlo.compare"(%arg28, %107) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %109 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %110 = "stablehlo.select"(%108, %109, %arg28) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %111 = "stablehlo.compare"(%arg28, %arg28) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %112 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %113 = "stablehlo.select"(%111, %112, %110) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %114 = "stablehlo.compare"(%106, %113) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%114) : (tensor<i1>) -> ()
    }) : (tensor<4x9xf32>) -> tensor<4x9xf32>
    "func.return"(%99) : (tensor<4x9xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x9xf32>) -> tensor<4x9xi32>, res_attrs = [{}], sym_name = "argsort", sym_visibility = "private"}> ({
  ^bb0(%arg21: tensor<4x9xf32>):
    %82 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x9xi32>
    %83:2 = "stablehlo.sort"(%arg21, %82) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg22: tensor<f32>, %arg23: tensor<f32>, %arg24: tensor<i32>, %arg25: tensor<i32>):
      %84 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %85 = "stablehlo.compare"(%arg22, %84) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %86 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %87 = "stablehlo.select"(%85, %86, %arg22) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %88 = "stablehlo.compare"(%arg22, %arg22) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %89 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %90 = "stablehlo.select"(%88, %89, %87) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %91 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %92 = "stablehlo.compare"(%arg23, %91) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %93 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %94 = "stablehlo.select"(%92, %93, %arg23) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %95 = "stablehlo.compare"(%arg23, %arg23) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %96 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %97 = "stablehlo.select"(%95, %96, %94) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %98 = "stablehlo.compare"(%90, %97) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%98) : (tensor<i1>) -> ()
    }) : (tensor<4x9xf32>, tensor<4x9xi32>) -> (tensor<4x9xf32>, tensor<4x9xi32>)
    "func.return"(%83#1) : (tensor<4x9xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x9xi32>) -> tensor<4x9xi32>, res_attrs = [{}], sym_name = "sort_0", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<4x9xi32>):
    %80 = "stablehlo.sort"(%arg18) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg19: tensor<i32>, %arg20: tensor<i32>):
      %81 = "stablehlo.compare"(%arg19, %arg20) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%81) : (tensor<i1>) -> ()
    }) : (tensor<4x9xi32>) -> tensor<4x9xi32>
    "func.return"(%80) : (tensor<4x9xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x9xi32>) -> tensor<4x9xi32>, res_attrs = [{}], sym_name = "argsort_1", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<4x9xi32>):
    %74 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4x9xi32>
    %75 = "stablehlo.reverse"(%arg13) <{dimensions = array<i64: 0>}> : (tensor<4x9xi32>) -> tensor<4x9xi32>
    %76 = "stablehlo.reverse"(%74) <{dimensions = array<i64: 0>}> : (tensor<4x9xi32>) -> tensor<4x9xi32>
    %77:2 = "stablehlo.sort"(%75, %76) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg14: tensor<i32>, %arg15: tensor<i32>, %arg16: tensor<i32>, %arg17: tensor<i32>):
      %79 = "stablehlo.compare"(%arg14, %arg15) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%79) : (tensor<i1>) -> ()
    }) : (tensor<4x9xi32>, tensor<4x9xi32>) -> (tensor<4x9xi32>, tensor<4x9xi32>)
    %78 = "stablehlo.reverse"(%77#1) <{dimensions = array<i64: 0>}> : (tensor<4x9xi32>) -> tensor<4x9xi32>
    "func.return"(%78) : (tensor<4x9xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x9xf32>) -> tensor<4xf32>, res_attrs = [{}], sym_name = "median", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<4x9xf32>):
    %72 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %73 = "func.call"(%arg12, %72) <{callee = @quantile}> : (tensor<4x9xf32>, tensor<f32>) -> tensor<4xf32>
    "func.return"(%73) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<4x9xf32>, tensor<f32>) -> tensor<4xf32>, res_attrs = [{}], sym_name = "quantile", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<4x9xf32>, %arg7: tensor<f32>):
    %20 = "stablehlo.compare"(%arg6, %arg6) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xi1>
    %21 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %22 = "stablehlo.reduce"(%20, %21) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg10: tensor<i1>, %arg11: tensor<i1>):
      %71 = "stablehlo.or"(%arg10, %arg11) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%71) : (tensor<i1>) -> ()
    }) : (tensor<4x9xi1>, tensor<i1>) -> tensor<4xi1>
    %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi1>) -> tensor<4x1xi1>
    %24 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %25 = "func.call"(%23, %24, %arg6) <{callee = @_where}> : (tensor<4x1xi1>, tensor<f32>, tensor<4x9xf32>) -> tensor<4x9xf32>
    %26 = "stablehlo.sort"(%25) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %56 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %57 = "stablehlo.compare"(%arg8, %56) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %58 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %59 = "stablehlo.select"(%57, %58, %arg8) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %60 = "stablehlo.compare"(%arg8, %arg8) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %61 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %62 = "stablehlo.select"(%60, %61, %59) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %63 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %64 = "stablehlo.compare"(%arg9, %63) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %65 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %66 = "stablehlo.select"(%64, %65, %arg9) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %67 = "stablehlo.compare"(%arg9, %arg9) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %68 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %69 = "stablehlo.select"(%67, %68, %66) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %70 = "stablehlo.compare"(%62, %69) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%70) : (tensor<i1>) -> ()
    }) : (tensor<4x9xf32>) -> tensor<4x9xf32>
    %27 = "stablehlo.constant"() <{value = dense<9.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %28 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %29 = "stablehlo.subtract"(%27, %28) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %30 = "stablehlo.multiply"(%arg7, %29) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %31 = "stablehlo.floor"(%30) : (tensor<f32>) -> tensor<f32>
    %32 = "stablehlo.ceil"(%30) : (tensor<f32>) -> tensor<f32>
    %33 = "stablehlo.subtract"(%30, %31) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %34 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.subtract"(%34, %33) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %36 = "stablehlo.constant"() <{value = dense<9.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %37 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %38 = "stablehlo.subtract"(%36, %37) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %39 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %40 = "stablehlo.clamp"(%39, %31, %38) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %41 = "stablehlo.constant"() <{value = dense<9.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %42 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %43 = "stablehlo.subtract"(%41, %42) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %44 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %45 = "stablehlo.clamp"(%44, %32, %43) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %46 = "stablehlo.convert"(%40) : (tensor<f32>) -> tensor<i32>
    %47 = "stablehlo.convert"(%45) : (tensor<f32>) -> tensor<i32>
    %48 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %49 = "stablehlo.gather"(%26, %48) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1>}> : (tensor<4x9xf32>, tensor<1xi32>) -> tensor<4xf32>
    %50 = "stablehlo.broadcast_in_dim"(%47) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %51 = "stablehlo.gather"(%26, %50) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1>}> : (tensor<4x9xf32>, tensor<1xi32>) -> tensor<4xf32>
    %52 = "stablehlo.add"(%49, %51) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %53 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %54 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %55 = "stablehlo.multiply"(%52, %54) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%55) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<4x1xi1>, tensor<f32>, tensor<4x9xf32>) -> tensor<4x9xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<4x1xi1>, %arg4: tensor<f32>, %arg5: tensor<4x9xf32>):
    %16 = "stablehlo.convert"(%arg4) : (tensor<f32>) -> tensor<f32>
    %17 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xi1>) -> tensor<4x9xi1>
    %18 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x9xf32>
    %19 = "stablehlo.select"(%17, %18, %arg5) : (tensor<4x9xi1>, tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
    "func.return"(%19) : (tensor<4x9xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<36xf32>) -> tensor<36xf32>, res_attrs = [{}], sym_name = "sort_2", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<36xf32>):
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %2 = "stablehlo.compare"(%arg1, %1) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %4 = "stablehlo.select"(%2, %3, %arg1) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %5 = "stablehlo.compare"(%arg1, %arg1) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %7 = "stablehlo.select"(%5, %6, %4) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %8 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %9 = "stablehlo.compare"(%arg2, %8) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %10 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %11 = "stablehlo.select"(%9, %10, %arg2) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %12 = "stablehlo.compare"(%arg2, %arg2) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %13 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
      %14 = "stablehlo.select"(%12, %13, %11) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %15 = "stablehlo.compare"(%7, %14) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%15) : (tensor<i1>) -> ()
    }) : (tensor<36xf32>) -> tensor<36xf32>
    "func.return"(%0) : (tensor<36xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
