// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(schedule-build-host-program,host.func(canonicalize,cse))' | FileCheck %s

// How tensors cross the borders of scf (HostRegions.cpp); test/host/control_flow.mlir runs the like of it.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }
flow.executable private @g { func.func @g(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> { return %a : tensor<?xf32> } }

// Static shapes lie in buffers allocated before the loop. Values that change places go through a third buffer.
// CHECK-LABEL: host.func @swap
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<?xf32> {heddle.dims = ["n"]}) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = flow.dimension "n"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[A:.*]] = host.alloc
  // CHECK: %[[B:.*]] = host.alloc
  // CHECK: host.copy %{{.*}}, %[[A]]
  // CHECK: host.copy %{{.*}}, %[[B]]
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK: %[[T:.*]] = host.alloc
  // CHECK: host.copy %{{.*}}, %[[T]][%{{.*}}] from %[[B]]
  // CHECK: %[[U:.*]] = host.alloc
  // CHECK: host.copy %{{.*}}, %[[U]][%{{.*}}] from %[[A]]
  // CHECK: host.copy %{{.*}}, %[[A]][%{{.*}}] from %[[T]]
  // CHECK: host.copy %{{.*}}, %[[B]][%{{.*}}] from %[[U]]
  // CHECK: }
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// Other shapes: the body's buffer is handed on as it is; an argument, which nobody may own, is copied.
// CHECK-LABEL: host.func @handOn
func.func @handOn(%x: tensor<?xf32> {heddle.dims = ["n"]}) -> tensor<?xf32> {
  %n = flow.dimension "n"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[FIRST:.*]] = host.alloc
  // CHECK: host.copy %{{.*}}, %[[FIRST]]
  // CHECK: scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[FIRST]]) -> (!host.buffer)
  // CHECK: %[[NEW:.*]] = host.alloc
  // CHECK: host.dispatch %{{.*}}, @g(%[[OLD]], %[[NEW]])
  // CHECK-NEXT: scf.yield %[[NEW]]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %0 = flow.dispatch @g(%a)[%n] : (tensor<?xf32>{%n}) -> (tensor<?xf32>{%n})
    scf.yield %0 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// The condition hands on the loop's own value: no buffer of its own.
// CHECK-LABEL: host.func @while
func.func @while(%x: tensor<4xf32>, %k: tensor<i64>) -> tensor<4xf32> {
  %c7 = arith.constant 7 : i64
  // CHECK: %[[A:.*]] = host.alloc
  // CHECK: scf.while : () -> () {
  %r = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: host.read
    %v = tensor.extract %k[] : tensor<i64>
    %more = arith.cmpi slt, %v, %c7 : i64
    scf.condition(%more) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    // CHECK: %[[T:.*]] = host.alloc
    // CHECK: host.dispatch %{{.*}}, @f(%[[A]], %[[T]])
    // CHECK: host.copy %{{.*}}, %[[A]][%{{.*}}] from %[[T]]
    %0 = flow.dispatch @f(%a) : (tensor<4xf32>) -> (tensor<4xf32>)
    scf.yield %0 : tensor<4xf32>
  }
  // CHECK: host.copy %{{.*}}, %{{.*}} from %[[A]]
  return %r : tensor<4xf32>
}

// A dispatch writes rows where they belong in the one buffer of the result; the empty tensor is that buffer.
// CHECK-LABEL: host.func @rows
func.func @rows(%x: tensor<4xf32>, %z: tensor<?xf32> {heddle.dims = ["n"]}) -> tensor<?x4xf32> {
  %n = flow.dimension "n"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[Y:.*]] = host.alloc
  // CHECK-NEXT: host.fill %{{.*}}, %[[Y]]
  %y = tensor.empty(%n) : tensor<?x4xf32>
  // CHECK-NOT: host.copy
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK: %[[AT:.*]] = arith.muli %[[I]], %c16
  // CHECK: %[[ROW:.*]] = host.view %[[Y]][%[[AT]]] size %c16
  // CHECK: host.dispatch %{{.*}}, @f(%{{.*}}, %[[ROW]])
  // CHECK-NEXT: }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> (tensor<?x4xf32>) {
    %0 = flow.dispatch @f(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    %1 = tensor.insert_slice %0 into %a[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %1 : tensor<?x4xf32>
  } {heddle.keeps_shapes}
  return %r : tensor<?x4xf32>
}

