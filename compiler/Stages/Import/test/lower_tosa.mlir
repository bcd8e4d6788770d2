// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-lower-tosa --import-name-dimensions --import-verify | FileCheck %s

// CHECK-LABEL: @main
// CHECK: linalg.batch_matmul
// CHECK: math.tanh
// CHECK-NOT: tosa
func.func @main(%a: tensor<1x4x8xf32>, %b: tensor<1x8x4xf32>) -> tensor<1x4x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %a, %b, %z, %z : (tensor<1x4x8xf32>, tensor<1x8x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4xf32>
  %t = tosa.tanh %m : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  return %t : tensor<1x4x4xf32>
}

// Sizes that only the call knows are checked, and may be 0.
// CHECK-LABEL: @broadcast
// CHECK-NOT: arith.maxui
// CHECK: %[[M:.*]] = tensor.dim %arg0
// CHECK: %[[N:.*]] = tensor.dim %arg1
// CHECK: flow.check %{{.*}}, "sizes of operands cannot be broadcast: they must be equal, or one of them 1"
// CHECK: %[[SIZE:.*]] = arith.select %{{.*}}, %[[N]], %[[M]] : index
// CHECK: tensor.empty(%[[SIZE]])
func.func @broadcast(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %t = tosa.add %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %t : tensor<?x4xf32>
}

// An affinity outlives the lowering, which knows nothing of it.
// CHECK-LABEL: @affinity
// CHECK: linalg.generic
// CHECK-SAME: heddle.affinity = #device.promise<@b>
// CHECK: linalg.generic
// CHECK-NOT: heddle.affinity
// CHECK: return
func.func @affinity(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.add %a, %b {heddle.affinity = #device.promise<@b>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.sub %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A scatter is one op, not a loop over updates; sizes that must be equal are checked, and one value.
// CHECK-LABEL: @scatter
// CHECK-NOT: scf.for
// CHECK-COUNT-3: flow.check %{{.*}}, "tosa.scatter: batches of values, indices and input must be as many
// CHECK: intent.scatter %{{.*}} into %{{.*}} at %{{.*}} dim 1 sizes(%[[N:.*]], %{{.*}}, %[[N]], %{{.*}}) : (tensor<?x?x3xf32>, tensor<?x?x3xf32>, tensor<?x?xi32>, index, index, index, index) -> tensor<?x?x3xf32>
func.func @scatter(%x: tensor<?x?x3xf32>, %i: tensor<?x?xi32>, %u: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> {
  %y = tosa.scatter %x, %i, %u : (tensor<?x?x3xf32>, tensor<?x?xi32>, tensor<?x?x3xf32>) -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}
