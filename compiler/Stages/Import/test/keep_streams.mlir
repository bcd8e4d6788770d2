// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-keep-streams --canonicalize | FileCheck %s

// Copies, transposes and broadcasts would fold away, and their marks with them.
// CHECK-LABEL: @kept
func.func @kept(%x: tensor<8x4xf32>, %v: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK: linalg.generic {{.*}} attrs = {heddle.stream = #flow.stream_axis<0, 2>}
  // CHECK: flow.streamed
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.copy {heddle.stream = #flow.stream_axis<0, 2>} ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: linalg.generic {{.*}} attrs = {heddle.stream = #flow.stream_axis<1, 2>}
  // CHECK: flow.streamed
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) attrs = {heddle.stream = #flow.stream_axis<1, 2>} {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<8x4xf32>
  // CHECK: linalg.generic {{.*}} attrs = {heddle.stream = #flow.stream_axis<1, 3>}
  // CHECK: flow.streamed
  %2 = linalg.broadcast ins(%v : tensor<4xf32>) outs(%e : tensor<8x4xf32>) dimensions = [0] {heddle.stream = #flow.stream_axis<1, 3>}
  // Without a mark it goes.
  // CHECK-NOT: linalg.generic
  // CHECK: return %{{.*}}, %{{.*}}, %{{.*}}, %arg0
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<8x4xf32>
  return %0, %1, %2, %3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
