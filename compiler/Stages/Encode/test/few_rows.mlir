// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-few-rows | FileCheck %s

// One query of each of two heads: no loop of one step, no transpose, no view between.

// CHECK: #[[$KEYS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: @one_query
// CHECK-NOT: linalg.transpose ins
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$KEYS]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}}, %arg1 : tensor<2x64xf32>, tensor<2x4096x64xf32>)
// CHECK-NOT: {{expand|collapse}}_shape
// CHECK: math.exp
// CHECK: return %{{.*}} : tensor<2x4096xf32>
func.func @one_query(%q: tensor<2x1x64xf32>, %k: tensor<2x4096x64xf32>) -> tensor<2x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<2x64x4096xf32>
  %e = tensor.empty() : tensor<2x1x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x1x4096xf32>) -> tensor<2x1x4096xf32>
  %t = linalg.transpose ins(%k : tensor<2x4096x64xf32>) outs(%et : tensor<2x64x4096xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q, %t : tensor<2x1x64xf32>, tensor<2x64x4096xf32>) outs(%f : tensor<2x1x4096xf32>) -> tensor<2x1x4096xf32>
  %c = tensor.collapse_shape %s [[0, 1], [2]] : tensor<2x1x4096xf32> into tensor<2x4096xf32>
  %r = tensor.empty() : tensor<2x4096xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<2x4096xf32>) outs(%r : tensor<2x4096xf32>) {
    ^bb0(%x: f32, %o: f32):
      %y = math.exp %x : f32
      linalg.yield %y : f32
    } -> tensor<2x4096xf32>
  return %p : tensor<2x4096xf32>
}

// A cache of halves is widened as it is read, not before; the cast between is no reason to turn it.

// CHECK-LABEL: @halves
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<2x4x64xf32>, tensor<2x4096x64xf16>)
// CHECK: arith.extf
// CHECK: arith.mulf
func.func @halves(%q: tensor<2x4x64xf32>, %k: tensor<2x4096x64xf16>) -> tensor<2x4x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<2x64x4096xf16>
  %ew = tensor.empty() : tensor<2x64x4096xf32>
  %e = tensor.empty() : tensor<2x4x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4096xf32>) -> tensor<2x4x4096xf32>
  %t = linalg.transpose ins(%k : tensor<2x4096x64xf16>) outs(%et : tensor<2x64x4096xf16>) permutation = [0, 2, 1]
  %w = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t : tensor<2x64x4096xf16>) outs(%ew : tensor<2x64x4096xf32>) {
    ^bb0(%x: f16, %o: f32):
      %y = arith.extf %x : f16 to f32
      linalg.yield %y : f32
    } -> tensor<2x64x4096xf32>
  %s = linalg.batch_matmul ins(%q, %w : tensor<2x4x64xf32>, tensor<2x64x4096xf32>) outs(%f : tensor<2x4x4096xf32>) -> tensor<2x4x4096xf32>
  return %s : tensor<2x4x4096xf32>
}

// Of many rows a transpose once is cheaper; weights are laid out at compile time.

// CHECK-LABEL: @many_rows
// CHECK: linalg.transpose
func.func @many_rows(%q: tensor<2x33x64xf32>, %k: tensor<2x4096x64xf32>) -> tensor<2x33x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<2x64x4096xf32>
  %e = tensor.empty() : tensor<2x33x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x33x4096xf32>) -> tensor<2x33x4096xf32>
  %t = linalg.transpose ins(%k : tensor<2x4096x64xf32>) outs(%et : tensor<2x64x4096xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul ins(%q, %t : tensor<2x33x64xf32>, tensor<2x64x4096xf32>) outs(%f : tensor<2x33x4096xf32>) -> tensor<2x33x4096xf32>
  return %s : tensor<2x33x4096xf32>
}

// CHECK-LABEL: @weights
// CHECK: linalg.matmul
flow.parameter private @w : tensor<64x128xf32> = dense_resource<w>
func.func @weights(%x: tensor<1x64xf32>, %f: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %w = flow.parameter.load @w : tensor<64x128xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x128xf32>) outs(%f : tensor<1x128xf32>) -> tensor<1x128xf32>
  return %y : tensor<1x128xf32>
}

// What an op says, it says on.

// CHECK-LABEL: @asked
// CHECK: linalg.generic {{.*}} attrs = {heddle.split = 7 : i64}
// CHECK-LABEL: @unchanged
// CHECK: linalg.matmul {heddle.split = 7 : i64}
func.func @asked(%x: tensor<1x4096xf32>, %w: tensor<4096x128xf32>, %f: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %y = linalg.matmul {heddle.split = 7 : i64} ins(%x, %w : tensor<1x4096xf32>, tensor<4096x128xf32>) outs(%f : tensor<1x128xf32>) -> tensor<1x128xf32>
  return %y : tensor<1x128xf32>
}
func.func @unchanged(%x: tensor<3x4096xf32>, %w: tensor<4096x128xf32>, %f: tensor<3x128xf32>) -> tensor<3x128xf32> {
  %y = linalg.matmul {heddle.split = 7 : i64} ins(%x, %w : tensor<3x4096xf32>, tensor<4096x128xf32>) outs(%f : tensor<3x128xf32>) -> tensor<3x128xf32>
  return %y : tensor<3x128xf32>
}
