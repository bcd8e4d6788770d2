// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(schedule-build-host-program,host.func(canonicalize,cse,schedule-free-buffers,schedule-synchronize-streams),schedule-verify-host)' | FileCheck %s

// Queue 0 of the default device is the call's stream, queue 2 its second extra one; of another device queue 1 is stream 1.
// A buffer is freed on the queue that writes it. One wait where the queues meet.

module attributes {device.default = #device.affinity<@a>} {
device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
flow.executable private @f {
  func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
// CHECK-LABEL: host.func @queues
// CHECK-SAME: (%[[S:[a-z0-9]*]]: !host.stream
// CHECK-DAG: %[[A2:.*]] = host.stream on @a 1
// CHECK-DAG: %[[B1:.*]] = host.stream on @b 1
// CHECK: host.dispatch %[[S]], @e(%{{.*}}, %[[V0:[0-9]+]])
// CHECK: host.dispatch %[[A2]], @e(%{{.*}}, %[[V1:[0-9]+]])
// CHECK: host.dispatch %[[A2]], @e(%[[V1]], %[[V2:[0-9]+]])
// CHECK: host.free %[[A2]], %[[V1]]
// CHECK: %[[DONE:.*]] = host.record %[[A2]]
// CHECK-NOT: host.wait %[[S]]
// CHECK: host.wait %[[S]], %[[DONE]]
// CHECK: host.dispatch %[[S]], @f(%[[V0]], %[[V2]],
// CHECK: host.copy %[[B1]],
// CHECK: host.dispatch %[[B1]], @e(
  func.func @queues(%x: tensor<4xf32> {heddle.name = "x"}) -> (tensor<4xf32> {heddle.name = "y"}) {
    %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
    %1 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a, [2]>} : (tensor<4xf32>) -> (tensor<4xf32>)
    %2 = flow.dispatch @e(%1) {heddle.affinity = #device.affinity<@a, [2]>} : (tensor<4xf32>) -> (tensor<4xf32>)
    %3 = flow.dispatch @f(%0, %2) {heddle.affinity = #device.affinity<@a, [0]>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %4 = flow.transfer %3 : tensor<4xf32> to #device.affinity<@b, [1]>
    %5 = flow.dispatch @e(%4) {heddle.affinity = #device.affinity<@b, [1]>} : (tensor<4xf32>) -> (tensor<4xf32>)
    return %5 : tensor<4xf32>
  }
}
