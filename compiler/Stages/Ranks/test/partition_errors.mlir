// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --ranks-partition

device.mesh @m = [x = 2]
func.func @collective(%x0: tensor<8xf32>) -> tensor<8xf32> {
  %x = flow.shard %x0 as <@m, [["x"]]> : tensor<8xf32>
  // expected-error @+1 {{is met with a whole value, which ranks share as the compiler decides; what is written for one rank begins with flow.part and ends with flow.whole}}
  %r = flow.all_reduce %x sum over @m["x"] : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @own(%x: tensor<8xf32>) -> tensor<8xf32> {
  %p = flow.part %x as <@m, [["x"]]> : tensor<8xf32> -> tensor<4xf32>
  // expected-error @+1 {{asks how ranks share what is one rank's own; write flow.whole in front of it}}
  %q = flow.shard %p as <@m, [["x"]]> : tensor<4xf32>
  %w = flow.whole %q as <@m, [["x"]]> : tensor<4xf32> -> tensor<8xf32>
  return %w : tensor<8xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @nested(%x: tensor<8xf32>) -> tensor<8xf32> {
  %p = flow.part %x as <@m, [["x"]]> : tensor<8xf32> -> tensor<4xf32>
  // expected-error @+1 {{takes a part of what is one rank's own; write flow.whole in front of it}}
  %q = flow.part %p as <@m, [["x"]]> : tensor<4xf32> -> tensor<2xf32>
  %w = flow.whole %p as <@m, [["x"]]> : tensor<4xf32> -> tensor<8xf32>
  return %w : tensor<8xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @returned(%x: tensor<8xf32>) -> tensor<4xf32> {
  %p = flow.part %x as <@m, [["x"]]> : tensor<8xf32> -> tensor<4xf32>
  // expected-error @+1 {{returns what is one rank's own as result 0; write flow.whole in front of it, or heddle.sharding on the result}}
  return %p : tensor<4xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @granule(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cuts dimension 0 of 'tensor<8xf32>' at multiples of 3, which does not divide it}}
  %q = flow.shard %x as <@m, [["x"] by 3]> : tensor<8xf32>
  return %q : tensor<8xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @carried(%x0: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = flow.shard %x0 as <@m, [["x"]]> : tensor<4xf32>
  // expected-error @+1 {{carries a partial sum, #flow.sharding<@m, [[]], partial sum ["x"]>; combine it in the loop, with flow.shard}}
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%at = %x) -> (tensor<4xf32>) {
    scf.yield %at : tensor<4xf32>
  } {heddle.shard_carried = [#flow.sharding<@m, [[]], partial sum ["x"]>]}
  return %r : tensor<4xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @decision(%x0: tensor<4xf32>) -> tensor<4xf32> {
  %x = flow.shard %x0 as <@m, [["x"]]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{has heddle.shard_loops of 2 factors, but the op has 1}}
  %r = linalg.exp {heddle.shard_loops = #flow.sharding<@m, [["x"], []]>} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

device.mesh @m = [x = 2]
flow.global private @ones : tensor<4xf32> = dense<1.0> : tensor<4xf32>
// expected-warning @+1 {{argument 0, the state @ones, is not cut as asked, #flow.sharding<@m, [[]], partial sum ["x"]>: parts that are combined begin as zeros}}
func.func @sums(%x0: tensor<4xf32> {heddle.state = @ones}) -> (tensor<4xf32> {heddle.state = @ones}) {
  %x = flow.shard %x0 as <@m, [[]], partial sum ["x"]> : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

device.mesh @m = [x = 2]
flow.global private @cache : tensor<4xf32>
func.func @cuts(%x0: tensor<4xf32> {heddle.state = @cache}) -> (tensor<4xf32> {heddle.state = @cache}) {
  %x = flow.shard %x0 as <@m, [["x"]]> : tensor<4xf32>
  return %x : tensor<4xf32>
}
// expected-warning @+1 {{argument 0, the state @cache, is not cut as asked, #flow.sharding<@m, [["x"]]>: another entry point asks for something else}}
func.func @reads(%x: tensor<4xf32> {heddle.state = @cache}) -> (tensor<4xf32>, tensor<4xf32> {heddle.state = @cache}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
