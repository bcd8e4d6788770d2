// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-narrow-products | FileCheck %s
// RUN: heddle-opt %s --encode-narrow-products=precision=f16 | FileCheck %s --check-prefix=HALF
// RUN: heddle-opt %s --encode-narrow-products=precision=f32 | FileCheck %s --check-prefix=SINGLE

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>

// SINGLE-LABEL: func.func @product(
// SINGLE-NOT: truncf

// Both operands are rounded, a value once for all products; sums stay in f32. With f16 weights alone.

// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf32>
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<?x64xf32>) outs(%{{.*}} : tensor<?x64xbf16>)
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK-NOT: ins(%[[X]] :
// CHECK: linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<?x64xbf16>, tensor<64x32xbf16>) outs(%{{.*}} : tensor<?x32xf32>)
// CHECK-DAG: arith.extf
// CHECK-DAG: arith.extf
// CHECK: arith.addf {{.*}} : f32
// CHECK: ins(%[[A]], %{{.*}} : tensor<?x64xbf16>, tensor<64x32xbf16>)
// HALF-LABEL: func.func @product(
// HALF-SAME: %[[X:.*]]: tensor<?x64xf32>
// HALF: ins(%[[X]], %{{.*}} : tensor<?x64xf32>, tensor<64x32xf16>)
func.func @product(%x: tensor<?x64xf32>, %m: index) -> (tensor<?x32xf32>, tensor<?x32xf32>) {
  %w = arith.constant dense<5.0e-01> : tensor<64x32xf32>
  %v = arith.constant dense<2.5e-01> : tensor<64x32xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %a = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  %b = linalg.matmul ins(%x, %v : tensor<?x64xf32>, tensor<64x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %a, %b : tensor<?x32xf32>, tensor<?x32xf32>
}

// Roundings go before views and pads, whose value is rounded.

// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[X:.*]]: tensor<2x8x64xf32>
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<2x8x64xf32>)
// CHECK: tensor.collapse_shape {{.*}} : tensor<2x8x64xbf16> into tensor<16x64xbf16>
// CHECK: tensor.pad
// CHECK: tensor.yield %{{.*}} : bf16
func.func @views(%x: tensor<2x8x64xf32>) -> tensor<18x32xf32> {
  %w = arith.constant dense<5.0e-01> : tensor<64x32xf32>
  %z = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x8x64xf32> into tensor<16x64xf32>
  %p = tensor.pad %c low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<16x64xf32> to tensor<18x64xf32>
  %e = tensor.empty() : tensor<18x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<18x32xf32>) -> tensor<18x32xf32>
  %a = linalg.matmul ins(%p, %w : tensor<18x64xf32>, tensor<64x32xf32>) outs(%f : tensor<18x32xf32>) -> tensor<18x32xf32>
  return %a : tensor<18x32xf32>
}

// Left in f32: products of two computed values, and windows over an odd number of channels.

// CHECK-LABEL: func.func @left(
// CHECK-NOT: truncf
// CHECK: return
#x = affine_map<(o, f, k, c) -> (o + k, c)>
#w = affine_map<(o, f, k, c) -> (k, c, f)>
#y = affine_map<(o, f, k, c) -> (o, f)>
func.func @left(%x: tensor<16x64xf32>, %y: tensor<64x32xf32>, %i: tensor<18x3xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %z = arith.constant 0.0 : f32
  %k = arith.constant dense<5.0e-01> : tensor<3x3x32xf32>
  %e = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %a = linalg.matmul ins(%x, %y : tensor<16x64xf32>, tensor<64x32xf32>) outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
  %c = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%i, %k : tensor<18x3xf32>, tensor<3x3x32xf32>) outs(%f : tensor<16x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x32xf32>
  return %a, %c : tensor<16x32xf32>, tensor<16x32xf32>
}

// What is bf16 already is read as it is, with any precision; what else reads the wide value gets it widened.

// SINGLE-LABEL: func.func @typed(
// SINGLE-SAME: %[[X:.*]]: tensor<16x64xbf16>
// SINGLE: %[[R:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<16x64xbf16>) outs(%{{.*}} : tensor<16x64xbf16>)
// SINGLE: arith.maximumf
// SINGLE: %[[T:.*]] = arith.truncf
// SINGLE: linalg.yield %[[T]] : bf16
// SINGLE: %[[W:.*]] = linalg.generic {{.*}} ins(%[[R]] : tensor<16x64xbf16>) outs(%{{.*}} : tensor<16x64xf32>)
// SINGLE: linalg.generic {{.*}} ins(%[[R]], %{{.*}} : tensor<16x64xbf16>, tensor<64x32xbf16>) outs(%{{.*}} : tensor<16x32xf32>)
// SINGLE: return %{{.*}}, %[[W]]
#both = affine_map<(i, j) -> (i, j)>
func.func @typed(%x: tensor<16x64xbf16>) -> (tensor<16x32xf32>, tensor<16x64xf32>) {
  %n = arith.constant dense_resource<n> : tensor<64x32xbf16>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %r = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<16x64xbf16>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %0 = arith.extf %p : bf16 to f32
    %1 = arith.maximumf %0, %z : f32
    %2 = arith.truncf %1 : f32 to bf16
    %3 = arith.extf %2 : bf16 to f32
    linalg.yield %3 : f32
  } -> tensor<16x64xf32>
  %we = tensor.empty() : tensor<64x32xf32>
  %w = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<64x32xbf16>) outs(%we : tensor<64x32xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %0 = arith.extf %p : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<64x32xf32>
  %e2 = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e2 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %y = linalg.matmul ins(%r, %w : tensor<16x64xf32>, tensor<64x32xf32>) outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %y, %r : tensor<16x32xf32>, tensor<16x64xf32>
}
