// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-cancel-encodings | FileCheck %s

#a = #encoding.contraction<role = lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4]>
#b = #encoding.contraction<role = acc, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4]>

// CHECK-LABEL: @set_of_unset
// CHECK-SAME: (%[[E:.*]]: tensor<4x4xf32, #{{.*}}>)
// CHECK-NEXT: return %[[E]]
func.func @set_of_unset(%e: tensor<4x4xf32, #a>) -> tensor<4x4xf32, #a> {
  %0 = encoding.unset %e : tensor<4x4xf32, #a> -> tensor<4x4xf32>
  %1 = encoding.set %0 : tensor<4x4xf32> -> tensor<4x4xf32, #a>
  return %1 : tensor<4x4xf32, #a>
}

// CHECK-LABEL: @chain
// CHECK-SAME: (%[[X:.*]]: tensor<4x4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @chain(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = encoding.set %x : tensor<4x4xf32> -> tensor<4x4xf32, #a>
  %1 = encoding.unset %0 : tensor<4x4xf32, #a> -> tensor<4x4xf32>
  %2 = encoding.set %1 : tensor<4x4xf32> -> tensor<4x4xf32, #b>
  %3 = encoding.unset %2 : tensor<4x4xf32, #b> -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// Between different encodings one relayout is left, however long the way.
// CHECK-LABEL: @relayout
// CHECK-SAME: (%[[E:.*]]: tensor<4x4xf32, #{{.*}}>)
// CHECK-NEXT: %[[X:.*]] = encoding.unset %[[E]]
// CHECK-NEXT: %[[F:.*]] = encoding.set %[[X]] : tensor<4x4xf32> -> tensor<4x4xf32, #encoding.contraction<role = acc,
// CHECK-NEXT: return %[[F]]
func.func @relayout(%e: tensor<4x4xf32, #a>) -> tensor<4x4xf32, #b> {
  %0 = encoding.unset %e : tensor<4x4xf32, #a> -> tensor<4x4xf32>
  %1 = encoding.set %0 : tensor<4x4xf32> -> tensor<4x4xf32, #b>
  %2 = encoding.unset %1 : tensor<4x4xf32, #b> -> tensor<4x4xf32>
  %3 = encoding.set %2 : tensor<4x4xf32> -> tensor<4x4xf32, #a>
  %4 = encoding.unset %3 : tensor<4x4xf32, #a> -> tensor<4x4xf32>
  %5 = encoding.set %4 : tensor<4x4xf32> -> tensor<4x4xf32, #b>
  return %5 : tensor<4x4xf32, #b>
}
