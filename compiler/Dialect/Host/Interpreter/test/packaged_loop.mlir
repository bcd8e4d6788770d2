// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host="schedules=100" -o /dev/null | FileCheck %s
// RUN: heddle-opt %s --package-print-instructions -o /dev/null | FileCheck %s --check-prefix=CODE

// Streams that a loop carries and swaps, down to instructions.

// CHECK: main call 0: y = dense<[11, 12, 13, 14, 15, 16]>
// CHECK: main call 1: y = dense<[11, 12]>
// CHECK: main call 2: y = dense<>
// CODE: move_stream
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>], [dense<[1, 2]> : tensor<2xi32>],
                               [dense<> : tensor<0xi32>]]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %bytes = arith.muli %n, %c4 : index
  %y = host.result 0 on @d size %bytes
  %s0 = host.stream on @d 0
  %s1 = host.stream on @d 1
  %start = host.record %s
  host.wait %s0, %start
  host.wait %s1, %start
  %t:2 = scf.for %i = %c0 to %n step %c2 iter_args(%mine = %s0, %other = %s1) -> (!host.stream, !host.stream) {
    %offset = arith.muli %i, %c4 : index
    %from = host.view %x[%offset] size %c8
    %to = host.view %y[%offset] size %c8
    host.dispatch %mine, @add_constant(%from, %to) [%c10] launch(%c4, %c4) access(["r", "w"])
    scf.yield %other, %mine : !host.stream, !host.stream
  }
  %end0 = host.record %t#0
  host.wait %s, %end0
  %end1 = host.record %t#1
  host.wait %s, %end1
  host.return %y shape(%n)
}
