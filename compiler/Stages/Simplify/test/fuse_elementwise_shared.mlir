// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --simplify-fuse-elementwise --split-input-file | FileCheck %s

// Values that later ones read again: one op, in which each is computed once.

#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: @fibonacci
// CHECK: linalg.generic {{.*}} ins(%{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK-COUNT-20: arith.addf
// CHECK-NOT: arith.addf
// CHECK-NOT: linalg.generic
func.func @fibonacci(%f0: tensor<4x4xf32>, %f1: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = tensor.empty() : tensor<4x4xf32>
  %f2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f1, %f0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f2, %f1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f4 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f3, %f2 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f5 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f4, %f3 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f6 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f5, %f4 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f7 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f6, %f5 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f8 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f7, %f6 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f9 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f8, %f7 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f10 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f9, %f8 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f11 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f10, %f9 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f12 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f11, %f10 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f13 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f12, %f11 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f14 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f13, %f12 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f15 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f14, %f13 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f16 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f15, %f14 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f17 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f16, %f15 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f18 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f17, %f16 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f19 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f18, %f17 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f20 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f19, %f18 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %f21 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f20, %f19 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  return %f21 : tensor<4x4xf32>
}

// -----

// What leaves, or something else reads, is an op of its own, computed once.

#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: @kept
// CHECK: %[[A:.+]] = linalg.generic {{.*}} ins(%{{[a-z0-9]+}}, %{{[a-z0-9]+}} :
// CHECK: arith.addf
// CHECK: %[[C:.+]] = linalg.generic {{.*}} ins(%[[A]], %{{[a-z0-9]+}} :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.subf
// CHECK-NEXT: linalg.yield
// CHECK: return %[[A]], %[[C]]
func.func @kept(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %o = tensor.empty() : tensor<4x4xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.mulf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %c = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.subf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  return %a, %c : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Turned and not: an element of the group needs two of the shared value, which would be computed twice.

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: @both_ways
// CHECK-COUNT-2: linalg.generic
func.func @both_ways(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = tensor.empty() : tensor<4x4xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %b = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.mulf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  return %b : tensor<4x4xf32>
}

// -----

// Turned by all readers, through two ops, is turned once.

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
// CHECK-DAG: #[[TURNED:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: @turned
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x4xf32>, %[[Y:[a-z0-9]+]]: tensor<4x4xf32>
// CHECK: linalg.generic {indexing_maps = [#[[TURNED]], #[[TURNED]], #[[ID]], #[[ID]]], {{.*}} ins(%[[X]], %[[Y]], %[[Y]] :
// CHECK: linalg.index 1
// CHECK-NOT: linalg.generic
func.func @turned(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = tensor.empty() : tensor<4x4xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.addf %v, %w : f32
    %t = arith.mulf %s, %f : f32
    linalg.yield %t : f32 } -> tensor<4x4xf32>
  %b = linalg.generic {indexing_maps = [#turned, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.mulf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  %c = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.subf %v, %w : f32
    linalg.yield %s : f32 } -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// -----

// Only its producer tells how far the sum goes: it stays.

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: @bounds
// CHECK-COUNT-2: linalg.generic
func.func @bounds(%zero: tensor<4xf32>) -> tensor<4xf32> {
  %o = tensor.empty() : tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<4x8xf32>) {
  ^bb0(%out: f32):
    %column = linalg.index 1 : index
    %i = arith.index_cast %column : index to i32
    %f = arith.sitofp %i : i32 to f32
    linalg.yield %f : f32 } -> tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %n = arith.addf %v, %sum : f32
    linalg.yield %n : f32 } -> tensor<4xf32>
  return %s : tensor<4xf32>
}
