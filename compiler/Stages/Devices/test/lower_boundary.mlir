// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-lower-boundary | FileCheck %s

device.global @a = #device.alias<"local">
device.global @b = #device.alias<"local">

// CHECK: func.func @main(%[[X:.*]]: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) -> (tensor<4xf32> {heddle.affinity = #device.affinity<@b>}, tensor<4xf32> {heddle.affinity = #device.affinity<@b>})
// CHECK-NOT: flow.import
// CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]]
// CHECK-NOT: flow.export
// CHECK: return %[[Y]], %[[Y]]
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {heddle.affinity = #device.affinity<@b>}) {
  %0 = flow.import %x : tensor<4xf32> to #device.affinity<@a>
  %1 = arith.addf %0, %0 : tensor<4xf32>
  %2 = flow.export %1 : tensor<4xf32> to #device.affinity<@b>
  return %2, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK: func.func @alias(%{{.*}}: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32> {heddle.affinity = #device.affinity<@b>, heddle.donated = 1 : i64}) -> (tensor<4xf32>, tensor<4xf32> {heddle.affinity = #device.affinity<@b>})
// CHECK-NOT: flow.alias
func.func @alias(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.addf %x, %y : tensor<4xf32>
  %i = flow.import %y : tensor<4xf32> to #device.affinity<@b>
  %1 = flow.alias %0 in %i : tensor<4xf32> to #device.affinity<@b>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
