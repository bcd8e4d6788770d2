// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(schedule-build-host-program,host.func(canonicalize,cse,schedule-free-buffers,schedule-synchronize-streams,schedule-plan-memory,canonicalize,cse),schedule-verify-host,run-host{schedules=32})' | FileCheck %s

// From tensors on several devices to numbers: streams, copies, events, memory, and the proof of all of it.
device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @b = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.parameter private @w : tensor<4xi32> = dense<[1, 2, 3, 4]>
flow.executable private @add attributes {host.fake = "add"} { func.func @add(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> { return %a : tensor<4xi32> } }
flow.executable private @mul attributes {host.fake = "mul"} { func.func @mul(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> { return %a : tensor<4xi32> } }

// CHECK: diamond call 0: result0 = dense<[10, 40, 90, 160]> : tensor<4xi32>
// CHECK: hop call 0: result0 = dense<[1, 2, 3, 4]> : tensor<4xi32>, result1 = dense<[1, 2, 3, 4]>
// CHECK: hop call 1: result0 = dense<[2, 8, 18, 32]> : tensor<4xi32>, result1 = dense<[2, 8, 18, 32]>
// CHECK: hop call 2: result0 = dense<[4, 44, 198, 592]> : tensor<4xi32>, result1 = dense<[4, 44, 198, 592]>

// CHECK: branch call 0: result0 = dense<[3, 6, 9, 12]> : tensor<4xi32>
// CHECK: branch call 1: result0 = dense<[2, 6, 12, 20]> : tensor<4xi32>

// A diamond with work of @a beside it: the copy waits for its source, the last add for the way back, nothing else.
// CHECK-LABEL: host.func @diamond(%arg0: !host.stream
// CHECK: host.slab on @b
// CHECK: host.slab on @a
// CHECK: %[[B:.*]] = host.stream on @b 0
// CHECK-NOT: host.record
// CHECK: host.dispatch %arg0, @add
// CHECK-NEXT: %[[READY:.*]] = host.record %arg0
// CHECK: host.wait %[[B]], %[[READY]]
// CHECK-NEXT: host.copy %[[B]]
// CHECK: %[[WB:.*]] = host.parameter @w on @b
// CHECK: host.dispatch %[[B]], @mul(%{{.*}}, %[[WB]], %{{.*}})
// CHECK-NEXT: %[[DONE:.*]] = host.record %[[B]]
// CHECK-NOT: host.wait
// CHECK: host.dispatch %arg0, @mul
// CHECK-NOT: host.wait
// CHECK: host.dispatch %arg0, @add
// CHECK-NEXT: host.wait %arg0, %[[DONE]]
// CHECK-NEXT: host.copy %arg0
// CHECK: host.dispatch %arg0, @add
// CHECK-NEXT: host.return
func.func @diamond(%x: tensor<4xi32>) -> tensor<4xi32> attributes {host.inputs = [[dense<[1, 2, 3, 4]> : tensor<4xi32>]]} {
  %w = flow.parameter.load @w : tensor<4xi32>
  %0 = flow.dispatch @add(%x, %w) {heddle.affinity = #device.affinity<@a>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %1 = flow.transfer %0 : tensor<4xi32> to #device.affinity<@b>
  %2 = flow.dispatch @mul(%1, %w) {heddle.affinity = #device.affinity<@b>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %3 = flow.dispatch @mul(%0, %0) {heddle.affinity = #device.affinity<@a>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %4 = flow.dispatch @add(%3, %3) {heddle.affinity = #device.affinity<@a>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %5 = flow.transfer %2 : tensor<4xi32> to #device.affinity<@a>
  %6 = flow.dispatch @add(%4, %5) {heddle.affinity = #device.affinity<@a>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  return %6 : tensor<4xi32>
}

// A carried value that hops @a -> @b -> @a.
// CHECK-LABEL: host.func @hop(
// CHECK-SAME: results([#host.value<"result0", tensor<4xi32>, [""]>, #host.value<"result1", tensor<4xi32>, [""], @b>])
// CHECK: scf.for
// CHECK: host.dispatch %arg0, @add
// CHECK: host.dispatch %[[B:[0-9]+]], @mul
// CHECK: host.copy %arg0
// CHECK: host.result 1 on @b
func.func @hop(%x: tensor<4xi32>, %n: tensor<index>) -> (tensor<4xi32>, tensor<4xi32> {heddle.affinity = #device.affinity<@b>}) attributes {host.inputs = [[dense<[1, 2, 3, 4]> : tensor<4xi32>, dense<0> : tensor<index>], [dense<[1, 2, 3, 4]> : tensor<4xi32>, dense<1> : tensor<index>], [dense<[1, 2, 3, 4]> : tensor<4xi32>, dense<3> : tensor<index>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.extract %n[] : tensor<index>
  %w = flow.parameter.load @w : tensor<4xi32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%v = %x) -> (tensor<4xi32>) {
    %0 = flow.dispatch @add(%v, %w) {heddle.affinity = #device.affinity<@a>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
    %1 = flow.transfer %0 : tensor<4xi32> to #device.affinity<@b>
    %2 = flow.dispatch @mul(%1, %w) {heddle.affinity = #device.affinity<@b>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
    %3 = flow.transfer %2 : tensor<4xi32> to #device.affinity<@a>
    scf.yield %3 : tensor<4xi32>
  }
  %s = flow.transfer %r : tensor<4xi32> to #device.affinity<@b>
  return %r, %s : tensor<4xi32>, tensor<4xi32>
}

// The value that a branch gives lies where its first branch leaves it; what is read on the host waits for its stream only.
// CHECK-LABEL: host.func @branch
// CHECK: host.read %[[B:[0-9]+]]
func.func @branch(%x: tensor<4xi32>, %n: tensor<index> {heddle.affinity = #device.affinity<@b>}) -> tensor<4xi32>
    attributes {host.inputs = [[dense<[1, 2, 3, 4]> : tensor<4xi32>, dense<0> : tensor<index>], [dense<[1, 2, 3, 4]> : tensor<4xi32>, dense<1> : tensor<index>]]} {
  %c0 = arith.constant 0 : index
  %k = tensor.extract %n[] : tensor<index>
  %isZero = arith.cmpi eq, %k, %c0 : index
  %y = flow.transfer %x : tensor<4xi32> to #device.affinity<@b>
  %r = scf.if %isZero -> (tensor<4xi32>) {
    %0 = flow.dispatch @add(%y, %y) {heddle.affinity = #device.affinity<@b>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
    scf.yield %0 : tensor<4xi32>
  } else {
    %0 = flow.dispatch @mul(%x, %x) {heddle.affinity = #device.affinity<@a>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
    %1 = flow.transfer %0 : tensor<4xi32> to #device.affinity<@b>
    scf.yield %1 : tensor<4xi32>
  }
  %s = flow.transfer %r : tensor<4xi32> to #device.affinity<@a>
  %t = flow.dispatch @add(%s, %x) {heddle.affinity = #device.affinity<@a>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  return %t : tensor<4xi32>
}
