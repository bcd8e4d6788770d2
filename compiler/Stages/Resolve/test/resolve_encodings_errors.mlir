// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --resolve-encodings=resolver=unsupported --split-input-file --verify-diagnostics

#map = affine_map<(m) -> (m)>
#e = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#map, #map, #map], sizes = [4]>
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
flow.executable private @f {
  func.func @f(%x: tensor<4xf32, #e>) -> tensor<4xf32> {
    %y = encoding.unset %x : tensor<4xf32, #e> -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
func.func @dispatch(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = flow.encode %x : tensor<4xf32> -> tensor<4xf32, #e>
  // expected-error @+1 {{device @cpu cannot lay out 'tensor<4xf32, #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], sizes = [4]>>' of dispatch @f: this resolver supports no encoding; --data-tiling=off compiles without layouts}}
  %y = flow.dispatch @f(%e) : (tensor<4xf32, #e>) -> (tensor<4xf32>)
  return %y : tensor<4xf32>
}

// -----

#map = affine_map<(m) -> (m)>
#e = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#map, #map, #map], sizes = [4]>
// expected-error @+1 {{has an encoded type, but the module has no device that could resolve it; run stage-devices first}}
flow.parameter private @w : tensor<4xf32, #e> = dense<1.0> : tensor<4xf32>

// -----

// What has no encoding needs no device.
func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
