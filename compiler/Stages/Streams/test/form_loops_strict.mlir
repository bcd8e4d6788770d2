// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --streams-form-loops=strict-float=true --split-input-file --verify-diagnostics | FileCheck %s

func.func @sum(%x: tensor<4x100xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{cannot be streamed: --strict-float keeps the order in which floats are combined}}
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4x100xf32>) outs(%y : tensor<4xf32>) dimensions = [1] {heddle.stream = #flow.stream_axis<reduced 0, 2>}
  return %r : tensor<4xf32>
}

// -----

// What does not depend on the order is cut as ever, and every sum along another axis.
// CHECK-LABEL: @others
// CHECK-COUNT-2: heddle.streams
func.func @others(%x: tensor<4x100xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<4x100xf32>) outs(%y : tensor<4xf32>) dimensions = [1] {heddle.stream = #flow.stream_axis<reduced 0, 2>}
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x100xf32>) outs(%y : tensor<4xf32>) dimensions = [1] {heddle.stream = #flow.stream_axis<0, 2>}
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}
