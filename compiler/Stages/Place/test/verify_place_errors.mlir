// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --place-verify --verify-diagnostics --split-input-file

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has no device after placement}}
  %0 = flow.dispatch @e(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{belongs on @a, which is not a device.global}}
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
device.global @b = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
  // expected-error @+1 {{runs on @b but reads a value of #device.affinity<@a> without a flow.transfer}}
  %1 = flow.dispatch @e(%0) {heddle.affinity = #device.affinity<@b>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %1 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
flow.parameter private @w : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @main() -> tensor<4xf32> {
  %w = flow.parameter.load @w {heddle.affinity = #device.affinity<@a>} : tensor<4xf32>
  // expected-error @+1 {{runs on @b but reads a value of #device.affinity<@a> without a flow.transfer}}
  %0 = flow.dispatch @e(%w) {heddle.affinity = #device.affinity<@b>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {heddle.affinity = #device.affinity<@b>}) {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
  // expected-error @+1 {{hands a value on to @b of #device.affinity<@a> without a flow.transfer}}
  return %0 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{may still be issued on several queues, #device.affinity<@a, [0, 1]>: run place-assign-queues first}}
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a, [0, 1]>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
