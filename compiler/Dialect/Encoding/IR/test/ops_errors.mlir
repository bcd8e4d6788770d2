// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @+2 {{a role is lhs, rhs or acc, got out}}
// expected-error @+1 {{failed to parse Encoding_ContractionAttr parameter 'role'}}
#c = #encoding.contraction<role = out, types = [f32, f32, f32], maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [4]>

// -----

// expected-error @+2 {{a role is codes, scales or zeros, got rows}}
// expected-error @+1 {{failed to parse Encoding_QuantizedAttr parameter 'role'}}
#c = #encoding.quantized<role = rows, code = ui4>

// -----

// expected-error @+1 {{codes are integers or floats of at most 8 bits, got 'i16'}}
#c = #encoding.quantized<role = codes, code = i16>

// -----

#c = #encoding.quantized<role = codes, code = ui4>
// expected-error @+1 {{codes lie in bytes, i8, got 'f32'}}
func.func private @bytes(tensor<4x4xf32, #c>)

// -----

#c = #encoding.quantized<role = scales, code = ui4>
// expected-error @+1 {{the scales of a quantised product have a dimension of columns, got a tensor of rank 0}}
func.func private @scalar(tensor<f32, #c>)

// -----

// expected-error @+1 {{a contraction has three types and three maps (lhs, rhs, acc), got 2 and 3}}
#c = #encoding.contraction<role = lhs, types = [f32, f32], maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [4]>

// -----

// expected-error @+1 {{the element types of a contraction are integers or floats, got 'index'}}
#c = #encoding.contraction<role = lhs, types = [f32, index, f32], maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [4]>

// -----

// expected-error @+1 {{each map of a contraction takes its 2 loops and no symbols, got affine_map<(d0) -> (d0)>}}
#c = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [4, 4]>

// -----

// expected-error @+1 {{the maps of a contraction are projected permutations, got affine_map<(d0) -> (d0 * 2)>}}
#c = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [4]>

// -----

// expected-error @+1 {{the sizes of a contraction are not negative, got -4}}
#c = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [-4]>

// -----

#c = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [4]>
// expected-error @+1 {{the lhs of this contraction has rank 1, got a tensor of rank 2}}
func.func private @rank(tensor<4x4xf32, #c>)

// -----

#c = #encoding.contraction<role = acc, types = [f32, f32, f64], maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [4]>
// expected-error @+1 {{the acc of this contraction has elements of type 'f64', got 'f32'}}
func.func private @element(tensor<4xf32, #c>)

// -----

#c = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (n)>], sizes = [4, 8]>
// expected-error @+1 {{dimension 1 of the rhs of this contraction has size 4, got 5}}
func.func private @size(tensor<8x5xf32, #c>)

// -----

// expected-error @+1 {{perm of a layout is a permutation of its dimensions, got [0, 2]}}
#l = #encoding.layout<perm = [0, 2], inner_dims = [], inner_tiles = [], swizzle = []>

// -----

// expected-error @+1 {{a layout has a tile for each inner dimension, got 1 dimensions and 2 tiles}}
#l = #encoding.layout<perm = [0, 1], inner_dims = [0], inner_tiles = [4, 4], swizzle = []>

// -----

// expected-error @+1 {{inner_dims of a layout are different dimensions below 2, got [0, 0]}}
#l = #encoding.layout<perm = [0, 1], inner_dims = [0, 0], inner_tiles = [4, 4], swizzle = []>

// -----

// expected-error @+1 {{inner_dims of a layout are different dimensions below 2, got [2]}}
#l = #encoding.layout<perm = [0, 1], inner_dims = [2], inner_tiles = [4], swizzle = []>

// -----

// expected-error @+1 {{inner_tiles of a layout are at least 1, got 0}}
#l = #encoding.layout<perm = [0, 1], inner_dims = [1], inner_tiles = [0], swizzle = []>

// -----

// expected-error @+1 {{swizzle of a layout is empty or a permutation of its 2 inner dimensions, got [0]}}
#l = #encoding.layout<perm = [0, 1], inner_dims = [0, 1], inner_tiles = [4, 4], swizzle = [0]>

// -----

#l = #encoding.layout<perm = [0, 1], inner_dims = [1], inner_tiles = [4], swizzle = []>
// expected-error @+1 {{this layout is for rank 2, got a tensor of rank 1}}
func.func private @rank(tensor<4xf32, #l>)

// -----

// expected-error @+1 {{by_device has a layout for each of at least two alternatives, got 1}}
#d = #encoding.by_device<@gpu, [#encoding.identity]>

// -----

// expected-error @+1 {{by_device holds #encoding.layout and #encoding.identity, got 4 : i64}}
#d = #encoding.by_device<@gpu, [4, #encoding.identity]>

// -----

// expected-error @+1 {{by_device is for alternatives that differ; use #encoding.identity}}
#d = #encoding.by_device<@gpu, [#encoding.identity, #encoding.identity]>

// -----

#l = #encoding.layout<perm = [0, 1], inner_dims = [1], inner_tiles = [4], swizzle = []>
// expected-error @+1 {{this layout is for rank 2, got a tensor of rank 1}}
func.func private @rank(tensor<4xf32, #encoding.by_device<@gpu, [#l, #encoding.identity]>>)

// -----

func.func @source_encoded(%x: tensor<4xf32, #encoding.identity>) {
  // expected-error @+1 {{'encoding.set' op needs a source without an encoding, got 'tensor<4xf32, #encoding.identity>'}}
  encoding.set %x : tensor<4xf32, #encoding.identity> -> tensor<4xf32, #encoding.identity>
  return
}

// -----

func.func @result_plain(%x: tensor<4xf32>) {
  // expected-error @+1 {{'encoding.set' op needs a result with an encoding of this dialect, got 'tensor<4xf32>'}}
  encoding.set %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{'encoding.set' op changes the encoding only, got 'tensor<4xf32>' to 'tensor<5xf32, #encoding.identity>'}}
  encoding.set %x : tensor<4xf32> -> tensor<5xf32, #encoding.identity>
  return
}

// -----

func.func @unset_plain(%x: tensor<4xf32>) {
  // expected-error @+1 {{'encoding.unset' op needs a source with an encoding of this dialect, got 'tensor<4xf32>'}}
  encoding.unset %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @unset_encoded(%x: tensor<4xf32, #encoding.identity>) {
  // expected-error @+1 {{'encoding.unset' op needs a result without an encoding, got 'tensor<4xf32, #encoding.identity>'}}
  encoding.unset %x : tensor<4xf32, #encoding.identity> -> tensor<4xf32, #encoding.identity>
  return
}

// -----

func.func @unset_element(%x: tensor<4xf32, #encoding.identity>) {
  // expected-error @+1 {{'encoding.unset' op changes the encoding only, got 'tensor<4xf32, #encoding.identity>' to 'tensor<4xf64>'}}
  encoding.unset %x : tensor<4xf32, #encoding.identity> -> tensor<4xf64>
  return
}

// -----

// expected-error @+2 {{a role is input, filter or result, got lhs}}
// expected-error @+1 {{failed to parse Encoding_ConvolutionAttr parameter 'role'}}
#c = #encoding.convolution<role = lhs, types = [f32, f32, f32], maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [4]>

// -----

// expected-error @+1 {{the maps of a convolution but its input's are projected permutations, got affine_map<(d0) -> (d0 * 2)>}}
#c = #encoding.convolution<role = filter, types = [f32, f32, f32], maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m)>], sizes = [4]>

// -----

// expected-error @+1 {{a convolution has three types and three maps (input, filter, result), got 2 and 3}}
#c = #encoding.convolution<role = filter, types = [f32, f32], maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [4]>

// -----

#c = #encoding.convolution<role = result, types = [f32, f32, f32], maps = [affine_map<(m, n) -> (m + n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m)>], sizes = [4, 3]>
// expected-error @+1 {{dimension 0 of the result of this convolution has size 4, got 5}}
func.func private @size(tensor<5xf32, #c>)

// -----

#c = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], sizes = [?]>
func.func @slice_of_unknown(%x: tensor<4xf32, #c>) {
  // expected-error @+1 {{'encoding.slice' op needs a source whose layout is known (#encoding.layout or #encoding.identity), got 'tensor<4xf32, #encoding.contraction<}}
  encoding.slice %x[0] [2] : tensor<4xf32, #c> -> tensor<2xf32, #c>
  return
}

// -----

func.func @slice_changes_layout(%x: tensor<4xf32, #encoding.identity>) {
  // expected-error @+1 {{'encoding.slice' op keeps the layout, the element type and the rank, got 'tensor<4xf32, #encoding.identity>' to 'tensor<2xf32>'}}
  encoding.slice %x[0] [2] : tensor<4xf32, #encoding.identity> -> tensor<2xf32>
  return
}

// -----

func.func @slice_rank(%x: tensor<4x4xf32, #encoding.identity>) {
  // expected-error @+1 {{'encoding.slice' op needs an offset and a size for each of 2 dimensions, got 1 and 2}}
  encoding.slice %x[0] [2, 4] : tensor<4x4xf32, #encoding.identity> -> tensor<2x4xf32, #encoding.identity>
  return
}

// -----

#l = #encoding.layout<perm = [0, 1], inner_dims = [0], inner_tiles = [16], swizzle = []>
func.func @slice_part_of_tile(%x: tensor<64x4xf32, #l>) {
  // expected-error @+1 {{'encoding.slice' op takes 1 granules of 16 along dimension 0, got a result of size 20}}
  encoding.slice %x[0, 0] [1, 4] : tensor<64x4xf32, #l> -> tensor<20x4xf32, #l>
  return
}

// -----

// expected-error @+1 {{by_target has one layout for each target, got 2 for 1}}
#t = #encoding.by_target<["a"], [#encoding.identity, #encoding.identity]>

// -----

// expected-error @+1 {{by_target is for targets that differ; use #encoding.identity}}
#t = #encoding.by_target<["a", "b"], [#encoding.identity, #encoding.identity]>
