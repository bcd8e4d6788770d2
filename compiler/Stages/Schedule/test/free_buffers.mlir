// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(host.func(schedule-free-buffers))' | FileCheck %s

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }
// CHECK-LABEL: host.func @chain
host.func @chain(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  // CHECK: %[[A:.*]] = host.alloc
  %a = host.alloc on @d size %c16
  // CHECK: %[[B:.*]] = host.alloc
  %b = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  // The last use of %a is one of its view, inside a branch: it is freed after the branch.
  %v = host.view %a[%c0] size %c16
  %true = arith.constant true
  // CHECK: scf.if
  scf.if %true {
    host.dispatch %s, @f(%v, %b) access(["r", "w"])
  }
  // CHECK: }
  // CHECK-NEXT: host.free %{{.*}}, %[[B]]
  // CHECK-NEXT: host.free %{{.*}}, %[[A]]
  // CHECK-NEXT: host.return
  host.return shape()
}

// A loop that owns what it carries frees the old value in its body; the result is freed after the loop.
// CHECK-LABEL: host.func @loop
host.func @loop(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // CHECK: %[[FIRST:.*]] = host.alloc
  // CHECK-NOT: host.free
  %first = host.alloc on @d size %c16
  host.fill %s, %first[%c0] size %c16 pattern %c0 : 4
  // CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[FIRST]])
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %first) -> (!host.buffer) {
    %new = host.alloc on @d size %c16
    // CHECK: host.dispatch
    // CHECK-NEXT: host.free %{{.*}}, %[[OLD]]
    host.dispatch %s, @f(%old, %new) access(["r", "w"])
    scf.yield %new : !host.buffer
  }
  // CHECK: }
  // CHECK-NEXT: host.free %{{.*}}, %[[LAST]]
  host.return shape()
}
