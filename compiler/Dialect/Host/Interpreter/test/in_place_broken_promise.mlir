// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// A wrong promise is a wrong value: kernels work on the bytes that are there. The product of [1, 2; 3, 4] with itself is
// [7, 10; 15, 22].

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @matmul attributes {host.fake = "matmul", flow.overwrites = [array<i64: 0, 2>]} { func.func private @matmul() }
// CHECK: main call 0: y = dense<[7, 22, 15, 46]> : tensor<4xi32>
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xi32>, [""]>]) results([#host.value<"y", tensor<4xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[1, 2, 3, 4]> : tensor<4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %a = host.slab on @d size %c16
  host.copy %s, %a[%c0] from %x[%c0] size %c16
  host.dispatch %s, @matmul(%a, %x, %a) [%c2, %c2, %c2] access(["r", "r", "w"])
  %y = host.result 0 on @d size %c16
  host.copy %s, %y[%c0] from %a[%c0] size %c16
  host.return %y shape(%c4)
}
