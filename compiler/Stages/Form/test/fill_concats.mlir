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

// What others read, too, is copied, where it is no more than half of the whole.
// CHECK-LABEL: func.func @copied
// CHECK-SAME: (%[[X:.*]]: tensor<8x3xf32>)
func.func @copied(%x: tensor<8x3xf32>) -> tensor<8x6xf32> {
  %e = tensor.empty() : tensor<8x3xf32>
  // CHECK: %[[A:.*]] = linalg.exp
  %a = linalg.exp ins(%x : tensor<8x3xf32>) outs(%e : tensor<8x3xf32>) -> tensor<8x3xf32>
  // CHECK: tensor.insert_slice %[[A]] into
  // CHECK: %[[B:.*]] = linalg.copy ins(%[[X]]
  // CHECK: tensor.insert_slice %[[B]] into
  %0 = tensor.concat dim(1) %a, %x : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// A block of layers, each of which concatenates what it computes to what was before, is one memory.
// CHECK-LABEL: func.func @block
func.func @block(%x: tensor<8x3xf32>) -> tensor<1x8x9xf32> {
  %e = tensor.empty() : tensor<8x3xf32>
  %f = tensor.empty() : tensor<8x6xf32>
  %w = tensor.empty() : tensor<6x3xf32>
  // CHECK: %[[M:.*]] = tensor.empty() {flow.filled = {{.*}} : i64} : tensor<1x8x9xf32>
  // CHECK: %[[A:.*]] = linalg.exp
  %a = linalg.exp ins(%x : tensor<8x3xf32>) outs(%e : tensor<8x3xf32>) -> tensor<8x3xf32>
  %ua = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, 8, 3] : tensor<8x3xf32> into tensor<1x8x3xf32>
  // CHECK: %[[MA:.*]] = tensor.insert_slice %[[A]] into %[[M]][0, 0, 0] [1, 8, 3] [1, 1, 1]
  %b = linalg.abs ins(%x : tensor<8x3xf32>) outs(%e : tensor<8x3xf32>) -> tensor<8x3xf32>
  %ub = tensor.expand_shape %b [[0, 1], [2]] output_shape [1, 8, 3] : tensor<8x3xf32> into tensor<1x8x3xf32>
  // CHECK: %[[MB:.*]] = tensor.insert_slice %{{.*}} into %[[MA]][0, 0, 3] [1, 8, 3] [1, 1, 1]
  %c = tensor.concat dim(2) %ua, %ub : (tensor<1x8x3xf32>, tensor<1x8x3xf32>) -> tensor<1x8x6xf32>
  %uc = tensor.collapse_shape %c [[0, 1], [2]] : tensor<1x8x6xf32> into tensor<8x6xf32>
  // CHECK: %[[R:.*]] = tensor.extract_slice %[[MB]][0, 0, 0] [1, 8, 6] [1, 1, 1] : tensor<1x8x9xf32> to tensor<8x6xf32>
  // CHECK: linalg.negf ins(%[[R]]
  %n = linalg.negf ins(%uc : tensor<8x6xf32>) outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
  %d = linalg.matmul ins(%n, %w : tensor<8x6xf32>, tensor<6x3xf32>) outs(%e : tensor<8x3xf32>) -> tensor<8x3xf32>
  %ud = tensor.expand_shape %d [[0, 1], [2]] output_shape [1, 8, 3] : tensor<8x3xf32> into tensor<1x8x3xf32>
  // CHECK: %[[MD:.*]] = tensor.insert_slice %{{.*}} into %[[MB]][0, 0, 6] [1, 8, 3] [1, 1, 1]
  %r = tensor.concat dim(2) %c, %ud : (tensor<1x8x6xf32>, tensor<1x8x3xf32>) -> tensor<1x8x9xf32>
  // CHECK: return %[[MD]]
  return %r : tensor<1x8x9xf32>
}

// Not where most would be copied; not along a free dimension; not where elements share bytes.
// CHECK-LABEL: func.func @others
// CHECK-NOT: flow.filled
// CHECK-COUNT-3: tensor.concat
func.func @others(%x: tensor<8x3xf32>, %y: tensor<8x?xf32>, %z: tensor<8x3xi4>, %n: index)
    -> (tensor<8x9xf32>, tensor<8x?xf32>, tensor<8x6xi4>) {
  %e = tensor.empty() : tensor<8x3xf32>
  %f = tensor.empty(%n) : tensor<8x?xf32>
  %g = tensor.empty() : tensor<8x3xi4>
  %a = linalg.exp ins(%x : tensor<8x3xf32>) outs(%e : tensor<8x3xf32>) -> tensor<8x3xf32>
  %b = linalg.abs ins(%a : tensor<8x3xf32>) outs(%e : tensor<8x3xf32>) -> tensor<8x3xf32>
  %c = linalg.abs ins(%y : tensor<8x?xf32>) outs(%f : tensor<8x?xf32>) -> tensor<8x?xf32>
  %d = linalg.exp ins(%y : tensor<8x?xf32>) outs(%f : tensor<8x?xf32>) -> tensor<8x?xf32>
  %s = linalg.add ins(%z, %z : tensor<8x3xi4>, tensor<8x3xi4>) outs(%g : tensor<8x3xi4>) -> tensor<8x3xi4>
  %t = linalg.sub ins(%z, %z : tensor<8x3xi4>, tensor<8x3xi4>) outs(%g : tensor<8x3xi4>) -> tensor<8x3xi4>
  %0 = tensor.concat dim(1) %b, %a, %x : (tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x9xf32>
  %1 = tensor.concat dim(1) %c, %d : (tensor<8x?xf32>, tensor<8x?xf32>) -> tensor<8x?xf32>
  %2 = tensor.concat dim(1) %s, %t : (tensor<8x3xi4>, tensor<8x3xi4>) -> tensor<8x6xi4>
  return %0, %1, %2 : tensor<8x9xf32>, tensor<8x?xf32>, tensor<8x6xi4>
}
