// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// A chain of four kernels on sizes known at the call. Three intermediates live in pairs, so the plan of each call
// needs room for two: 2 * 64 bytes for 5 elements, 2 * 128 for 20.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add attributes {host.fake = "add"} { func.func private @add() }
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
// CHECK: main call 0: y = dense<[16, 24, 32, 40, 48]> : tensor<5xi32>
// CHECK-NEXT: memory: slab 128 bytes, 0 allocations
// CHECK: main call 1: y = dense<16> : tensor<20xi32>
// CHECK-NEXT: memory: slab 256 bytes, 0 allocations
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[dense<[1, 2, 3, 4, 5]> : tensor<5xi32>], [dense<1> : tensor<20xi32>]]} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %bytes = arith.muli %n, %c4 : index
  %total, %o:3 = host.plan(%bytes, %bytes, %bytes)
      lives([#host.interval<0, 1>, #host.interval<1, 2>, #host.interval<2, 3>]) : index, index, index
  %slab = host.slab on @d size %total
  %a = host.view %slab[%o#0] size %bytes
  host.dispatch %s, @add_constant(%x, %a) [%c1] access(["r", "w"])
  %b = host.view %slab[%o#1] size %bytes
  host.dispatch %s, @add(%a, %a, %b) access(["r", "r", "w"])
  %c = host.view %slab[%o#2] size %bytes
  host.dispatch %s, @add(%b, %b, %c) access(["r", "r", "w"])
  %y = host.result 0 on @d size %bytes
  host.dispatch %s, @add(%c, %c, %y) access(["r", "r", "w"])
  host.return %y shape(%n)
}
