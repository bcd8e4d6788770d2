// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-fill-concats | FileCheck %s

// CHECK-LABEL: func.func @columns
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>, %[[Y:.*]]: tensor<?x5xf32>, %[[N:.*]]: index)
func.func @columns(%x: tensor<?x3xf32>, %y: tensor<?x5xf32>, %n: index) -> tensor<?x8xf32> {
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %f = tensor.empty(%n) : tensor<?x5xf32>
  // CHECK: %[[M:.*]] = tensor.empty(%{{.*}}) {flow.filled = 0 : i64} : tensor<?x8xf32>
  // CHECK: %[[A:.*]] = linalg.exp
  // CHECK: %[[P:.*]] = tensor.insert_slice %[[A]] into %[[M]][0, 0] [%{{.*}}, 3] [1, 1]
  %a = linalg.exp ins(%x : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  // CHECK: %[[B:.*]] = linalg.abs
  %b = linalg.abs ins(%y : tensor<?x5xf32>) outs(%f : tensor<?x5xf32>) -> tensor<?x5xf32>
  // CHECK: %[[Q:.*]] = tensor.insert_slice %[[B]] into %[[P]][0, 3] [%{{.*}}, 5] [1, 1]
  %c = tensor.concat dim(1) %a, %b : (tensor<?x3xf32>, tensor<?x5xf32>) -> tensor<?x8xf32>
  // CHECK: return %[[Q]]
  return %c : tensor<?x8xf32>
}

// Not where a part is an argument, or is read by others; not along a free dimension; not where elements share bytes.
// CHECK-LABEL: func.func @others
// CHECK-NOT: flow.filled
// CHECK-COUNT-4: tensor.concat
func.func @others(%x: tensor<8x3xf32>, %y: tensor<8x?xf32>, %z: tensor<8x3xi4>, %n: index)
    -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x3xf32>, tensor<8x?xf32>, tensor<8x6xi4>) {
  %e = tensor.empty() : tensor<8x3xf32>
  %f = tensor.empty(%n) : tensor<8x?xf32>
  %g = tensor.empty() : tensor<8x3xi4>
  %a = linalg.exp ins(%x : tensor<8x3xf32>) outs(%e : tensor<8x3xf32>) -> tensor<8x3xf32>
  %b = linalg.abs ins(%x : tensor<8x3xf32>) outs(%e : tensor<8x3xf32>) -> tensor<8x3xf32>
  %c = linalg.abs ins(%y : tensor<8x?xf32>) outs(%f : tensor<8x?xf32>) -> tensor<8x?xf32>
  %d = linalg.exp ins(%y : tensor<8x?xf32>) outs(%f : tensor<8x?xf32>) -> tensor<8x?xf32>
  %s = linalg.add ins(%z, %z : tensor<8x3xi4>, tensor<8x3xi4>) outs(%g : tensor<8x3xi4>) -> tensor<8x3xi4>
  %t = linalg.sub ins(%z, %z : tensor<8x3xi4>, tensor<8x3xi4>) outs(%g : tensor<8x3xi4>) -> tensor<8x3xi4>
  %0 = tensor.concat dim(1) %a, %x : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x6xf32>
  %1 = tensor.concat dim(1) %b, %x : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x6xf32>
  %2 = tensor.concat dim(1) %c, %d : (tensor<8x?xf32>, tensor<8x?xf32>) -> tensor<8x?xf32>
  %3 = tensor.concat dim(1) %s, %t : (tensor<8x3xi4>, tensor<8x3xi4>) -> tensor<8x6xi4>
  return %0, %1, %b, %2, %3 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x3xf32>, tensor<8x?xf32>, tensor<8x6xi4>
}
