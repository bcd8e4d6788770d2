// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-lower-tosa | FileCheck %s

// A number is a dimension of the result; what the op becomes takes the mark where it computes along it.
// CHECK-LABEL: @marks
func.func @marks(%x: tensor<6x5xf32>, %a: tensor<1x6x5xf32>, %b: tensor<1x5x4xf32>) -> (tensor<6x5xf32>, tensor<1x6x4xf32>, tensor<6x1xf32>) {
  // CHECK: linalg.generic {{.*}} attrs = {heddle.stream = #flow.stream_axis<1, 2>}
  %0 = tosa.exp %x {heddle.stream = #flow.stream_axis<1, 2>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  // CHECK: linalg.fill ins
  // CHECK: linalg.batch_matmul {heddle.stream = #flow.stream_axis<1, 3, ordered>}
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %1 = tosa.matmul %a, %b, %zp, %zp {heddle.stream = #flow.stream_axis<1, 3, ordered>} : (tensor<1x6x5xf32>, tensor<1x5x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x4xf32>
  // Of a reduced axis it is that of the reduction.
  // CHECK: linalg.reduce
  // CHECK-SAME: dimensions = [1] {heddle.stream = #flow.stream_axis<1, 2, parts = 3>}
  // CHECK: tensor.expand_shape
  %2 = tosa.reduce_sum %x {axis = 1 : i32, heddle.stream = #flow.stream_axis<reduced 0, 2, parts = 3>} : (tensor<6x5xf32>) -> tensor<6x1xf32>
  return %0, %1, %2 : tensor<6x5xf32>, tensor<1x6x4xf32>, tensor<6x1xf32>
}
