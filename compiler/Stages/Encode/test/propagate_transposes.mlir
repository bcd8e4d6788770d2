// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-propagate-transposes --split-input-file --allow-unregistered-dialect | FileCheck %s

// Through an elementwise op with an index, and through pad, concat and a pool, to the inverse.

// CHECK-DAG: #[[POOL:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2 + d3, d2)>
// CHECK-LABEL: func.func @cancels
// CHECK-NOT: linalg.transpose
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<2x7x4xf32>)
// CHECK: linalg.index 1
// CHECK: %[[C:.*]] = tensor.concat dim(2) %[[R]], %arg0
// CHECK: %[[P:.*]] = tensor.pad %[[C]] low[0, 1, 0] high[0, 0, 0]
// CHECK: %[[Q:.*]] = linalg.generic {indexing_maps = [#[[POOL]], #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[P]]
// CHECK-NOT: linalg.transpose
// CHECK: return %[[Q]]
func.func @cancels(%x: tensor<2x7x4xf32>) -> tensor<2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x4x7xf32>
  %t = linalg.transpose ins(%x : tensor<2x7x4xf32>) outs(%e0 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, c, s) -> (n, c, s)>, affine_map<(n, c, s) -> (n, c, s)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t : tensor<2x4x7xf32>) outs(%e0 : tensor<2x4x7xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 2 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %m = arith.mulf %a, %f : f32
    linalg.yield %m : f32
  } -> tensor<2x4x7xf32>
  %c = tensor.concat dim(1) %r, %t : (tensor<2x4x7xf32>, tensor<2x4x7xf32>) -> tensor<2x8x7xf32>
  %p = tensor.pad %c low[0, 0, 1] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<2x8x7xf32> to tensor<2x8x8xf32>
  %window = tensor.empty() : tensor<2xf32>
  %e1 = tensor.empty() : tensor<2x8x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %q = linalg.generic {
      indexing_maps = [affine_map<(n, c, o, k) -> (n, c, o * 2 + k)>, affine_map<(n, c, o, k) -> (k)>,
                       affine_map<(n, c, o, k) -> (n, c, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %window : tensor<2x8x8xf32>, tensor<2xf32>) outs(%init : tensor<2x8x4xf32>) {
  ^bb0(%a: f32, %w: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<2x8x4xf32>
  %e2 = tensor.empty() : tensor<2x4x8xf32>
  %u = linalg.transpose ins(%q : tensor<2x8x4xf32>) outs(%e2 : tensor<2x4x8xf32>) permutation = [0, 2, 1]
  return %u : tensor<2x4x8xf32>
}

// -----

// A channel shuffle changes places inside the last dimension; a sum over positions needs no transpose.

// CHECK-LABEL: func.func @shuffle
// CHECK: %[[E:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [7, 2, 3]
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[E]] : tensor<7x2x3xf32>) outs(%{{.*}} : tensor<7x3x2xf32>) permutation = [0, 2, 1]
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[T]] {{\[\[}}0], [1, 2]] : tensor<7x3x2xf32> into tensor<7x6xf32>
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[C]]
func.func @shuffle(%x: tensor<7x6xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<6x7xf32>
  %t = linalg.transpose ins(%x : tensor<7x6xf32>) outs(%e0 : tensor<6x7xf32>) permutation = [1, 0]
  %g = tensor.expand_shape %t [[0, 1], [2]] output_shape [2, 3, 7] : tensor<6x7xf32> into tensor<2x3x7xf32>
  %e1 = tensor.empty() : tensor<3x2x7xf32>
  %s = linalg.transpose ins(%g : tensor<2x3x7xf32>) outs(%e1 : tensor<3x2x7xf32>) permutation = [1, 0, 2]
  %c = tensor.collapse_shape %s [[0, 1], [2]] : tensor<3x2x7xf32> into tensor<6x7xf32>
  %e2 = tensor.empty() : tensor<6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e2 : tensor<6xf32>) -> tensor<6xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(c, s) -> (c, s)>, affine_map<(c, s) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<6x7xf32>) outs(%init : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

// Reads at computed indices, as in a resize. That an empty tensor of a dynamic size is shared means nothing.

// CHECK-LABEL: func.func @resize
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>
// CHECK-NOT: linalg.transpose
// CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%[[X]]
// CHECK: %[[C:.*]] = linalg.index 1
// CHECK: %[[S:.*]] = linalg.index 0
// CHECK: %[[H:.*]] = arith.divui %[[S]]
// CHECK: tensor.extract %[[N]][%[[H]], %[[C]]]
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @resize(%x: tensor<?x4xf32>, %n: index) -> tensor<14x4xf32> {
  %two = arith.constant 2 : index
  %e0 = tensor.empty(%n) : tensor<4x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x4xf32>) outs(%e0 : tensor<4x?xf32>) permutation = [1, 0]
  %m = linalg.generic {
      indexing_maps = [affine_map<(c, s) -> (c, s)>, affine_map<(c, s) -> (c, s)>], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<4x?xf32>) outs(%e0 : tensor<4x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = arith.negf %a : f32
    linalg.yield %v : f32
  } -> tensor<4x?xf32>
  %e1 = tensor.empty() : tensor<4x14xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, s) -> (c, s)>], iterator_types = ["parallel", "parallel"]}
      outs(%e1 : tensor<4x14xf32>) {
  ^bb0(%b: f32):
    %c = linalg.index 0 : index
    %s = linalg.index 1 : index
    %h = arith.divui %s, %two : index
    %v = tensor.extract %m[%c, %h] : tensor<4x?xf32>
    linalg.yield %v : f32
  } -> tensor<4x14xf32>
  %e2 = tensor.empty() : tensor<14x4xf32>
  %u = linalg.transpose ins(%r : tensor<4x14xf32>) outs(%e2 : tensor<14x4xf32>) permutation = [1, 0]
  return %u : tensor<14x4xf32>
}

