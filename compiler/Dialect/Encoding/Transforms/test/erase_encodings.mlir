// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encoding-erase-encodings | FileCheck %s

#e = #encoding.contraction<role = rhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 2, 2], constant>

// CHECK-NOT: #encoding
// CHECK: flow.parameter private @w : tensor<2x2xf32> = dense<2.000000e+00>
flow.parameter private @w : tensor<2x2xf32, #e> = dense<2.0> : tensor<2x2xf32>

// CHECK: func.func @f(%[[X:.*]]: tensor<2x2xf32>, %[[C:.*]]: i1) -> tensor<2x2xf32>
// CHECK-NEXT: %[[W:.*]] = flow.parameter.load @w : tensor<2x2xf32>
// CHECK-NEXT: %[[R:.*]] = scf.if %[[C]] -> (tensor<2x2xf32>)
// CHECK-NEXT: scf.yield %[[X]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[W]]
// CHECK: return %[[R]]
func.func @f(%x: tensor<2x2xf32>, %c: i1) -> tensor<2x2xf32> {
  %w = flow.parameter.load @w : tensor<2x2xf32, #e>
  %a = encoding.set %x : tensor<2x2xf32> -> tensor<2x2xf32, #e>
  %r = scf.if %c -> tensor<2x2xf32, #e> {
    scf.yield %a : tensor<2x2xf32, #e>
  } else {
    scf.yield %w : tensor<2x2xf32, #e>
  }
  %b = encoding.unset %r : tensor<2x2xf32, #e> -> tensor<2x2xf32>
  %d = flow.encode %b : tensor<2x2xf32> -> tensor<2x2xf32, #e>
  %s = encoding.unset %d : tensor<2x2xf32, #e> -> tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}

// CHECK: func.func @executable(%{{.*}}: tensor<2x2xf32>) -> tensor<2x2xf32>
flow.executable private @executable {
  func.func @executable(%a: tensor<2x2xf32, #e>) -> tensor<2x2xf32, #e> {
    return %a : tensor<2x2xf32, #e>
  }
}
