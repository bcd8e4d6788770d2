// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-fill-concats | FileCheck %s

// CHECK-LABEL: func.func @columns
// CHECK-SAME: (%[[X:.*]]: tensor<?x16xf32>, %[[Y:.*]]: tensor<?x24xf32>, %[[N:.*]]: index)
func.func @columns(%x: tensor<?x16xf32>, %y: tensor<?x24xf32>, %n: index) -> tensor<?x40xf32> {
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %f = tensor.empty(%n) : tensor<?x24xf32>
  // CHECK: %[[M:.*]] = tensor.empty(%{{.*}}) {flow.filled = 0 : i64} : tensor<?x40xf32>
  // CHECK: %[[A:.*]] = linalg.exp
  // CHECK: %[[P:.*]] = tensor.insert_slice %[[A]] into %[[M]][0, 0] [%{{.*}}, 16] [1, 1]
  %a = linalg.exp ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  // CHECK: %[[B:.*]] = linalg.abs
  %b = linalg.abs ins(%y : tensor<?x24xf32>) outs(%f : tensor<?x24xf32>) -> tensor<?x24xf32>
  // CHECK: %[[Q:.*]] = tensor.insert_slice %[[B]] into %[[P]][0, 16] [%{{.*}}, 24] [1, 1]
  %c = tensor.concat dim(1) %a, %b : (tensor<?x16xf32>, tensor<?x24xf32>) -> tensor<?x40xf32>
  // CHECK: return %[[Q]]
  return %c : tensor<?x40xf32>
}

