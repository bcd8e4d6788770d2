// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK: device.mesh @m = [x = 2, y = ?]
device.mesh @m = [x = 2, y = ?]

// CHECK-LABEL: @requests
func.func @requests(%x: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // CHECK: flow.shard %{{.*}} as <@m, {{\[}}["x", ?], ?]> : tensor<?x128xf32>
  %0 = flow.shard %x as <@m, [["x", ?], ?]> : tensor<?x128xf32>
  // CHECK: flow.shard %{{.*}} as <@m, {{\[}}[], ["x", "y"] by 64]> : tensor<?x128xf32>
  %1 = flow.shard %0 as <@m, [[], ["x", "y"] by 64]> : tensor<?x128xf32>
  // CHECK: flow.shard %{{.*}} as <@m, {{\[}}["x"] by 2 * "seq", []], partial max ["y"]> : tensor<?x128xf32>
  %2 = flow.shard %1 as <@m, [["x"] by 2 * "seq", []], partial max ["y"]> : tensor<?x128xf32>
  return %2 : tensor<?x128xf32>
}

// CHECK-LABEL: @borders
func.func @borders(%x: tensor<8x16xf32>, %rows: index) -> tensor<8x16xf32> {
  // CHECK: flow.part %{{.*}} as <@m, {{\[}}["x"], []]> : tensor<8x16xf32> -> tensor<4x16xf32>
  %p = flow.part %x as <@m, [["x"], []]> : tensor<8x16xf32> -> tensor<4x16xf32>
  // CHECK: flow.whole %{{.*}} as <@m, {{\[}}["x"], []]> : tensor<4x16xf32> -> tensor<8x16xf32>
  %w = flow.whole %p as <@m, [["x"], []]> : tensor<4x16xf32> -> tensor<8x16xf32>
  // CHECK: flow.part %{{.*}} as <@m, {{\[}}["y"], []]> : tensor<8x16xf32> -> tensor<?x16xf32>{%{{.*}}}
  %q = flow.part %w as <@m, [["y"], []]> : tensor<8x16xf32> -> tensor<?x16xf32>{%rows}
  %v = flow.whole %q as <@m, [["y"], []]> : tensor<?x16xf32> -> tensor<8x16xf32>
  return %v : tensor<8x16xf32>
}

// CHECK-LABEL: @boundary
// CHECK-SAME: heddle.sharding = #flow.sharding<@m, {{\[}}["y"] by 2, []]>
func.func @boundary(%x: tensor<?x16xf32> {heddle.sharding = #flow.sharding<@m, [["y"] by 2, []]>}) {
  return
}

// CHECK-LABEL: @wholes
// CHECK-SAME: heddle.sharding = #flow.sharding<@m, {{\[}}["y"] by 2 of 66, [], ["x"] of 0], partial sum ["w"]>
func.func @wholes(%x: tensor<?x16x?xf32> {heddle.sharding = #flow.sharding<@m, [["y"] by 2 of 66, [], ["x"] of 0], partial sum ["w"]>}) {
  return
}
