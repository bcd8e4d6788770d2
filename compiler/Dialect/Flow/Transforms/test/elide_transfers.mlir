// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --flow-elide-transfers --split-input-file | FileCheck %s
// RUN: heddle-opt %s --flow-elide-transfers=by-cost --split-input-file | FileCheck %s --check-prefix=COST

// On one device nothing goes anywhere.

device.global @a = #device.ordinal<0>
// CHECK-LABEL: func @one
// CHECK-NEXT: arith.negf %arg0
// CHECK-NEXT: return
func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.transfer %x : tensor<4xf32> to #device.affinity<@a>
  %1 = arith.negf %0 : tensor<4xf32>
  %2 = flow.transfer %1 : tensor<4xf32> to #device.affinity<@a>
  return %2 : tensor<4xf32>
}

// -----

// Unless queues are named: what ends a set stays, what has none before goes.

device.global @a = #device.ordinal<0>
// CHECK-LABEL: func @queues
// CHECK-NEXT: %[[NEG:.*]] = arith.negf %arg0
// CHECK-NEXT: %[[Q:.*]] = flow.transfer %[[NEG]] {{.*}} to #device.affinity<@a, [1]>
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[Q]]
// CHECK-NEXT: flow.transfer %[[EXP]] {{.*}} to #device.affinity<@a>
func.func @queues(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.transfer %x : tensor<4xf32> to #device.affinity<@a>
  %1 = arith.negf %0 : tensor<4xf32>
  %2 = flow.transfer %1 : tensor<4xf32> to #device.affinity<@a, [1]>
  %3 = math.exp %2 : tensor<4xf32>
  %4 = flow.transfer %3 : tensor<4xf32> to #device.affinity<@a>
  return %4 : tensor<4xf32>
}

// -----

// On several: the first transfer of an argument that may be anywhere pins, those behind it say nothing new. For placement
// by cost each holds its users; only a transfer of a transfer does not.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @chain
// CHECK-NEXT: %[[PIN:.*]] = flow.transfer %arg0
// CHECK-NEXT: %[[NEG:.*]] = arith.negf %[[PIN]]
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[NEG]]
// CHECK-NEXT: return %[[EXP]]
// COST-LABEL: func @chain
// COST-NEXT: flow.transfer
// COST-NEXT: arith.negf
// COST-NEXT: flow.transfer
// COST-NEXT: math.exp
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.transfer %x : tensor<4xf32> to #device.affinity<@b>
  %1 = flow.transfer %0 : tensor<4xf32> to #device.affinity<@b>
  %2 = arith.negf %1 : tensor<4xf32>
  %3 = flow.transfer %2 : tensor<4xf32> to #device.affinity<@b>
  %4 = math.exp %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// A value that is where it is by competition, by its users or by default, and a constant, keep what pins them.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @needed
// CHECK: flow.transfer %cst
// CHECK: arith.addf
// CHECK: %[[SUM:.*]] = arith.subf
// CHECK-NEXT: flow.transfer %[[SUM]]
// CHECK: %[[FREE:.*]] = math.exp %arg2
// CHECK-NEXT: flow.transfer %[[FREE]]
func.func @needed(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}, %y: tensor<4xf32> {heddle.affinity = #device.affinity<@b>},
                  %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %cst = arith.constant dense<1.0> : tensor<4xf32>
  %0 = flow.transfer %cst : tensor<4xf32> to #device.affinity<@a>
  %1 = arith.addf %0, %0 : tensor<4xf32>
  %2 = arith.subf %x, %y : tensor<4xf32>
  %3 = flow.transfer %2 : tensor<4xf32> to #device.affinity<@a>
  %4 = math.exp %z : tensor<4xf32>
  %5 = flow.transfer %4 : tensor<4xf32> to #device.affinity<@a>
  return %1, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Around a loop a value may be there only because of the transfer itself.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @loop
// CHECK: scf.for
// CHECK-NEXT: %[[NEG:.*]] = arith.negf
// CHECK-NEXT: %[[PIN:.*]] = flow.transfer %[[NEG]]
// CHECK-NEXT: scf.yield %[[PIN]]
// CHECK: scf.for
// CHECK-NEXT: %[[EXP:.*]] = math.exp
// CHECK-NEXT: scf.yield %[[EXP]]
func.func @loop(%n: index, %x: tensor<4xf32> {heddle.affinity = #device.affinity<@b>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant dense<1.0> : tensor<4xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %cst) -> tensor<4xf32> {
    %1 = arith.negf %v : tensor<4xf32>
    %2 = flow.transfer %1 : tensor<4xf32> to #device.affinity<@b>
    scf.yield %2 : tensor<4xf32>
  }
  %3 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<4xf32> {
    %4 = math.exp %v : tensor<4xf32>
    %5 = flow.transfer %4 : tensor<4xf32> to #device.affinity<@b>
    scf.yield %5 : tensor<4xf32>
  }
  return %0, %3 : tensor<4xf32>, tensor<4xf32>
}
