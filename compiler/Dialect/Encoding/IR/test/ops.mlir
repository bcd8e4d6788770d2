// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: heddle-opt %s --flow-resolve-dims | FileCheck %s --check-prefix=DIMS

#lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 64, 32]>
#rhs = #encoding.contraction<role = rhs, types = [i8, i8, i32],
  maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], sizes = [2, 1, 64, 32]>
#packed = #encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 2], swizzle = [1, 0]>
#plain = #encoding.layout<perm = [1, 0], inner_dims = [], inner_tiles = [], swizzle = []>
#filter = #encoding.convolution<role = filter, types = [f32, f32, f32],
  maps = [affine_map<(n, o, f, k, c) -> (n, o * 2 + k, c)>, affine_map<(n, o, f, k, c) -> (k, c, f)>, affine_map<(n, o, f, k, c) -> (n, o, f)>], sizes = [?, 28, 64, 3, 32], constant>
#input = #encoding.convolution<role = input, types = [f32, f32, f32],
  maps = [affine_map<(n, o, f, k, c) -> (n, o * 2 + k, c)>, affine_map<(n, o, f, k, c) -> (k, c, f)>, affine_map<(n, o, f, k, c) -> (n, o, f)>], sizes = [?, 28, 64, 3, 32]>
#weights = #encoding.contraction<role = rhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 64, 32], constant>

// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: @spellings
// CHECK-SAME: %{{.*}}: tensor<?x32xf32>, %{{.*}}: tensor<64x32xi8, #encoding.contraction<role = rhs, types = [i8, i8, i32], maps = [{{.*}}], sizes = [2, 1, 64, 32]>>
// CHECK-SAME: tensor<4x4xf32, #encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 2], swizzle = [1, 0]>>
// CHECK-SAME: tensor<4x4xf32, #encoding.layout<perm = [1, 0], inner_dims = [], inner_tiles = [], swizzle = []>>
// CHECK-SAME: tensor<4x4xf32, #encoding.identity>
// CHECK-SAME: tensor<4x4xf32, #encoding.by_device<@gpu, [#encoding.layout<{{.*}}>, #encoding.identity]>>
// CHECK: encoding.set %{{.*}} : tensor<?x32xf32> -> tensor<?x32xf32, #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#[[MK]], #[[KN]], #[[MN]]], sizes = [?, 64, 32]>>
// CHECK: encoding.unset %{{.*}} : tensor<64x32xi8, #encoding.contraction<role = rhs, {{.*}}>> -> tensor<64x32xi8>
func.func @spellings(%x: tensor<?x32xf32>, %w: tensor<64x32xi8, #rhs>, %a: tensor<4x4xf32, #packed>,
                     %b: tensor<4x4xf32, #plain>, %c: tensor<4x4xf32, #encoding.identity>,
                     %d: tensor<4x4xf32, #encoding.by_device<@gpu, [#packed, #encoding.identity]>>)
    -> (tensor<?x32xf32, #lhs>, tensor<64x32xi8>) {
  %0 = encoding.set %x : tensor<?x32xf32> -> tensor<?x32xf32, #lhs>
  %1 = encoding.unset %w : tensor<64x32xi8, #rhs> -> tensor<64x32xi8>
  return %0, %1 : tensor<?x32xf32, #lhs>, tensor<64x32xi8>
}

// FOLD-LABEL: @unset_of_set
// FOLD-SAME: (%[[X:.*]]: tensor<?x32xf32>)
// FOLD-NEXT: return %[[X]]
func.func @unset_of_set(%x: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = encoding.set %x : tensor<?x32xf32> -> tensor<?x32xf32, #lhs>
  %1 = encoding.unset %0 : tensor<?x32xf32, #lhs> -> tensor<?x32xf32>
  return %1 : tensor<?x32xf32>
}

// FOLD-LABEL: @set_of_unset
// FOLD-SAME: (%[[E:.*]]: tensor<?x32xf32, #{{.*}}>)
// FOLD-NEXT: return %[[E]]
func.func @set_of_unset(%e: tensor<?x32xf32, #lhs>) -> tensor<?x32xf32, #lhs> {
  %0 = encoding.unset %e : tensor<?x32xf32, #lhs> -> tensor<?x32xf32>
  %1 = encoding.set %0 : tensor<?x32xf32> -> tensor<?x32xf32, #lhs>
  return %1 : tensor<?x32xf32, #lhs>
}

// A relayout stays.
// FOLD-LABEL: @relayout
// FOLD: encoding.unset
// FOLD: encoding.set
func.func @relayout(%e: tensor<8x32xf32, #packed>) -> tensor<8x32xf32, #plain> {
  %0 = encoding.unset %e : tensor<8x32xf32, #packed> -> tensor<8x32xf32>
  %1 = encoding.set %0 : tensor<8x32xf32> -> tensor<8x32xf32, #plain>
  return %1 : tensor<8x32xf32, #plain>
}

// CHECK-LABEL: @convolution
// CHECK-SAME: tensor<3x32x64xf32, #encoding.convolution<role = filter, types = [f32, f32, f32], maps = [{{.*}}], sizes = [?, 28, 64, 3, 32], constant>>
// CHECK-SAME: tensor<?x60x32xf32, #encoding.convolution<role = input, types = [f32, f32, f32], maps = [{{.*}}], sizes = [?, 28, 64, 3, 32]>>
// CHECK-SAME: tensor<32x64xf32, #encoding.contraction<role = rhs, {{.*}}, sizes = [?, 64, 32], constant>>
func.func private @convolution(tensor<3x32x64xf32, #filter>, tensor<?x60x32xf32, #input>, tensor<32x64xf32, #weights>)

// CHECK-LABEL: @slice
// CHECK: encoding.slice %{{.*}}[%{{.*}}, 0] [2, 2] : tensor<?x4xf32, #encoding.layout<{{.*}}>> -> tensor<4x31xf32, #encoding.layout<{{.*}}>>
// CHECK: encoding.slice %{{.*}}[1, 0] [%{{.*}}, 4] : tensor<4x4xf32, #encoding.identity> -> tensor<?x4xf32, #encoding.identity>
func.func @slice(%a: tensor<?x4xf32, #packed>, %b: tensor<4x4xf32, #encoding.identity>, %i: index)
    -> (tensor<4x31xf32, #packed>, tensor<?x4xf32, #encoding.identity>) {
  %0 = encoding.slice %a[%i, 0] [2, 2] : tensor<?x4xf32, #packed> -> tensor<4x31xf32, #packed>
  %1 = encoding.slice %b[1, 0] [%i, 4] : tensor<4x4xf32, #encoding.identity> -> tensor<?x4xf32, #encoding.identity>
  return %0, %1 : tensor<4x31xf32, #packed>, tensor<?x4xf32, #encoding.identity>
}

// The size of a value does not depend on its encoding.
// DIMS-LABEL: @sizes
// DIMS-SAME: (%[[X:.*]]: tensor<?x32xf32>)
// DIMS: tensor.dim %[[X]]
func.func @sizes(%x: tensor<?x32xf32>) -> (tensor<?x32xf32, #lhs>, index) {
  %c0 = arith.constant 0 : index
  %0 = encoding.set %x : tensor<?x32xf32> -> tensor<?x32xf32, #lhs>
  %d = tensor.dim %0, %c0 : tensor<?x32xf32, #lhs>
  return %0, %d : tensor<?x32xf32, #lhs>, index
}
