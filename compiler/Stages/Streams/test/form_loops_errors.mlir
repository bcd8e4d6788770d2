// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --streams-form-loops --split-input-file --verify-diagnostics

func.func @no_such_loop(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @+1 {{has heddle.stream = #flow.stream_axis<1, 4>, but cannot be streamed: it has 1 loop, and axis 1 is none of them}}
  %y = linalg.exp {heddle.stream = #flow.stream_axis<1, 4>} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @nothing_reduced(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @+1 {{cannot be streamed: it reduces 0 loops, and 'reduced 0' is none of them}}
  %y = linalg.exp {heddle.stream = #flow.stream_axis<reduced 0, 4>} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @no_dimension(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @+1 {{cannot be streamed: its result has 1 dimension, and 2 is none of them}}
  %y = linalg.exp {heddle.stream = #flow.stream_axis<result 2, 4>} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @several_results(%a: tensor<8x4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{cannot be streamed: it has several results}}
  %0:2 = linalg.reduce ins(%a, %a : tensor<8x4xf32>, tensor<8x4xf32>) outs(%b, %b : tensor<4xf32>, tensor<4xf32>) dimensions = [0] {heddle.stream = #flow.stream_axis<reduced 0, 2>}
    (%x: f32, %y: f32, %p: f32, %q: f32) {
      %s = arith.addf %x, %p : f32
      %m = arith.maximumf %y, %q : f32
      linalg.yield %s, %m : f32, f32
    }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @inner_dimension(%x: tensor<12xf32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{cannot be streamed: slices along the dimension are no slices of its operand}}
  %r = tensor.expand_shape %x [[0, 1]] output_shape [3, 4] {heddle.stream = #flow.stream_axis<1, 2>} : tensor<12xf32> into tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

func.func @no_such_size(%x: tensor<?xf32> {heddle.dims = ["n"]}) -> tensor<?xf32> {
  %n = flow.dimension "n"
  %e = tensor.empty(%n) : tensor<?xf32>
  // expected-error @+1 {{cannot be streamed: no argument has a dimension named 'm'}}
  %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 4, granule = 2 * "m">} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @not_structured(%x: tensor<4x8xf32>) -> tensor<1x1x4x8xf32> {
  %e = tensor.empty() : tensor<1x1x4x8xf32>
  // expected-error @+1 {{cannot be streamed: linalg.pack is no structured op with one loop for each dimension}}
  %r = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e {heddle.stream = #flow.stream_axis<0, 2>} : tensor<4x8xf32> -> tensor<1x1x4x8xf32>
  return %r : tensor<1x1x4x8xf32>
}

// -----

func.func @along_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-error @+1 {{cannot be streamed: linalg.softmax works along dimension 1; along others it can be cut}}
  %r = linalg.softmax {heddle.stream = #flow.stream_axis<1, 2>} dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

func.func @along_pad(%x: tensor<4x8xf32>) -> tensor<4x9xf32> {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{cannot be streamed: tensor.pad works along dimension 1; along others it can be cut}}
  %r = tensor.pad %x low[0, 0] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } {heddle.stream = #flow.stream_axis<1, 2>} : tensor<4x8xf32> to tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}

// -----

func.func @along_concat(%x: tensor<4x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{cannot be streamed: tensor.concat works along dimension 0; along others it can be cut}}
  %r = tensor.concat dim(0) %x, %x {heddle.stream = #flow.stream_axis<0, 2>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

func.func @not_reduced(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-error @+1 {{cannot be streamed: linalg.softmax reduces nothing}}
  %r = linalg.softmax {heddle.stream = #flow.stream_axis<reduced 0, 2>} dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

func.func @not_tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{heddle.stream stands on a linalg, TOSA or StableHLO op, a reshape, pad or concatenation; tensor.cast cannot be streamed}}
  %r = tensor.cast %x {heddle.stream = #flow.stream_axis<0, 2>} : tensor<4xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @no_attribute(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @+1 {{heddle.stream is a #flow.stream_axis, or an array of them, got 4 : i64}}
  %y = linalg.exp {heddle.stream = 4 : i64} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// expected-error @+1 {{a loop runs on at least 1 stream, or on '?', got 0}}
func.func private @f(tensor<4xf32>) attributes {some.mark = #flow.stream_axis<0, 0>}

// -----

// expected-error @+1 {{expected 'parts = N', 'granule = N' or 'ordered', each once, got 'pieces'}}
func.func private @f(tensor<4xf32>) attributes {some.mark = #flow.stream_axis<0, 1, pieces = 2>}

// -----

// expected-error @+1 {{parts of a loop are at least 1, got 0}}
func.func private @f(tensor<4xf32>) attributes {some.mark = #flow.stream_axis<0, 1, parts = 0>}
