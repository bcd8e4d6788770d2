// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --resolve-pack-parameters --split-input-file --verify-diagnostics

#turned = #encoding.layout<perm = [1, 0], inner_dims = [], inner_tiles = [], swizzle = []>
// expected-error @+1 {{has a layout without tiles, whose values cannot be told from plain ones: 'tensor<2x3xi8, #encoding.layout<perm = [1, 0], inner_dims = [], inner_tiles = [], swizzle = []>>'}}
flow.parameter @w : tensor<2x3xi8, #turned> = dense<1> : tensor<2x3xi8>

// -----

#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [2], swizzle = []>
// expected-error @+1 {{'flow.parameter' op has its value in resource missing, whose bytes are not here}}
flow.parameter @w : tensor<2x3xi8, #panels> = dense_resource<missing> : tensor<2x3xi8>
