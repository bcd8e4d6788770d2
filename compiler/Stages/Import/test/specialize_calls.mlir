// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-specialize-calls --split-input-file | FileCheck %s
// RUN: heddle-opt %s --import-specialize-calls --inline --split-input-file | FileCheck %s --check-prefix=INLINED

// A function's affinity, and that of a call where the function states none, is the default of the ops in it.

// CHECK-LABEL: func.func @main
// CHECK: call @stated_0(
// CHECK: call @free_1(
// CHECK: call @free(
// CHECK: func.func private @stated_0
// CHECK-NEXT: arith.muli {{.*}} {heddle.affinity = #device.promise<@b>}
// CHECK-NEXT: arith.addi {{.*}} {heddle.affinity = #device.promise<@c>}
// CHECK-NEXT: return
// CHECK: func.func private @free_1
// CHECK-NEXT: arith.subi {{.*}} {heddle.affinity = #device.promise<@d>}
// INLINED-LABEL: func.func @main
// INLINED-NEXT: arith.muli {{.*}} {heddle.affinity = #device.promise<@b>}
// INLINED-NEXT: arith.addi {{.*}} {heddle.affinity = #device.promise<@c>}
// INLINED-NEXT: arith.subi {{.*}} {heddle.affinity = #device.promise<@d>}
// INLINED-NEXT: arith.subi %{{.*}}, %{{[^ ]*}} : tensor<4xi32>
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = func.call @stated(%x) {heddle.affinity = #device.promise<@d>} : (tensor<4xi32>) -> tensor<4xi32>
  %1 = func.call @free(%0, %y) {heddle.affinity = #device.promise<@d>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = func.call @free(%1, %y) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %2 : tensor<4xi32>
}
func.func private @stated(%x: tensor<4xi32>) -> tensor<4xi32> attributes {heddle.affinity = #device.promise<@b>} {
  %0 = arith.muli %x, %x : tensor<4xi32>
  %1 = arith.addi %0, %0 {heddle.affinity = #device.promise<@c>} : tensor<4xi32>
  return %1 : tensor<4xi32>
}
func.func private @free(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.subi %x, %y : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// Through branches and further calls; a loop's own affinity is the default in it.

// INLINED-LABEL: func.func @main
// INLINED: scf.if
// INLINED-NEXT: arith.muli {{.*}} {heddle.affinity = #device.promise<@b>}
// INLINED: arith.addi {{.*}} {heddle.affinity = #device.promise<@b>}
// INLINED: } {heddle.affinity = #device.promise<@b>}
// INLINED: scf.for
// INLINED-NEXT: arith.muli {{.*}} {heddle.affinity = #device.promise<@c>}
// INLINED: } {heddle.affinity = #device.promise<@c>}
func.func @main(%x: tensor<4xi32>, %c: i1, %n: index) -> tensor<4xi32> {
  %0 = func.call @f(%x, %c, %n) {heddle.affinity = #device.promise<@b>} : (tensor<4xi32>, i1, index) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func private @f(%x: tensor<4xi32>, %c: i1, %n: index) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.if %c -> tensor<4xi32> {
    %1 = arith.muli %x, %x : tensor<4xi32>
    scf.yield %1 : tensor<4xi32>
  } else {
    %2 = func.call @g(%x) : (tensor<4xi32>) -> tensor<4xi32>
    scf.yield %2 : tensor<4xi32>
  }
  %3 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %0) -> tensor<4xi32> {
    %4 = arith.muli %v, %x : tensor<4xi32>
    scf.yield %4 : tensor<4xi32>
  } {heddle.affinity = #device.promise<@c>}
  return %3 : tensor<4xi32>
}
func.func private @g(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.addi %x, %x : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// Arguments and results are brought there; an entry point that is called stays as it is for its callers.

// CHECK-LABEL: func.func @main
// CHECK: call @entry_0
// CHECK-LABEL: func.func @entry(
// CHECK-SAME: %{{.*}}: tensor<?xi32> {heddle.affinity = #device.promise<@b>}
// CHECK-NOT: flow.transfer
// CHECK: return
// CHECK: func.func private @entry_0(%[[X:.*]]: tensor<?xi32>, %{{.*}}: tensor<4xi32>) -> tensor<?xi32>
// CHECK: %[[SIZE:.*]] = tensor.dim %[[X]]
// CHECK: %[[THERE:.*]] = flow.transfer %[[X]]{%[[SIZE]]} : tensor<?xi32> to #device.promise<@b>
// CHECK: %[[MADE:.*]] = arith.muli %[[THERE]], %[[THERE]]
// CHECK: %[[BACK:.*]] = flow.transfer %[[MADE]]{{.*}} to #device.promise<@a>
// CHECK: return %[[BACK]]
func.func @main(%x: tensor<?xi32>, %y: tensor<4xi32>) -> tensor<?xi32> {
  %0 = func.call @entry(%x, %y) : (tensor<?xi32>, tensor<4xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
func.func @entry(%x: tensor<?xi32> {heddle.affinity = #device.promise<@b>}, %y: tensor<4xi32>)
    -> (tensor<?xi32> {heddle.affinity = #device.promise<@a>}) {
  %0 = arith.muli %x, %x : tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// What an entry point says of its callers' memory is a transfer where the program itself calls it.

// CHECK: func.func @entry(
// CHECK: flow.import
// CHECK: flow.alias
// CHECK: func.func private @entry_0
// CHECK-NEXT: %[[IN:.*]] = flow.transfer %arg0 : tensor<4xi32> to #device.promise<@b>
// CHECK-NEXT: %[[MADE:.*]] = arith.muli %[[IN]], %[[IN]]
// CHECK-NEXT: %[[OUT:.*]] = flow.transfer %[[MADE]] : tensor<4xi32> to #device.promise<@a>
// CHECK-NEXT: return %[[OUT]]
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = func.call @entry(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func @entry(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = flow.import %x : tensor<4xi32> to #device.promise<@b>
  %1 = arith.muli %0, %0 : tensor<4xi32>
  %2 = flow.alias %1 in %x : tensor<4xi32> to #device.promise<@a>
  return %2 : tensor<4xi32>
}

// -----

// Ops of the dialect are inlined, and what calls itself does not keep the pass busy.

// INLINED-LABEL: func.func @inlines
// INLINED-NEXT: flow.parameter.load @w
// INLINED-NEXT: arith.mulf
// INLINED-NEXT: call @endless_0
flow.parameter private @w : tensor<4xf32> = dense<[1.0,2.0,3.0,4.0]>
func.func @inlines(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @endless(%0) {heddle.affinity = #device.promise<@b>} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = flow.parameter.load @w : tensor<4xf32>
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @endless(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @endless(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
