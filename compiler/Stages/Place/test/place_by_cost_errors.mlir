// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --place-by-cost --verify-diagnostics

// expected-error @+1 {{no placement fits the devices' memory: parameters take 39.1 KiB, the devices declare @a 10.0 KiB, @b 10.0 KiB; declare more memory, or more devices}}
module {
device.global @a = #device.target<"null", {memory = "10KiB"}, [#device.executable<"null">]>
device.global @b = #device.target<"null", {memory = "10KiB"}, [#device.executable<"null">]>
flow.parameter private @w : tensor<10000xf32> = dense<2.0>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = flow.parameter.load @w : tensor<10000xf32>
  %0 = flow.dispatch @e(%x, %w) : (tensor<4xf32>, tensor<10000xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>, %w: tensor<10000xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
}
