// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device may turn out to be is found once for each device, however many ways lead there: 8 to the power of 19 here.
// RUN: heddle-opt %s "--resolve-encodings=resolver=x86-64-v4=blocked" | FileCheck %s

#map = affine_map<(m, n, k) -> (m, n)>
#e = #encoding.contraction<role = acc, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, #map], sizes = [4, 4, 4]>
device.global @d0 = #device.select<[#device.fallback<@d1>, #device.fallback<@d1>, #device.fallback<@d1>, #device.fallback<@d1>, #device.fallback<@d1>, #device.fallback<@d1>, #device.fallback<@d1>, #device.fallback<@d1>]>
device.global @d1 = #device.select<[#device.fallback<@d2>, #device.fallback<@d2>, #device.fallback<@d2>, #device.fallback<@d2>, #device.fallback<@d2>, #device.fallback<@d2>, #device.fallback<@d2>, #device.fallback<@d2>]>
device.global @d2 = #device.select<[#device.fallback<@d3>, #device.fallback<@d3>, #device.fallback<@d3>, #device.fallback<@d3>, #device.fallback<@d3>, #device.fallback<@d3>, #device.fallback<@d3>, #device.fallback<@d3>]>
device.global @d3 = #device.select<[#device.fallback<@d4>, #device.fallback<@d4>, #device.fallback<@d4>, #device.fallback<@d4>, #device.fallback<@d4>, #device.fallback<@d4>, #device.fallback<@d4>, #device.fallback<@d4>]>
device.global @d4 = #device.select<[#device.fallback<@d5>, #device.fallback<@d5>, #device.fallback<@d5>, #device.fallback<@d5>, #device.fallback<@d5>, #device.fallback<@d5>, #device.fallback<@d5>, #device.fallback<@d5>]>
device.global @d5 = #device.select<[#device.fallback<@d6>, #device.fallback<@d6>, #device.fallback<@d6>, #device.fallback<@d6>, #device.fallback<@d6>, #device.fallback<@d6>, #device.fallback<@d6>, #device.fallback<@d6>]>
device.global @d6 = #device.select<[#device.fallback<@d7>, #device.fallback<@d7>, #device.fallback<@d7>, #device.fallback<@d7>, #device.fallback<@d7>, #device.fallback<@d7>, #device.fallback<@d7>, #device.fallback<@d7>]>
device.global @d7 = #device.select<[#device.fallback<@d8>, #device.fallback<@d8>, #device.fallback<@d8>, #device.fallback<@d8>, #device.fallback<@d8>, #device.fallback<@d8>, #device.fallback<@d8>, #device.fallback<@d8>]>
device.global @d8 = #device.select<[#device.fallback<@d9>, #device.fallback<@d9>, #device.fallback<@d9>, #device.fallback<@d9>, #device.fallback<@d9>, #device.fallback<@d9>, #device.fallback<@d9>, #device.fallback<@d9>]>
device.global @d9 = #device.select<[#device.fallback<@d10>, #device.fallback<@d10>, #device.fallback<@d10>, #device.fallback<@d10>, #device.fallback<@d10>, #device.fallback<@d10>, #device.fallback<@d10>, #device.fallback<@d10>]>
device.global @d10 = #device.select<[#device.fallback<@d11>, #device.fallback<@d11>, #device.fallback<@d11>, #device.fallback<@d11>, #device.fallback<@d11>, #device.fallback<@d11>, #device.fallback<@d11>, #device.fallback<@d11>]>
device.global @d11 = #device.select<[#device.fallback<@d12>, #device.fallback<@d12>, #device.fallback<@d12>, #device.fallback<@d12>, #device.fallback<@d12>, #device.fallback<@d12>, #device.fallback<@d12>, #device.fallback<@d12>]>
device.global @d12 = #device.select<[#device.fallback<@d13>, #device.fallback<@d13>, #device.fallback<@d13>, #device.fallback<@d13>, #device.fallback<@d13>, #device.fallback<@d13>, #device.fallback<@d13>, #device.fallback<@d13>]>
device.global @d13 = #device.select<[#device.fallback<@d14>, #device.fallback<@d14>, #device.fallback<@d14>, #device.fallback<@d14>, #device.fallback<@d14>, #device.fallback<@d14>, #device.fallback<@d14>, #device.fallback<@d14>]>
device.global @d14 = #device.select<[#device.fallback<@d15>, #device.fallback<@d15>, #device.fallback<@d15>, #device.fallback<@d15>, #device.fallback<@d15>, #device.fallback<@d15>, #device.fallback<@d15>, #device.fallback<@d15>]>
device.global @d15 = #device.select<[#device.fallback<@d16>, #device.fallback<@d16>, #device.fallback<@d16>, #device.fallback<@d16>, #device.fallback<@d16>, #device.fallback<@d16>, #device.fallback<@d16>, #device.fallback<@d16>]>
device.global @d16 = #device.select<[#device.fallback<@d17>, #device.fallback<@d17>, #device.fallback<@d17>, #device.fallback<@d17>, #device.fallback<@d17>, #device.fallback<@d17>, #device.fallback<@d17>, #device.fallback<@d17>]>
device.global @d17 = #device.select<[#device.fallback<@d18>, #device.fallback<@d18>, #device.fallback<@d18>, #device.fallback<@d18>, #device.fallback<@d18>, #device.fallback<@d18>, #device.fallback<@d18>, #device.fallback<@d18>]>
device.global @d18 = #device.select<[#device.fallback<@d19>, #device.fallback<@d19>, #device.fallback<@d19>, #device.fallback<@d19>, #device.fallback<@d19>, #device.fallback<@d19>, #device.fallback<@d19>, #device.fallback<@d19>]>
device.global @d19 = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>

// CHECK: flow.executable private @f
// CHECK: func.func @f(%{{.*}}: tensor<4x4xf32, #encoding.layout
flow.executable private @f {
  func.func @f(%x: tensor<4x4xf32, #e>) -> tensor<4x4xf32> {
    %r = encoding.unset %x : tensor<4x4xf32, #e> -> tensor<4x4xf32>
    return %r : tensor<4x4xf32>
  }
}
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = encoding.set %x : tensor<4x4xf32> -> tensor<4x4xf32, #e>
  %1 = flow.dispatch @f(%0) {heddle.affinity = #device.affinity<@d0>} : (tensor<4x4xf32, #e>) -> (tensor<4x4xf32>)
  return %1 : tensor<4x4xf32>
}
