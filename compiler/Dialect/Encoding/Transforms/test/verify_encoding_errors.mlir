// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --encoding-verify

#e = #encoding.contraction<role = lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, ?, ?]>

func.func @cast(%x: tensor<4x4xf32, #e>) -> tensor<?x4xf32, #e> {
  // expected-error @+1 {{'tensor.cast' must not touch an encoded type, got 'tensor<4x4xf32, #encoding.contraction<}}
  %0 = tensor.cast %x : tensor<4x4xf32, #e> to tensor<?x4xf32, #e>
  return %0 : tensor<?x4xf32, #e>
}

// -----

func.func @result(%x: tensor<4xf32>) -> tensor<4xf32, #encoding.identity> {
  // expected-error @+1 {{'builtin.unrealized_conversion_cast' must not touch an encoded type, got 'tensor<4xf32, #encoding.identity>'; only ops of our dialects, linalg, scf, func, tensor.empty and tensor.dim may: give it an encoding.unset of the value, or run the pass that made it before stage 'encode'}}
  %0 = builtin.unrealized_conversion_cast %x : tensor<4xf32> to tensor<4xf32, #encoding.identity>
  return %0 : tensor<4xf32, #encoding.identity>
}

// -----

// What may: nothing is said.
func.func @may(%x: tensor<?xf32, #encoding.identity>, %c: i1, %z: f32) -> tensor<?xf32, #encoding.identity> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32, #encoding.identity>
  %e = tensor.empty(%d) : tensor<?xf32, #encoding.identity>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32, #encoding.identity>) -> tensor<?xf32, #encoding.identity>
  %r = scf.if %c -> tensor<?xf32, #encoding.identity> {
    scf.yield %f : tensor<?xf32, #encoding.identity>
  } else {
    scf.yield %x : tensor<?xf32, #encoding.identity>
  }
  return %r : tensor<?xf32, #encoding.identity>
}

// -----

// What an op says of its operands' layouts fits them.
#map = affine_map<(i) -> (i)>
func.func @fewer_operands(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{encoding.operands stands on a linalg.generic and has, for each input, a layout or #encoding.identity, got []}}
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"], encoding.operands = []} ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#panels = #encoding.layout<perm = [0], inner_dims = [0], inner_tiles = [16], swizzle = []>
func.func @not_in_memory(%x: tensor<2x8xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @+1 {{reads operand 0 in a layout that its type 'tensor<2x8xf32>' is not in}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 8, i mod 8)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"], encoding.operands = [#panels]} ins(%x : tensor<2x8xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}
