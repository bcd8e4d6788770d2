// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --intent-decompose-products | FileCheck %s

// Rows that are rounded: the greatest magnitude of each block, its scale, codes (a block's even columns, then its odd
// ones, as halves of a byte multiply them), and sums of codes where the zero is not 0.

// CHECK-DAG: #[[TAKEN:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3 * 2 + d2)>
// CHECK-DAG: #[[LOWER:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, 0, d3)>
// CHECK-DAG: #[[UPPER:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, 1, d3)>
// CHECK-DAG: #[[BLOCK:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2)>
// CHECK-DAG: #[[CODES:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>

// CHECK-LABEL: func @constant_zero
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] {{.*}} : tensor<?x64xf32> into tensor<?x2x32xf32>
// CHECK: math.absf
// CHECK: linalg.generic {{.*}}indexing_maps = [#[[TAKEN]]
// CHECK: math.roundeven
// CHECK: arith.extsi
// CHECK: linalg.generic {indexing_maps = [#[[LOWER]], #[[UPPER]], #[[BLOCK]], #[[BLOCK]], #[[CODES]], #{{.*}}, #{{.*}}]
// CHECK-SAME: (%[[Q:.*]], %[[Q]], %{{.*}} : tensor<?x2x2x16xi8>, tensor<?x2x2x16xi8>, tensor<?x2xf32>, tensor<?x2xi32>, tensor<2x16x48xi8>, tensor<2x48xf32>)
// CHECK-SAME: intent.code = ui4, intent.rounded = {block = 32 : i64, zero = 8.000000e+00 : f64}
func.func @constant_zero(%x: tensor<?x64xf32>, %codes: tensor<2x16x48xi8>, %s: tensor<2x48xf32>) -> tensor<?x48xf32> {
  %z = arith.constant dense<8> : tensor<i8>
  %y = intent.quantized_product %x, %codes as ui4 scales %s zeros %z {rounded = 32} : (tensor<?x64xf32>, tensor<2x16x48xi8>, tensor<2x48xf32>, tensor<i8>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}

// CHECK-LABEL: func @no_zero
// CHECK: : tensor<3x2x32xi8>, tensor<3x2xf32>, tensor<2x32x48xi8>, tensor<2x48xf32>)
// CHECK-SAME: intent.code = ui8, intent.rounded = {block = 32 : i64, zero = 0.000000e+00 : f64}
func.func @no_zero(%x: tensor<3x64xf32>, %codes: tensor<2x32x48xi8>, %s: tensor<2x48xf32>) -> tensor<3x48xf32> {
  %y = intent.quantized_product %x, %codes as ui8 scales %s {rounded = 32} : (tensor<3x64xf32>, tensor<2x32x48xi8>, tensor<2x48xf32>) -> tensor<3x48xf32>
  return %y : tensor<3x48xf32>
}

// CHECK-LABEL: func @zeros
// CHECK: tensor<3x2xi32>, tensor<2x32x48xi8>, tensor<2x48xf32>, tensor<2x48xi8>)
// CHECK-SAME: intent.code = ui8, intent.rounded = {block = 32 : i64, zero = 0.000000e+00 : f64}
func.func @zeros(%x: tensor<3x64xf32>, %codes: tensor<2x32x48xi8>, %s: tensor<2x48xf32>, %z: tensor<2x48xi8>) -> tensor<3x48xf32> {
  %y = intent.quantized_product %x, %codes as ui8 scales %s zeros %z {rounded = 32} : (tensor<3x64xf32>, tensor<2x32x48xi8>, tensor<2x48xf32>, tensor<2x48xi8>) -> tensor<3x48xf32>
  return %y : tensor<3x48xf32>
}
