// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --form-split-transposes | FileCheck %s

// Dimensions that stay neighbours are one: the transpose of a matrix.

// CHECK-LABEL: @neighbours
// CHECK: %[[M:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<28x2x32xf32> into tensor<56x32xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[M]] : tensor<56x32xf32>) outs(%{{.*}} : tensor<32x56xf32>) permutation = [1, 0]
// CHECK: tensor.expand_shape %[[T]] {{\[\[}}0], [1, 2]] output_shape [32, 28, 2]
func.func @neighbours(%x: tensor<28x2x32xf32>) -> tensor<32x28x2xf32> {
  %e = tensor.empty() : tensor<32x28x2xf32>
  %y = linalg.transpose ins(%x : tensor<28x2x32xf32>) outs(%e : tensor<32x28x2xf32>) permutation = [2, 0, 1]
  return %y : tensor<32x28x2xf32>
}

// -----

// A gradient's window: all short dimensions, of free sizes, too.

// CHECK-LABEL: @window
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0, 1, 2], [3]] : tensor<?x3x3x?xf32> into tensor<?x?xf32>
// CHECK: linalg.transpose {{.*}} permutation = [1, 0]
// CHECK: tensor.expand_shape {{.*}} {{\[\[}}0], [1, 2, 3]] {{.*}} : tensor<?x?xf32> into tensor<?x?x3x3xf32>
func.func @window(%x: tensor<?x3x3x?xf32>, %a: index, %b: index) -> tensor<?x?x3x3xf32> {
  %e = tensor.empty(%a, %b) : tensor<?x?x3x3xf32>
  %y = linalg.transpose ins(%x : tensor<?x3x3x?xf32>) outs(%e : tensor<?x?x3x3xf32>) permutation = [3, 0, 1, 2]
  return %y : tensor<?x?x3x3xf32>
}

// -----

// Two that stay neighbours, both short: rows of four are interleaved in one go.

// CHECK-DAG: #[[FOUR:.*]] = affine_map<(d0, d1) -> (d0, d1 mod 4, d1 floordiv 4)>
// CHECK-LABEL: @both
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2], [3]] : tensor<5x2x2x32xf32> into tensor<5x4x32xf32>
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#[[FOUR]]
func.func @both(%x: tensor<5x2x2x32xf32>) -> tensor<5x32x2x2xf32> {
  %e = tensor.empty() : tensor<5x32x2x2xf32>
  %y = linalg.transpose ins(%x : tensor<5x2x2x32xf32>) outs(%e : tensor<5x32x2x2xf32>) permutation = [0, 3, 1, 2]
  return %y : tensor<5x32x2x2xf32>
}

// -----

// The transpose of a matrix, then rows of both pixels.

// CHECK-DAG: #[[PIXELS:.*]] = affine_map<(d0, d1) -> (d0, d1 mod 2, d1 floordiv 2)>
// CHECK-LABEL: @pixels
// CHECK: %[[M:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<2x28x32xf32> into tensor<56x32xf32>
// CHECK: linalg.transpose ins(%[[M]] : tensor<56x32xf32>) outs(%{{.*}} : tensor<32x56xf32>) permutation = [1, 0]
// CHECK: linalg.generic {indexing_maps = [#[[PIXELS]]
// CHECK: tensor.expand_shape {{.*}} output_shape [32, 28, 2]
func.func @pixels(%x: tensor<2x28x32xf32>) -> tensor<32x28x2xf32> {
  %e = tensor.empty() : tensor<32x28x2xf32>
  %y = linalg.transpose ins(%x : tensor<2x28x32xf32>) outs(%e : tensor<32x28x2xf32>) permutation = [2, 1, 0]
  return %y : tensor<32x28x2xf32>
}

// -----

// The source has the long rows already. Free sizes.

// CHECK-DAG: #[[MAP:.*]] = affine_map<(d0, d1) -> (d0, d1 mod 3, d1 floordiv 3)>
// CHECK-LABEL: @interleaved
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#[[MAP]], {{.*}}ins(%arg0 : tensor<?x3x?xf32>) outs(%{{.*}} : tensor<?x?xf32>)
// CHECK: tensor.expand_shape {{.*}} : tensor<?x?xf32> into tensor<?x?x3xf32>
func.func @interleaved(%x: tensor<?x3x?xf32>, %a: index, %b: index) -> tensor<?x?x3xf32> {
  %e = tensor.empty(%a, %b) : tensor<?x?x3xf32>
  %y = linalg.transpose ins(%x : tensor<?x3x?xf32>) outs(%e : tensor<?x?x3xf32>) permutation = [0, 2, 1]
  return %y : tensor<?x?x3xf32>
}

// -----

// Rows that are long enough, that stay rows, of which there are few, or that an op computes with.

