// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each op of constants is looked at once: there are 8 to the power of 20 ways from the last one to the parameter.
// RUN: heddle-opt %s --place-by-cost | FileCheck %s

device.global @a = #device.target<"null", {gflops = 100, memory_gbps = 20}, [#device.executable<"null">]>
device.global @b = #device.target<"null", {gflops = 100, memory_gbps = 20}, [#device.executable<"null">]>
flow.parameter private @w : tensor<4xi32> = dense<[1, 2, 3, 4]>
flow.executable private @sum {
  func.func @sum(%a: tensor<4xi32>, %b: tensor<4xi32>, %c: tensor<4xi32>, %d: tensor<4xi32>, %e: tensor<4xi32>, %f: tensor<4xi32>, %g: tensor<4xi32>, %h: tensor<4xi32>) -> tensor<4xi32> {
    %0 = arith.addi %a, %b : tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}
// CHECK-LABEL: func @main
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %v0 = flow.parameter.load @w : tensor<4xi32>
  %v1 = flow.dispatch @sum(%v0, %v0, %v0, %v0, %v0, %v0, %v0, %v0) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v2 = flow.dispatch @sum(%v1, %v1, %v1, %v1, %v1, %v1, %v1, %v1) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v3 = flow.dispatch @sum(%v2, %v2, %v2, %v2, %v2, %v2, %v2, %v2) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v4 = flow.dispatch @sum(%v3, %v3, %v3, %v3, %v3, %v3, %v3, %v3) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v5 = flow.dispatch @sum(%v4, %v4, %v4, %v4, %v4, %v4, %v4, %v4) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v6 = flow.dispatch @sum(%v5, %v5, %v5, %v5, %v5, %v5, %v5, %v5) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v7 = flow.dispatch @sum(%v6, %v6, %v6, %v6, %v6, %v6, %v6, %v6) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v8 = flow.dispatch @sum(%v7, %v7, %v7, %v7, %v7, %v7, %v7, %v7) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v9 = flow.dispatch @sum(%v8, %v8, %v8, %v8, %v8, %v8, %v8, %v8) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v10 = flow.dispatch @sum(%v9, %v9, %v9, %v9, %v9, %v9, %v9, %v9) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v11 = flow.dispatch @sum(%v10, %v10, %v10, %v10, %v10, %v10, %v10, %v10) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v12 = flow.dispatch @sum(%v11, %v11, %v11, %v11, %v11, %v11, %v11, %v11) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v13 = flow.dispatch @sum(%v12, %v12, %v12, %v12, %v12, %v12, %v12, %v12) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v14 = flow.dispatch @sum(%v13, %v13, %v13, %v13, %v13, %v13, %v13, %v13) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v15 = flow.dispatch @sum(%v14, %v14, %v14, %v14, %v14, %v14, %v14, %v14) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v16 = flow.dispatch @sum(%v15, %v15, %v15, %v15, %v15, %v15, %v15, %v15) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v17 = flow.dispatch @sum(%v16, %v16, %v16, %v16, %v16, %v16, %v16, %v16) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v18 = flow.dispatch @sum(%v17, %v17, %v17, %v17, %v17, %v17, %v17, %v17) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v19 = flow.dispatch @sum(%v18, %v18, %v18, %v18, %v18, %v18, %v18, %v18) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %v20 = flow.dispatch @sum(%v19, %v19, %v19, %v19, %v19, %v19, %v19, %v19) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  // CHECK: flow.dispatch @sum(%arg0, {{.*}}heddle.affinity
  %r = flow.dispatch @sum(%x, %v20, %v20, %v20, %v20, %v20, %v20, %v20) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  return %r : tensor<4xi32>
}
