// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loop's body hands on from another device comes back in the layout of the loop's own value.
// RUN: heddle-opt %s "--resolve-encodings=resolver=one=blocked:2x2,two=blocked:4x4" | FileCheck %s

#e = #encoding.contraction<role = acc, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4]>
device.global @one = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
device.global @two = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
flow.executable private @make {
  func.func @make(%x: tensor<4x4xf32>) -> tensor<4x4xf32, #e> {
    %r = encoding.set %x : tensor<4x4xf32> -> tensor<4x4xf32, #e>
    return %r : tensor<4x4xf32, #e>
  }
}
flow.executable private @use {
  func.func @use(%x: tensor<4x4xf32, #e>) -> tensor<4x4xf32> {
    %r = encoding.unset %x : tensor<4x4xf32, #e> -> tensor<4x4xf32>
    return %r : tensor<4x4xf32>
  }
}

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = flow.dispatch @make{{.*}} -> (tensor<4x4xf32, #encoding.layout<[[ONE:.*]]>>)
// CHECK: scf.while (%{{.*}} = %[[A]]) : (tensor<4x4xf32, #encoding.layout<[[ONE]]>>) -> tensor<4x4xf32, #encoding.layout<[[ONE]]>>
// CHECK: %[[M:.*]] = flow.dispatch @make{{.*}}@two{{.*}}inner_tiles = [4, 4]
// CHECK: %[[E:.*]] = flow.dispatch @encode_0(%[[M]]) {heddle.affinity = #device.affinity<@one>}
// CHECK: scf.yield %[[E]] : tensor<4x4xf32, #encoding.layout<[[ONE]]>>
func.func @main(%x: tensor<4x4xf32>, %c: i1) -> tensor<4x4xf32> {
  %a = flow.dispatch @make(%x) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32>) -> (tensor<4x4xf32, #e>)
  %r = scf.while (%p = %a) : (tensor<4x4xf32, #e>) -> tensor<4x4xf32, #e> {
    scf.condition(%c) %p : tensor<4x4xf32, #e>
  } do {
  ^bb0(%q: tensor<4x4xf32, #e>):
    %u = flow.dispatch @use(%q) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32, #e>) -> (tensor<4x4xf32>)
    %m = flow.dispatch @make(%u) {heddle.affinity = #device.affinity<@two>} : (tensor<4x4xf32>) -> (tensor<4x4xf32, #e>)
    scf.yield %m : tensor<4x4xf32, #e>
  }
  %z = flow.dispatch @use(%r) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32, #e>) -> (tensor<4x4xf32>)
  return %z : tensor<4x4xf32>
}
