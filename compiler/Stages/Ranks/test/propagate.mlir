// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-propagate --split-input-file | FileCheck %s

// The weights of an MLP: the first is cut by columns, the second by rows, and one sum is left.
// CHECK: heddle.shardings = ["@mlp: argument 'w1' is cut by [], [x]", "@mlp: argument 2 is cut by [x], []", "@mlp: the result of matmul of 'down': all_reduce over [x] (512 bytes)", "@mlp: 1 move between ranks, 512 B of the busiest one"]
device.mesh @m = [x = 2]
// CHECK-LABEL: func @mlp
// CHECK-SAME: %arg0: tensor<8x16xf32>,
// CHECK-SAME: {heddle.name = "w1", heddle.shard_value = #flow.sharding<@m, {{\[}}[], ["x"]]>}
// CHECK-SAME: {heddle.shard_value = #flow.sharding<@m, {{\[}}["x"], []]>}) -> tensor<8x16xf32> {
func.func @mlp(%x: tensor<8x16xf32>, %w1: tensor<16x64xf32> {heddle.name = "w1"}, %w2: tensor<64x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %s1 = flow.shard %w1 as <@m, [[], ["x"]]> : tensor<16x64xf32>
  %s2 = flow.shard %w2 as <@m, [["x"], ?]> : tensor<64x16xf32>
  %e1 = tensor.empty() : tensor<8x64xf32>
  // CHECK: linalg.fill {heddle.shard_loops = #flow.sharding<@m, {{\[}}[], ["x"]]>}
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x64xf32>) -> tensor<8x64xf32>
  // CHECK: linalg.matmul {heddle.shard_loops = #flow.sharding<@m, {{\[}}[], ["x"], []]>}
  %h = linalg.matmul ins(%x, %s1 : tensor<8x16xf32>, tensor<16x64xf32>) outs(%f1 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %e2 = tensor.empty() : tensor<8x16xf32>
  // CHECK: linalg.fill ins
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: linalg.matmul {heddle.shard_loops = #flow.sharding<@m, {{\[}}[], [], ["x"]]>}
  %r = linalg.matmul ins(%h, %s2 : tensor<8x64xf32>, tensor<64x16xf32>) outs(%f2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("down")
  return %r : tensor<8x16xf32>
}

// -----

// A batch: nothing moves, and the result is the rank's part. One fill of two products becomes two.
// CHECK: heddle.shardings = ["@batch: argument 0 is cut by [x], []", "@batch: result 0 is cut by [x], []", "@batch: 0 moves between ranks, 0 B of the busiest one"]
device.mesh @m = [x = ?]
// CHECK-LABEL: func @batch
// CHECK-SAME: -> (tensor<?x16xf32> {heddle.shard_value = #flow.sharding<@m, {{\[}}["x"], []]>})
func.func @batch(%x: tensor<?x16xf32> {heddle.dims = ["batch", ""]}) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<1.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : index
  %s = flow.shard %x as <@m, [["x"], []]> : tensor<?x16xf32>
  %rows = tensor.dim %s, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%rows) : tensor<?x16xf32>
  // CHECK-COUNT-2: linalg.fill {heddle.shard_loops = #flow.sharding<@m, {{\[}}["x"], []]>}
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  // CHECK-COUNT-2: linalg.matmul {heddle.shard_loops = #flow.sharding<@m, {{\[}}["x"], [], []]>}
  %h = linalg.matmul ins(%s, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  %r = linalg.matmul ins(%h, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// -----

// Heads of 64: the projection's columns are cut at multiples of 64.
device.mesh @m = [x = ?]
// CHECK-LABEL: func @heads
// CHECK-SAME: {heddle.shard_value = #flow.sharding<@m, {{\[}}[], ["x"] by 64]>}
func.func @heads(%x: tensor<8x576xf32>) -> tensor<8x9x64xf32> {
  // CHECK: tensor.expand_shape {{.*}} {heddle.shard_loops = #flow.sharding<@m, {{\[}}[], ["x"], []]>}
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 9, 64] : tensor<8x576xf32> into tensor<8x9x64xf32>
  %s = flow.shard %e as <@m, [?, ["x"], ?]> : tensor<8x9x64xf32>
  return %s : tensor<8x9x64xf32>
}

// -----

// What a loop carries.
device.mesh @m = [x = 2]
// CHECK-LABEL: func @carried
// CHECK-SAME: (%arg0: tensor<8xf32> {heddle.shard_value = #flow.sharding<@m, {{\[}}["x"]]>}, %arg1: index)
func.func @carried(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %s = flow.shard %a as <@m, [["x"]]> : tensor<8xf32>
    // CHECK: linalg.generic {{.*}} attrs = {heddle.shard_loops = #flow.sharding<@m, {{\[}}["x"]]>}
    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%s : tensor<8xf32>) outs(%a : tensor<8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %0 = arith.addf %in, %out : f32
        linalg.yield %0 : f32
    } -> tensor<8xf32>
    scf.yield %y : tensor<8xf32>
  // CHECK: } {heddle.shard_carried = [#flow.sharding<@m, {{\[}}["x"]]>]}
  }
  return %r : tensor<8xf32>
}

