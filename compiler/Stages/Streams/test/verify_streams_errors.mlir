// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not heddle-opt %s --streams-verify 2>&1 | FileCheck %s

// A pass that made it anew without its attributes.
func.func @lost(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: error: {{.*}}ran over streams, heddle.streams = #flow.streams<2>, and lost the attribute
  scf.for %i = %c0 to %n step %c1 {
  } loc(fused<#flow.streams<2>>["a"])
  return
}

func.func @mark(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: error: still has heddle.stream = #flow.stream_axis<0, 2>: no loop over streams was made of it
  %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 2>} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
