// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// A chain in the place of its first value.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @relu attributes {host.fake = "relu", flow.overwrites = [array<i64: 0, 1>]} { func.func private @relu() }
flow.executable private @add attributes {host.fake = "add", flow.overwrites = [array<i64: 0, 2>]} { func.func private @add() }
// CHECK: main call 0: y = dense<[1, 0, 7, 0]> : tensor<4xi32>
// CHECK-NEXT: memory: slab 16 bytes, 0 allocations
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xi32>, [""]>]) results([#host.value<"y", tensor<4xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[1, -2, 7, -4]> : tensor<4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %a = host.slab on @d size %c16
  host.fill %s, %a[%c0] size %c16 pattern %c0 : 4
  host.dispatch %s, @add(%a, %x, %a) access(["r", "r", "w"])
  host.dispatch %s, @relu(%a, %a) access(["r", "w"])
  %y = host.result 0 on @d size %c16
  host.copy %s, %y[%c0] from %a[%c0] size %c16
  host.return %y shape(%c4)
}
