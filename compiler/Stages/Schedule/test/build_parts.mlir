// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(schedule-build-host-program,host.func(canonicalize,cse))' | FileCheck %s

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>

flow.executable private @columns {
  func.func @columns(%x: tensor<8x4xf32>) -> (tensor<8x4xf32> {flow.pitch = {outer = 1 : i64, elements = 16 : i64}}) {
    return %x : tensor<8x4xf32>
  }
}
flow.executable private @told {
  func.func @told(%x: tensor<8x4xf32>, %n: index) -> (tensor<8x4xf32> {flow.pitch = {outer = 1 : i64, argument = 1 : i64}}) {
    return %x : tensor<8x4xf32>
  }
}
flow.executable private @dense {
  func.func @dense(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    return %x : tensor<8x4xf32>
  }
}

// Columns of what a loop carries are a view of runs.
// CHECK-LABEL: host.func @loop
func.func @loop(%x: tensor<8x4xf32>) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[Y:.*]] = host.alloc
  %y = tensor.empty() : tensor<8x16xf32>
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %y) -> tensor<8x16xf32> {
    %at = arith.muli %i, %c4 : index
    // CHECK: %[[PART:.*]] = host.view %[[Y]][%{{.*}}] size %c16{{.*}} times %c8{{.*}} stride %c64
    // CHECK: host.dispatch %{{.*}}, @columns(%{{.*}}, %[[PART]])
    // CHECK-NEXT: }
    %p = flow.dispatch @columns(%x) : (tensor<8x4xf32>) -> (tensor<8x4xf32>)
    %n = tensor.insert_slice %p into %a[0, %at] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x16xf32>
    scf.yield %n : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}

// Memory that is filled in parts is the result's, and is not zeroed; a part without a pitch is copied, a run at a time.
// CHECK-LABEL: host.func @filled
func.func @filled(%x: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %c8 = arith.constant 8 : index
  // CHECK: %[[R:[0-9]+]] = host.result 0
  // CHECK-NOT: host.fill
  %m = tensor.empty() {flow.filled = 0 : i64} : tensor<8x8xf32>
  // CHECK: %[[FIRST:.*]] = host.view %[[R]][%{{.*}}] size %c16{{.*}} times %c8{{.*}} stride %c32
  // CHECK: host.dispatch %{{.*}}, @told(%{{.*}}, %[[FIRST]])
  %p = flow.dispatch @told(%x) [%c8] : (tensor<8x4xf32>) -> (tensor<8x4xf32>)
  %n = tensor.insert_slice %p into %m[0, 0] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
  // CHECK: host.dispatch %{{.*}}, @dense(%{{.*}}, %[[SECOND:[0-9]+]]) access
  // CHECK-COUNT-8: host.copy %{{.*}}, %[[R]][%{{.*}}] from %[[SECOND]]
  %q = flow.dispatch @dense(%x) : (tensor<8x4xf32>) -> (tensor<8x4xf32>)
  %r = tensor.insert_slice %q into %n[0, 4] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
  // CHECK: host.return %[[R]]
  return %r : tensor<8x8xf32>
}

// A result with a pitch that has no place is computed into memory of its own and copied from there.
// CHECK-LABEL: host.func @spanned
func.func @spanned(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[SPAN:[0-9]+]] = host.alloc on @d size %c512
  // CHECK: %[[VIEW:.*]] = host.view %[[SPAN]][%{{.*}}] size %c16{{.*}} times %c8{{.*}} stride %c64
  // CHECK: host.dispatch %{{.*}}, @columns(%{{.*}}, %[[VIEW]])
  // CHECK: %[[R:[0-9]+]] = host.result 0
  // CHECK-COUNT-8: host.copy %{{.*}}, %[[R]][%{{.*}}] from %[[SPAN]]
  %p = flow.dispatch @columns(%x) : (tensor<8x4xf32>) -> (tensor<8x4xf32>)
  return %p : tensor<8x4xf32>
}
