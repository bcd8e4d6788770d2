// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-set-encodings | FileCheck %s

// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>

flow.parameter private @w : tensor<64x128xf32> = dense_resource<w>

// CHECK-LABEL: @matmul
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>, %[[M:.*]]: index)
func.func @matmul(%x: tensor<?x64xf32>, %m: index) -> tensor<?x128xf32> {
  %zero = arith.constant 0.0 : f32
  %w = flow.parameter.load @w : tensor<64x128xf32>
  %empty = tensor.empty(%m) : tensor<?x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x128xf32>) -> tensor<?x128xf32>
  // CHECK: %[[W:.*]] = flow.parameter.load @w
  // CHECK: %[[A:.*]] = encoding.set %[[X]] : tensor<?x64xf32> -> tensor<?x64xf32, #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#[[MK]], #[[KN]], #[[MN]]], sizes = [?, 128, 64]>>
  // CHECK: %[[B:.*]] = encoding.set %[[W]] : tensor<64x128xf32> -> tensor<64x128xf32, #encoding.contraction<role = rhs, {{.*}}, sizes = [?, 128, 64], constant>>
  // CHECK: %[[E:.*]] = tensor.empty(%[[M]]) : tensor<?x128xf32, #encoding.contraction<role = acc, {{.*}}, sizes = [?, 128, 64]>>
  // CHECK: %[[I:.*]] = linalg.fill ins(%{{.*}}) outs(%[[E]] :
  // CHECK: %[[P:.*]] = linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[I]] :
  // CHECK: %[[C:.*]] = encoding.unset %[[P]] : tensor<?x128xf32, #encoding.contraction<role = acc, {{.*}}>> -> tensor<?x128xf32>
  %c = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x128xf32>) outs(%init : tensor<?x128xf32>) -> tensor<?x128xf32>
  // CHECK: return %[[C]]
  return %c : tensor<?x128xf32>
}

// What a sum starts from is laid out, too, unless it is made here; elements that are widened keep their type.
// CHECK-LABEL: @widened
// CHECK: encoding.set %{{.*}} : tensor<2x3x4xi8> -> tensor<2x3x4xi8, #encoding.contraction<role = lhs, types = [i8, i8, i32],
// CHECK: encoding.set %{{.*}} : tensor<2x4x5xi8> -> tensor<2x4x5xi8, #encoding.contraction<role = rhs, types = [i8, i8, i32], {{.*}}, sizes = [2, 3, 5, 4]>>
// CHECK: encoding.set %{{.*}} : tensor<2x3x5xi32> -> tensor<2x3x5xi32, #encoding.contraction<role = acc,
// CHECK: linalg.batch_matmul
// CHECK: encoding.unset
func.func @widened(%a: tensor<2x3x4xi8>, %b: tensor<2x4x5xi8>, %c: tensor<2x3x5xi32>) -> tensor<2x3x5xi32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x3x4xi8>, tensor<2x4x5xi8>) outs(%c : tensor<2x3x5xi32>) -> tensor<2x3x5xi32>
  return %0 : tensor<2x3x5xi32>
}

// CHECK-LABEL: @convolution
// CHECK: encoding.set %{{.*}} : tensor<1x9x2xf32> -> tensor<1x9x2xf32, #encoding.convolution<role = input, {{.*}}, sizes = [1, 7, 5, 3, 2]>>
// CHECK: encoding.set %{{.*}} : tensor<3x2x5xf32> -> tensor<3x2x5xf32, #encoding.convolution<role = filter, {{.*}}, sizes = [1, 7, 5, 3, 2]>>
// CHECK: encoding.unset %{{.*}} : tensor<1x7x5xf32, #encoding.convolution<role = result,
func.func @convolution(%x: tensor<1x9x2xf32>, %w: tensor<3x2x5xf32>) -> tensor<1x7x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x7x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x7x5xf32>) -> tensor<1x7x5xf32>
  %0 = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<1x9x2xf32>, tensor<3x2x5xf32>) outs(%init : tensor<1x7x5xf32>) -> tensor<1x7x5xf32>
  return %0 : tensor<1x7x5xf32>
}

