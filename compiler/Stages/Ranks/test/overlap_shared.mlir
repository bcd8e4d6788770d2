// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --ranks-overlap=pieces=2 | FileCheck %s

// Two products read what is gathered, and something reads the first one's result before the second has come: it stands
// behind both.
device.mesh @m = [x = 2]
// CHECK: heddle.overlaps = ["all_gather of tensor<4x32xf32> is moved in 2 pieces beside the products that read it:
// CHECK-LABEL: @shared
// CHECK: %[[G0:.*]] = flow.all_gather {{.*}} : tensor<2x32xf32> -> tensor<4x32xf32>
// CHECK: linalg.matmul ins(%[[G0]], %arg1
// CHECK: linalg.matmul ins(%[[G0]], %arg2
// CHECK: %[[G1:.*]] = flow.all_gather {{.*}} : tensor<2x32xf32> -> tensor<4x32xf32>
// CHECK: linalg.matmul ins(%[[G1]], %arg1
// CHECK: linalg.matmul ins(%[[G1]], %arg2
// CHECK: tensor.concat
// CHECK: %[[T:.*]] = linalg.reduce
// CHECK: return %[[T]]
func.func @shared(%x: tensor<4x32xf32>, %w: tensor<32x8xf32>, %v: tensor<32x8xf32>, %i: tensor<8x8xf32>, %j: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x8xf32>) {
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<4x32xf32> -> tensor<8x32xf32>
  %p = linalg.matmul ins(%g, %w : tensor<8x32xf32>, tensor<32x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.reduce {arith.addf} ins(%p : tensor<8x8xf32>) outs(%j : tensor<8xf32>) dimensions = [0]
  %q = linalg.matmul ins(%g, %v : tensor<8x32xf32>, tensor<32x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %t, %q : tensor<8xf32>, tensor<8x8xf32>
}

// -----

// The second product needs what is made of the first one: whole.
device.mesh @m = [x = 2]
// CHECK: heddle.overlaps = ["all_gather of tensor<4x8xf32> is moved whole:
// CHECK-LABEL: @needed
// CHECK-COUNT-1: flow.all_gather
// CHECK-NOT: flow.all_gather
func.func @needed(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %i: tensor<8x8xf32>, %j: tensor<8xf32>) -> tensor<8x8xf32> {
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<4x8xf32> -> tensor<8x8xf32>
  %p = linalg.matmul ins(%g, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.reduce {arith.addf} ins(%p : tensor<8x8xf32>) outs(%j : tensor<8xf32>) dimensions = [0]
  %b = linalg.broadcast ins(%t : tensor<8xf32>) outs(%e : tensor<8x8xf32>) dimensions = [0]
  %q = linalg.matmul ins(%g, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%b : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %q : tensor<8x8xf32>
}

// -----

// A sum of two products, both in pieces.
device.mesh @m = [x = 2]
// CHECK: heddle.overlaps = ["all_reduce of tensor<8x8xf32> is moved in 2 pieces beside the product that makes it:
// CHECK-LABEL: @summed
// CHECK: linalg.matmul {{.*}} -> tensor<4x8xf32>
// CHECK: linalg.matmul {{.*}} -> tensor<4x8xf32>
// CHECK: linalg.add {{.*}} -> tensor<4x8xf32>
// CHECK: flow.all_reduce {{.*}} : tensor<4x8xf32>
// CHECK: linalg.matmul {{.*}} -> tensor<4x8xf32>
// CHECK: linalg.matmul {{.*}} -> tensor<4x8xf32>
// CHECK: linalg.add {{.*}} -> tensor<4x8xf32>
// CHECK: flow.all_reduce {{.*}} : tensor<4x8xf32>
func.func @summed(%x: tensor<8x32xf32>, %u: tensor<8x32xf32>, %w: tensor<32x8xf32>, %v: tensor<32x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x32xf32>, tensor<32x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%u, %v : tensor<8x32xf32>, tensor<32x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.add ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = flow.all_reduce %s sum over @m["x"] : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
