// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-order-issue | FileCheck %s

device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @b = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }
flow.executable private @g { func.func @g(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }

// What @b does is issued as soon as its operand is there; @a waits for it when nothing else is left.
// CHECK-LABEL: func.func @main(%arg0
// CHECK: %[[X0:.*]] = flow.dispatch @f(%arg0)
// CHECK: %[[T:.*]] = flow.transfer %[[X0]]
// CHECK: %[[Y:.*]] = flow.dispatch @f(%[[T]])
// CHECK: %[[X1:.*]] = flow.dispatch @g(%[[X0]])
// CHECK: %[[X2:.*]] = flow.dispatch @g(%[[X1]])
// CHECK: %[[BACK:.*]] = flow.transfer %[[Y]]
// CHECK: flow.dispatch @f(%[[BACK]])
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = flow.dispatch @f(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
  %1 = flow.dispatch @g(%0) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = flow.transfer %0 : tensor<4xf32> to #device.affinity<@b>
  %3 = flow.dispatch @f(%2) {heddle.affinity = #device.affinity<@b>} : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = flow.transfer %3 : tensor<4xf32> to #device.affinity<@a>
  %5 = flow.dispatch @f(%4) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
  %6 = flow.dispatch @g(%1) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %5, %6 : tensor<4xf32>, tensor<4xf32>
}

// On one device nothing moves.
// CHECK-LABEL: func.func @one
// CHECK: flow.dispatch @g(%{{.*}})
// CHECK: flow.dispatch @f(%{{.*}})
// CHECK: flow.dispatch @g(%arg0)
func.func @one(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = flow.dispatch @g(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %1 = flow.dispatch @f(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = flow.dispatch @g(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// So are those of the default device's other queues, before its own.
// CHECK-LABEL: func.func @queues
// CHECK: %[[X:.*]] = flow.dispatch @f(%arg0) {heddle.affinity = #device.affinity<@a>}
// CHECK: %[[R:.*]] = flow.dispatch @g(%[[X]]) {heddle.affinity = #device.affinity<@a, [1]>}
// CHECK: %[[R1:.*]] = flow.dispatch @g(%[[R]]) {heddle.affinity = #device.affinity<@a, [1]>}
// CHECK: %[[L:.*]] = flow.dispatch @f(%[[X]]) {heddle.affinity = #device.affinity<@a, [0]>}
// CHECK: return %[[L]], %[[R1]]
func.func @queues(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = flow.dispatch @f(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
  %1 = flow.dispatch @f(%0) {heddle.affinity = #device.affinity<@a, [0]>} : (tensor<4xf32>) -> (tensor<4xf32>)
  %2 = flow.dispatch @g(%0) {heddle.affinity = #device.affinity<@a, [1]>} : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = flow.dispatch @g(%2) {heddle.affinity = #device.affinity<@a, [1]>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}
