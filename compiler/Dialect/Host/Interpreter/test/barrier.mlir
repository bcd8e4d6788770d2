// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s
// RUN: heddle-opt %s --package-resolve-launches --package-print-instructions -o /dev/null | FileCheck %s --check-prefix=CODE

// Order without events: before the loop each stream comes after the call's, after it the call's after each. Halves change
// streams in between, so that all three come after all three.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add_constant attributes {host.fake = "add_constant"} {
  func.func private @add_constant()
  flow.variant @v target("v") format("elf-x86_64") features([]) symbol("add_constant") object(dense<0> : tensor<3xi8>) {
    func.func @workgroups(%n: index) -> index { %c = arith.constant 1 : index return %c : index }
    func.func @scratch(%n: index) -> index { %c = arith.constant 1 : index return %c : index }
  }
}
// CHECK: main call 0: y = dense<[31, 32, 33, 34]> : tensor<4xi32>

// The first stream comes after the others, then each of them after it.
// CODE: function main: {{.*}} 3 streams, 0 events
// CODE: follow t0 t1
// CODE-NEXT: follow t0 t2
// CODE-NEXT: follow t1 t0
// CODE-NEXT: follow t2 t0
// CODE: dispatch t1
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xi32>, [""]>]) results([#host.value<"y", tensor<4xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[1, 2, 3, 4]> : tensor<4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %y = host.result 0 on @d size %c16
  %t = host.slab on @d size %c32
  %s0 = host.stream on @d 0
  %s1 = host.stream on @d 1
  %x0 = host.view %x[%c0] size %c8
  %x1 = host.view %x[%c8] size %c8
  %t0 = host.view %t[%c0] size %c8
  %t1 = host.view %t[%c8] size %c8
  %u0 = host.view %t[%c16] size %c8
  %u1 = host.view %t[%c24] size %c8
  %u = host.view %t[%c16] size %c16
  host.barrier %s, %s0, %s1
  host.dispatch %s0, @add_constant(%x0, %t0) [%c10] access(["r", "w"])
  host.dispatch %s1, @add_constant(%x1, %t1) [%c10] access(["r", "w"])
  host.barrier %s0, %s1
  host.dispatch %s1, @add_constant(%t0, %u0) [%c10] access(["r", "w"])
  host.dispatch %s0, @add_constant(%t1, %u1) [%c10] access(["r", "w"])
  host.barrier %s, %s0, %s1
  host.dispatch %s, @add_constant(%u, %y) [%c10] access(["r", "w"])
  host.return %y shape(%c4)
}
