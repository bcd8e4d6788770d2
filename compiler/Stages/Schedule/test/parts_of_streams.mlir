// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(host.func(schedule-synchronize-streams),schedule-verify-host)' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(host.func(schedule-synchronize-streams,schedule-plan-memory),schedule-verify-host)' | FileCheck %s --check-prefix=PLAN

// Streams that write different bytes of one buffer do not wait for one another, whether these are rows or columns; who
// reads all of it waits for each of them.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }

// CHECK-LABEL: host.func @columns(%arg0: !host.stream
// CHECK: %[[T:.*]] = host.stream on @d 0
// CHECK: host.wait %[[T]]
// CHECK-NOT: host.wait
// CHECK: host.dispatch %[[T]], @f
// CHECK-NOT: host.wait
// CHECK: host.dispatch %arg0, @f
// CHECK-NOT: host.wait
// CHECK: host.dispatch %[[T]], @f
// CHECK-NEXT: %[[DONE:.*]] = host.record %[[T]]
// CHECK: host.wait %arg0, %[[DONE]]
// CHECK-NEXT: host.copy %arg0
// PLAN-LABEL: host.func @columns
// PLAN: host.view %{{.*}} size %c8{{.*}} times %c3{{.*}} stride %c32
// PLAN-NOT: host.alloc
// PLAN: host.return
host.func @columns(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<24xf32>, [""]>]) results([#host.value<"y", tensor<24xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c20 = arith.constant 20 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %t = host.stream on @d 0
  // One buffer before it, so that it does not begin with the slab.
  %other = host.alloc on @d size %c20
  host.dispatch %t, @f(%x, %other) access(["r", "w"])
  %all = host.alloc on @d size %c96
  %left = host.view %all[%c0] size %c8 times %c3 stride %c32
  %middle = host.view %all[%c8] size %c4 times %c3 stride %c32
  host.dispatch %s, @f(%x, %left) access(["r", "w"])
  host.dispatch %t, @f(%other, %middle) access(["r", "w"])
  %y = host.result 0 on @d size %c96
  host.copy %s, %y[%c0] from %all[%c0] size %c96
  host.free %t, %other
  host.free %s, %all
  host.return %y shape(%c24)
}

// CHECK-LABEL: host.func @overlap(%arg0: !host.stream
// CHECK: %[[T:.*]] = host.stream on @d 0
// CHECK: host.dispatch %arg0, @f
// CHECK-NEXT: %[[FIRST:.*]] = host.record %arg0
// CHECK: host.wait %[[T]], %[[FIRST]]
// CHECK-NEXT: host.dispatch %[[T]], @f
host.func @overlap(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<24xf32>, [""]>]) results([#host.value<"y", tensor<24xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %t = host.stream on @d 0
  %y = host.result 0 on @d size %c96
  %left = host.view %y[%c0] size %c8 times %c3 stride %c32
  %middle = host.view %y[%c4] size %c8 times %c3 stride %c32
  host.dispatch %s, @f(%x, %left) access(["r", "w"])
  host.dispatch %t, @f(%x, %middle) access(["r", "w"])
  host.return %y shape(%c24)
}
