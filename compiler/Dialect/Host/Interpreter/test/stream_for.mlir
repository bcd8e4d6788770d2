// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host="schedules=200" | FileCheck %s
// RUN: heddle-opt %s --package-flatten-stream-loops --run-host="schedules=200" | FileCheck %s
// RUN: heddle-opt %s --package-flatten-stream-loops --package-print-instructions -o /dev/null | FileCheck %s --check-prefix=CODE

// Ragged rows on two streams, by a slot for each stream in between; no trips change nothing.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
// CHECK: main call 0: y = dense<[111, 112, 113, 114, 115]>
// CHECK: main call 1: y = dense<111>
// CHECK: main call 2: y = dense<>
// CODE: stream_at t{{[0-9]+}} x0 s
// CODE: wait
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[dense<[1, 2, 3, 4, 5]> : tensor<5xi32>], [dense<1> : tensor<1xi32>],
                               [dense<> : tensor<0xi32>]]} {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %c100 = arith.constant 100 : index
  %bytes = arith.muli %n, %c4 : index
  %y = host.result 0 on @d size %bytes
  %trips = arith.ceildivsi %n, %c2 : index
  %slots = arith.minsi %trips, %c2 : index
  %size = arith.muli %slots, %c8 : index
  %t = host.alloc on @d size %size
  host.stream_for %i to %trips slot %k stream %mine on @d 0 streams %c2 issue %s {
    %row = arith.muli %i, %c2 : index
    %offset = arith.muli %row, %c4 : index
    %left = arith.subi %n, %row : index
    %rows = arith.minsi %left, %c2 : index
    %part = arith.muli %rows, %c4 : index
    %at = arith.muli %k, %c8 : index
    %from = host.view %x[%offset] size %part
    %own = host.view %t[%at] size %part
    %to = host.view %y[%offset] size %part
    host.dispatch %mine, @add_constant(%from, %own) [%c10] launch(%c4, %c4) access(["r", "w"])
    host.dispatch %mine, @add_constant(%own, %to) [%c100] launch(%c4, %c4) access(["r", "w"])
  }
  host.free %s, %t
  host.return %y shape(%n)
}
