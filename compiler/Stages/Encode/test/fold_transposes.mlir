// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-fold-transposes | FileCheck %s

// Heads are read where they are; the transpose that parts neighbours stays.

// CHECK: #[[$Q:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
// CHECK: #[[$TURNED:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: @scores
// CHECK-SAME: %[[Q:.*]]: tensor<7x12x32xf32>
// CHECK-COUNT-1: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#[[$Q]],
// CHECK-SAME: ins(%[[Q]],
func.func @scores(%q: tensor<7x12x32xf32>, %k: tensor<9x12x32xf32>) -> tensor<12x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %eq = tensor.empty() : tensor<12x7x32xf32>
  %ek = tensor.empty() : tensor<12x32x9xf32>
  %e = tensor.empty() : tensor<12x7x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<12x7x9xf32>) -> tensor<12x7x9xf32>
  %tq = linalg.transpose ins(%q : tensor<7x12x32xf32>) outs(%eq : tensor<12x7x32xf32>) permutation = [1, 0, 2]
  %tk = linalg.transpose ins(%k : tensor<9x12x32xf32>) outs(%ek : tensor<12x32x9xf32>) permutation = [1, 2, 0]
  %s = linalg.batch_matmul ins(%tq, %tk : tensor<12x7x32xf32>, tensor<12x32x9xf32>) outs(%f : tensor<12x7x9xf32>) -> tensor<12x7x9xf32>
  return %s : tensor<12x7x9xf32>
}

// A rank's columns of a parameter, which lie as rows.

// CHECK-LABEL: @columns
// CHECK-NOT: linalg.transpose
// CHECK: %[[ROWS:.*]] = tensor.extract_slice
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[$TURNED]], {{.*}} ins(%{{.*}}, %[[ROWS]] : tensor<4x64xf32>, tensor<?x64xf32>)
device.mesh @m = [x = ?]
flow.parameter private @w : tensor<128x64xf32> = dense_resource<w>
func.func @columns(%x: tensor<4x64xf32>, %n: index, %f: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %i = flow.coordinate @m "x"
  %w = flow.parameter.load @w : tensor<128x64xf32>
  %rows = tensor.extract_slice %w[%i, 0] [%n, 64] [1, 1] : tensor<128x64xf32> to tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<64x?xf32>
  %own = linalg.transpose ins(%rows : tensor<?x64xf32>) outs(%e : tensor<64x?xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%x, %own : tensor<4x64xf32>, tensor<64x?xf32>) outs(%f : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}
