// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --place-assign-queues --split-input-file | FileCheck %s

// Of a set: where most of what is read is made, then where least was issued, then the lowest. The only device's transfers
// were pins and go.

device.global @a = #device.ordinal<0>
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
flow.executable private @f {
  func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
// CHECK-LABEL: func @choose
// CHECK-NOT: flow.transfer
// CHECK: %[[A:.*]] = flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@a, [1]>}
// CHECK: %[[B:.*]] = flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@a, [2]>}
// CHECK: %[[C:.*]] = flow.dispatch @e(%[[B]]) {heddle.affinity = #device.affinity<@a, [2]>}
// CHECK: %[[D:.*]] = flow.dispatch @f(%[[A]], %[[C]]) {heddle.affinity = #device.affinity<@a, [1]>}
// CHECK: flow.dispatch @e(%arg0) :
func.func @choose(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = flow.transfer %x : tensor<4xf32> to #device.affinity<@a, [1, 2]>
  %a = flow.dispatch @e(%p) : (tensor<4xf32>) -> (tensor<4xf32>)
  %b = flow.dispatch @e(%p) : (tensor<4xf32>) -> (tensor<4xf32>)
  %c = flow.dispatch @e(%b) : (tensor<4xf32>) -> (tensor<4xf32>)
  %d = flow.dispatch @f(%a, %c) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %free = flow.dispatch @e(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  return %d, %free : tensor<4xf32>, tensor<4xf32>
}

// -----

// A transfer that crosses keeps its device and gets a queue; what reads it there follows.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
// CHECK-LABEL: func @cross
// CHECK: %[[T:.*]] = flow.transfer %arg0 {{.*}}<@b, [1]>
// CHECK: flow.dispatch @e(%[[T]]) {heddle.affinity = #device.affinity<@b, [1]>}
func.func @cross(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a, [3]>}) -> tensor<4xf32> {
  %t = flow.transfer %x : tensor<4xf32> to #device.affinity<@b, [1, 2]>
  %0 = flow.dispatch @e(%t) : (tensor<4xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
