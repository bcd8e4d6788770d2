// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-hoist-constants | FileCheck %s

// CHECK: flow.parameter private @constant : tensor<2xf32> = dense<[1.000000e+00, 2.000000e+00]>
// CHECK-LABEL: @main
// CHECK: %[[P:.*]] = flow.parameter.load @constant : tensor<2xf32>
// CHECK: %[[Q:.*]] = flow.parameter.load @constant : tensor<2xf32>
// CHECK: %[[C:.*]] = arith.constant 3.000000e+00 : f32
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[F:.*]] = linalg.fill ins(%[[C]] : f32) outs(%[[E]] : tensor<4xf32>)
// CHECK: return %[[P]], %[[Q]], %[[F]]
func.func @main() -> (tensor<2xf32>, tensor<2xf32>, tensor<4xf32>) {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = arith.constant dense<3.0> : tensor<4xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<4xf32>
}
