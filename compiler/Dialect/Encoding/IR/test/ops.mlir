// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

#lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 64, 32]>
#rhs = #encoding.contraction<role = rhs, types = [i8, i8, i32],
  maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], sizes = [2, 1, 64, 32]>
#packed = #encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 2], swizzle = [1, 0]>
#plain = #encoding.layout<perm = [1, 0], inner_dims = [], inner_tiles = [], swizzle = []>

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