// The operand with the window is the input, wherever it stands.
// CHECK-LABEL: @filter_first
// CHECK: encoding.set %{{.*}} : tensor<3x2xf32> -> tensor<3x2xf32, #encoding.convolution<role = filter,
// CHECK: encoding.set %{{.*}} : tensor<9x2xf32> -> tensor<9x2xf32, #encoding.convolution<role = input,
func.func @filter_first(%w: tensor<3x2xf32>, %x: tensor<9x2xf32>, %init: tensor<7x2xf32>) -> tensor<7x2xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(o, c, k) -> (k, c)>, affine_map<(o, c, k) -> (o + k, c)>, affine_map<(o, c, k) -> (o, c)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %x : tensor<3x2xf32>, tensor<9x2xf32>) outs(%init : tensor<7x2xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<7x2xf32>
  return %0 : tensor<7x2xf32>
}

// Scalars, operands with equal elements, what is no sum of products, and what the user wants as it is.
// CHECK-LABEL: @scalar
// CHECK-NOT: encoding.
// CHECK-LABEL: @equal_elements
// CHECK-NOT: encoding.set %{{.*}} : tensor<4x4xf32>
// CHECK: encoding.set %{{.*}} : tensor<8x4xf32>
// CHECK-LABEL: @pool
// CHECK-NOT: encoding.
// CHECK-LABEL: @kept
// CHECK-NOT: encoding.
// CHECK: linalg.matmul {heddle.keeps_layout}
func.func @scalar(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @equal_elements(%a: tensor<8x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %b = arith.constant dense<1.0> : tensor<4x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x4xf32>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
func.func @pool(%x: tensor<1x9x9x2xf32>, %window: tensor<3x3xf32>, %c: tensor<1x7x7x2xf32>) -> tensor<1x7x7x2xf32> {
  %0 = linalg.pooling_nhwc_max ins(%x, %window : tensor<1x9x9x2xf32>, tensor<3x3xf32>) outs(%c : tensor<1x7x7x2xf32>) -> tensor<1x7x7x2xf32>
  return %0 : tensor<1x7x7x2xf32>
}
func.func @kept(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul {heddle.keeps_layout} ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// What is stored of quantised weights, all of it or nothing; rows and sums stay plain.
// CHECK-LABEL: @quantized
// CHECK: %[[C:.*]] = encoding.set %{{.*}} : tensor<32x48xi8> -> tensor<32x48xi8, #encoding.quantized<role = codes, code = ui4>>
// CHECK: %[[Z:.*]] = encoding.set %{{.*}} : tensor<48xi8> -> tensor<48xi8, #encoding.quantized<role = zeros, code = ui4>>
// CHECK-NOT: encoding.
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[C]], %[[Z]] : {{.*}}attrs = {intent.code = ui4}
// CHECK-LABEL: @computed_zeros
// CHECK-NOT: encoding.
flow.parameter private @codes : tensor<32x48xi8> = dense_resource<w>
flow.parameter private @zeros : tensor<48xi8> = dense_resource<w>
func.func @quantized(%x: tensor<?x32xf32>, %init: tensor<?x48xf32>) -> tensor<?x48xf32> {
  %codes = flow.parameter.load @codes : tensor<32x48xi8>
  %zeros = flow.parameter.load @zeros : tensor<48xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, j) -> (m, j)>, affine_map<(m, n, j) -> (j, n)>, affine_map<(m, n, j) -> (n)>, affine_map<(m, n, j) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], intent.code = ui4}
      ins(%x, %codes, %zeros : tensor<?x32xf32>, tensor<32x48xi8>, tensor<48xi8>) outs(%init : tensor<?x48xf32>) {
  ^bb0(%a: f32, %b: i8, %z: i8, %sum: f32):
    linalg.yield %sum : f32
  } -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}
func.func @computed_zeros(%x: tensor<?x32xf32>, %zeros: tensor<48xi8>, %init: tensor<?x48xf32>) -> tensor<?x48xf32> {
  %codes = flow.parameter.load @codes : tensor<32x48xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, j) -> (m, j)>, affine_map<(m, n, j) -> (j, n)>, affine_map<(m, n, j) -> (n)>, affine_map<(m, n, j) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], intent.code = ui4}
      ins(%x, %codes, %zeros : tensor<?x32xf32>, tensor<32x48xi8>, tensor<48xi8>) outs(%init : tensor<?x48xf32>) {
  ^bb0(%a: f32, %b: i8, %z: i8, %sum: f32):
    linalg.yield %sum : f32
  } -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}

{-# dialect_resources: { builtin: { w: "0x0400000000000000" } } #-}
