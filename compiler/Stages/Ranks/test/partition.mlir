// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-partition --canonicalize --cse | FileCheck %s

device.mesh @m = [x = 2]

// A product whose columns are cut, then one whose sum is: its bias is added once, its parts are summed once.
// CHECK-LABEL: func.func @mlp
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<4x8xf32> {heddle.sharding = #flow.sharding<@m, {{\[\[}}], []]>}
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<8x8xf32> {heddle.sharding = #flow.sharding<@m, {{\[\[}}], ["x"]]>}
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<8x8xf32> {heddle.sharding = #flow.sharding<@m, {{\[}}["x"], []]>}
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<4x8xf32> {heddle.sharding = #flow.sharding<@m, {{\[\[}}], []]>}
// CHECK-SAME: -> (tensor<4x8xf32> {heddle.sharding = #flow.sharding<@m, {{\[\[}}], []]>})
func.func @mlp(%x: tensor<4x8xf32>, %w0: tensor<8x16xf32>, %v0: tensor<16x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %w = flow.shard %w0 as <@m, [[], ["x"]]> : tensor<8x16xf32>
  %v = flow.shard %v0 as <@m, [["x"], []]> : tensor<16x8xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill {heddle.shard_loops = #flow.sharding<@m, [[], ["x"]]>} ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: %[[H:.*]] = linalg.matmul ins(%[[X]], %[[W]] : tensor<4x8xf32>, tensor<8x8xf32>) outs(%{{.*}} : tensor<4x8xf32>)
  %h = linalg.matmul {heddle.shard_loops = #flow.sharding<@m, [[], ["x"], []]>}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: %[[P:.*]] = linalg.matmul ins(%[[H]], %[[V]] : tensor<4x8xf32>, tensor<8x8xf32>)
  %r = linalg.matmul {heddle.shard_loops = #flow.sharding<@m, [[], [], ["x"]]>}
      ins(%h, %v : tensor<4x16xf32>, tensor<16x8xf32>) outs(%b : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: %[[R:.*]] = flow.all_reduce %[[P]] sum over @m["x"] : tensor<4x8xf32>
  // CHECK: return %[[R]]
  return %r : tensor<4x8xf32>
}

// A free size that is cut: the caller gives all of it, the result is a part.
// CHECK-LABEL: func.func @free
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32> {heddle.dims = ["n", ""], heddle.sharding = #flow.sharding<@m, {{\[\[}}], []]>})
// CHECK-SAME: -> (tensor<?x8xf32> {heddle.sharding = #flow.sharding<@m, {{\[}}["x"], []]>}, tensor<1xindex>
func.func @free(%x0: tensor<?x8xf32> {heddle.dims = ["n", ""]}) -> (tensor<?x8xf32>, tensor<1xindex>) {
  %c0 = arith.constant 0 : index
  %x = flow.shard %x0 as <@m, [["x"], []]> : tensor<?x8xf32>
  // CHECK: %[[N:.*]] = flow.dimension "n"
  // CHECK: %[[OWN:.*]] = tensor.extract_slice %[[X]]
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  // CHECK: %[[SIZE:.*]] = tensor.from_elements %[[N]]
  %size = tensor.from_elements %n : tensor<1xindex>
  // CHECK: return %[[OWN]], %[[SIZE]]
  return %x, %size : tensor<?x8xf32>, tensor<1xindex>
}

// A constant's part, and what every rank computes.
// CHECK-LABEL: func.func @constant
func.func @constant() -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[C:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // CHECK: %[[I:.*]] = flow.coordinate @m "x"
  // CHECK: %[[P:.*]] = tensor.extract_slice %[[C]]
  // CHECK-SAME: tensor<4xf32> to tensor<2xf32>
  %s = flow.shard %c as <@m, [["x"]]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: %[[E:.*]] = linalg.exp ins(%[[C]] : tensor<4xf32>)
  %r = linalg.exp ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[P]], %{{.*}} : tensor<2xf32>, tensor<4xf32>
  return %s, %r : tensor<4xf32>, tensor<4xf32>
}

// What is written for one rank stays as it is.
// CHECK-LABEL: func.func @borders
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
func.func @borders(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[P:.*]] = tensor.extract_slice %[[X]]
  %p = flow.part %x as <@m, [["x"]]> : tensor<8xf32> -> tensor<4xf32>
  // CHECK: %[[R:.*]] = flow.permute %[[P]] shift 1 over @m["x"] : tensor<4xf32>
  %r = flow.permute %p shift 1 over @m["x"] : tensor<4xf32>
  // CHECK: %[[W:.*]] = flow.all_gather %[[R]] dim 0 over @m["x"] : tensor<4xf32> -> tensor<8xf32>
  %w = flow.whole %r as <@m, [["x"]]> : tensor<4xf32> -> tensor<8xf32>
  // CHECK: return %[[W]]
  return %w : tensor<8xf32>
}

// State that is cut.
// CHECK: flow.global private @cache : tensor<2x4xf32>
flow.global private @cache : tensor<4x4xf32>
// CHECK-LABEL: func.func @state
// CHECK-SAME: tensor<2x4xf32> {heddle.sharding = #flow.sharding<@m, {{\[}}["x"], []]>, heddle.state = @cache}
// CHECK-SAME: -> (tensor<2x4xf32> {heddle.sharding = #flow.sharding<@m, {{\[}}["x"], []]>, heddle.state = @cache})
func.func @state(%x0: tensor<4x4xf32> {heddle.state = @cache}) -> (tensor<4x4xf32> {heddle.state = @cache}) {
  %x = flow.shard %x0 as <@m, [["x"], []]> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.exp {heddle.shard_loops = #flow.sharding<@m, [["x"], []]>} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NOT: flow.all_gather
  // CHECK: return
  return %r : tensor<4x4xf32>
}

// State in parts of two sizes; that it begins as zeros need not be said.
// CHECK: flow.global private @uneven : tensor<?x4xf32>
flow.global private @uneven : tensor<3x4xf32> = dense<0.0> : tensor<3x4xf32>
// CHECK-LABEL: func.func @unevenState
// CHECK-SAME: tensor<?x4xf32> {heddle.dims = ["arg0.0", ""], heddle.sharding = #flow.sharding<@m, {{\[}}["x"] of 3, []]>, heddle.state = @uneven}
// CHECK-SAME: -> (tensor<?x4xf32> {heddle.sharding = #flow.sharding<@m, {{\[}}["x"] of 3, []]>, heddle.state = @uneven})
func.func @unevenState(%x0: tensor<3x4xf32> {heddle.state = @uneven}) -> (tensor<3x4xf32> {heddle.state = @uneven}) {
  %x = flow.shard %x0 as <@m, [["x"], []]> : tensor<3x4xf32>
  return %x : tensor<3x4xf32>
}

// What begins with other values is the whole's, of which each rank takes its part.
// CHECK: flow.global private @begun : tensor<2xf32> as <@m, {{\[}}["x"]]> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
flow.global private @begun : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
// CHECK: flow.global private @ones : tensor<?xf32> as <@m, {{\[}}["x"]]> = dense<1.000000e+00> : tensor<3xf32>
flow.global private @ones : tensor<3xf32> = dense<1.0> : tensor<3xf32>
func.func @begunState(%x0: tensor<4xf32> {heddle.state = @begun}, %y0: tensor<3xf32> {heddle.state = @ones})
    -> (tensor<4xf32> {heddle.state = @begun}, tensor<3xf32> {heddle.state = @ones}) {
  %x = flow.shard %x0 as <@m, [["x"]]> : tensor<4xf32>
  %y = flow.shard %y0 as <@m, [["x"]]> : tensor<3xf32>
  return %x, %y : tensor<4xf32>, tensor<3xf32>
}

// Functions without requests are written for one rank.
// CHECK-LABEL: func.func @byHand(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
func.func @byHand(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
