// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --package-write-artifact=path=%t.heddle -o /dev/null
// RUN: heddle inspect %t.heddle --json | FileCheck %s

// What runs on streams that a loop carries belongs to their device, not to the default one: an artifact's report.
device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @b = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
// CHECK: "report": {
// CHECK: "op": "host.barrier"
// CHECK: "device": "b"
// CHECK-NEXT: "function": "main"
// CHECK-NEXT: "name": ""
// CHECK-NEXT: "op": "host.fill"
host.func @main(%s: !host.stream) arguments([]) results([]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %t = host.slab on @b size %c4
  %s0 = host.stream on @b 0
  %s1 = host.stream on @b 1
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%mine = %s0, %other = %s1) -> (!host.stream, !host.stream) {
    host.barrier %mine, %other
    host.fill %mine, %t[%c0] size %c4 pattern %c0 : 1
    scf.yield %other, %mine : !host.stream, !host.stream
  }
  host.barrier %s, %r#0, %r#1
  host.return shape()
}
