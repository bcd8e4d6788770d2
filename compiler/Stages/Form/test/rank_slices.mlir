// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --stage-form --split-input-file | FileCheck %s

// A rank's rows of a parameter are taken by the host program; what is cut otherwise, or from a computed value, by the dispatch.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
flow.parameter private @w : tensor<4x8xf32> = dense<1.5>
// CHECK-LABEL: func.func @rows
// CHECK: %[[W:.*]] = flow.parameter.load @w
// CHECK: %[[OWN:.*]] = tensor.extract_slice %[[W]][%{{.*}}, 0] [2, 8] [1, 1]
// CHECK: flow.dispatch @{{.*}}(%{{.*}}%[[OWN]]
func.func @rows(%x: tensor<2x8xf32> {heddle.name = "x"}) -> (tensor<2x8xf32> {heddle.name = "y"}) {
  %c2 = arith.constant 2 : index
  %i = flow.coordinate @m "x"
  %row = arith.muli %i, %c2 : index
  %w = flow.parameter.load @w : tensor<4x8xf32>
  %own = tensor.extract_slice %w[%row, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %e = tensor.empty() : tensor<2x8xf32>
  %y = linalg.add ins(%x, %own : tensor<2x8xf32>, tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// CHECK-LABEL: func.func @columns
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @columns(%x: tensor<4x4xf32> {heddle.name = "x"}) -> (tensor<4x4xf32> {heddle.name = "y"}) {
  %c4 = arith.constant 4 : index
  %i = flow.coordinate @m "x"
  %column = arith.muli %i, %c4 : index
  %w = flow.parameter.load @w : tensor<4x8xf32>
  %own = tensor.extract_slice %w[0, %column] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %y = linalg.add ins(%x, %own : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @computed
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @computed(%x: tensor<4x8xf32> {heddle.name = "x"}) -> (tensor<2x8xf32> {heddle.name = "y"}) {
  %c2 = arith.constant 2 : index
  %i = flow.coordinate @m "x"
  %row = arith.muli %i, %c2 : index
  %own = tensor.extract_slice %x[%row, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %e = tensor.empty() : tensor<2x8xf32>
  %y = linalg.exp ins(%own : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
