// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// The argument comes back as two results: one copy each, no memory of its own.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
// CHECK: main call 0: y = dense<[1, 2, 3]> : tensor<3xi32>, z = dense<[1, 2, 3]> : tensor<3xi32>
// CHECK-NEXT: memory: slab 0 bytes, 0 allocations
// CHECK: main call 1: y = dense<> : tensor<0xi32>, z = dense<> : tensor<0xi32>
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>])
    results([#host.value<"y", tensor<?xi32>, ["n"]>, #host.value<"z", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[dense<[1, 2, 3]> : tensor<3xi32>], [dense<> : tensor<0xi32>]]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %bytes = arith.muli %n, %c4 : index
  %y = host.result 0 on @d size %bytes
  host.copy %s, %y[%c0] from %x[%c0] size %bytes
  %z = host.result 1 on @d size %bytes
  host.copy %s, %z[%c0] from %x[%c0] size %bytes
  host.return %y, %z shape(%n, %n)
}
