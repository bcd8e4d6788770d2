// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host="schedules=200" -o /dev/null | FileCheck %s
// RUN: heddle-opt %s --package-flatten-stream-loops --run-host="schedules=200" -o /dev/null | FileCheck %s

// Collectives in loops over streams, ordered by events with what their iteration does before and behind them; parts that
// begin at each rank's place and turn.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }

// CHECK: sums call 0:
// CHECK-NEXT: rank 0: y = dense<[21, 32, 43, 54, 65]>
// CHECK-NEXT: rank 1: y = dense<[21, 32, 43, 54, 65]>
// CHECK: sums call 1:
// CHECK-NEXT: rank 0: y = dense<>
host.func @sums(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[[dense<[1, 2, 3, 4, 5]> : tensor<5xi32>], [dense<[10, 20, 30, 40, 50]> : tensor<5xi32>]],
                               [dense<> : tensor<0xi32>]]} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %bytes = arith.muli %n, %c4 : index
  %c = host.comm_stream
  %r = host.coordinate @m "x"
  %y = host.result 0 on @d size %bytes
  %slots = arith.minsi %n, %c2 : index
  %size = arith.muli %slots, %c4 : index
  %t = host.alloc on @d size %size
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %offset = arith.muli %i, %c4 : index
    %at = arith.muli %k, %c4 : index
    %from = host.view %x[%offset] size %c4
    %own = host.view %t[%at] size %c4
    %to = host.view %y[%offset] size %c4
    host.dispatch %mine, @add_constant(%from, %own) [%r] access(["r", "w"])
    %ready = host.record %mine
    host.wait %c, %ready
    host.collective %c all_reduce sum i32 over @m["x"] (%own) -> (%own) count %c1
    %done = host.record %c
    host.wait %mine, %done
    host.dispatch %mine, @add_constant(%own, %to) [%c9] access(["r", "w"])
  }
  host.free %s, %t
  host.return %y shape(%n)
}

// (i + r) mod n and (r - i) mod n: whatever n is, no two iterations have the same part.
// CHECK: turned call 0:
// CHECK-NEXT: rank 0: y = dense<[10, 11, 12]> : tensor<3xi32>, z = dense<[10, 11, 12]>
// CHECK-NEXT: rank 1: y = dense<[10, 11, 12]> : tensor<3xi32>, z = dense<[10, 11, 12]>
host.func @turned(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>])
    results([#host.value<"y", tensor<?xi32>, ["n"]>, #host.value<"z", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[dense<[1, 2, 3]> : tensor<3xi32>]]} {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %bytes = arith.muli %n, %c4 : index
  %r = host.coordinate @m "x"
  %y = host.result 0 on @d size %bytes
  %z = host.result 1 on @d size %bytes
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %sum = arith.addi %i, %r : index
    %place = arith.remsi %sum, %n : index
    %offset = arith.muli %place, %c4 : index
    %from = host.view %x[%offset] size %c4
    %to = host.view %y[%offset] size %c4
    host.dispatch %mine, @add_constant(%from, %to) [%c9] access(["r", "w"])
    %before = arith.subi %r, %i : index
    %positive = arith.addi %before, %n : index
    %other = arith.remsi %positive, %n : index
    %begin = arith.muli %other, %c4 : index
    %source = host.view %x[%begin] size %c4
    %target = host.view %z[%begin] size %c4
    host.dispatch %mine, @add_constant(%source, %target) [%c9] access(["r", "w"])
  }
  host.return %y, %z shape(%n, %n)
}
