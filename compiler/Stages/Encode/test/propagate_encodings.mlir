// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-propagate-encodings --encode-cancel-encodings --encoding-verify --split-input-file | FileCheck %s

// CHECK-DAG: #[[TRANSPOSED:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>

#acc = #encoding.contraction<role = acc, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 8, 4]>
#lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 2, 8]>
#id = affine_map<(i, j) -> (i, j)>

// Bias and relu compute on what the next product wants; nothing is unpacked on the way.
// CHECK-LABEL: @epilogue
// CHECK-SAME: (%[[P:.*]]: tensor<?x8xf32, #{{.*}}>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x8xf32, #encoding.contraction<role = lhs,
// CHECK: %[[C:.*]] = encoding.unset %[[P]]
// CHECK: %[[S:.*]] = encoding.set %[[C]] : tensor<?x8xf32> -> tensor<?x8xf32, #encoding.contraction<role = lhs, {{.*}}>>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[S]], %[[B]] : {{.*}}) outs(%[[E]] :
// CHECK: } -> tensor<?x8xf32, #encoding.contraction<role = lhs,
// CHECK: return %[[R]]
func.func @epilogue(%p: tensor<?x8xf32, #acc>, %b: tensor<8xf32>, %m: index) -> tensor<?x8xf32, #lhs> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %c = encoding.unset %p : tensor<?x8xf32, #acc> -> tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %b : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x8xf32>
  %a = encoding.set %r : tensor<?x8xf32> -> tensor<?x8xf32, #lhs>
  return %a : tensor<?x8xf32, #lhs>
}

// Of the same encoding: both are gone.
// CHECK-LABEL: @same
// CHECK-SAME: (%[[P:.*]]: tensor<?x8xf32, #{{.*}}>
// CHECK-NOT: encoding.{{(un)?}}set
// CHECK: linalg.exp ins(%[[P]] :
// CHECK-NOT: encoding.{{(un)?}}set
// CHECK: return
func.func @same(%p: tensor<?x8xf32, #acc>, %m: index) -> tensor<?x8xf32, #acc> {
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %c = encoding.unset %p : tensor<?x8xf32, #acc> -> tensor<?x8xf32>
  %r = linalg.exp ins(%c : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %a = encoding.set %r : tensor<?x8xf32> -> tensor<?x8xf32, #acc>
  return %a : tensor<?x8xf32, #acc>
}

// A transpose permutes the map of what the value is used for.
// CHECK-LABEL: @transpose
// CHECK: %[[C:.*]] = encoding.unset
// CHECK: encoding.set %[[C]] : tensor<8x4xf32> -> tensor<8x4xf32, #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#[[TRANSPOSED]],
// CHECK: linalg.transpose ins(%{{.*}} : tensor<8x4xf32, {{.*}}) outs(%{{.*}} : tensor<4x8xf32, #encoding.contraction<role = lhs,
func.func @transpose(%p: tensor<8x4xf32, #encoding.contraction<role = acc, types = [f32, f32, f32],
      maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [8, 4, 4]>>) -> tensor<4x8xf32, #lhs> {
  %e = tensor.empty() : tensor<4x8xf32>
  %c = encoding.unset %p : tensor<8x4xf32, #encoding.contraction<role = acc, types = [f32, f32, f32],
      maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [8, 4, 4]>> -> tensor<8x4xf32>
  %t = linalg.transpose ins(%c : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %a = encoding.set %t : tensor<4x8xf32> -> tensor<4x8xf32, #lhs>
  return %a : tensor<4x8xf32, #lhs>
}

// -----

#acc = #encoding.contraction<role = acc, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 8, 4]>
#lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 2, 8]>
#id = affine_map<(i, j) -> (i, j)>

// f32 to f16 to f32: they meet at f16, the narrow data change their layout.
// CHECK-LABEL: @narrow
// CHECK-SAME: (%[[P:.*]]: tensor<4x8xf32, #{{.*}}>)
// CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<4x8xf32, #encoding.contraction<role = acc, {{.*}}) outs(%{{.*}} : tensor<4x8xf16, #encoding.contraction<role = acc, types = [f32, f32, f16], {{.*}}>>)
// CHECK: %[[C:.*]] = encoding.unset %[[N]] : tensor<4x8xf16, {{.*}}> -> tensor<4x8xf16>
// CHECK: %[[S:.*]] = encoding.set %[[C]] : tensor<4x8xf16> -> tensor<4x8xf16, #encoding.contraction<role = lhs, types = [f16, f32, f32], {{.*}}>>
// CHECK: linalg.generic {{.*}} ins(%[[S]] : {{.*}}) outs(%{{.*}} : tensor<4x8xf32, #encoding.contraction<role = lhs, types = [f32, f32, f32], {{.*}}>>)
func.func @narrow(%p: tensor<4x8xf32, #acc>) -> tensor<4x8xf32, #lhs> {
  %c = encoding.unset %p : tensor<4x8xf32, #acc> -> tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf16>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<4x8xf32>) outs(%e : tensor<4x8xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<4x8xf16>
  %f = tensor.empty() : tensor<4x8xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<4x8xf16>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%x: f16, %o: f32):
    %y = arith.extf %x : f16 to f32
    linalg.yield %y : f32
  } -> tensor<4x8xf32>
  %a = encoding.set %w : tensor<4x8xf32> -> tensor<4x8xf32, #lhs>
  return %a : tensor<4x8xf32, #lhs>
}

