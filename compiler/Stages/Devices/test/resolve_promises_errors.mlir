// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --devices-resolve-promises

device.global @cpu = #device.alias<"local">
device.global @gpu = #device.alias<"vulkan">
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{is promised the device @gpuu, which is not declared; declared: @cpu, @gpu; did you mean '@gpu'?}}
  %0 = arith.addf %x, %x {heddle.affinity = #device.promise<@gpuu>} : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// expected-error @+1 {{is promised the device @other, which is not declared; declared: @cpu, @gpu}}
func.func private @f(tensor<2xf32> {heddle.affinity = #device.promise<@other>})

// -----

// expected-error @+1 {{is promised the device @a, which is not declared; declared: none}}
func.func private @f() attributes {test.list = [[#device.promise<@a>]]}