// -----

// State lies as its request says, on both sides.
device.mesh @m = [x = 2]
flow.global private @cache : tensor<4x8xf32>
// CHECK-LABEL: func @state
// CHECK-SAME: {heddle.shard_value = #flow.sharding<@m, {{\[}}["x"], []]>, heddle.state = @cache})
// CHECK-SAME: -> (tensor<4x8xf32> {heddle.shard_value = #flow.sharding<@m, {{\[}}["x"], []]>, heddle.state = @cache})
func.func @state(%x: tensor<4x8xf32>, %old: tensor<4x8xf32> {heddle.state = @cache}) -> (tensor<4x8xf32> {heddle.state = @cache}) {
  %s = flow.shard %old as <@m, [["x"], ?]> : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.add ins(%s, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// What is one rank's own has no decision; borders say how whole values lie.
device.mesh @m = [x = 2]
// CHECK-LABEL: func @own
// CHECK-SAME: %arg0: tensor<8x4xf32> {heddle.shard_value = #flow.sharding<@m, {{\[}}["x"], []]>}
func.func @own(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %p = flow.part %x as <@m, [["x"], []]> : tensor<8x4xf32> -> tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  // CHECK: linalg.exp ins
  %y = linalg.exp ins(%p : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %w = flow.whole %y as <@m, [["x"], []]> : tensor<4x4xf32> -> tensor<8x4xf32>
  %e2 = tensor.empty() : tensor<8x4xf32>
  // CHECK: linalg.exp {heddle.shard_loops = #flow.sharding<@m, {{\[}}["x"], []]>}
  %z = linalg.exp ins(%w : tensor<8x4xf32>) outs(%e2 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// -----

// Rows of one operand against columns of the other: the smaller one is gathered.
// CHECK: "@conflict: matmul of 'MatMul_3' is computed by loops [], [x], [] (64 B moved), not by [x], [], [] (512 B)"
// CHECK-SAME: "@conflict: argument 0: all_gather dim 0 over [x] (64 bytes)"
device.mesh @m = [x = 2]
// CHECK-LABEL: func @conflict
func.func @conflict(%a: tensor<4x8xf32>, %b: tensor<8x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %sa = flow.shard %a as <@m, [["x"], []]> : tensor<4x8xf32>
  %sb = flow.shard %b as <@m, [[], ["x"]]> : tensor<8x32xf32>
  %e = tensor.empty() : tensor<4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x32xf32>) -> tensor<4x32xf32>
  // CHECK: linalg.matmul {heddle.shard_loops = #flow.sharding<@m, {{\[}}[], ["x"], []]>}
  %r = linalg.matmul ins(%sa, %sb : tensor<4x8xf32>, tensor<8x32xf32>) outs(%f : tensor<4x32xf32>) -> tensor<4x32xf32> loc("MatMul_3")
  return %r : tensor<4x32xf32>
}

// -----

// Written for one rank: nothing is decided.
device.mesh @m = [x = 2]
// CHECK-NOT: heddle.shardings
// CHECK-LABEL: func @spmd
// CHECK-NOT: heddle.shard
func.func @spmd(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.all_reduce %x sum over @m["x"] : tensor<4xf32>
  // CHECK: return
  return %0 : tensor<4xf32>
}

// -----

// Which way shardings go through a request that says it: to its readers, to its operand, or not at all.
device.mesh @m = [x = 2]
// CHECK-LABEL: func @directions
// CHECK-SAME: %arg1: tensor<8xf32>, %arg2: tensor<8xf32> {heddle.shard_value = #flow.sharding<@m, {{\[}}["x"]]>}, %arg3: tensor<8xf32>)
// CHECK-SAME: (tensor<8xf32> {heddle.shard_value = #flow.sharding<@m, {{\[}}["x"]]>}, tensor<8xf32>, tensor<8xf32> {heddle.shard_value
func.func @directions(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = flow.shard %a as <@m, [["x"]]> : tensor<8xf32>
  %1 = flow.shard %0 as <@m, [?]> {heddle.shard_direction = "forward"} : tensor<8xf32>
  %2 = flow.shard %0 as <@m, [?]> {heddle.shard_direction = "none"} : tensor<8xf32>
  %3 = flow.shard %b as <@m, [?]> {heddle.shard_direction = "forward"} : tensor<8xf32>
  %4 = flow.shard %3 as <@m, [["x"]]> : tensor<8xf32>
  %5 = flow.shard %c as <@m, [?]> {heddle.shard_direction = "backward"} : tensor<8xf32>
  %6 = flow.shard %5 as <@m, [["x"]]> : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %7 = linalg.exp ins(%1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %8 = linalg.exp ins(%2 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %9 = linalg.exp ins(%4 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %10 = linalg.exp ins(%6 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %7, %8, %9, %10 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
