// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --codegen-materialize-encodings --split-input-file --verify-diagnostics

#map = affine_map<(m) -> (m)>
#e = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#map, #map, #map], sizes = [4]>
kernel.program @f of @f for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  // expected-error @+1 {{code is generated for resolved layouts, got 'tensor<4xf32, #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], sizes = [4]>>'; run resolve-encodings first}}
  func.func @kernel(%x: tensor<4xf32, #e>) -> tensor<4xf32, #e> {
    return %x : tensor<4xf32, #e>
  }
}

// -----

#tiles = #encoding.layout<perm = [0], inner_dims = [0], inner_tiles = [8], swizzle = []>
kernel.program @f of @f for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  // expected-error @+1 {{needs an index argument for each dynamic dimension of its tensors}}
  func.func @kernel(%x: tensor<?xf32, #tiles>) -> tensor<?xf32> {
    %y = encoding.unset %x : tensor<?xf32, #tiles> -> tensor<?xf32>
    return %y : tensor<?xf32>
  }
}
