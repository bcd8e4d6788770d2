// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// A call whose sizes do not fit says so and does nothing.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
// CHECK: main call 0: y = dense<[3, 4]> : tensor<2xi32>
// CHECK: main call 1: fails: 'Reshape' needs 2 elements
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<2xi32>, [""]>]) symbols(["n"])
    attributes {host.inputs = [[dense<[3, 4]> : tensor<2xi32>], [dense<1> : tensor<5xi32>]]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %fits = arith.cmpi eq, %n, %c2 : index
  host.check %fits, "'Reshape' needs 2 elements"
  %y = host.result 0 on @d size %c8
  host.copy %s, %y[%c0] from %x[%c0] size %c8
  host.return %y shape(%c2)
}
