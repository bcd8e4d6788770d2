// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// Double buffering: while one stream computes on a slot, the other fills the next. Slots turn with the streams, so
// each stream uses its own slot and no event is needed inside the loop.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
// CHECK: main call 0: y = dense<[2, 3, 4, 5]> : tensor<4xi32>
// CHECK-NEXT: memory: slab 0 bytes, 2 allocations
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[dense<[1, 2, 3, 4]> : tensor<4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %bytes = arith.muli %n, %c4 : index
  %y = host.result 0 on @d size %bytes
  %s0 = host.stream on @d 0
  %s1 = host.stream on @d 1
  %slot0 = host.alloc on @d size %c4
  %slot1 = host.alloc on @d size %c4
  %start = host.record %s
  host.wait %s0, %start
  host.wait %s1, %start
  %t:4 = scf.for %i = %c0 to %n step %c1
      iter_args(%mine = %s0, %other = %s1, %slot = %slot0, %next = %slot1)
      -> (!host.stream, !host.stream, !host.buffer, !host.buffer) {
    %offset = arith.muli %i, %c4 : index
    host.copy %mine, %slot[%c0] from %x[%offset] size %c4
    %to = host.view %y[%offset] size %c4
    host.dispatch %mine, @add_constant(%slot, %to) [%c1] access(["r", "w"])
    scf.yield %other, %mine, %next, %slot : !host.stream, !host.stream, !host.buffer, !host.buffer
  }
  %end0 = host.record %t#0
  host.wait %s, %end0
  %end1 = host.record %t#1
  host.wait %s, %end1
  host.free %s, %slot0
  host.free %s, %slot1
  host.return %y shape(%n)
}
