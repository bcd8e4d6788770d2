// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parameter is there once for each layout that devices load it in, and loaded on each device that uses it.
// RUN: heddle-opt %s "--resolve-encodings=resolver=one=blocked:2x2,two=identity,three=blocked:2x2" | FileCheck %s
// RUN: heddle-opt %s "--resolve-encodings=resolver=blocked:2x2" | FileCheck %s --check-prefix=SAME

#e = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4], constant>
device.global @one = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
device.global @two = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
device.global @three = #device.target<"local", {ordinal = 2}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
// CHECK: flow.parameter private @w : tensor<4x4xf32, [[TILES:#encoding.layout<.*>]]> = dense<1.000000e+00> : tensor<4x4xf32>
// CHECK-NEXT: flow.parameter private @w_layout_1 : tensor<4x4xf32> = dense<1.000000e+00>
// CHECK-NOT: flow.parameter
// SAME: flow.parameter private @w : tensor<4x4xf32, #encoding.layout
// SAME-NOT: flow.parameter private
flow.parameter private @w : tensor<4x4xf32, #e> = dense<1.0> : tensor<4x4xf32>
flow.executable private @f {
  func.func @f(%x: tensor<4x4xf32, #e>) -> tensor<4x4xf32> {
    %r = encoding.unset %x : tensor<4x4xf32, #e> -> tensor<4x4xf32>
    return %r : tensor<4x4xf32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[A:.*]] = flow.parameter.load @w {heddle.affinity = #device.affinity<@one>} : tensor<4x4xf32, [[TILES]]>
// CHECK-DAG: %[[B:.*]] = flow.parameter.load @w_layout_1 {heddle.affinity = #device.affinity<@two>} : tensor<4x4xf32>
// CHECK-DAG: %[[C:.*]] = flow.parameter.load @w {heddle.affinity = #device.affinity<@three>} : tensor<4x4xf32, [[TILES]]>
// CHECK: flow.dispatch @f(%[[A]]) {heddle.affinity = #device.affinity<@one>}
// CHECK: flow.dispatch @f(%[[B]]) {heddle.affinity = #device.affinity<@two>}
// CHECK: flow.dispatch @f(%[[C]]) {heddle.affinity = #device.affinity<@three>}
func.func @main() -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %w = flow.parameter.load @w : tensor<4x4xf32, #e>
  %0 = flow.dispatch @f(%w) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32, #e>) -> (tensor<4x4xf32>)
  %1 = flow.dispatch @f(%w) {heddle.affinity = #device.affinity<@two>} : (tensor<4x4xf32, #e>) -> (tensor<4x4xf32>)
  %2 = flow.dispatch @f(%w) {heddle.affinity = #device.affinity<@three>} : (tensor<4x4xf32, #e>) -> (tensor<4x4xf32>)
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