// CHECK-LABEL: @stay
// CHECK-NOT: collapse_shape
// CHECK-COUNT-4: linalg.transpose
// CHECK-NOT: linalg.transpose
func.func @stay(%x: tensor<28x32x2xf32>, %z: tensor<2x4xf32>, %s: tensor<32x2x28xf32>, %long: tensor<28x32x9xf32>) -> (tensor<9x32x28xf32>, tensor<32x28x2xf32>, tensor<4x2xf32>) {
  %e = tensor.empty() : tensor<9x32x28xf32>
  %y = linalg.transpose ins(%long : tensor<28x32x9xf32>) outs(%e : tensor<9x32x28xf32>) permutation = [2, 1, 0]
  %f = tensor.empty() : tensor<32x28x2xf32>
  %w = linalg.transpose ins(%x : tensor<28x32x2xf32>) outs(%f : tensor<32x28x2xf32>) permutation = [1, 0, 2]
  %g = tensor.empty() : tensor<4x2xf32>
  %v = linalg.transpose ins(%z : tensor<2x4xf32>) outs(%g : tensor<4x2xf32>) permutation = [1, 0]
  %t = linalg.transpose ins(%s : tensor<32x2x28xf32>) outs(%f : tensor<32x28x2xf32>) permutation = [0, 2, 1]
  %r = linalg.add ins(%t, %w : tensor<32x28x2xf32>, tensor<32x28x2xf32>) outs(%f : tensor<32x28x2xf32>) -> tensor<32x28x2xf32>
  return %y, %r, %v : tensor<9x32x28xf32>, tensor<32x28x2xf32>, tensor<4x2xf32>
}

// -----

// An op that computes with it may read it in another encoding.

#a = #encoding.contraction<role = lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [28, 4, 2]>
// CHECK-LABEL: @encoded
// CHECK: linalg.transpose {{.*}} permutation = [1, 0]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @encoded(%x: tensor<2x28xf32>, %w: tensor<2x4xf32>, %c: tensor<28x4xf32>) -> tensor<28x4xf32> {
  %e = tensor.empty() : tensor<28x2xf32>
  %t = linalg.transpose ins(%x : tensor<2x28xf32>) outs(%e : tensor<28x2xf32>) permutation = [1, 0]
  %s = encoding.set %t : tensor<28x2xf32> -> tensor<28x2xf32, #a>
  %r = linalg.matmul ins(%s, %w : tensor<28x2xf32, #a>, tensor<2x4xf32>) outs(%c : tensor<28x4xf32>) -> tensor<28x4xf32>
  return %r : tensor<28x4xf32>
}

// -----

// Pairs that move as they are.

// CHECK-LABEL: @pairs
// CHECK: linalg.transpose {{.*}} permutation = [1, 0, 2]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @pairs(%x: tensor<28x32x2xf32>) -> tensor<32x28x2xf32> {
  %e = tensor.empty() : tensor<32x28x2xf32>
  %y = linalg.transpose ins(%x : tensor<28x32x2xf32>) outs(%e : tensor<32x28x2xf32>) permutation = [1, 0, 2]
  return %y : tensor<32x28x2xf32>
}

// -----

// The weights of a convolution: rows of three taps. The transpose of a matrix of 64x288, then rows of 64.

// CHECK-LABEL: @weights
// CHECK: %[[M:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2, 3]] : tensor<64x32x3x3xf32> into tensor<64x288xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[M]] : tensor<64x288xf32>) outs(%{{.*}} : tensor<288x64xf32>) permutation = [1, 0]
// CHECK: %[[R:.*]] = tensor.expand_shape %[[T]] {{\[\[}}0, 1, 2], [3]] output_shape [32, 3, 3, 64]
// CHECK: linalg.transpose ins(%[[R]] : tensor<32x3x3x64xf32>) outs(%{{.*}} : tensor<3x3x32x64xf32>) permutation = [1, 2, 0, 3]
func.func @weights(%w: tensor<64x32x3x3xf32>) -> tensor<3x3x32x64xf32> {
  %e = tensor.empty() : tensor<3x3x32x64xf32>
  %y = linalg.transpose ins(%w : tensor<64x32x3x3xf32>) outs(%e : tensor<3x3x32x64xf32>) permutation = [2, 3, 1, 0]
  return %y : tensor<3x3x32x64xf32>
}

// -----

// Those of a transposed convolution, whose taps are walked backwards before: 64 matrices of 32x9, then rows of 32.

