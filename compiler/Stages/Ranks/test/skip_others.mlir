// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-skip-others | FileCheck %s

device.mesh @all = [r = 4]
device.mesh @front = [x = 2]
device.mesh @back = [y = 2] at 2

// What only the senders of a move need, and what only those that meet a collective need. All have results.
// CHECK-LABEL: func @pipeline
func.func @pipeline(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {heddle.sharding = #flow.sharding<@back, [[], []]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[FRONT:.*]] = flow.member @front
  // CHECK-NEXT: %[[P:.*]] = scf.if %[[FRONT]]
  // CHECK: linalg.matmul
  // CHECK: linalg.tanh
  // CHECK: } else {
  // CHECK-NOT: linalg.matmul
  // CHECK: }
  %p = linalg.matmul ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.tanh ins(%p : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[M:.*]] = flow.permute %[[P]]
  %m = flow.permute %t pairs [[0, 2], [1, 3]] over @all["r"] : tensor<4x4xf32>
  // CHECK: %[[BACK:.*]] = flow.member @back
  // CHECK-NEXT: %[[Q:.*]] = scf.if %[[BACK]]
  // CHECK: linalg.matmul ins(%[[M]], %{{.*}}
  // CHECK: } else {
  // CHECK: flow.all_reduce %[[Q]]
  // CHECK: linalg.exp
  // CHECK-NEXT: return
  %q = linalg.matmul ins(%m, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %member = flow.member @back
  %s = scf.if %member -> (tensor<4x4xf32>) {
    %0 = flow.all_reduce %q sum over @back["y"] : tensor<4x4xf32>
    scf.yield %0 : tensor<4x4xf32>
  } else {
    scf.yield %e : tensor<4x4xf32>
  }
  %r = linalg.exp ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// What others need, too, and branches whose collectives others meet.
// CHECK-LABEL: func @needed
func.func @needed(%x: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {heddle.sharding = #flow.sharding<@back, [[], []]>}, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  // CHECK-NOT: scf.if
  // CHECK: linalg.tanh
  %t = linalg.tanh ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[ALL:.*]] = flow.member @all
  // CHECK-NEXT: scf.if %[[ALL]]
  // CHECK-NEXT: flow.all_reduce
  %member = flow.member @all
  %s = scf.if %member -> (tensor<4x4xf32>) {
    %0 = flow.all_reduce %t sum over @all["r"] : tensor<4x4xf32>
    scf.yield %0 : tensor<4x4xf32>
  } else {
    scf.yield %e : tensor<4x4xf32>
  }
  return %s, %t : tensor<4x4xf32>, tensor<4x4xf32>
}

// A loop that goes on as its data say runs on all ranks, since it has a counter: on zeros it would not end.
// CHECK-LABEL: func @loop
func.func @loop(%x: tensor<f32>, %w: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {heddle.sharding = #flow.sharding<@back, [[], []]>}) {
  %limit = arith.constant 1.0 : f32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %se = tensor.empty() : tensor<f32>
  %e = tensor.empty() : tensor<4x4xf32>
  // CHECK-NOT: flow.member
  // CHECK: linalg.exp
  // CHECK: scf.while
  %step = linalg.exp ins(%x : tensor<f32>) outs(%se : tensor<f32>) -> tensor<f32>
  %n:2 = scf.while (%i = %zero, %s = %step) : (index, tensor<f32>) -> (index, tensor<f32>) {
    %v = tensor.extract %s[] : tensor<f32>
    %more = arith.cmpf olt, %v, %limit : f32
    scf.condition(%more) %i, %s : index, tensor<f32>
  } do {
  ^bb0(%i: index, %s: tensor<f32>):
    %next = arith.addi %i, %one : index
    %t = linalg.add ins(%s, %step : tensor<f32>, tensor<f32>) outs(%se : tensor<f32>) -> tensor<f32>
    scf.yield %next, %t : index, tensor<f32>
  }
  // CHECK: flow.member @back
  %count = arith.index_cast %n#0 : index to i32
  %f = arith.sitofp %count : i32 to f32
  %g = linalg.fill ins(%f : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = linalg.matmul ins(%w, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%g : tensor<4x4xf32>) -> tensor<4x4xf32>
  %member = flow.member @back
  %r = scf.if %member -> (tensor<4x4xf32>) {
    %0 = flow.all_reduce %q sum over @back["y"] : tensor<4x4xf32>
    scf.yield %0 : tensor<4x4xf32>
  } else {
    scf.yield %e : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}
