// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host="schedules=200 streams=3" | FileCheck %s
// RUN: heddle-opt %s --package-flatten-stream-loops --run-host="schedules=200 streams=3" | FileCheck %s
// RUN: heddle-opt %s --package-flatten-stream-loops --package-print-instructions -o /dev/null | FileCheck %s --check-prefix=CODE

// Columns of [2, n] in three balanced parts, floor(i n / 3), on as many streams as the device has: runs of a stride.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
// CHECK: main call 0: y = dense<{{\[\[}}11, 12, 13, 14], [15, 16, 17, 18]]>
// CHECK: main call 1: y = dense<{{\[\[}}11, 12], [13, 14]]>
// CODE: query s{{[0-9]+}} x0 1
// CODE: check
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<2x?xi32>, ["", "n"]>])
    results([#host.value<"y", tensor<2x?xi32>, ["", "n"]>]) symbols(["n"])
    attributes {host.inputs = [[dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>],
                               [dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>]]} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %bytes = arith.muli %n, %c8 : index
  %stride = arith.muli %n, %c4 : index
  %y = host.result 0 on @d size %bytes
  %streams = host.query @d "streams"
  host.stream_for %i to %c3 slot %k stream %mine on @d 0 streams %streams issue %s {
    %next = arith.addi %i, %c1 : index
    %p = arith.muli %i, %n : index
    %q = arith.muli %next, %n : index
    %begin = arith.divsi %p, %c3 : index
    %end = arith.divsi %q, %c3 : index
    %columns = arith.subi %end, %begin : index
    %offset = arith.muli %begin, %c4 : index
    %run = arith.muli %columns, %c4 : index
    %from = host.view %x[%offset] size %run times %c2 stride %stride
    %to = host.view %y[%offset] size %run times %c2 stride %stride
    host.dispatch %mine, @add_constant(%from, %to) [%c10] launch(%c4, %c4) access(["r", "w"])
  }
  %c2d = arith.constant 2 : index
  host.return %y shape(%c2d, %n)
}
