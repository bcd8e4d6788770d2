// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --ranks-resolve-meshes="sizes=x=2"

// expected-error @+1 {{--mesh: axis 'x' has size 3, got x=2}}
device.mesh @m = [x = 3]

// -----

// expected-error @+1 {{--mesh: no mesh has an axis 'x'; axes: xx, y}}
module {
  device.mesh @m = [xx = 3, y = ?]
}

// -----

// expected-error @+1 {{--mesh: the program has no device.mesh, got 'x=2'}}
module {
}

// -----

device.global @gpu = #device.ordinal<0>
// expected-error @+1 {{is of @gpv, which is not a device.global; declared: @gpu; did you mean '@gpu'?}}
device.mesh @m = [x = ?] of @gpv

// -----

device.mesh @m = [x = ?]
// expected-error @+1 {{argument 0 has a sharding over @n, which is not a device.mesh}}
func.func @main(%x: tensor<4xf32> {heddle.sharding = #flow.sharding<@n, [["x"]]>}) { return }

// -----

device.mesh @m = [x = ?]
// expected-error @+1 {{result 0 has a sharding over axis 'y', which mesh @m, [x = 2], does not have}}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {heddle.sharding = #flow.sharding<@m, [["x", "y"]]>}) {
  return %x : tensor<4xf32>
}

// -----

device.global @a = #device.ordinal<0>
device.global @b = #device.ordinal<1>
device.mesh @m = [x = ?] of @b
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{belongs on @a, and its mesh @m is of @b; collectives run on their mesh's device}}
  %0 = flow.all_reduce %x sum over @m["x"] {heddle.affinity = #device.affinity<@a>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A size that comes late is checked as one that was there.
device.mesh @m = [x = ?]
func.func @main(%x: tensor<5xf32>, %d: index) -> tensor<?xf32> {
  // expected-error @+1 {{cuts dimension 0 of its operand, 5, into 2 equal parts, which leaves a rest of 1}}
  %0 = flow.reduce_scatter %x sum dim 0 over @m["x"] : tensor<5xf32> -> tensor<?xf32>{%d}
  return %0 : tensor<?xf32>
}

// -----

device.mesh @m = [x = 2]
// expected-error @+1 {{argument 0 is 'tensor<4xf32>', but by its sharding dimension 0 of a rank's part is not of one size; say '?'}}
func.func @main(%x: tensor<4xf32> {heddle.sharding = #flow.sharding<@m, [["x"] of 7]>}) {
  return
}

// -----

device.mesh @m = [x = 2]
// expected-error @+1 {{result 0 is 'tensor<4xf32>', but by its sharding dimension 0 of a rank's part is 3}}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {heddle.sharding = #flow.sharding<@m, [["x"] of 6]>}) {
  return %x : tensor<4xf32>
}