// A loop that keeps shapes has one buffer for each tensor, whatever its size; a size that it cannot see is checked.
// CHECK-LABEL: host.func @keeps
func.func @keeps(%x: tensor<?xf32> {heddle.dims = ["n"]}, %z: tensor<?xf32> {heddle.dims = ["m"]}) -> tensor<?xf32> {
  %n = flow.dimension "n"
  %m = flow.dimension "m"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[A:.*]] = host.alloc
  // CHECK: host.copy %{{.*}}, %[[A]]
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK: %[[T:.*]] = host.alloc
  // CHECK: host.dispatch %{{.*}}, @g(%[[A]], %[[T]])
  // CHECK: %[[SAME:.*]] = arith.cmpi eq
  // CHECK: host.check %[[SAME]], "a tensor that a loop carries changed its size"
  // CHECK: host.copy %{{.*}}, %[[A]][%{{.*}}] from %[[T]]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %0 = flow.dispatch @g(%a)[%n] : (tensor<?xf32>{%n}) -> (tensor<?xf32>{%m})
    scf.yield %0 : tensor<?xf32>
  } {heddle.keeps_shapes}
  return %r : tensor<?xf32>
}

// A dispatch that computes what a branch gives writes it where it belongs, here straight into the result; the other
// branch, which gives an argument, copies.
// CHECK-LABEL: host.func @choose
func.func @choose(%x: tensor<4xf32>, %k: tensor<i64>) -> tensor<2x2xf32> {
  %c7 = arith.constant 7 : i64
  %v = tensor.extract %k[] : tensor<i64>
  %some = arith.cmpi slt, %v, %c7 : i64
  // CHECK: %[[R:.*]] = host.result 0
  // CHECK-NOT: host.alloc
  // CHECK: scf.if
  // CHECK: host.dispatch %{{.*}}, @f(%{{.*}}, %[[R]])
  // CHECK-NOT: host.copy
  // CHECK: else
  // CHECK: host.copy %{{.*}}, %[[R]]
  // CHECK: host.return %[[R]]
  %r = scf.if %some -> (tensor<4xf32>) {
    %0 = flow.dispatch @f(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %e = tensor.expand_shape %r [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %e : tensor<2x2xf32>
}

// What a loop carries and only a branch reads is handed on by the one branch and freed by the other; a row of what the
// branch gives is written where it lies.
// CHECK-LABEL: host.func @grow
// CHECK: scf.for
// CHECK: %[[GROWN:.*]] = scf.if
// CHECK: host.dispatch %{{.*}}, @g(%[[OLD:[a-z0-9]+]], %[[NEW:[a-z0-9]+]])
// CHECK: host.free %{{.*}}, %[[OLD]]
// CHECK: scf.yield %[[NEW]]
// CHECK: else
// CHECK-NOT: host.copy
// CHECK: scf.yield %[[OLD]]
// CHECK: host.copy %{{.*}}, %[[GROWN]][
// CHECK: scf.yield %[[GROWN]],
func.func @grow(%x: tensor<?xf32> {heddle.dims = ["n"]}, %row: tensor<1xf32>) -> tensor<?xf32> {
  %n = flow.dimension "n"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %room = %n) -> (tensor<?xf32>, index) {
    %isFull = arith.cmpi eq, %i, %room : index
    %twice = arith.addi %room, %room : index
    %b = scf.if %isFull -> (tensor<?xf32>) {
      %0 = flow.dispatch @g(%a)[%twice] : (tensor<?xf32>{%room}) -> (tensor<?xf32>{%twice})
      scf.yield %0 : tensor<?xf32>
    } else {
      scf.yield %a : tensor<?xf32>
    }
    %c = tensor.insert_slice %row into %b[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    %next = arith.select %isFull, %twice, %room : index
    scf.yield %c, %next : tensor<?xf32>, index
  }
  return %r#0 : tensor<?xf32>
}

// What is read behind the branch is copied.
// CHECK-LABEL: host.func @read_after
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: host.free
// CHECK: else
// CHECK: host.copy
// CHECK: host.dispatch %{{.*}}, @g
func.func @read_after(%x: tensor<?xf32> {heddle.dims = ["n"]}, %k: tensor<i64>) -> (tensor<?xf32>, tensor<?xf32>) {
  %n = flow.dimension "n"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %z = %x) -> (tensor<?xf32>, tensor<?xf32>) {
    %some = arith.cmpi eq, %i, %c7 : index
    %b = scf.if %some -> (tensor<?xf32>) {
      %0 = flow.dispatch @g(%z)[%n] : (tensor<?xf32>{%n}) -> (tensor<?xf32>{%n})
      scf.yield %0 : tensor<?xf32>
    } else {
      scf.yield %a : tensor<?xf32>
    }
    %c = flow.dispatch @g(%a)[%n] : (tensor<?xf32>{%n}) -> (tensor<?xf32>{%n})
    scf.yield %b, %c : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}
