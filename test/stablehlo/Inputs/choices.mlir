// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"builtin.module"() <{sym_name = "jit_choices"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<5xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.clamp"(%0, %arg0, %1) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %62 = "stablehlo.sine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%62) : (tensor<5xf32>) -> ()
    }, {
      %61 = "stablehlo.cosine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%61) : (tensor<5xf32>) -> ()
    }, {
      %60 = "stablehlo.tanh"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%60) : (tensor<5xf32>) -> ()
    }, {
      %59 = "stablehlo.negate"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%59) : (tensor<5xf32>) -> ()
    }, {
      %58 = "chlo.square"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%58) : (tensor<5xf32>) -> ()
    }) : (tensor<i32>) -> tensor<5xf32>
    %4 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %5 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %6 = "stablehlo.clamp"(%4, %arg1, %5) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %57 = "stablehlo.sine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%57) : (tensor<5xf32>) -> ()
    }, {
      %56 = "stablehlo.cosine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%56) : (tensor<5xf32>) -> ()
    }, {
      %55 = "stablehlo.tanh"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%55) : (tensor<5xf32>) -> ()
    }, {
      %54 = "stablehlo.negate"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%54) : (tensor<5xf32>) -> ()
    }, {
      %53 = "chlo.square"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%53) : (tensor<5xf32>) -> ()
    }) : (tensor<i32>) -> tensor<5xf32>
    %8 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %10 = "stablehlo.clamp"(%8, %arg2, %9) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %11 = "stablehlo.case"(%10) ({
      %52 = "stablehlo.sine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%52) : (tensor<5xf32>) -> ()
    }, {
      %51 = "stablehlo.cosine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%51) : (tensor<5xf32>) -> ()
    }, {
      %50 = "stablehlo.tanh"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%50) : (tensor<5xf32>) -> ()
    }, {
      %49 = "stablehlo.negate"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%49) : (tensor<5xf32>) -> ()
    }, {
      %48 = "chlo.square"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%48) : (tensor<5xf32>) -> ()
    }) : (tensor<i32>) -> tensor<5xf32>
    %12 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %13 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %14 = "stablehlo.clamp"(%12, %arg3, %13) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %15 = "stablehlo.case"(%14) ({
      %47 = "stablehlo.sine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%47) : (tensor<5xf32>) -> ()
    }, {
      %46 = "stablehlo.cosine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%46) : (tensor<5xf32>) -> ()
    }, {
      %45 = "stablehlo.tanh"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%45) : (tensor<5xf32>) -> ()
    }, {
      %44 = "stablehlo.negate"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%44) : (tensor<5xf32>) -> ()
    }, {
      %43 = "chlo.square"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%43) : (tensor<5xf32>) -> ()
    }) : (tensor<i32>) -> tensor<5xf32>
    %16 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %17 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %18 = "stablehlo.clamp"(%16, %arg4, %17) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %19 = "stablehlo.case"(%18) ({
      %42 = "stablehlo.sine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%42) : (tensor<5xf32>) -> ()
    }, {
      %41 = "stablehlo.cosine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%41) : (tensor<5xf32>) -> ()
    }, {
      %40 = "stablehlo.tanh"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%40) : (tensor<5xf32>) -> ()
    }, {
      %39 = "stablehlo.negate"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%39) : (tensor<5xf32>) -> ()
    }, {
      %38 = "chlo.square"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%38) : (tensor<5xf32>) -> ()
    }) : (tensor<i32>) -> tensor<5xf32>
    %20 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %21 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %22 = "stablehlo.clamp"(%20, %arg5, %21) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %23 = "stablehlo.case"(%22) ({
      %37 = "stablehlo.sine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%37) : (tensor<5xf32>) -> ()
    }, {
      %36 = "stablehlo.cosine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%36) : (tensor<5xf32>) -> ()
    }, {
      %35 = "stablehlo.tanh"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%35) : (tensor<5xf32>) -> ()
    }, {
      %34 = "stablehlo.negate"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%34) : (tensor<5xf32>) -> ()
    }, {
      %33 = "chlo.square"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%33) : (tensor<5xf32>) -> ()
    }) : (tensor<i32>) -> tensor<5xf32>
    %24 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %25 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %26 = "stablehlo.clamp"(%24, %arg6, %25) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %27 = "stablehlo.case"(%26) ({
      %32 = "stablehlo.sine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%32) : (tensor<5xf32>) -> ()
    }, {
      %31 = "stablehlo.cosine"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%31) : (tensor<5xf32>) -> ()
    }, {
      %30 = "stablehlo.tanh"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%30) : (tensor<5xf32>) -> ()
    }, {
      %29 = "stablehlo.negate"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%29) : (tensor<5xf32>) -> ()
    }, {
      %28 = "chlo.square"(%arg7) : (tensor<5xf32>) -> tensor<5xf32>
      "stablehlo.return"(%28) : (tensor<5xf32>) -> ()
    }) : (tensor<i32>) -> tensor<5xf32>
    "func.return"(%3, %7, %11, %15, %19, %23, %27) : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
