// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-keep-narrow --split-input-file | FileCheck %s

// A widened constant of f16 is read as it is, through transposes and reshapes.

#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: @matmul
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>
// CHECK: %[[W:.*]] = arith.constant dense<5.000000e-01> : tensor<32x8xf16>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[W]] : tensor<32x8xf16>)
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[T]] : tensor<?x8xf32>, tensor<8x32xf16>)
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[IN:.*]]: f16, %{{.*}}: f32):
// CHECK-NEXT: arith.extf %[[IN]] : f16 to f32
func.func @matmul(%x: tensor<?x8xf32>, %o: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %w = arith.constant dense<5.0e-01> : tensor<32x8xf16>
  %e = tensor.empty() : tensor<32x8xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<32x8xf16>) outs(%e : tensor<32x8xf32>) {
  ^bb0(%in: f16, %out: f32):
    %f = arith.extf %in : f16 to f32
    linalg.yield %f : f32 } -> tensor<32x8xf32>
  %te = tensor.empty() : tensor<8x32xf32>
  %t = linalg.transpose ins(%wide : tensor<32x8xf32>) outs(%te : tensor<8x32xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%x, %t : tensor<?x8xf32>, tensor<8x32xf32>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// -----

// Not what is no constant.

#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: @dynamic
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8x32xf32>)
func.func @dynamic(%x: tensor<?x8xf32>, %w: tensor<8x32xbf16>, %o: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x32xbf16>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    linalg.yield %f : f32 } -> tensor<8x32xf32>
  %y = linalg.matmul ins(%x, %wide : tensor<?x8xf32>, tensor<8x32xf32>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
