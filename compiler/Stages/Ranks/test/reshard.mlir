// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-propagate --ranks-partition --canonicalize --cse --split-input-file | FileCheck %s

// Axes change places: each rank sends its part to one other.
device.mesh @m = [x = 2, y = 2]
// CHECK-LABEL: func @swap
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT: %[[P:.*]] = flow.permute %[[X]] pairs {{\[\[}}0, 0], [2, 1], [1, 2], [3, 3]] over @m["x", "y"] : tensor<4x8xf32>
// CHECK-NEXT: return %[[P]]
func.func @swap(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %a = flow.shard %x as <@m, [["x"], ["y"]]> : tensor<8x16xf32>
  %b = flow.shard %a as <@m, [["y"], ["x"]]> : tensor<8x16xf32>
  return %b : tensor<8x16xf32>
}

// -----

// The ranks of both meshes are seen as 2x2x2.
device.mesh @m = [x = 2, y = 4]
device.mesh @n = [p = 4, q = 2]
// CHECK: device.mesh @__ranks_2x2x2 = [r0 = 2, r1 = 2, r2 = 2]
// CHECK-LABEL: func @two_meshes
// CHECK: tensor.expand_shape %{{.*}} : tensor<4x4xf32> into tensor<1x2x2x1x1x4xf32>
// CHECK-NEXT: flow.all_to_all %{{.*}} split 1 concat 3 over @__ranks_2x2x2["r1"]
// CHECK-NEXT: flow.all_to_all %{{.*}} split 3 concat 4 over @__ranks_2x2x2["r2"]
// CHECK-NEXT: tensor.collapse_shape
// CHECK-NEXT: return %{{.*}} : tensor<2x8xf32>
func.func @two_meshes(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %a = flow.shard %x as <@m, [["x"], ["y"]]> : tensor<8x16xf32>
  %b = flow.shard %a as <@n, [["p"], ["q"]]> : tensor<8x16xf32>
  return %b : tensor<8x16xf32>
}

// -----

// Two axes move in one exchange: what is split stands in front as one dimension.
device.mesh @m = [x = 2, y = 2]
// CHECK-LABEL: func @joint
// CHECK: flow.all_to_all %{{.*}} split 0 concat 0 over @m["x", "y"] : tensor<4x
// CHECK-NOT: flow.
// CHECK: return %{{.*}} : tensor<8x4xf32>
func.func @joint(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %a = flow.shard %x as <@m, [["x", "y"], []]> : tensor<8x16xf32>
  %b = flow.shard %a as <@m, [[], ["y", "x"]]> : tensor<8x16xf32>
  return %b : tensor<8x16xf32>
}

// -----

// 66 rows over 4 ranks: pieces of 16 and 17 rows.
device.mesh @m = [x = 4]
// CHECK-LABEL: func @uneven
// CHECK: flow.all_gather %{{.*}} dim 0 cut(%c66, %c1, %c0, %c4) over @m["x"] : tensor<?x4xf32>{%{{.*}}} -> tensor<66x4xf32>
func.func @uneven(%x: tensor<66x4xf32>) -> tensor<66x4xf32> {
  %a = flow.shard %x as <@m, [["x"], []]> : tensor<66x4xf32>
  %b = flow.shard %a as <@m, [[], []]> : tensor<66x4xf32>
  return %b : tensor<66x4xf32>
}

// -----

// From some ranks to others: a rank of the first mesh sends to one of the second.
device.mesh @m = [x = 2]
device.mesh @n = [y = 2] at 2
// CHECK-LABEL: func @other_ranks
// CHECK: flow.permute %{{.*}} pairs {{\[\[}}0, 2], [1, 3]] over @__ranks_4_at_0["r0"] : tensor<4x16xf32>
func.func @other_ranks(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %a = flow.shard %x as <@m, [["x"], []]> : tensor<8x16xf32>
  %b = flow.shard %a as <@n, [["y"], []]> : tensor<8x16xf32>
  return %b : tensor<8x16xf32>
}
