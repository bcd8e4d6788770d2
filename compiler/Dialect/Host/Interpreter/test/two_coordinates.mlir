// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// A ring of two coordinates: each owns half of the rows and sends it to the other, then both add the halves. One
// exchange for two coordinates; the events are the only order between the devices.

device.global @d0 = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @d1 = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add attributes {host.fake = "add"} { func.func private @add() }
// CHECK: main call 0: y = dense<[11, 22]> : tensor<2xi32>, z = dense<[11, 22]> : tensor<2xi32>
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<2x2xi32>, ["", ""]>])
    results([#host.value<"y", tensor<2xi32>, [""]>, #host.value<"z", tensor<2xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[[1, 2], [10, 20]]> : tensor<2x2xi32>]]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d0 size %c8
  %z = host.result 1 on @d1 size %c8
  %s0 = host.stream on @d0 0
  %s1 = host.stream on @d1 0
  %own0 = host.alloc on @d0 size %c8
  %got0 = host.alloc on @d0 size %c8
  %own1 = host.alloc on @d1 size %c8
  %got1 = host.alloc on @d1 size %c8
  %start = host.record %s
  host.wait %s0, %start
  host.wait %s1, %start
  host.copy %s0, %own0[%c0] from %x[%c0] size %c8
  host.copy %s1, %own1[%c0] from %x[%c8] size %c8
  %ready0 = host.record %s0
  %ready1 = host.record %s1
  host.wait %s1, %ready0
  host.copy %s1, %got1[%c0] from %own0[%c0] size %c8
  host.wait %s0, %ready1
  host.copy %s0, %got0[%c0] from %own1[%c0] size %c8
  host.dispatch %s0, @add(%own0, %got0, %y) access(["r", "r", "w"])
  host.dispatch %s1, @add(%got1, %own1, %z) access(["r", "r", "w"])
  %end0 = host.record %s0
  host.wait %s, %end0
  %end1 = host.record %s1
  host.wait %s, %end1
  host.free %s, %own0
  host.free %s, %got0
  host.free %s, %own1
  host.free %s, %got1
  host.return %y, %z shape(%c2, %c2)
}
