// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-place-globals --split-input-file | FileCheck %s

// Where the global says, else on the default device; other values are left alone.
device.global @a = #device.alias<"local">
device.global @b = #device.alias<"local">
flow.global private @n : tensor<4xf32> {heddle.affinity = #device.affinity<@b>}
flow.global private @m : tensor<4xf32>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32> {heddle.affinity = #device.affinity<@b>, heddle.state = @n},
// CHECK-SAME: %{{.*}}: tensor<4xf32> {heddle.affinity = #device.affinity<@a>, heddle.state = @m})
// CHECK-SAME: -> (tensor<4xf32> {heddle.affinity = #device.affinity<@b>, heddle.state = @n})
func.func @main(%x: tensor<4xf32>, %n: tensor<4xf32> {heddle.state = @n}, %m: tensor<4xf32> {heddle.state = @m})
    -> (tensor<4xf32> {heddle.state = @n}) {
  return %n : tensor<4xf32>
}

// -----

// One device: nothing to say.
device.global @a = #device.alias<"local">
flow.global private @n : tensor<4xf32>
// CHECK-LABEL: func.func @main(%arg0: tensor<4xf32> {heddle.state = @n})
func.func @main(%n: tensor<4xf32> {heddle.state = @n}) -> tensor<4xf32> {
  return %n : tensor<4xf32>
}
