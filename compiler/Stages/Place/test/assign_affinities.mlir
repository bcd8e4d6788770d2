// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --place-assign-affinities --place-verify --split-input-file | FileCheck %s

// Argument on @a, op on @b, result on @a: two transfers, and a value that @b reads three times crosses once.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @there_and_back
// CHECK-SAME: %[[X:.*]]: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}
// CHECK-NEXT: %[[B:.*]] = flow.transfer %[[X]] {{.*}} to #device.affinity<@b>
// CHECK-NEXT: %[[R:.*]] = flow.dispatch @e(%[[B]], %[[B]]) {heddle.affinity = #device.affinity<@b>
// CHECK-NEXT: %[[S:.*]] = flow.dispatch @e(%[[R]], %[[B]]) {heddle.affinity = #device.affinity<@b>
// CHECK-NEXT: %[[A:.*]] = flow.transfer %[[S]] {{.*}} to #device.affinity<@a>
// CHECK-NEXT: return %[[A]]
func.func @there_and_back(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) -> (tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) {
  %0 = flow.dispatch @e(%x, %x) {heddle.affinity = #device.affinity<@b>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %1 = flow.transfer %x : tensor<4xf32> to #device.affinity<@b>
  %2 = flow.dispatch @e(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return %2 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

// A long chain pinned at one end only: all of it is there, and nothing crosses.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @chain
// CHECK-SAME: {heddle.affinity = #device.affinity<@b>}) -> (tensor<4xf32> {heddle.affinity = #device.affinity<@b>})
// CHECK-NOT: flow.transfer
// CHECK-COUNT-3: flow.dispatch @e{{.*}} {heddle.affinity = #device.affinity<@b>
// CHECK-NEXT: return
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.dispatch @e(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %1 = flow.dispatch @e(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = flow.transfer %1 : tensor<4xf32> to #device.affinity<@b>
  %3 = flow.dispatch @e(%2) : (tensor<4xf32>) -> (tensor<4xf32>)
  return %3 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

// A parameter and a splat are copied where they are read, with what is made of them; neither is transferred.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
flow.parameter private @w : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
// CHECK-LABEL: func @constants
// CHECK-DAG: %[[WA:.*]] = flow.parameter.load @w {heddle.affinity = #device.affinity<@a>
// CHECK-DAG: %[[WB:.*]] = flow.parameter.load @w {heddle.affinity = #device.affinity<@b>
// CHECK-DAG: %[[SA:.*]] = flow.dispatch @splat() {heddle.affinity = #device.affinity<@a>
// CHECK-DAG: %[[SB:.*]] = flow.dispatch @splat() {heddle.affinity = #device.affinity<@b>
// CHECK-DAG: %[[VA:.*]] = tensor.expand_shape %[[WA]]
// CHECK-DAG: %[[VB:.*]] = tensor.expand_shape %[[WB]]
// CHECK: %[[RA:.*]] = flow.dispatch @e(%arg0, %[[VA]], %[[SA]])
// CHECK: %[[M:.*]] = flow.transfer %[[RA]]
// CHECK: flow.dispatch @e(%[[M]], %[[VB]], %[[SB]])
// CHECK-NOT: flow.transfer
func.func @constants(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) -> tensor<4xf32> {
  %w = flow.parameter.load @w : tensor<4xf32>
  %v = tensor.expand_shape %w [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
  %s = flow.dispatch @splat() : () -> (tensor<4xf32>)
  %0 = flow.dispatch @e(%x, %v, %s) : (tensor<4xf32>, tensor<1x4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %1 = flow.transfer %0 : tensor<4xf32> to #device.affinity<@b>
  %t = flow.transfer %v : tensor<1x4xf32> to #device.affinity<@b>
  %2 = flow.dispatch @e(%1, %t, %s) : (tensor<4xf32>, tensor<1x4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return %2 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>, %w: tensor<1x4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
flow.executable private @splat {
  func.func @splat() -> tensor<4xf32> {
    %c = arith.constant dense<0.0> : tensor<4xf32>
    return %c : tensor<4xf32>
  }
}

// -----

// Diamond @a, @b, @a with an independent branch: what comes back is read where it is, no transfer of a transfer.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @diamond
// CHECK: %[[L:.*]] = flow.dispatch @e(%arg0) {{.*}}@a
// CHECK: %[[R:.*]] = flow.dispatch @e(%{{.*}}) {{.*}}@b
// CHECK: %[[M:.*]] = flow.transfer %[[R]] {{.*}} to #device.affinity<@a>
// CHECK: flow.dispatch @join(%[[L]], %[[M]], %arg0) {{.*}}@a
func.func @diamond(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) -> tensor<4xf32> {
  %l = flow.dispatch @e(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %b = flow.transfer %x : tensor<4xf32> to #device.affinity<@b>
  %r = flow.dispatch @e(%b) : (tensor<4xf32>) -> (tensor<4xf32>)
  %back = flow.transfer %b : tensor<4xf32> to #device.affinity<@a>
  %j = flow.dispatch @join(%l, %r, %back) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return %j : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
flow.executable private @join {
  func.func @join(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

// Sizes of dynamic dimensions go along.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @sizes
// CHECK: %[[M:.*]] = flow.dimension "m"
// CHECK: flow.transfer %arg0{%[[M]]}
// CHECK: flow.dispatch @e({{.*}}) {{.*}}: (tensor<?x4xf32>{%[[M]]}) -> (tensor<?x4xf32>{%[[M]]})
// CHECK: flow.transfer %{{.*}}{%[[M]]}
// CHECK-NOT: tensor.dim
func.func @sizes(%x: tensor<?x4xf32> {heddle.dims = ["m", ""], heddle.affinity = #device.affinity<@a>}) -> (tensor<?x4xf32> {heddle.affinity = #device.affinity<@a>}) {
  %m = flow.dimension "m"
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@b>} : (tensor<?x4xf32>{%m}) -> (tensor<?x4xf32>{%m})
  return %0 : tensor<?x4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<?x4xf32>) -> tensor<?x4xf32> { return %x : tensor<?x4xf32> }
}

// -----

// One device: only dispatches say so.

device.global @a = #device.ordinal<0>
// CHECK-LABEL: func @one(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@a>} :
func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.dispatch @e(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
