// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --resolve-verify --split-input-file --verify-diagnostics

#map = affine_map<(m) -> (m)>
#e = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#map, #map, #map], sizes = [4]>
func.func @value(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has an abstract encoding after stage resolve: 'tensor<4xf32, #encoding.contraction<}}
  %e = encoding.set %x : tensor<4xf32> -> tensor<4xf32, #e>
  %y = encoding.unset %e : tensor<4xf32, #e> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

#map = affine_map<(m) -> (m)>
#e = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#map, #map, #map], sizes = [4]>
// expected-error @+1 {{has an abstract encoding after stage resolve: 'tensor<4xf32, #encoding.contraction<}}
func.func private @declared(tensor<4xf32, #e>)

// -----

#map = affine_map<(m) -> (m)>
#e = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#map, #map, #map], sizes = [4]>
// expected-error @+1 {{has an abstract encoding after stage resolve: 'tensor<4xf32, #encoding.contraction<}}
flow.parameter @w : tensor<4xf32, #e> = dense<1.0> : tensor<4xf32>

// -----

#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [2], swizzle = []>
// expected-error @+1 {{has a value of type 'tensor<2x3xi8>', which is not 'tensor<2x2x2xi8>': its layout in memory}}
flow.parameter @w : tensor<2x3xi8, #panels> = dense<1> : tensor<2x3xi8>
