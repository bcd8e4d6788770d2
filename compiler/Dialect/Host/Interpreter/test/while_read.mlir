// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// Doubles a value until the device says that its sum is over 100. The carried value lies in one buffer of the
// slab.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @sum attributes {host.fake = "sum"} { func.func private @sum() }
flow.executable private @add attributes {host.fake = "add"} { func.func private @add() }
// CHECK: main call 0: y = dense<[48, 80]> : tensor<2xi32>
// CHECK: main call 1: y = dense<[100, 7]> : tensor<2xi32>
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<2xi32>, [""]>]) results([#host.value<"y", tensor<2xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[3, 5]> : tensor<2xi32>], [dense<[100, 7]> : tensor<2xi32>]]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %limit = arith.constant 100 : index
  %slab = host.slab on @d size %c192
  %value = host.view %slab[%c0] size %c8
  %next = host.view %slab[%c64] size %c8
  %sum = host.view %slab[%c128] size %c4
  host.copy %s, %value[%c0] from %x[%c0] size %c8
  scf.while : () -> () {
    host.dispatch %s, @sum(%value, %sum) access(["r", "w"])
    %got = host.read %s, %sum[%c0] : i32
    %more = arith.cmpi sle, %got, %limit : index
    scf.condition(%more)
  } do {
    host.dispatch %s, @add(%value, %value, %next) access(["r", "r", "w"])
    host.copy %s, %value[%c0] from %next[%c0] size %c8
    scf.yield
  }
  %y = host.result 0 on @d size %c8
  host.copy %s, %y[%c0] from %value[%c0] size %c8
  host.return %y shape(%c2)
}
