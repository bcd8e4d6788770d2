// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// A value whose size changes with every iteration: the loop owns its buffer, frees the old one and hands on the
// new one. The count of rows comes from the device.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
// CHECK: main call 0: y = dense<5> : tensor<8xi32>
// CHECK-NEXT: memory: slab 0 bytes, 4 allocations
// CHECK: main call 1: y = dense<5> : tensor<1xi32>
host.func @main(%s: !host.stream, %x: !host.buffer, %trips: !host.buffer)
    arguments([#host.value<"x", tensor<1xi32>, [""]>, #host.value<"trips", tensor<i32>, []>])
    results([#host.value<"y", tensor<?xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<5> : tensor<1xi32>, dense<3> : tensor<i32>],
                               [dense<5> : tensor<1xi32>, dense<0> : tensor<i32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %count = host.read %s, %trips[%c0] : i32
  %first = host.alloc on @d size %c4
  host.copy %s, %first[%c0] from %x[%c0] size %c4
  %all:2 = scf.for %i = %c0 to %count step %c1 iter_args(%old = %first, %bytes = %c4) -> (!host.buffer, index) {
    %twice = arith.muli %bytes, %c2 : index
    %new = host.alloc on @d size %twice
    host.copy %s, %new[%c0] from %old[%c0] size %bytes
    host.copy %s, %new[%bytes] from %old[%c0] size %bytes
    host.free %s, %old
    scf.yield %new, %twice : !host.buffer, index
  }
  %y = host.result 0 on @d size %all#1
  host.copy %s, %y[%c0] from %all#0[%c0] size %all#1
  host.free %s, %all#0
  %n = arith.divsi %all#1, %c4 : index
  host.return %y shape(%n)
}
