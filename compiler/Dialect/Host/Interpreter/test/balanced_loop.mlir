// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host="schedules=100" -o /dev/null | FileCheck %s

// Seven balanced parts, floor(i n / 7), on streams that the loop carries and swaps.

// CHECK: main call 0: y = dense<[11, 12, 13, 14, 15, 16]>
// CHECK: main call 1: y = dense<[11, 12, 13]>
// CHECK: main call 2: y = dense<>
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>], [dense<[1, 2, 3]> : tensor<3xi32>],
                               [dense<> : tensor<0xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
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
  %t:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%mine = %s0, %other = %s1) -> (!host.stream, !host.stream) {
    %i1 = arith.addi %i, %c1 : index
    %p0 = arith.muli %i, %n : index
    %q0 = arith.divsi %p0, %c7 : index
    %p1 = arith.muli %i1, %n : index
    %q1 = arith.divsi %p1, %c7 : index
    %d = arith.subi %q1, %q0 : index
    %offset = arith.muli %q0, %c4 : index
    %part = arith.muli %d, %c4 : index
    %from = host.view %x[%offset] size %part
    %to = host.view %y[%offset] size %part
    host.dispatch %mine, @add_constant(%from, %to) [%c10] access(["r", "w"])
    scf.yield %other, %mine : !host.stream, !host.stream
  }
  %end0 = host.record %t#0
  host.wait %s, %end0
  %end1 = host.record %t#1
  host.wait %s, %end1
  host.return %y shape(%n)
}
