// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --ranks-partition --ranks-resolve-meshes --ranks-keep-shapes --ranks-verify-uniform | FileCheck %s

// A whole value that is made partial: place 0 along y keeps it, the other has neutral elements of the same sizes. So the
// ranks that meet are seen to have equal ones, though both are sizes of a rank's own part.
device.mesh @m = [x = 2, y = 2]
// CHECK-LABEL: @masked
// CHECK: %[[OWN:.*]] = tensor.extract_slice %arg0
// CHECK-SAME: [2, %[[ROWS:[0-9]*]], 4]
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[ROWS]]) : tensor<2x?x4xf32>
// CHECK: %[[NEUTRAL:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]]
// CHECK: %[[KEPT:.*]] = arith.select %{{.*}}, %[[OWN]], %[[NEUTRAL]] : tensor<2x?x4xf32>
// CHECK: tensor.collapse_shape %[[KEPT]]
// CHECK: flow.all_reduce
func.func @masked(%a: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %c = tensor.collapse_shape %a [[0], [1, 2]] {heddle.shard_loops = #flow.sharding<@m, [[], ["x"], []], partial sum ["y"]>, heddle.shard_partial = array<i64: 0>} : tensor<2x3x4xf32> into tensor<2x12xf32>
  %r = flow.shard %c as <@m, [[], []]> : tensor<2x12xf32>
  return %r : tensor<2x12xf32>
}

// -----

// An axis of one rank cuts nothing, but the exchange along the other one brings the columns that are needed.
device.mesh @m = [x = 4, y = 1]
// CHECK-LABEL: @column
// CHECK: %[[GOT:.*]] = flow.exchange {{.*}} over @m["x"] : tensor<4x4xf32> -> tensor<?x4xf32>
// CHECK: %[[COLUMN:.*]] = tensor.extract_slice %[[GOT]][0, 2] [%{{.*}}, 2] [1, 1] : tensor<?x4xf32> to tensor<?x2xf32>
// CHECK: tensor.extract_slice %[[COLUMN]][0, 0] [%{{.*}}, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
func.func @column(%a: tensor<16x4xf32>) -> tensor<14x2xf32> {
  %x = flow.shard %a as <@m, [["x"], ["y"]]> : tensor<16x4xf32>
  %s = tensor.extract_slice %x[1, 2] [14, 2] [1, 1] {heddle.shard_loops = #flow.sharding<@m, [["x"], ["y"]]>} : tensor<16x4xf32> to tensor<14x2xf32>
  %r = flow.shard %s as <@m, [["x"], []]> : tensor<14x2xf32>
  return %r : tensor<14x2xf32>
}
