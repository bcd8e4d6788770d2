// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --flow-materialize-queues --split-input-file | FileCheck %s

// What reads a value of each queue may be issued on either, and is kept apart from both; what reads values of one queue,
// or of none, follows them. A transfer without queues ends what is followed.

device.global @a = #device.ordinal<0>
// CHECK-LABEL: func @sets
// CHECK: %[[X0:.*]] = flow.transfer %arg0 {{.*}}<@a, [0]>
// CHECK-NEXT: %[[X1:.*]] = flow.transfer %arg0 {{.*}}<@a, [1]>
// CHECK-NEXT: %[[A:.*]] = arith.negf %[[X0]]
// CHECK-NEXT: %[[A01:.*]] = flow.transfer %[[A]] {{.*}}<@a, [0, 1]>
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[X1]], %arg1
// CHECK-NEXT: %[[B01:.*]] = flow.transfer %[[B]] {{.*}}<@a, [0, 1]>
// CHECK-NEXT: %[[C:.*]] = arith.addf %[[A01]], %[[B01]]
// CHECK-NEXT: %[[FREE:.*]] = flow.transfer %[[B]] {{.*}}<@a>
// CHECK-NEXT: arith.addf %[[FREE]], %[[C]]
// CHECK-NOT: flow.transfer
func.func @sets(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %x0 = flow.transfer %x : tensor<4xf32> to #device.affinity<@a, [0]>
  %x1 = flow.transfer %x : tensor<4xf32> to #device.affinity<@a, [1]>
  %a = arith.negf %x0 : tensor<4xf32>
  %b = arith.addf %x1, %y : tensor<4xf32>
  %c = arith.addf %a, %b : tensor<4xf32>
  %free = flow.transfer %b : tensor<4xf32> to #device.affinity<@a>
  %d = arith.addf %free, %c : tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// An argument names its queue, a loop hands it on, and what comes round joins it: the body may be issued on both.

device.global @a = #device.ordinal<0>
// CHECK-LABEL: func @loop
// CHECK: scf.for {{.*}} iter_args(%[[V:.*]] =
// CHECK: %[[V1:.*]] = flow.transfer %[[V]] {{.*}}<@a, [1]>
// CHECK: arith.negf %[[V1]] {heddle.affinity = #device.affinity<@a, [1]>}
func.func @loop(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a, [0]>}, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %0 = arith.negf %v {heddle.affinity = #device.affinity<@a, [1]>} : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Nobody names a queue: nothing changes.

device.global @a = #device.ordinal<0>
// CHECK-LABEL: func @none
// CHECK-NEXT: arith.negf %arg0 {heddle.affinity = #device.affinity<@a>}
func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.negf %x {heddle.affinity = #device.affinity<@a>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
