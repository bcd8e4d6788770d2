// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{heddle.name must be a string, got 4 : i64}}
func.func private @f(tensor<2xf32> {heddle.name = 4})

// -----

// expected-error @+1 {{heddle.dims must have one string for each dimension of 'tensor<?x2xf32>', got ["m"]}}
func.func private @f(tensor<?x2xf32> {heddle.dims = ["m"]})

// -----

// expected-error @+1 {{heddle.dims must have one string for each dimension of 'f32', got ["m"]}}
func.func private @f(f32 {heddle.dims = ["m"]})

// -----

// expected-error @+1 {{heddle.dims must have one string for each dimension of 'tensor<?xf32>', got [1]}}
func.func private @f() -> (tensor<?xf32> {heddle.dims = [1]})

// -----

// expected-error @+1 {{heddle.affinity must be a #device.affinity, #device.optimal or #device.promise, got @d}}
func.func private @f(tensor<2xf32> {heddle.affinity = @d})

// -----

// expected-error @+1 {{heddle.element_type names a type that is held as the tensor's elements (ui16 on a tensor of i16; f8E4M3FN or i4 on one of i8), got ui8 on 'tensor<2xf32>'}}
func.func private @f(tensor<2xf32> {heddle.element_type = ui8})

// -----

// expected-error @+1 {{got ui8 on 'tensor<2xui8>'}}
func.func private @f(tensor<2xui8> {heddle.element_type = ui8})

// -----

// expected-error @+1 {{got f8E4M3FN on 'tensor<2xi16>'}}
func.func private @f(tensor<2xi16> {heddle.element_type = f8E4M3FN})

// -----

// expected-error @+1 {{got i8 on 'tensor<2xi8>'}}
func.func private @f(tensor<2xi8> {heddle.element_type = i8})

// -----

// expected-error @+1 {{unknown attribute "heddle.nmae" on an argument or result; known: heddle.name, heddle.dims, heddle.element_type, heddle.affinity}}
func.func private @f(tensor<2xf32> {heddle.nmae = "x"})

// -----

func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{unknown attribute "heddle.device" on an op; known: heddle.affinity, heddle.branches, heddle.expect, heddle.keeps_layout, heddle.keeps_shapes, heddle.model, heddle.overlaps, heddle.parts, heddle.placed_by, heddle.placement, heddle.reasons}}
  %0 = tensor.cast %x {heddle.device = @d} : tensor<2xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{heddle.keeps_shapes stands on an scf.for and has no value}}
  %0 = tensor.cast %x {heddle.keeps_shapes} : tensor<2xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error @+1 {{heddle.keeps_layout stands on a linalg op and has no value}}
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] {heddle.keeps_layout} : tensor<4xf32> into tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// expected-error @+1 {{heddle.default is dense elements of the argument's type, 'tensor<2xf32>', got dense<1.000000e+00> : tensor<3xf32>}}
func.func @main(%x: tensor<2xf32> {heddle.default = dense<1.0> : tensor<3xf32>}) {
  return
}

// -----

// expected-error @+1 {{heddle.default is dense elements of the argument's type, 'tensor<?xf32>', got dense<1.000000e+00> : tensor<2xf32>}}
func.func @main(%x: tensor<?xf32> {heddle.default = dense<1.0> : tensor<2xf32>}) {
  return
}

// -----

// expected-error @+1 {{heddle.reasons stands on the module and is a dictionary, got "pinned"}}
module attributes {heddle.reasons = "pinned"} {}

// -----

// expected-error @+1 {{heddle.sharding is a #flow.sharding with axes for each dimension of 'tensor<2x3xf32>', got #flow.sharding<@m, [["x"]]>}}
func.func private @f(tensor<2x3xf32> {heddle.sharding = #flow.sharding<@m, [["x"]]>})

// -----

// expected-error @+1 {{heddle.sharding is a #flow.sharding with axes for each dimension of 'tensor<2xf32>', got @m}}
func.func private @f() -> (tensor<2xf32> {heddle.sharding = @m})

// -----

// expected-error @+1 {{a sharding cuts along axis 'x' twice}}
func.func private @f(tensor<2x3xf32> {heddle.sharding = #flow.sharding<@m, [["x"], ["x"]]>})

// -----

// expected-error @+1 {{expected string}}
func.func private @f(tensor<2x3xf32> {heddle.sharding = #flow.sharding<@m, [["x"], [1]]>})

// -----

device.mesh @m = [x = 2]
func.func @direction(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{heddle.shard_direction stands on a flow.shard and is "forward", "backward" or "none", got "both"}}
  %r = flow.shard %x as <@m, [?]> {heddle.shard_direction = "both"} : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @priorities(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{heddle.shard_priorities stands on a flow.shard and has a number for each dimension, got array<i64: 1, 2>}}
  %r = flow.shard %x as <@m, [?]> {heddle.shard_priorities = array<i64: 1, 2>} : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @partial(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{heddle.shard_partial stands beside heddle.shard_loops and has numbers of operands, got array<i64: 0>}}
  %r = linalg.exp {heddle.shard_partial = array<i64: 0>} ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
