// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device with alternatives: constants have a layout for each, what is computed has one for all.
// RUN: heddle-opt %s --split-input-file "--resolve-encodings=resolver=x86-64-v4=blocked:4x4,x86-64-v3=blocked:2x2,generic=identity,aarch64:generic=identity" --resolve-pack-parameters --resolve-verify | FileCheck %s
// RUN: heddle-opt %s --split-input-file "--resolve-encodings=resolver=blocked:2x2" --resolve-pack-parameters --resolve-verify | FileCheck %s --check-prefix=SAME

#lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4]>
#rhs = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4], constant>
#v4 = #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>
#v3 = #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>
#arm = #device.executable<"elf-aarch64", {cpu = "generic", features = ""}>
device.global @cpu = #device.target<"local", [#v3]>
device.global @d = #device.select<[#device.target<"local", [#v4]>, #device.target<"local", [#arm]>, #device.fallback<@cpu>]>
// CHECK: flow.parameter private @w : tensor<4x4xf32, #encoding.layout<{{.*}}inner_tiles = [2, 2]{{.*}}>> = dense_resource<{{.*}}> : tensor<2x2x2x2xf32>
// CHECK: flow.parameter private @w_layout_1 : tensor<4x4xf32, #encoding.by_device<@d, [#encoding.layout<{{.*}}inner_tiles = [4, 4]{{.*}}>, #encoding.identity, #encoding.layout<{{.*}}inner_tiles = [2, 2]{{.*}}>]>> = dense<1.000000e+00> : tensor<4x4xf32>
// SAME: flow.parameter private @w : tensor<4x4xf32, #encoding.layout<{{.*}}>> = dense_resource<{{.*}}> : tensor<2x2x2x2xf32>
// SAME-NOT: flow.parameter private
flow.parameter private @w : tensor<4x4xf32, #rhs> = dense<1.0> : tensor<4x4xf32>
// CHECK: flow.executable private @f
// CHECK: func.func @f(%{{.*}}: tensor<4x4xf32>, %{{.*}}: tensor<4x4xf32, #encoding.by_target<[{{.*}}], [#encoding.layout<{{.*}}inner_tiles = [4, 4]{{.*}}>, #encoding.identity, #encoding.layout<{{.*}}inner_tiles = [2, 2]{{.*}}>]>>)
// The one target of @cpu has its tiles for what is computed, too; that clashes with @d's fallback to it.
// CHECK: flow.executable private @f_layout_1
flow.executable private @f {
  func.func @f(%x: tensor<4x4xf32, #lhs>, %w: tensor<4x4xf32, #rhs>) -> tensor<4x4xf32> {
    %a = encoding.unset %x : tensor<4x4xf32, #lhs> -> tensor<4x4xf32>
    %b = encoding.unset %w : tensor<4x4xf32, #rhs> -> tensor<4x4xf32>
    %r = linalg.add ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
    return %r : tensor<4x4xf32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK: flow.dispatch @f(%{{.*}}, %{{.*}}) {heddle.affinity = #device.affinity<@d>} : (tensor<4x4xf32>, tensor<4x4xf32, #encoding.by_device<
// CHECK: flow.dispatch @f_layout_1(%{{.*}}, %{{.*}}) {heddle.affinity = #device.affinity<@cpu>} : (tensor<4x4xf32, #encoding.layout
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %w = flow.parameter.load @w : tensor<4x4xf32, #rhs>
  %a = flow.encode %x {heddle.affinity = #device.affinity<@d>} : tensor<4x4xf32> -> tensor<4x4xf32, #lhs>
  %0 = flow.dispatch @f(%a, %w) {heddle.affinity = #device.affinity<@d>} : (tensor<4x4xf32, #lhs>, tensor<4x4xf32, #rhs>) -> (tensor<4x4xf32>)
  %b = flow.encode %x {heddle.affinity = #device.affinity<@cpu>} : tensor<4x4xf32> -> tensor<4x4xf32, #lhs>
  %1 = flow.dispatch @f(%b, %w) {heddle.affinity = #device.affinity<@cpu>} : (tensor<4x4xf32, #lhs>, tensor<4x4xf32, #rhs>) -> (tensor<4x4xf32>)
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