// -----

// Turning the sum would need the other operand and the result transposed: one transpose stays one.

// CHECK-LABEL: func.func @would_not_pay
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg0
// CHECK: linalg.generic {{.*}} ins(%[[T]], %arg1
// CHECK-NOT: linalg.transpose
func.func @would_not_pay(%x: tensor<7x4xf32>, %y: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %e = tensor.empty() : tensor<4x7xf32>
  %t = linalg.transpose ins(%x : tensor<7x4xf32>) outs(%e : tensor<4x7xf32>) permutation = [1, 0]
  %r = linalg.generic {
      indexing_maps = [affine_map<(c, s) -> (c, s)>, affine_map<(c, s) -> (c, s)>, affine_map<(c, s) -> (c, s)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%t, %y : tensor<4x7xf32>, tensor<4x7xf32>) outs(%e : tensor<4x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.addf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4x7xf32>
  return %r : tensor<4x7xf32>
}

// -----

// A matrix product keeps its layout; dimensions of size 1 move for free.

// CHECK-LABEL: func.func @edges
// CHECK: linalg.transpose ins(%arg0
// CHECK: linalg.matmul
// CHECK-NOT: linalg.transpose
// CHECK: tensor.collapse_shape
func.func @edges(%x: tensor<7x4xf32>, %w: tensor<7x5xf32>) -> tensor<5x4x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x7xf32>
  %t = linalg.transpose ins(%x : tensor<7x4xf32>) outs(%e0 : tensor<4x7xf32>) permutation = [1, 0]
  %e1 = tensor.empty() : tensor<4x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %m = linalg.matmul ins(%t, %w : tensor<4x7xf32>, tensor<7x5xf32>) outs(%init : tensor<4x5xf32>) -> tensor<4x5xf32>
  %b = "test.use"(%m) : (tensor<4x5xf32>) -> tensor<1x5x4xf32>
  %e2 = tensor.empty() : tensor<5x4x1xf32>
  %u = linalg.transpose ins(%b : tensor<1x5x4xf32>) outs(%e2 : tensor<5x4x1xf32>) permutation = [1, 2, 0]
  return %u : tensor<5x4x1xf32>
}

// -----

// Where following would tear a group of dimensions apart, the transpose inside takes up the others: one is left of three.

// CHECK-LABEL: @transposed_convolution
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x5x24xf32>
// CHECK: %[[E:.*]] = tensor.expand_shape %[[X]] {{.*}} : tensor<4x5x24xf32> into tensor<4x5x2x2x6xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[E]] {{.*}} permutation = [0, 2, 1, 3, 4]
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[T]] {{.*}} : tensor<4x2x5x2x6xf32> into tensor<8x10x6xf32>
// CHECK: linalg.generic {{.*}} ins(%[[C]]
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @transposed_convolution(%x: tensor<4x5x24xf32>) -> tensor<8x10x6xf32> {
  %e0 = tensor.empty() : tensor<24x4x5xf32>
  %0 = linalg.transpose ins(%x : tensor<4x5x24xf32>) outs(%e0 : tensor<24x4x5xf32>) permutation = [2, 0, 1]
  %1 = tensor.expand_shape %0 [[0, 1, 2], [3], [4]] output_shape [2, 2, 6, 4, 5] : tensor<24x4x5xf32> into tensor<2x2x6x4x5xf32>
  %e1 = tensor.empty() : tensor<6x4x2x5x2xf32>
  %2 = linalg.transpose ins(%1 : tensor<2x2x6x4x5xf32>) outs(%e1 : tensor<6x4x2x5x2xf32>) permutation = [2, 3, 0, 4, 1]
  %3 = tensor.collapse_shape %2 [[0], [1, 2], [3, 4]] : tensor<6x4x2x5x2xf32> into tensor<6x8x10xf32>
  %e2 = tensor.empty() : tensor<6x8x10xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<6x8x10xf32>) outs(%e2 : tensor<6x8x10xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<6x8x10xf32>
  %e3 = tensor.empty() : tensor<8x10x6xf32>
  %5 = linalg.transpose ins(%4 : tensor<6x8x10xf32>) outs(%e3 : tensor<8x10x6xf32>) permutation = [1, 2, 0]
  return %5 : tensor<8x10x6xf32>
}

