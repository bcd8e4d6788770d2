// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short forms that are none, each at its place.
// RUN: heddle-opt %s --verify-diagnostics --split-input-file

func.func @unknown(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.sort' has no short form, or is no op at all; one without is written "stablehlo.sort"(%a) : (tensor<4xf32>) -> tensor<4xf32>}}
  %0 = stablehlo.sort %x : tensor<4xf32>
}

// -----

func.func @portable(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'vhlo.add_v1' is VHLO, the portable form of StableHLO, which is for its own readers}}
  %0 = vhlo.add_v1 %x, %x : tensor<4xf32>
}

// -----

func.func @types(%x: tensor<4xf32>) {
  // expected-error @+1 {{number of operands and types do not match: got 2 operands and 1 types}}
  %0 = stablehlo.add %x, %x : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

// expected-note @+1 {{prior use here}}
func.func @use(%x: tensor<4xf32>) {
  // expected-error @+1 {{use of value '%x' expects different type than prior uses: 'tensor<5xf32>' vs 'tensor<4xf32>'}}
  %0 = stablehlo.add %x, %x : tensor<5xf32>
}

// -----

func.func @function_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the types of operands and results, such as (tensor<4xf32>) -> tensor<4xf32>}}
  %0 = stablehlo.reshape %x : tensor<4xf32>
}

// -----

func.func @field(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.broadcast_in_dim' has no 'dimensions'; it takes dims = …}}
  %0 = stablehlo.broadcast_in_dim %x, dimensions = [0] : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

func.func @missing(%x: tensor<4xf32>, %p: tensor<f32>) {
  // expected-error @+1 {{custom op 'stablehlo.pad' needs interior = …}}
  %0 = stablehlo.pad %x, %p, low = [0], high = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
}

// -----

func.func @twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dims' is given twice}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0], dims = [0] : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

func.func @attribute_twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute "broadcast_dimensions" is given twice}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

func.func @operand(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected an operand}}
  %0 = stablehlo.add %x, : tensor<4xf32>
}

// -----

func.func @integers(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a list of integers, such as [1, 0]}}
  %0 = stablehlo.broadcast_in_dim %x, dims = "0" : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

func.func @numbers(%x: tensor<1x4x1xf32>) {
  // expected-error @+1 {{expected dimension numbers, such as [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]}}
  %0 = stablehlo.convolution(%x, %x) dim_numbers = [b, 0, f]x[0, i, o]->[b, 1, f], window = {} : (tensor<1x4x1xf32>, tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
}

// -----

func.func @window(%x: tensor<1x4x1xf32>) {
  // expected-error @+1 {{a window has stride, pad, lhs_dilate, rhs_dilate and reverse, no 'size'}}
  %0 = stablehlo.convolution(%x, %x) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {size = [1]} : (tensor<1x4x1xf32>, tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
}

// -----

func.func @padding(%x: tensor<1x4x1xf32>) {
  // expected-error @+1 {{expected the padding of a dimension, [low, high]}}
  %0 = stablehlo.convolution(%x, %x) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1]]} : (tensor<1x4x1xf32>, tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
}

// -----

func.func @format(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a format such as e5m10}}
  %0 = stablehlo.reduce_precision %x, format = e5 : tensor<4xf32>
}

// -----

func.func @combiner(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected one of stablehlo.add, and, maximum, minimum, multiply, or and xor, for one operand; others have a reducer(…) {…}}}
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.subtract across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
}

// -----

func.func @elements() {
  // expected-error @+1 {{expected the elements of a tensor, such as dense<1.0> : tensor<4xf32>}}
  %0 = stablehlo.constant 1.0 : f32
}

// -----

func.func @tuple(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a tuple}}
  %0 = stablehlo.tuple %x : tensor<4xf32>
}

// -----

func.func @complex(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a tensor of complex numbers}}
  %0 = stablehlo.complex %x, %x : tensor<4xf32>
}
