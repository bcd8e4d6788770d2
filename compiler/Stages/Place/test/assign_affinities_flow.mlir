// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --place-assign-affinities --place-verify --split-input-file --verify-diagnostics | FileCheck %s

// What a loop carries has one device; it moves there and back in every iteration when its ops are on two.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @hops
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %arg0)
// CHECK-NEXT: %[[B:.*]] = flow.transfer %[[C]] {{.*}} to #device.affinity<@b>
// CHECK-NEXT: %[[Y:.*]] = flow.dispatch @e(%[[B]]) {{.*}}@b
// CHECK-NEXT: %[[A:.*]] = flow.transfer %[[Y]] {{.*}} to #device.affinity<@a>
// CHECK-NEXT: %[[Z:.*]] = flow.dispatch @e(%[[A]]) {{.*}}@a
// CHECK-NEXT: scf.yield %[[Z]]
func.func @hops(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-warning @+1 {{a value that this loop carries moves from @a to @b and back in every iteration}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<4xf32> {
    %0 = flow.transfer %v : tensor<4xf32> to #device.affinity<@b>
    %1 = flow.dispatch @e(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
    %2 = flow.transfer %1 : tensor<4xf32> to #device.affinity<@a>
    %3 = flow.dispatch @e(%2) : (tensor<4xf32>) -> (tensor<4xf32>)
    scf.yield %3 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

// The loop is on @b as its body is: the argument moves once, before it.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @loop
// CHECK: %[[X:.*]] = flow.transfer %arg0 {{.*}} to #device.affinity<@b>
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %[[X]])
// CHECK-NEXT: flow.dispatch @e(%[[C]]) {{.*}}@b
// CHECK-NEXT: scf.yield
func.func @loop(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{may run on @a or @b, where its neighbours are; takes @b, the cheapest to move to}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<4xf32> {
    %0 = flow.transfer %v : tensor<4xf32> to #device.affinity<@b>
    %1 = flow.dispatch @e(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
    scf.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

// Branches agree on a device; the one on the other device brings its value.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @branch
// CHECK: scf.if
// CHECK-NEXT: %[[L:.*]] = flow.dispatch @e(%{{.*}}) {{.*}}@a
// CHECK-NEXT: scf.yield %[[L]]
// CHECK: %[[R:.*]] = flow.dispatch @e(%{{.*}}) {{.*}}@b
// CHECK-NEXT: %[[T:.*]] = flow.transfer %[[R]] {{.*}} to #device.affinity<@a>
// CHECK-NEXT: scf.yield %[[T]]
func.func @branch(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}, %c: i1) -> (tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) {
  // expected-remark @+1 {{may run on @a or @b}}
  %r = scf.if %c -> tensor<4xf32> {
    %0 = flow.dispatch @e(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    scf.yield %0 : tensor<4xf32>
  } else {
    %1 = flow.transfer %x : tensor<4xf32> to #device.affinity<@b>
    %2 = flow.dispatch @e(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
    scf.yield %2 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

// Through a call, and into both halves of a while.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func private @callee
// CHECK-SAME: %[[P:.*]]: tensor<4xf32> {heddle.affinity = #device.affinity<@b>}) -> (tensor<4xf32> {heddle.affinity = #device.affinity<@b>})
// CHECK: flow.dispatch @e(%[[P]]) {{.*}}@b
func.func private @callee(%p: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.dispatch @e(%p) : (tensor<4xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func @call
// CHECK: scf.while
// CHECK: flow.dispatch @e({{.*}}) {{.*}}@b
// CHECK: scf.condition
// CHECK: flow.dispatch @e({{.*}}) {{.*}}@b
func.func @call(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = flow.transfer %x : tensor<4xf32> to #device.affinity<@b>
  %1 = func.call @callee(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = scf.while (%v = %1) : (tensor<4xf32>) -> tensor<4xf32> {
    %3 = flow.dispatch @e(%v) : (tensor<4xf32>) -> (tensor<4xf32>)
    scf.condition(%c) %3 : tensor<4xf32>
  } do {
  ^bb0(%w: tensor<4xf32>):
    %4 = flow.dispatch @e(%w) : (tensor<4xf32>) -> (tensor<4xf32>)
    scf.yield %4 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}

// -----

// A function on a device has all of its ops there; an op of its own affinity not.

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @whole
// CHECK: flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@b>, heddle.placed_by = "explicit"}
// CHECK: flow.dispatch @e({{.*}}) {heddle.affinity = #device.affinity<@a>, heddle.placed_by = "explicit"}
func.func @whole(%x: tensor<4xf32>) -> tensor<4xf32> attributes {heddle.affinity = #device.affinity<@b>} {
  %0 = flow.dispatch @e(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %1 = flow.dispatch @e(%0) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %1 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