// -----

// Through a crossing, which keeps its place and its device.
// CHECK-LABEL: func.func @crossing
// CHECK-SAME: (%[[X:.*]]: tensor<2x?x4x9xf32>, %[[N:.*]]: index, %[[M:.*]]: index)
// CHECK-NOT: linalg.transpose
// CHECK: %[[T:.*]] = flow.transfer %[[X]]{%[[N]]} : tensor<2x?x4x9xf32> to #device.affinity<@b> {keeps}
// CHECK-NOT: linalg.transpose
// CHECK: return %[[T]]
func.func @crossing(%x: tensor<2x?x4x9xf32>, %n: index, %m: index) -> tensor<2x?x4x9xf32> {
  %e = tensor.empty(%n) : tensor<2x9x?x4xf32>
  %t = linalg.transpose ins(%x : tensor<2x?x4x9xf32>) outs(%e : tensor<2x9x?x4xf32>) permutation = [0, 3, 1, 2]
  %u = flow.transfer %t{%n} : tensor<2x9x?x4xf32> to #device.affinity<@b> {keeps}
  %f = tensor.empty(%n) : tensor<2x?x4x9xf32>
  %r = linalg.transpose ins(%u : tensor<2x9x?x4xf32>) outs(%f : tensor<2x?x4x9xf32>) permutation = [0, 2, 3, 1]
  return %r : tensor<2x?x4x9xf32>
}

// -----

// A small depthwise convolution between channels last becomes channels last; its weights lie along the channels.

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0 + d2, d1)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @depthwise
// CHECK: linalg.transpose ins(%arg1 : tensor<4x3xf32>)
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], {{.*}} ins(%arg0, %{{.*}} : tensor<9x4xf32>, tensor<3x4xf32>)
// CHECK: return %[[Y]]
func.func @depthwise(%x: tensor<9x4xf32>, %w: tensor<4x3xf32>) -> tensor<7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %first = tensor.empty() : tensor<4x9xf32>
  %xt = linalg.transpose ins(%x : tensor<9x4xf32>) outs(%first : tensor<4x9xf32>) permutation = [1, 0]
  %empty = tensor.empty() : tensor<4x7xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x7xf32>) -> tensor<4x7xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(c, o, k) -> (c, o + k)>, affine_map<(c, o, k) -> (c, k)>, affine_map<(c, o, k) -> (c, o)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xt, %w : tensor<4x9xf32>, tensor<4x3xf32>) outs(%init : tensor<4x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<4x7xf32>
  %last = tensor.empty() : tensor<7x4xf32>
  %y = linalg.transpose ins(%0 : tensor<4x7xf32>) outs(%last : tensor<7x4xf32>) permutation = [1, 0]
  return %y : tensor<7x4xf32>
}

// -----

// Weights for each channel lie along the channels where these become innermost, also where the result is what turns first.

// CHECK-DAG: #[[WEIGHTS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>
// CHECK-LABEL: func.func @depthwise_by_its_result
// CHECK: %[[T:.*]] = linalg.transpose ins(%{{.*}} : tensor<16x3x3xf32>) outs(%{{.*}} : tensor<3x3x16xf32>) permutation = [1, 2, 0]
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[WEIGHTS]], #{{.*}}], {{.*}} ins(%{{.*}}, %[[T]] : tensor<8x8x16xf32>, tensor<3x3x16xf32>)
func.func @depthwise_by_its_result(%z: tensor<6x6x16xf32>, %x: tensor<8x8x16xf32>) -> tensor<6x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<1.0> : tensor<16x3x3xf32>
  %e = tensor.empty() : tensor<16x8x8xf32>
  %e1 = tensor.empty() : tensor<16x6x6xf32>
  %tz = linalg.transpose ins(%z : tensor<6x6x16xf32>) outs(%e1 : tensor<16x6x6xf32>) permutation = [2, 0, 1]
  %tx = linalg.transpose ins(%x : tensor<8x8x16xf32>) outs(%e : tensor<16x8x8xf32>) permutation = [2, 0, 1]
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16x6x6xf32>) -> tensor<16x6x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, h, w, i, j) -> (c, h + i, w + j)>, affine_map<(c, h, w, i, j) -> (c, i, j)>,
                                        affine_map<(c, h, w, i, j) -> (c, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%tx, %w : tensor<16x8x8xf32>, tensor<16x3x3xf32>) outs(%f : tensor<16x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<16x6x6xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(c, h, w) -> (c, h, w)>, affine_map<(c, h, w) -> (c, h, w)>, affine_map<(c, h, w) -> (c, h, w)>],
                         iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%tz, %r : tensor<16x6x6xf32>, tensor<16x6x6xf32>) outs(%e1 : tensor<16x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x6x6xf32>
  %e2 = tensor.empty() : tensor<6x6x16xf32>
  %u = linalg.transpose ins(%sum : tensor<16x6x6xf32>) outs(%e2 : tensor<6x6x16xf32>) permutation = [1, 2, 0]
  return %u : tensor<6x6x16xf32>
}
