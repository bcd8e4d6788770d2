// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-set-sliced | FileCheck %s

flow.parameter private @w : tensor<8x64x32xf32> = dense<1.0>
flow.parameter private @b : tensor<64x32xi8> = dense<1>

// A matrix for each part is one of a batch of products.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d0, d1)>
// CHECK-LABEL: @matrices
// CHECK: %[[L:.*]] = flow.parameter.load @w
// CHECK: %[[S:.*]] = encoding.set %[[L]] : tensor<8x64x32xf32> -> tensor<8x64x32xf32, #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [#[[X]], #[[W]], #[[Y]]], sizes = [4, 32, 64, 8], constant>>
// CHECK: %[[U:.*]] = encoding.unset %[[S]]
// CHECK: tensor.extract_slice %[[U]][%{{.*}}, 0, 0]
func.func @matrices(%x: tensor<8x4x64xf32>, %z: tensor<4x32xf32>, %o: tensor<8x4x32xf32>) -> tensor<8x4x32xf32> {
  %w = flow.parameter.load @w : tensor<8x64x32xf32>
  %r = scf.forall (%g) in (8) shared_outs(%m = %o) -> (tensor<8x4x32xf32>) {
    %a = tensor.extract_slice %x[%g, 0, 0] [1, 4, 64] [1, 1, 1] : tensor<8x4x64xf32> to tensor<4x64xf32>
    %s = tensor.extract_slice %w[%g, 0, 0] [1, 64, 32] [1, 1, 1] : tensor<8x64x32xf32> to tensor<64x32xf32>
    %y = linalg.matmul ins(%a, %s : tensor<4x64xf32>, tensor<64x32xf32>) outs(%z : tensor<4x32xf32>) -> tensor<4x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %m[%g, 0, 0] [1, 4, 32] [1, 1, 1] : tensor<4x32xf32> into tensor<8x4x32xf32>
    }
  }
  return %r : tensor<8x4x32xf32>
}

// Bytes may lie in groups along what is reduced, and a part may begin inside of one; columns may begin inside of a panel.
// CHECK-LABEL: @inside_of_tiles
// CHECK-NOT: encoding.set
func.func @inside_of_tiles(%x: tensor<4x64xi8>, %z: tensor<4x32xi32>, %o: tensor<8x4x32xi32>, %v: tensor<4x64xf32>, %zf: tensor<4x4xf32>, %of: tensor<4x32xf32>)
    -> (tensor<8x4x32xi32>, tensor<4x32xf32>) {
  %b = flow.parameter.load @b : tensor<64x32xi8>
  %r = scf.forall (%g) = (0) to (64) step (8) shared_outs(%m = %o) -> (tensor<8x4x32xi32>) {
    %a = tensor.extract_slice %x[0, %g] [4, 8] [1, 1] : tensor<4x64xi8> to tensor<4x8xi8>
    %s = tensor.extract_slice %b[%g, 0] [8, 32] [1, 1] : tensor<64x32xi8> to tensor<8x32xi8>
    %y = linalg.matmul ins(%a, %s : tensor<4x8xi8>, tensor<8x32xi8>) outs(%z : tensor<4x32xi32>) -> tensor<4x32xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %m[%g, 0, 0] [1, 4, 32] [1, 1, 1] : tensor<4x32xi32> into tensor<8x4x32xi32>
    }
  }
  %w = arith.constant dense<2.0> : tensor<64x32xf32>
  %q = scf.forall (%g) = (0) to (32) step (4) shared_outs(%m = %of) -> (tensor<4x32xf32>) {
    %s = tensor.extract_slice %w[0, %g] [64, 4] [1, 1] : tensor<64x32xf32> to tensor<64x4xf32>
    %y = linalg.matmul ins(%v, %s : tensor<4x64xf32>, tensor<64x4xf32>) outs(%zf : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %m[0, %g] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x32xf32>
    }
  }
  return %r, %q : tensor<8x4x32xi32>, tensor<4x32xf32>
}
