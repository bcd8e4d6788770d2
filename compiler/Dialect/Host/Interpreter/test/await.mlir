// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// The host waits for one stream before it issues to another: no event between the streams is needed.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
// CHECK: main call 0: y = dense<[5, 6]> : tensor<2xi32>
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<2xi32>, [""]>]) results([#host.value<"y", tensor<2xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[1, 2]> : tensor<2xi32>]]} {
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %y = host.result 0 on @d size %c8
  %t = host.alloc on @d size %c8
  %other = host.stream on @d 0
  %start = host.record %s
  host.wait %other, %start
  host.dispatch %other, @add_constant(%x, %t) [%c2] access(["r", "w"])
  %done = host.record %other
  host.await %done
  host.dispatch %s, @add_constant(%t, %y) [%c2] access(["r", "w"])
  host.free %s, %t
  host.return %y shape(%c2)
}