// What others read, too, is copied, where it is no more than half of the whole.
// CHECK-LABEL: func.func @copied
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xf32>)
func.func @copied(%x: tensor<8x16xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  // CHECK: %[[A:.*]] = linalg.exp
  %a = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: tensor.insert_slice %[[A]] into
  // CHECK: %[[B:.*]] = linalg.copy ins(%[[X]]
  // CHECK: tensor.insert_slice %[[B]] into
  %0 = tensor.concat dim(1) %a, %x : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// A block of layers, each of which concatenates what it computes to what was before, is one memory.
// CHECK-LABEL: func.func @block
func.func @block(%x: tensor<8x16xf32>) -> tensor<1x8x48xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %f = tensor.empty() : tensor<8x32xf32>
  %w = tensor.empty() : tensor<32x16xf32>
  // CHECK: %[[M:.*]] = tensor.empty() {flow.filled = {{.*}} : i64} : tensor<1x8x48xf32>
  // CHECK: %[[A:.*]] = linalg.exp
  %a = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %ua = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, 8, 16] : tensor<8x16xf32> into tensor<1x8x16xf32>
  // CHECK: %[[MA:.*]] = tensor.insert_slice %[[A]] into %[[M]][0, 0, 0] [1, 8, 16] [1, 1, 1]
  %b = linalg.abs ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %ub = tensor.expand_shape %b [[0, 1], [2]] output_shape [1, 8, 16] : tensor<8x16xf32> into tensor<1x8x16xf32>
  // CHECK: %[[MB:.*]] = tensor.insert_slice %{{.*}} into %[[MA]][0, 0, 16] [1, 8, 16] [1, 1, 1]
  %c = tensor.concat dim(2) %ua, %ub : (tensor<1x8x16xf32>, tensor<1x8x16xf32>) -> tensor<1x8x32xf32>
  %uc = tensor.collapse_shape %c [[0, 1], [2]] : tensor<1x8x32xf32> into tensor<8x32xf32>
  // CHECK: %[[R:.*]] = tensor.extract_slice %[[MB]][0, 0, 0] [1, 8, 32] [1, 1, 1] : tensor<1x8x48xf32> to tensor<8x32xf32>
  // CHECK: linalg.negf ins(%[[R]]
  %n = linalg.negf ins(%uc : tensor<8x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %d = linalg.matmul ins(%n, %w : tensor<8x32xf32>, tensor<32x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %ud = tensor.expand_shape %d [[0, 1], [2]] output_shape [1, 8, 16] : tensor<8x16xf32> into tensor<1x8x16xf32>
  // CHECK: %[[MD:.*]] = tensor.insert_slice %{{.*}} into %[[MB]][0, 0, 32] [1, 8, 16] [1, 1, 1]
  %r = tensor.concat dim(2) %c, %ud : (tensor<1x8x32xf32>, tensor<1x8x16xf32>) -> tensor<1x8x48xf32>
  // CHECK: return %[[MD]]
  return %r : tensor<1x8x48xf32>
}

// Not where most would be copied; not along a free dimension; not where elements share bytes; not runs of a few bytes.
// CHECK-LABEL: func.func @others
// CHECK-NOT: flow.filled
// CHECK-COUNT-4: tensor.concat
func.func @others(%x: tensor<8x16xf32>, %y: tensor<8x?xf32>, %z: tensor<8x160xi4>, %s3: tensor<8x3xf32>, %n: index)
    -> (tensor<8x48xf32>, tensor<8x?xf32>, tensor<8x320xi4>, tensor<8x19xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %f = tensor.empty(%n) : tensor<8x?xf32>
  %g = tensor.empty() : tensor<8x160xi4>
  %a = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %b = linalg.abs ins(%a : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = linalg.abs ins(%y : tensor<8x?xf32>) outs(%f : tensor<8x?xf32>) -> tensor<8x?xf32>
  %d = linalg.exp ins(%y : tensor<8x?xf32>) outs(%f : tensor<8x?xf32>) -> tensor<8x?xf32>
  %s = linalg.add ins(%z, %z : tensor<8x160xi4>, tensor<8x160xi4>) outs(%g : tensor<8x160xi4>) -> tensor<8x160xi4>
  %t = linalg.sub ins(%z, %z : tensor<8x160xi4>, tensor<8x160xi4>) outs(%g : tensor<8x160xi4>) -> tensor<8x160xi4>
  %0 = tensor.concat dim(1) %b, %a, %x : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x48xf32>
  %1 = tensor.concat dim(1) %c, %d : (tensor<8x?xf32>, tensor<8x?xf32>) -> tensor<8x?xf32>
  %2 = tensor.concat dim(1) %s, %t : (tensor<8x160xi4>, tensor<8x160xi4>) -> tensor<8x320xi4>
  %h = tensor.empty() : tensor<8x3xf32>
  %u = linalg.exp ins(%s3 : tensor<8x3xf32>) outs(%h : tensor<8x3xf32>) -> tensor<8x3xf32>
  %v = linalg.tanh ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = tensor.concat dim(1) %u, %v : (tensor<8x3xf32>, tensor<8x16xf32>) -> tensor<8x19xf32>
  return %0, %1, %2, %3 : tensor<8x48xf32>, tensor<8x?xf32>, tensor<8x320xi4>, tensor<8x19xf32>
}

// A concatenation that is there twice is one value, which is filled; both are copied from it.
// CHECK-LABEL: func.func @twice
func.func @twice(%x: tensor<16x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %a = linalg.exp ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = linalg.abs ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  // CHECK: tensor.insert_slice
  // CHECK: %[[BOTH:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[16, 0] [16, 16] [1, 1]
  %0 = tensor.concat dim(0) %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  // CHECK: %[[ALL:.*]] = tensor.concat dim(0) %[[BOTH]], %[[BOTH]]
  // CHECK: return %[[ALL]]
  %1 = tensor.concat dim(0) %0, %0 : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}

// Extents that the call knows: all parts are computed for it alone. The next one begins where the sum says.
// CHECK-LABEL: func.func @free
// CHECK-SAME: (%{{.*}}: tensor<4x?x16xf32>, %{{.*}}: tensor<4x?x16xf32>, %[[N:.*]]: index, %[[M:.*]]: index)
func.func @free(%x: tensor<4x?x16xf32>, %y: tensor<4x?x16xf32>, %n: index, %m: index) -> tensor<4x?x16xf32> {
  // CHECK: %[[ALL:.*]] = arith.addi %[[N]], %[[M]]
  // CHECK: %[[F:.*]] = tensor.empty(%[[ALL]]) {flow.filled = {{.*}} : i64} : tensor<4x?x16xf32>
  %e = tensor.empty(%n) : tensor<4x?x16xf32>
  %f = tensor.empty(%m) : tensor<4x?x16xf32>
  // CHECK: tensor.insert_slice %{{.*}} into %[[F]][0, 0, 0] [4, %[[N]], 16] [1, 1, 1]
  %a = linalg.exp ins(%x : tensor<4x?x16xf32>) outs(%e : tensor<4x?x16xf32>) -> tensor<4x?x16xf32>
  // CHECK: %[[Q:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[N]], 0] [4, %[[M]], 16] [1, 1, 1]
  %b = linalg.abs ins(%y : tensor<4x?x16xf32>) outs(%f : tensor<4x?x16xf32>) -> tensor<4x?x16xf32>
  // CHECK: return %[[Q]]
  %c = tensor.concat dim(1) %a, %b : (tensor<4x?x16xf32>, tensor<4x?x16xf32>) -> tensor<4x?x16xf32>
  return %c : tensor<4x?x16xf32>
}

// Not where one of them is an argument, of which nobody knows how large it is.
// CHECK-LABEL: func.func @free_argument
// CHECK: tensor.concat
func.func @free_argument(%x: tensor<4x?x16xf32>, %y: tensor<4x?x16xf32>, %n: index) -> tensor<4x?x16xf32> {
  %e = tensor.empty(%n) : tensor<4x?x16xf32>
  %a = linalg.exp ins(%x : tensor<4x?x16xf32>) outs(%e : tensor<4x?x16xf32>) -> tensor<4x?x16xf32>
  %c = tensor.concat dim(1) %a, %y : (tensor<4x?x16xf32>, tensor<4x?x16xf32>) -> tensor<4x?x16xf32>
  return %c : tensor<4x?x16xf32>
}
