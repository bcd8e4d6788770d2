// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-specialize-calls --split-input-file --verify-diagnostics

func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = func.call @f(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func private @f(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{'flow.import' op belongs to an entry point, and @f is private; bring the value to a device by flow.transfer}}
  %0 = flow.import %x : tensor<4xi32> to #device.promise<@b>
  return %0 : tensor<4xi32>
}

// -----

func.func @main(%x: tensor<4xi32>, %n: index) -> tensor<4xi32> {
  %0 = func.call @f(%x, %n) : (tensor<4xi32>, index) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// expected-error @+1 {{argument 1 has a heddle.affinity, which ranked tensors have only, got 'index'}}
func.func private @f(%x: tensor<4xi32>, %n: index {heddle.affinity = #device.promise<@b>}) -> tensor<4xi32> {
  return %x : tensor<4xi32>
}
