// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// In place: a loop from 1 to 7 by 2 adds its index to 21, which gives 30; a loop without trips gives 21.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @accumulate attributes {host.fake = "accumulate"} { func.func private @accumulate() }
// CHECK: main call 0: y = dense<30> : tensor<1xi32>
// CHECK: main call 1: y = dense<21> : tensor<1xi32>
host.func @main(%s: !host.stream, %x: !host.buffer, %end: !host.buffer)
    arguments([#host.value<"x", tensor<1xi32>, [""]>, #host.value<"end", tensor<i32>, []>])
    results([#host.value<"y", tensor<1xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<21> : tensor<1xi32>, dense<7> : tensor<i32>],
                               [dense<21> : tensor<1xi32>, dense<1> : tensor<i32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %y = host.result 0 on @d size %c4
  host.copy %s, %y[%c0] from %x[%c0] size %c4
  %stop = host.read %s, %end[%c0] : i32
  scf.for %i = %c1 to %stop step %c2 {
    %slab = host.slab on @d size %c4
    host.fill %s, %slab[%c0] size %c4 pattern %i : 4
    host.dispatch %s, @accumulate(%slab, %y) access(["r", "rw"])
  }
  host.return %y shape(%c1)
}
