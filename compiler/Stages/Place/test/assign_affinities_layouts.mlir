// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --place-assign-affinities --place-verify --split-input-file | FileCheck %s

// Read on @b as it is and in two layouts: it crosses once and is laid out there.

#map_x = affine_map<(i, j, k) -> (i, k)>
#map_w = affine_map<(i, j, k) -> (k, j)>
#map_r = affine_map<(i, j, k) -> (i, j)>
#lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#map_x, #map_w, #map_r], sizes = [?, 4, 4]>
#rhs = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [#map_x, #map_w, #map_r], sizes = [?, 4, 4]>
device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @layouts
// CHECK: %[[X:.*]] = flow.dispatch @e(%arg0){{.*}}{heddle.affinity = #device.affinity<@a>
// CHECK-NEXT: %[[B:.*]] = flow.transfer %[[X]]{{.*}} to #device.affinity<@b>
// CHECK-NEXT: %[[L:.*]] = flow.encode %[[B]] {heddle.affinity = #device.affinity<@b>, heddle.placed_by = "laid out where it is read"}
// CHECK-NEXT: %[[R:.*]] = flow.encode %[[B]] {heddle.affinity = #device.affinity<@b>
// CHECK-NOT: flow.transfer
// CHECK: flow.dispatch @read(%[[B]], %[[L]], %[[R]])
func.func @layouts(%x: tensor<?x4xf32> {heddle.affinity = #device.affinity<@a>}, %m: index) -> tensor<4xf32> {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<?x4xf32>{%m}) -> (tensor<?x4xf32>{%m})
  %l = flow.encode %0 : tensor<?x4xf32>{%m} -> tensor<?x4xf32, #lhs>
  %r = flow.encode %0 : tensor<?x4xf32>{%m} -> tensor<?x4xf32, #rhs>
  %1 = flow.dispatch @read(%0, %l, %r) {heddle.affinity = #device.affinity<@b>} : (tensor<?x4xf32>{%m}, tensor<?x4xf32, #lhs>{%m}, tensor<?x4xf32, #rhs>{%m}) -> (tensor<4xf32>)
  return %1 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<?x4xf32>) -> tensor<?x4xf32> { return %x : tensor<?x4xf32> }
}
flow.executable private @read {
  func.func @read(%x: tensor<?x4xf32>, %y: tensor<?x4xf32, #lhs>, %z: tensor<?x4xf32, #rhs>) -> tensor<4xf32> {
    %r = tensor.empty() : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}

// -----

// In one layout only: it crosses as it lies.

#map_x = affine_map<(i, j, k) -> (i, k)>
#map_w = affine_map<(i, j, k) -> (k, j)>
#map_r = affine_map<(i, j, k) -> (i, j)>
#lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#map_x, #map_w, #map_r], sizes = [4, 4, 4]>
device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
// CHECK-LABEL: func @one_layout
// CHECK: %[[L:.*]] = flow.encode %{{.*}} {heddle.affinity = #device.affinity<@a>
// CHECK-NEXT: %[[B:.*]] = flow.transfer %[[L]]{{.*}} to #device.affinity<@b>
// CHECK-NOT: flow.transfer
// CHECK: flow.dispatch @read(%[[B]])
func.func @one_layout(%x: tensor<4x4xf32> {heddle.affinity = #device.affinity<@a>}) -> tensor<4xf32> {
  %l = flow.encode %x : tensor<4x4xf32> -> tensor<4x4xf32, #lhs>
  %1 = flow.dispatch @read(%l) {heddle.affinity = #device.affinity<@b>} : (tensor<4x4xf32, #lhs>) -> (tensor<4xf32>)
  return %1 : tensor<4xf32>
}
flow.executable private @read {
  func.func @read(%y: tensor<4x4xf32, #lhs>) -> tensor<4xf32> {
    %r = tensor.empty() : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
