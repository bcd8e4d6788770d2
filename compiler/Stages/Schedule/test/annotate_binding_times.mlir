// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(host.func(schedule-annotate-binding-times))' | FileCheck %s

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }
flow.parameter private @w : tensor<4xf32> = dense<1.0>
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"]) {
  // CHECK: arith.constant {host.binding = "compile"} 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: host.parameter @w on @d {host.binding = "bind"}
  %w = host.parameter @w on @d
  // CHECK: host.query @d "cores" {host.binding = "bind"}
  %cores = host.query @d "cores"
  // CHECK: arith.addi {{.*}} {host.binding = "bind"}
  %parts = arith.addi %cores, %c1 : index
  // CHECK: arith.muli {{.*}} {host.binding = "call"}
  %bytes = arith.muli %n, %parts : index
  // CHECK: host.result 0 on @d size %{{.*}} {host.binding = "call"}
  %y = host.result 0 on @d size %bytes
  // CHECK: host.read {{.*}} {host.binding = "data"}
  %k = host.read %s, %x[%c0] : i32
  // A carried value is known when what comes in, what is yielded and the number of trips are known.
  // CHECK: scf.for
  // CHECK: arith.addi {{.*}} {host.binding = "bind"}
  // CHECK: } {host.binding = "data"}
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%a = %c0) -> (index) {
    %next = arith.addi %a, %cores : index
    scf.yield %next : index
  }
  // CHECK: host.fill {{.*}} {host.binding = "data"}
  host.fill %s, %y[%c0] size %bytes pattern %sum : 4
  host.return %y shape(%n)
}
