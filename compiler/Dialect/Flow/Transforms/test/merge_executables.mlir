// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --flow-merge-executables | FileCheck %s

// CHECK-LABEL: @main
// CHECK: flow.dispatch @copy_0(
// CHECK: flow.dispatch @copy_0(
// CHECK: flow.dispatch @other_1(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.dispatch @copy_0(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %1 = flow.dispatch @copy_0_0(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = flow.dispatch @other_1(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  return %2 : tensor<4xf32>
}

// CHECK: flow.executable private @copy_0 {
flow.executable private @copy_0 {
  func.func @copy_0(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
}
// CHECK-NOT: @copy_0_0
flow.executable private @copy_0_0 {
  func.func @copy_0_0(%b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }
}
// CHECK: flow.executable private @other_1 {
flow.executable private @other_1 {
  func.func @other_1(%a: tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    return %e : tensor<4xf32>
  }
}
