// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// a -> b -> c: what is written through c shows in a, and no view allocates.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
// CHECK: main call 0: y = dense<[1, 2, 7, 4]> : tensor<4xi32>
// CHECK-NEXT: memory: slab 16 bytes, 0 allocations
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xi32>, [""]>]) results([#host.value<"y", tensor<4xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[1, 2, 3, 4]> : tensor<4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %a = host.slab on @d size %c16
  host.copy %s, %a[%c0] from %x[%c0] size %c16
  %b = host.view %a[%c4] size %c12
  %c = host.view %b[%c4] size %c8
  host.fill %s, %c[%c0] size %c4 pattern %c7 : 4
  %y = host.result 0 on @d size %c16
  host.copy %s, %y[%c0] from %a[%c0] size %c16
  host.return %y shape(%c4)
}
