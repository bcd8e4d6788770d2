// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-capture-sizes | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[D0:.*]] = tensor.dim %arg0, %c0
// CHECK: %[[D1:.*]] = tensor.dim %arg0, %c1
// CHECK: flow.region captured(%arg0) : (tensor<?x?xf32>{%[[D0]], %[[D1]]}) -> (tensor<4xf32>)
func.func @main(%x: tensor<?x?xf32>) -> tensor<4xf32> {
  %r = flow.region -> (tensor<4xf32>) {
    %s = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x?xf32> to tensor<4xf32>
    flow.return %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