// Reductions, values that others read, and values that come from elsewhere stay.
// CHECK-LABEL: @reduction
// CHECK: %[[R:.*]] = linalg.softmax
// CHECK: encoding.set %[[R]]
// CHECK-LABEL: @others
// CHECK: %[[R:.*]] = linalg.exp ins(%{{.*}} : tensor<4x8xf32>)
// CHECK: encoding.set %[[R]]
// CHECK-LABEL: @argument
// CHECK: %[[R:.*]] = linalg.exp ins(%{{.*}} : tensor<4x8xf32>)
// CHECK: encoding.set %[[R]]
func.func @reduction(%p: tensor<4x8xf32, #acc>) -> tensor<4x8xf32, #lhs> {
  %e = tensor.empty() : tensor<4x8xf32>
  %c = encoding.unset %p : tensor<4x8xf32, #acc> -> tensor<4x8xf32>
  %r = linalg.softmax dimension(1) ins(%c : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = encoding.set %r : tensor<4x8xf32> -> tensor<4x8xf32, #lhs>
  return %a : tensor<4x8xf32, #lhs>
}
func.func @others(%p: tensor<4x8xf32, #acc>) -> (tensor<4x8xf32>, tensor<4x8xf32, #lhs>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %c = encoding.unset %p : tensor<4x8xf32, #acc> -> tensor<4x8xf32>
  %r = linalg.exp ins(%c : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = encoding.set %r : tensor<4x8xf32> -> tensor<4x8xf32, #lhs>
  return %r, %a : tensor<4x8xf32>, tensor<4x8xf32, #lhs>
}
func.func @argument(%x: tensor<4x8xf32>) -> tensor<4x8xf32, #lhs> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = encoding.set %r : tensor<4x8xf32> -> tensor<4x8xf32, #lhs>
  return %a : tensor<4x8xf32, #lhs>
}

// Between two layouts the first operand that comes from a product counts.
// CHECK-LABEL: @residual
// CHECK: %[[A:.*]] = encoding.unset %{{.*}} : tensor<4x8xf32, #encoding.contraction<role = acc,
// CHECK: %[[S:.*]] = encoding.set %[[A]]
// CHECK: %[[B:.*]] = encoding.unset %{{.*}} : tensor<4x8xf32, #encoding.contraction<role = lhs,
// CHECK: linalg.add ins(%[[S]], %[[B]] :
func.func @residual(%p: tensor<4x8xf32, #acc>, %q: tensor<4x8xf32, #lhs>) -> tensor<4x8xf32, #lhs> {
  %e = tensor.empty() : tensor<4x8xf32>
  %c = encoding.unset %p : tensor<4x8xf32, #acc> -> tensor<4x8xf32>
  %d = encoding.unset %q : tensor<4x8xf32, #lhs> -> tensor<4x8xf32>
  %r = linalg.add ins(%c, %d : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = encoding.set %r : tensor<4x8xf32> -> tensor<4x8xf32, #lhs>
  return %a : tensor<4x8xf32, #lhs>
}

// -----

// What crosses to another device crosses as it lies, and is laid out for its use there.
#acc = #encoding.contraction<role = acc, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 8, 4]>
#lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 2, 8]>
// CHECK-LABEL: @crossings
// CHECK-SAME: (%[[P:.*]]: tensor<?x8xf32, #{{.*}}>, %[[M:.*]]: index)
// CHECK-NEXT: %[[T:.*]] = flow.transfer %[[P]]{%[[M]]} : tensor<?x8xf32, #[[ACC:.*]]> to #device.affinity<@b>
// CHECK-NEXT: %[[U:.*]] = flow.transfer %[[T]]{%[[M]]} : tensor<?x8xf32, #[[ACC]]> to #device.affinity<@c>
// CHECK-NEXT: %[[C:.*]] = encoding.unset %[[U]]
// CHECK-NEXT: %[[S:.*]] = encoding.set %[[C]]
// CHECK-NEXT: return %[[S]]
func.func @crossings(%p: tensor<?x8xf32, #acc>, %m: index) -> tensor<?x8xf32, #lhs> {
  %c = encoding.unset %p : tensor<?x8xf32, #acc> -> tensor<?x8xf32>
  %t = flow.transfer %c{%m} : tensor<?x8xf32> to #device.affinity<@b>
  %u = flow.transfer %t{%m} : tensor<?x8xf32> to #device.affinity<@c>
  %a = encoding.set %u : tensor<?x8xf32> -> tensor<?x8xf32, #lhs>
  return %a : tensor<?x8xf32, #lhs>
}
