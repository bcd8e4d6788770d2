// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(host.func(schedule-synchronize-streams),schedule-verify-host)' | FileCheck %s

device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @b = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @c = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }

// @c waits for @b, which waited for the call's stream: that implies the rest. The free of %x1 waits for nobody; it moves
// to the end, where the call's stream comes after all.
// CHECK-LABEL: host.func @implied(%arg0: !host.stream
// CHECK: %[[B:.*]] = host.stream on @b 0
// CHECK: %[[C:.*]] = host.stream on @c 0
// CHECK: host.dispatch %arg0, @f
// CHECK-NEXT: %[[E0:.*]] = host.record %arg0
// CHECK: host.wait %[[B]], %[[E0]]
// CHECK-NEXT: host.copy %[[B]]
// CHECK: %[[E1:.*]] = host.record %[[B]]
// CHECK: host.wait %[[C]], %[[E1]]
// CHECK-NEXT: host.copy %[[C]]
// CHECK-NOT: host.wait
// CHECK: host.copy %[[C]]
// CHECK-NEXT: %[[E2:.*]] = host.record %[[C]]
// CHECK: host.wait %arg0, %[[E2]]
// CHECK-NOT: host.wait
// CHECK: host.free %arg0
// CHECK: host.return
host.func @implied(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""], @c>, #host.value<"z", tensor<4xf32>, [""], @c>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %b = host.stream on @b 0
  %c = host.stream on @c 0
  %x1 = host.alloc on @a size %c16
  host.dispatch %s, @f(%x, %x1) access(["r", "w"])
  %x2 = host.alloc on @b size %c16
  host.copy %b, %x2[%c0] from %x1[%c0] size %c16
  %y = host.result 0 on @c size %c16
  host.copy %c, %y[%c0] from %x2[%c0] size %c16
  %z = host.result 1 on @c size %c16
  host.copy %c, %z[%c0] from %x1[%c0] size %c16
  host.free %b, %x2
  host.free %s, %x1
  host.return %y, %z shape(%c4, %c4)
}

// What an iteration leaves is waited for at the next: an event at the start of the body stands for the one before.
// CHECK-LABEL: host.func @loop(%arg0: !host.stream
// CHECK: scf.for
// CHECK-NEXT: %[[LAST:.*]] = host.record %[[B:.*]]
// CHECK: host.wait %arg0, %[[LAST]]
// CHECK-NEXT: host.dispatch %arg0, @f
// CHECK-NEXT: %[[READY:.*]] = host.record %arg0
// CHECK: host.wait %[[B]], %[[READY]]
// CHECK-NEXT: host.copy %[[B]]
// CHECK-NEXT: }
host.func @loop(%s: !host.stream, %x: !host.buffer, %n: index) arguments([#host.value<"x", tensor<?xf32>, ["n"]>]) results([#host.value<"y", tensor<4xf32>, [""], @b>]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %b = host.stream on @b 0
  %t = host.alloc on @a size %c16
  %y = host.result 0 on @b size %c16
  host.fill %b, %y[%c0] size %c16 pattern %c0 : 1
  scf.for %i = %c0 to %n step %c1 {
    host.dispatch %s, @f(%x, %t) access(["r", "w"])
    host.copy %b, %y[%c0] from %t[%c0] size %c16
  }
  host.free %s, %t
  host.return %y shape(%c4)
}

// The transfer may be an alias: whether or not it copies, one wait serves it and who reads its result.
// CHECK-LABEL: host.func @same(%arg0: !host.stream
// CHECK: host.dispatch %arg0, @f
// CHECK-NEXT: %[[READY:.*]] = host.record %arg0
// CHECK: host.wait %[[B:.*]], %[[READY]]
// CHECK-NEXT: scf.if
// CHECK: host.copy %[[B]]
// CHECK-NOT: host.wait
// CHECK: host.dispatch %[[B]], @f
host.func @same(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""], @b>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %b = host.stream on @b 0
  %t = host.alloc on @a size %c16
  host.dispatch %s, @f(%x, %t) access(["r", "w"])
  %same = host.same @a, @b
  %size = arith.select %same, %c0, %c16 : index
  %own = host.alloc on @b size %size
  scf.if %same {
  } else {
    host.copy %b, %own[%c0] from %t[%c0] size %c16
  }
  %there = arith.select %same, %t, %own : !host.buffer
  %y = host.result 0 on @b size %c16
  host.dispatch %b, @f(%there, %y) access(["r", "w"])
  host.free %b, %own
  host.free %s, %t
  host.return %y shape(%c4)
}
