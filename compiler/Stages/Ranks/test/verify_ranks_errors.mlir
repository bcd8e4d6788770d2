// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --ranks-verify

device.mesh @m = [x = 2]
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  // expected-error @+1 {{is not in leading form: dim 1}}
  %0 = flow.all_gather %x dim 1 over @m["x"] : tensor<4x8xf32> -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @main(%x: tensor<4x8xf32>) -> tensor<2x16xf32> {
  // expected-error @+1 {{is not in leading form: concat 1}}
  %0 = flow.all_to_all %x split 0 concat 1 over @m["x"] : tensor<4x8xf32> -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}

// -----

device.global @d = #device.ordinal<0>
device.mesh @m = [x = 2]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{names no device}}
  %0 = flow.all_reduce %x sum over @m["x"] : tensor<4xf32>
  return %0 : tensor<4xf32>
}
