// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --flow-cut-factors=parts=2 | FileCheck %s

// A result that is not cut stays, then come rows, columns and what is summed: the init once, then zeros.

// CHECK-LABEL: @product
// CHECK-SAME: (%[[A:.*]]: tensor<3x4xf32>, %[[B:.*]]: tensor<4x6xf32>, %[[C:.*]]: tensor<3x6xf32>)
// CHECK: %[[WHOLE:.*]] = linalg.matmul ins(%[[A]], %[[B]]
// CHECK: %[[TOP:.*]] = tensor.extract_slice %[[A]][0, 0] [1, 4]
// CHECK: linalg.matmul ins(%[[TOP]], %[[B]] : tensor<1x4xf32>, tensor<4x6xf32>)
// CHECK: %[[BELOW:.*]] = tensor.extract_slice %[[A]][1, 0] [2, 4]
// CHECK: linalg.matmul ins(%[[BELOW]], %[[B]] : tensor<2x4xf32>, tensor<4x6xf32>)
// CHECK: %[[ROWS:.*]] = tensor.insert_slice
// CHECK: tensor.extract_slice %[[B]][0, 3] [4, 3]
// CHECK: %[[COLUMNS:.*]] = tensor.insert_slice
// CHECK: tensor.extract_slice %[[A]][0, 0] [3, 2]
// CHECK: tensor.extract_slice %[[B]][0, 0] [2, 6]
// CHECK: linalg.generic {{.*}} ins(%[[C]]
// CHECK: arith.select
// CHECK: arith.addf
// CHECK: return %[[WHOLE]], %[[ROWS]], %[[COLUMNS]], %{{.*}}
func.func @product(%a: tensor<3x4xf32>, %b: tensor<4x6xf32>, %c: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<4x6xf32>) outs(%c : tensor<3x6xf32>) -> tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}

// -----

// A dimension that merges others is cut at multiples of the inner ones.

// CHECK-LABEL: @merge
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0] [4] [1] : tensor<4xf32> into tensor<12xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[4] [8] [1] : tensor<8xf32> into tensor<12xf32>
func.func @merge(%x: tensor<3x4xf32>) -> tensor<12xf32> {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

// What each part looks up is in one of them; the others give zeros.

// CHECK-LABEL: @look_up
// CHECK: %[[BELOW:.*]] = tensor.extract_slice %{{.*}}[4] [5] [1] : tensor<9xf32> to tensor<5xf32>
// CHECK: linalg.generic
// CHECK: %[[OWN:.*]] = arith.subi
// CHECK: %[[IS_OWN:.*]] = arith.cmpi ult, %[[OWN]]
// CHECK: %[[PLACE:.*]] = arith.select %[[IS_OWN]], %[[OWN]]
// CHECK: %[[FOUND:.*]] = tensor.extract %[[BELOW]][%[[PLACE]]]
// CHECK: arith.select %[[IS_OWN]], %[[FOUND]]
func.func @look_up(%w: tensor<9xf32>, %ids: tensor<1xindex>) -> tensor<1xf32> {
  %e = tensor.empty() : tensor<1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<1xindex>) outs(%e : tensor<1xf32>) {
  ^bb0(%id: index, %o: f32):
    %v = tensor.extract %w[%id] : tensor<9xf32>
    linalg.yield %v : f32
  } -> tensor<1xf32>
  return %r : tensor<1xf32>
}

// -----

// Nothing of it can be cut.

// CHECK-LABEL: @nothing
// CHECK-SAME: -> tensor<f32>
func.func @nothing(%x: tensor<1xf32>) -> tensor<f32> {
  %r = tensor.collapse_shape %x [] : tensor<1xf32> into tensor<f32>
  return %r : tensor<f32>
}
