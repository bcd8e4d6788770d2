// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt --split-input-file --resolve-encodings %s | FileCheck %s
// RUN: heddle-opt --split-input-file --resolve-encodings --resolve-encodings %s | FileCheck %s
// RUN: heddle-opt --split-input-file --resolve-encodings=resolver=blocked %s | FileCheck --check-prefix=BLOCKED %s

// Columns in panels of 16, everything else in rows; the encode of what is computed is gone.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 40, 64]>
#rhs = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 40, 64], constant>
#acc = #encoding.contraction<role = acc, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 40, 64]>
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
// CHECK: flow.parameter private @w : tensor<64x40xf32, [[PANELS:#encoding.layout<perm = \[1, 0\], inner_dims = \[1\], inner_tiles = \[16\], swizzle = \[\]>]]> = dense<1.000000e+00> : tensor<64x40xf32>
// BLOCKED: flow.parameter private @w : tensor<64x40xf32, [[TILES:#encoding.layout<perm = \[0, 1\], inner_dims = \[0, 1\], inner_tiles = \[8, 16\], swizzle = \[\]>]]>
flow.parameter private @w : tensor<64x40xf32, #rhs> = dense<1.0> : tensor<64x40xf32>
// CHECK-LABEL: flow.executable private @f
// CHECK: func.func @f(%[[A:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<64x40xf32, [[PANELS]]>, %{{.*}}: index) -> tensor<?x40xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[W]] : tensor<?x64xf32>, tensor<64x40xf32, [[PANELS]]>)
// CHECK-NOT: encoding.unset
// BLOCKED: func.func @f(%{{.*}}: tensor<?x64xf32, [[TILES]]>, %{{.*}}: tensor<64x40xf32, [[TILES]]>, %{{.*}}: index) -> tensor<?x40xf32>
// BLOCKED: encoding.unset {{.*}} : tensor<?x40xf32, [[TILES]]> -> tensor<?x40xf32>
flow.executable private @f {
  func.func @f(%a: tensor<?x64xf32, #lhs>, %w: tensor<64x40xf32, #rhs>, %m: index) -> tensor<?x40xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x40xf32, #acc>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x40xf32, #acc>) -> tensor<?x40xf32, #acc>
    %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %w : tensor<?x64xf32, #lhs>, tensor<64x40xf32, #rhs>) outs(%z : tensor<?x40xf32, #acc>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %q = arith.mulf %x, %y : f32
      %t = arith.addf %s, %q : f32
      linalg.yield %t : f32
    } -> tensor<?x40xf32, #acc>
    %r = encoding.unset %p : tensor<?x40xf32, #acc> -> tensor<?x40xf32>
    return %r : tensor<?x40xf32>
  }
}
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf32>
// CHECK: %[[L:.*]] = flow.parameter.load @w : tensor<64x40xf32, [[PANELS]]>
// CHECK-NOT: flow.encode
// CHECK: flow.dispatch @f(%[[X]], %[[L]])
// BLOCKED-LABEL: func.func @main(
// BLOCKED: %[[ENCODED:.*]] = flow.dispatch @encode_0(%{{.*}}) [%[[M:.*]]] {heddle.affinity = #device.affinity<@cpu>} : (tensor<?x64xf32>{%[[M]]}) -> (tensor<?x64xf32, [[TILES]]>{%[[M]]})
// BLOCKED: flow.dispatch @f(%[[ENCODED]], %{{.*}})
func.func @main(%x: tensor<?x64xf32> {heddle.dims = ["m", ""]}) -> tensor<?x40xf32> {
  %m = flow.dimension "m"
  %w = flow.parameter.load @w : tensor<64x40xf32, #rhs>
  %a = flow.encode %x : tensor<?x64xf32>{%m} -> tensor<?x64xf32, #lhs>
  %r = flow.dispatch @f(%a, %w)[%m] : (tensor<?x64xf32, #lhs>{%m}, tensor<64x40xf32, #rhs>) -> (tensor<?x40xf32>{%m})
  return %r : tensor<?x40xf32>
}
// BLOCKED: flow.executable private @encode_0
// BLOCKED: func.func @encode_0(%[[PLAIN:.*]]: tensor<?x64xf32>, %{{.*}}: index) -> tensor<?x64xf32, [[TILES]]>
// BLOCKED-NEXT: encoding.set %[[PLAIN]]

// -----

// Values that loops carry follow.
#two = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4]>
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
flow.executable private @g {
  func.func @g(%x: tensor<4x4xf32, #two>) -> tensor<4x4xf32, #two> {
    return %x : tensor<4x4xf32, #two>
  }
}
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (tensor<4x4xf32>)
// CHECK: flow.dispatch @g(%[[C]]) : (tensor<4x4xf32>) -> (tensor<4x4xf32>)
func.func @loop(%x: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = flow.encode %x : tensor<4x4xf32> -> tensor<4x4xf32, #two>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %a) -> (tensor<4x4xf32, #two>) {
    %y = flow.dispatch @g(%c) : (tensor<4x4xf32, #two>) -> (tensor<4x4xf32, #two>)
    scf.yield %y : tensor<4x4xf32, #two>
  }
  %p = flow.encode %r : tensor<4x4xf32, #two> -> tensor<4x4xf32>
  return %p : tensor<4x4xf32>
}
