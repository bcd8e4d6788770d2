// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-lower-boundary --split-input-file --verify-diagnostics

device.global @a = #device.alias<"local">
device.global @b = #device.alias<"local">
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  // expected-error @+1 {{'flow.import' op takes an argument of an entry point; bring other values to a device by flow.transfer}}
  %1 = flow.import %0 : tensor<4xf32> to #device.affinity<@a>
  return %1 : tensor<4xf32>
}

// -----

device.global @a = #device.alias<"local">
device.global @b = #device.alias<"local">
func.func @main(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@b>}) -> tensor<4xf32> {
  // expected-error @+1 {{'flow.import' op puts argument 0 on #device.affinity<@a>, which is on #device.affinity<@b> already; one device each, flow.transfer brings a value to another}}
  %0 = flow.import %x : tensor<4xf32> to #device.affinity<@a>
  return %0 : tensor<4xf32>
}

// -----

device.global @a = #device.alias<"local">
device.global @b = #device.alias<"local">
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'flow.export' op gives a result of an entry point and is only returned; bring other values to a device by flow.transfer}}
  %0 = flow.export %x : tensor<4xf32> to #device.affinity<@a>
  %1 = arith.addf %0, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  // expected-error @+1 {{'flow.alias' op gives a result of an entry point in the storage of one of its arguments, and is returned once and used for nothing else}}
  %1 = flow.alias %x in %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.addf %x, %x : tensor<4xf32>
  %1 = arith.mulf %x, %x : tensor<4xf32>
  %2 = flow.alias %0 in %x : tensor<4xf32>
  // expected-error @+1 {{'flow.alias' op puts result 1 into argument 0, one of which is state or donated already; each has one storage}}
  %3 = flow.alias %1 in %x : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}
