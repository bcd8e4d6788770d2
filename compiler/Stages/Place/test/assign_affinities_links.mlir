// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --place-assign-affinities --place-verify --split-input-file --verify-diagnostics | FileCheck %s

// One memory: no transfer is left, and none is missing.

// CHECK-LABEL: func @unified
// CHECK-NOT: flow.transfer
// CHECK: flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@b>
// CHECK-NOT: flow.transfer
// CHECK: return
module attributes {device.topology = #device.topology<[#device.link<@a -> @b, {unified}>, #device.link<@b -> @a, {unified}>]>} {
device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
func.func @unified(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) -> (tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) {
  %0 = flow.transfer %x : tensor<4xf32> to #device.affinity<@b>
  %1 = flow.dispatch @e(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  return %1 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
}

// -----

// Over a transparent link what is only read stays where it is; what leaves the function is brought.

// CHECK-LABEL: func @transparent
// CHECK: %[[R:.*]] = flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@b>
// CHECK: %[[T:.*]] = flow.transfer %[[R]] : tensor<4xf32> to #device.affinity<@a>
// CHECK: return %[[T]]
module attributes {device.topology = #device.topology<[#device.link<@a -> @b, {transparent}>, #device.link<@b -> @a, {transparent}>]>} {
device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
func.func @transparent(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) -> (tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) {
  %0 = flow.transfer %x : tensor<4xf32> to #device.affinity<@b>
  %1 = flow.dispatch @e(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  return %1 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
}

// -----

// Any of several devices: the one that costs least to move to, by the links.

// CHECK-LABEL: func @any
// CHECK: flow.dispatch @e({{.*}}) {heddle.affinity = #device.affinity<@c>
module attributes {device.topology = #device.topology<[#device.link<@a -> @b, {latency_us = 50}>, #device.link<@a -> @c, {latency_us = 5}>]>} {
device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
device.global @c = #device.ordinal<2>
func.func @any(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) -> tensor<4xf32> {
  // expected-remark @+1 {{may run on @b or @c, where its neighbours are; takes @c}}
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.optimal<[#device.affinity<@b>, #device.affinity<@c>]>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
}

// -----

// One way only: @b may read what @a has, but a loop that @b computes keeps its values on @b, from the first on.

// CHECK-LABEL: func @one_way
// CHECK: %[[T:.*]] = flow.transfer %arg0 : tensor<4xf32> to #device.affinity<@b>
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %[[T]])
// CHECK-NOT: flow.transfer
// CHECK: flow.dispatch @e(%[[P]]) {heddle.affinity = #device.affinity<@b>
// CHECK: %[[S:.*]] = flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@b>
// CHECK: return %{{.*}}, %[[S]]
module attributes {device.topology = #device.topology<[#device.link<@a -> @b, {unified}>]>} {
device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
func.func @one_way(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) -> (tensor<4xf32> {heddle.affinity = #device.affinity<@b>}, tensor<4xf32> {heddle.affinity = #device.affinity<@b>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %x) -> (tensor<4xf32>) {
    %t = flow.transfer %p : tensor<4xf32> to #device.affinity<@b>
    %0 = flow.dispatch @e(%t) : (tensor<4xf32>) -> (tensor<4xf32>)
    scf.yield %0 : tensor<4xf32>
  } {heddle.affinity = #device.affinity<@b>}
  %s = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@b>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
}
