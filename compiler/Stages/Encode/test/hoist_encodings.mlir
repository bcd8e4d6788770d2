// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-hoist-encodings | FileCheck %s

// Of blocks, which are operands of a contraction with a batch.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d0, d2)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)>
// CHECK-DAG: #[[ACC:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d0, d1)>

#rhs = #encoding.contraction<role = rhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 2, 2], constant>
#lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [2, ?, 2], constant>

// CHECK: flow.parameter private @constant : tensor<2x2xf32, #encoding.contraction<role = rhs, {{.*}}>> = dense<{{.*}}> : tensor<2x2xf32>
// CHECK-NOT: @constant_

// Two ops use it alike: one parameter.
// CHECK: flow.parameter scope "model" private @shared : tensor<2x2xf32, #encoding.contraction<role = rhs, {{.*}}>> = dense<{{.*}}> : tensor<2x2xf32>
// CHECK-NOT: @shared_
flow.parameter scope "model" private @shared : tensor<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
// CHECK: flow.parameter private @two_ways : tensor<2x2xf32, #encoding.contraction<role = {{rhs|lhs}}, {{.*}}>>
// CHECK: flow.parameter private @two_ways_0 : tensor<2x2xf32, #encoding.contraction<role = {{rhs|lhs}}, {{.*}}>>
flow.parameter private @two_ways : tensor<2x2xf32> = dense<[[1.0, 2.0], [3.0, 5.0]]>
// Somebody reads it as it is.
// CHECK: flow.parameter private @also_plain : tensor<2x2xf32> = dense<
// CHECK: flow.parameter private @also_plain_{{.*}} : tensor<2x2xf32, #encoding.contraction<role = rhs, {{.*}}>>
flow.parameter private @also_plain : tensor<2x2xf32> = dense<[[1.0, 2.0], [3.0, 6.0]]>

// CHECK-LABEL: @loads
// CHECK-NOT: encoding.set
// CHECK: %[[A:.*]] = flow.parameter.load @shared : tensor<2x2xf32, #encoding.contraction<role = rhs,
// CHECK: %[[B:.*]] = flow.parameter.load @shared : tensor<2x2xf32, #encoding.contraction<role = rhs,
// CHECK-NOT: encoding.set
// CHECK: return %[[A]], %[[B]],
func.func @loads() -> (tensor<2x2xf32, #rhs>, tensor<2x2xf32, #rhs>, tensor<2x2xf32, #rhs>, tensor<2x2xf32, #lhs>, tensor<2x2xf32>, tensor<2x2xf32, #rhs>) {
  %a = flow.parameter.load @shared : tensor<2x2xf32>
  %0 = encoding.set %a : tensor<2x2xf32> -> tensor<2x2xf32, #rhs>
  %b = flow.parameter.load @shared : tensor<2x2xf32>
  %1 = encoding.set %b : tensor<2x2xf32> -> tensor<2x2xf32, #rhs>
  %c = flow.parameter.load @two_ways : tensor<2x2xf32>
  %2 = encoding.set %c : tensor<2x2xf32> -> tensor<2x2xf32, #rhs>
  %3 = encoding.set %c : tensor<2x2xf32> -> tensor<2x2xf32, #lhs>
  %d = flow.parameter.load @also_plain : tensor<2x2xf32>
  %4 = encoding.set %d : tensor<2x2xf32> -> tensor<2x2xf32, #rhs>
  return %0, %1, %2, %3, %d, %4 : tensor<2x2xf32, #rhs>, tensor<2x2xf32, #rhs>, tensor<2x2xf32, #rhs>, tensor<2x2xf32, #lhs>, tensor<2x2xf32>, tensor<2x2xf32, #rhs>
}

// Constants in the graph; what has equal elements stays.
// CHECK-LABEL: @constants
// CHECK: arith.constant dense<1.0
// CHECK: encoding.set
// CHECK: flow.parameter.load @constant :
// CHECK: flow.parameter.load @constant :
func.func @constants() -> (tensor<2x2xf32, #rhs>, tensor<2x2xf32, #rhs>, tensor<2x2xf32, #rhs>) {
  %s = arith.constant dense<1.0> : tensor<2x2xf32>
  %0 = encoding.set %s : tensor<2x2xf32> -> tensor<2x2xf32, #rhs>
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 7.0]]> : tensor<2x2xf32>
  %1 = encoding.set %a : tensor<2x2xf32> -> tensor<2x2xf32, #rhs>
  %b = arith.constant dense<[[1.0, 2.0], [3.0, 7.0]]> : tensor<2x2xf32>
  %2 = encoding.set %b : tensor<2x2xf32> -> tensor<2x2xf32, #rhs>
  return %0, %1, %2 : tensor<2x2xf32, #rhs>, tensor<2x2xf32, #rhs>, tensor<2x2xf32, #rhs>
}

// All blocks are laid out as the one that a rank takes: as batches of operands.
// CHECK-LABEL: @block
// CHECK-NOT: encoding.set
// CHECK: %[[ALL:.*]] = flow.parameter.load @blocks : tensor<4x2x2xf32, #encoding.contraction<role = rhs, {{.*}} maps = [#[[LHS]], #[[RHS]], #[[ACC]]], sizes = [?, 2, 2, 4], constant>>
// CHECK: flow.block %[[ALL]][%{{.*}}] : tensor<4x2x2xf32, {{.*}}> -> tensor<2x2xf32, #encoding.contraction<role = rhs, {{.*}} sizes = [?, 2, 2], constant>>
flow.parameter private @blocks : tensor<4x2x2xf32> = dense_resource<w>
func.func @block(%i: index) -> tensor<2x2xf32, #rhs> {
  %w = flow.parameter.load @blocks : tensor<4x2x2xf32>
  %b = flow.block %w[%i] : tensor<4x2x2xf32> -> tensor<2x2xf32>
  %0 = encoding.set %b : tensor<2x2xf32> -> tensor<2x2xf32, #rhs>
  return %0 : tensor<2x2xf32, #rhs>
}
