// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

device.mesh @m = [x = 2, y = ?]
func.func @axis(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has a sharding over axis 'z', which mesh @m, [x = 2, y = ?], does not have}}
  %r = flow.shard %x as <@m, [["z"]]> : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @mesh(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has a sharding over @m, which is not a device.mesh}}
  %r = flow.shard %x as <@m, [["x"]]> : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @rank(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has a sharding of 2 dimensions for a tensor of 1}}
  %r = flow.shard %x as <@m, [["x"], []]> : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @open(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{leaves dimension 0 of its sharding open; only flow.shard may}}
  %r = flow.part %x as <@m, [["x", ?]]> : tensor<8xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @size(%x: tensor<7xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has a part 'tensor<4xf32>' of 'tensor<7xf32>'; by #flow.sharding<@m, [["x"]]> it is 'tensor<?xf32>'}}
  %r = flow.part %x as <@m, [["x"]]> : tensor<7xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @granule(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{cuts dimension 0 of 'tensor<8xf32>' at multiples of 3, which does not divide it}}
  %r = flow.part %x as <@m, [["x"] by 3]> : tensor<8xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{a sharding names axis 'x' as cut or partial before}}
func.func private @twice(tensor<8xf32> {heddle.sharding = #flow.sharding<@m, [["x"]], partial sum ["x"]>})

// -----

func.func @blocks(%w: tensor<4x8x16xf32>, %i: index) {
  // expected-error @+1 {{'flow.block' op has blocks 'tensor<16x8xf32>' of 'tensor<4x8x16xf32>', whose dimensions behind the first are others}}
  %own = flow.block %w[%i] : tensor<4x8x16xf32> -> tensor<16x8xf32>
  return
}

// -----

// expected-error @+1 {{a sharding cuts dimension 0 of 9 positions at multiples of 2, which does not divide it}}
func.func private @whole(tensor<?xf32> {heddle.sharding = #flow.sharding<@m, [["x"] by 2 of 9]>})

// -----

device.mesh @m = [x = 2]
func.func @named(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{has a sharding that says the size of dimension 0 and cuts it at multiples of a size that has a name; say the number}}
  %r = flow.shard %x as <@m, [["x"] by "seq" of 8]> : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @combines(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'flow.part' op combines parts by 'and', which is of integers, got elements of 'f32'}}
  %r = flow.part %x as <@m, [[]], partial and ["x"]> : tensor<8xf32> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @requests(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'flow.shard' op combines parts by 'umax', which is of integers, got elements of 'f32'}}
  %r = flow.shard %x as <@m, [[]], partial umax ["x"]> : tensor<8xf32>
  return %r : tensor<8xf32>
}
