// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-lower-tosa --split-input-file --verify-diagnostics

func.func @no_dimension(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  // expected-error @+1 {{has heddle.stream = #flow.stream_axis<2, 2>, but cannot be streamed: its result has 2 dimensions, and 2 is none of them}}
  %0 = tosa.exp %x {heddle.stream = #flow.stream_axis<2, 2>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

// -----

func.func @nothing_reduced(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  // expected-error @+1 {{cannot be streamed: nothing that it becomes reduces}}
  %0 = tosa.exp %x {heddle.stream = #flow.stream_axis<reduced 0, 2>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

// -----

func.func @nothing_left(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  // expected-error @+1 {{has heddle.stream, but nothing is left of the op that could be streamed}}
  %0 = tosa.identity %x {heddle.stream = #flow.stream_axis<0, 2>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
