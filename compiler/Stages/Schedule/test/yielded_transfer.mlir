// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(schedule-build-host-program,host.func(canonicalize,cse,schedule-free-buffers,schedule-synchronize-streams,canonicalize,cse),schedule-verify-host,run-host{schedules=8})' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(schedule-build-host-program,host.func(canonicalize,cse,schedule-free-buffers,schedule-synchronize-streams,canonicalize,cse),schedule-verify-host,run-host{schedules=8 fallbacks=b:a})' | FileCheck %s

// A loop yields what a transfer makes of one carried value as another one: where @b turns out to be @a, that is the
// first value's own memory, and the loop must not write it before it is read.
device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @b = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
flow.executable private @add attributes {host.fake = "add"} { func.func @add(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> { return %a : tensor<4xi32> } }

// CHECK: for call 0: result0 = dense<8> : tensor<4xi32>, result1 = dense<4> : tensor<4xi32>
func.func @for(%x: tensor<4xi32>, %y: tensor<4xi32> {heddle.affinity = #device.affinity<@b>}) -> (tensor<4xi32>, tensor<4xi32> {heddle.affinity = #device.affinity<@b>})
    attributes {host.inputs = [[dense<1> : tensor<4xi32>, dense<100> : tensor<4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %x, %q = %y) -> (tensor<4xi32>, tensor<4xi32>) {
    %n = flow.dispatch @add(%p, %p) {heddle.affinity = #device.affinity<@a>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
    %t = flow.transfer %p : tensor<4xi32> to #device.affinity<@b>
    scf.yield %n, %t : tensor<4xi32>, tensor<4xi32>
  }
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// CHECK: while call 0: result0 = dense<8> : tensor<4xi32>, result1 = dense<4> : tensor<4xi32>
func.func @while(%x: tensor<4xi32>, %y: tensor<4xi32> {heddle.affinity = #device.affinity<@b>}) -> (tensor<4xi32>, tensor<4xi32> {heddle.affinity = #device.affinity<@b>})
    attributes {host.inputs = [[dense<1> : tensor<4xi32>, dense<100> : tensor<4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:3 = scf.while (%p = %x, %q = %y, %i = %c0) : (tensor<4xi32>, tensor<4xi32>, index) -> (tensor<4xi32>, tensor<4xi32>, index) {
    %more = arith.cmpi slt, %i, %c3 : index
    scf.condition(%more) %p, %q, %i : tensor<4xi32>, tensor<4xi32>, index
  } do {
  ^bb0(%p: tensor<4xi32>, %q: tensor<4xi32>, %i: index):
    %n = flow.dispatch @add(%p, %p) {heddle.affinity = #device.affinity<@a>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
    %t = flow.transfer %p : tensor<4xi32> to #device.affinity<@b>
    %next = arith.addi %i, %c1 : index
    scf.yield %n, %t, %next : tensor<4xi32>, tensor<4xi32>, index
  }
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}
