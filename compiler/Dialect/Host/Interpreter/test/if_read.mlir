// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// A sum computed on the device decides on the host which kernel runs.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @sum attributes {host.fake = "sum"} { func.func private @sum() }
flow.executable private @add attributes {host.fake = "add"} { func.func private @add() }
flow.executable private @sub attributes {host.fake = "sub"} { func.func private @sub() }
// CHECK: main call 0: y = dense<[2, 4, -6]> : tensor<3xi32>
// CHECK: main call 1: y = dense<0> : tensor<3xi32>
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<3xi32>, [""]>]) results([#host.value<"y", tensor<3xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[1, 2, -3]> : tensor<3xi32>], [dense<[1, 2, -4]> : tensor<3xi32>]]} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %slab = host.slab on @d size %c4
  host.dispatch %s, @sum(%x, %slab) access(["r", "w"])
  %sum = host.read %s, %slab[%c0] : i32
  %isZero = arith.cmpi eq, %sum, %c0 : index
  %y = host.result 0 on @d size %c12
  scf.if %isZero {
    host.dispatch %s, @add(%x, %x, %y) access(["r", "r", "w"])
  } else {
    host.dispatch %s, @sub(%x, %x, %y) access(["r", "r", "w"])
  }
  host.return %y shape(%c3)
}
