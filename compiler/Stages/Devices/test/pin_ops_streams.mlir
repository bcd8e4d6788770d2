// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/streams.txt | FileCheck %s
// RUN: not heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/streams_axis.txt 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/streams_text.txt 2>&1 | FileCheck %s --check-prefix=TEXT

// AXIS: error: {{.*}}has heddle.stream = #flow.stream_axis<1, 4>, but cannot be streamed: its result has 1 dimension, and 1 is none of them
// TEXT: error: {{.*}}streams_text.txt:1: 'stream(rows, 4)' does not give an axis and a number of streams, such as 'stream(0, 4)': expected integer value
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64">]>

// A node that several ops make: those that compute along the dimension take the mark, also through what lies between.
// CHECK-LABEL: @marks
func.func @marks(%x: tensor<6xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %e = tensor.empty() : tensor<6xf32>
  // CHECK: linalg.exp {heddle.stream = #flow.stream_axis<0, 4, parts = 3, granule = 3>}
  %0 = linalg.exp ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32> loc("encoder/mul")
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32> loc("encoder/mul")
  %g = tensor.empty() : tensor<2x3xf32>
  // CHECK: linalg.abs {heddle.stream = #flow.stream_axis<0, 4, parts = 3>}
  %2 = linalg.abs ins(%1 : tensor<2x3xf32>) outs(%g : tensor<2x3xf32>) -> tensor<2x3xf32> loc("encoder/mul")
  // CHECK: linalg.exp {heddle.stream = [#flow.stream_axis<0, 2>, #flow.stream_axis<1, ?, ordered>]}
  %3 = linalg.exp ins(%y : tensor<2x3xf32>) outs(%g : tensor<2x3xf32>) -> tensor<2x3xf32> loc("decoder/exp")
  return %2, %3 : tensor<2x3xf32>, tensor<2x3xf32>
}
// A vector, whose node has no second dimension.
func.func @vector(%x: tensor<6xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %0 = linalg.exp ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32> loc("encoder/exp")
  return %0 : tensor<6xf32>
}
