// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --encoding-erase-encodings

// expected-error @+1 {{is already in the order of its layout, 'tensor<4x4xf32, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>>': encodings can be erased up to stage 'place'}}
flow.parameter private @w : tensor<4x4xf32, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>> = dense<2.0> : tensor<1x4x16xf32>

// -----

func.func @slice(%x: tensor<4xf32, #encoding.identity>) -> tensor<2xf32, #encoding.identity> {
  // expected-error @+1 {{is made of tiles: encodings can be erased up to stage 'place'}}
  %0 = encoding.slice %x[0] [2] : tensor<4xf32, #encoding.identity> -> tensor<2xf32, #encoding.identity>
  return %0 : tensor<2xf32, #encoding.identity>
}