#back = affine_map<(d0, d1, d2, d3) -> (d1, d0, -d2 + 2, -d3 + 2)>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[BACK:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, -d0 + 2, -d1 + 2, d3)>
// CHECK-LABEL: @backwards
// CHECK: %[[M:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0], [1], [2, 3]] : tensor<64x32x3x3xf32> into tensor<64x32x9xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[M]] : tensor<64x32x9xf32>) outs(%{{.*}} : tensor<64x9x32xf32>) permutation = [0, 2, 1]
// CHECK: %[[R:.*]] = tensor.expand_shape %[[T]] {{\[\[}}0], [1, 2], [3]] output_shape [64, 3, 3, 32]
// CHECK: linalg.generic {indexing_maps = [#[[BACK]], {{.*}}ins(%[[R]] : tensor<64x3x3x32xf32>) outs(%{{.*}} : tensor<3x3x64x32xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @backwards(%w: tensor<64x32x3x3xf32>) -> tensor<3x3x64x32xf32> {
  %e = tensor.empty() : tensor<32x64x3x3xf32>
  %b = linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%w : tensor<64x32x3x3xf32>) outs(%e : tensor<32x64x3x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<32x64x3x3xf32>
  %f = tensor.empty() : tensor<3x3x64x32xf32>
  %y = linalg.transpose ins(%b : tensor<32x64x3x3xf32>) outs(%f : tensor<3x3x64x32xf32>) permutation = [2, 3, 1, 0]
  return %y : tensor<3x3x64x32xf32>
}

// -----

// A free number of channels; what a movement that others read moved stays.

#back = affine_map<(d0, d1, d2) -> (d1, d0, -d2 + 4)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: @read_twice
// CHECK: %[[B:.*]] = linalg.generic
// CHECK: %[[M:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0], [1, 2]] : tensor<?x16x5xf32> into tensor<?x80xf32>
// CHECK: linalg.transpose ins(%[[M]] : tensor<?x80xf32>) outs(%{{.*}} : tensor<80x?xf32>) permutation = [1, 0]
// CHECK: linalg.transpose {{.*}} permutation = [1, 0, 2]
func.func @read_twice(%w: tensor<16x?x5xf32>, %n: index) -> (tensor<?x16x5xf32>, tensor<5x16x?xf32>) {
  %e = tensor.empty(%n) : tensor<?x16x5xf32>
  %b = linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w : tensor<16x?x5xf32>) outs(%e : tensor<?x16x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x16x5xf32>
  %f = tensor.empty(%n) : tensor<5x16x?xf32>
  %y = linalg.transpose ins(%b : tensor<?x16x5xf32>) outs(%f : tensor<5x16x?xf32>) permutation = [2, 1, 0]
  return %b, %y : tensor<?x16x5xf32>, tensor<5x16x?xf32>
}

// -----

// The phases of a transposed convolution with stride 2 read one turned tensor, that of one tap too.

#even = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2 * -2 + 2, d3 * -2 + 2)>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#odd = affine_map<(d0, d1) -> (d1, d0, 1, 1)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[EVEN:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d0 * -2 + 2, d1 * -2 + 2, d3)>
// CHECK-DAG: #[[ODD:.*]] = affine_map<(d0, d1) -> (d0, 1, 1, d1)>
// CHECK-LABEL: @phases
// CHECK: linalg.transpose {{.*}} outs(%{{.*}} : tensor<64x9x32xf32>) permutation = [0, 2, 1]
// CHECK: %[[R:.*]] = tensor.expand_shape
// CHECK: linalg.generic {indexing_maps = [#[[EVEN]], {{.*}}ins(%[[R]] : tensor<64x3x3x32xf32>) outs(%{{.*}} : tensor<2x2x64x32xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[ODD]], {{.*}}ins(%[[R]] : tensor<64x3x3x32xf32>) outs(%{{.*}} : tensor<64x32xf32>)
// CHECK-NOT: linalg.transpose
func.func @phases(%w: tensor<64x32x3x3xf32>) -> (tensor<2x2x64x32xf32>, tensor<64x32xf32>) {
  %e = tensor.empty() : tensor<32x64x2x2xf32>
  %b = linalg.generic {indexing_maps = [#even, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%w : tensor<64x32x3x3xf32>) outs(%e : tensor<32x64x2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<32x64x2x2xf32>
  %f = tensor.empty() : tensor<2x2x64x32xf32>
  %y = linalg.transpose ins(%b : tensor<32x64x2x2xf32>) outs(%f : tensor<2x2x64x32xf32>) permutation = [2, 3, 1, 0]
  %g = tensor.empty() : tensor<32x64xf32>
  %c = linalg.generic {indexing_maps = [#odd, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%w : tensor<64x32x3x3xf32>) outs(%g : tensor<32x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<32x64xf32>
  %h = tensor.empty() : tensor<64x32xf32>
  %z = linalg.transpose ins(%c : tensor<32x64xf32>) outs(%h : tensor<64x32xf32>) permutation = [1, 0]
  return %y, %z : tensor<2x2x64x32xf32>, tensor<64x32xf32>
}

// -----

// One tap of nine alone is gathered.

#odd = affine_map<(d0, d1) -> (d0, d1, 1, 1)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: @few
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @few(%w: tensor<64x32x3x3xf32>) -> tensor<64x32xf32> {
  %g = tensor.empty() : tensor<64x32xf32>
  %c = linalg.generic {indexing_maps = [#odd, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%w : tensor<64x32x3x3xf32>) outs(%g : tensor<64x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<64x32xf32>
  return %c : tensor<64x32xf32>
}
