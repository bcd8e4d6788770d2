// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --flow-materialize-transfers --split-input-file --verify-diagnostics | FileCheck %s

// The sum of values of two devices is computed on one of them, and that stands in the program from here on. The transfer
// that pins stays, the constant is not touched.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @competing
// CHECK: %[[A:.*]] = arith.negf %arg0
// CHECK: %[[P:.*]] = flow.transfer %arg0 : {{.*}} to #device.affinity<@b>
// CHECK: %[[B:.*]] = arith.addf %[[P]], %cst
// CHECK: %[[BA:.*]] = flow.transfer %[[B]] : {{.*}} to #device.affinity<@a> {heddle.placed_by = "cheapest of several"}
// CHECK: arith.addf %[[A]], %[[BA]]
func.func @competing(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) -> tensor<4xf32> {
  %cst = arith.constant dense<1.0> : tensor<4xf32>
  %0 = arith.negf %x : tensor<4xf32>
  %1 = flow.transfer %x : tensor<4xf32> to #device.affinity<@b>
  %2 = arith.addf %1, %cst : tensor<4xf32>
  // expected-remark @+1 {{may run on @a or @b, where its neighbours are; takes @a, the cheapest to move to (ties: the one declared first); an affinity of its own would decide}}
  %3 = arith.addf %0, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Through the body of an op: a gather reads a table of another device.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @gather
// CHECK: %[[D:.*]] = tensor.dim %arg1
// CHECK: %[[T:.*]] = flow.transfer %arg1{%[[D]]} {{.*}} to #device.affinity<@b>
// CHECK: linalg.generic
// CHECK: tensor.extract %[[T]]
func.func @gather(%indices: tensor<4xi32>, %table: tensor<?xf32> {heddle.affinity = #device.affinity<@a>}) -> tensor<4xf32> {
  %0 = flow.transfer %indices : tensor<4xi32> to #device.affinity<@b>
  %empty = tensor.empty() : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"],
                       heddle.affinity = #device.affinity<@b>} ins(%0 : tensor<4xi32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: i32, %out: f32):
    %i = arith.index_cast %in : i32 to index
    %e = tensor.extract %table[%i] : tensor<?xf32>
    linalg.yield %e : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @+1 {{belongs on @gpu, which is not a device.global}}
func.func @unknown(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@gpu>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
