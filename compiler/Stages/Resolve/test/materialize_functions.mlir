// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt --resolve-materialize-functions %s | FileCheck %s

#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [2], swizzle = []>

// A parameter is plain and in the order of memory; a linalg op reads it there, what is inside is in rows.
// CHECK-DAG: #[[READ:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 2, d2, d1 mod 2)>
// CHECK: flow.parameter private @w : tensor<2x2x2xf32> = dense<1.000000e+00>
flow.parameter private @w : tensor<2x3xf32, #panels> = dense<1.0> : tensor<2x2x2xf32>

// CHECK-LABEL: func.func @reads(
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>, %[[INIT:.*]]: tensor<4x3xf32>) -> tensor<4x3xf32>
// CHECK: %[[W:.*]] = flow.parameter.load @w : tensor<2x2x2xf32>
// CHECK: %[[R:.*]] = linalg.generic {indexing_maps = [{{.*}}, #[[READ]], {{.*}}]{{.*}} ins(%[[X]], %[[W]] : tensor<4x2xf32>, tensor<2x2x2xf32>) outs(%[[INIT]]
// CHECK: return %[[R]]
func.func @reads(%x: tensor<4x2xf32>, %init: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %w = flow.parameter.load @w : tensor<2x3xf32, #panels>
  %z = encoding.set %init : tensor<4x3xf32> -> tensor<4x3xf32, #panels>
  %p = linalg.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32, #panels>) outs(%z : tensor<4x3xf32, #panels>) -> tensor<4x3xf32, #panels>
  %r = encoding.unset %p : tensor<4x3xf32, #panels> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
