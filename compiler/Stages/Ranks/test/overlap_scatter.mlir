// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --ranks-overlap=pieces=-1 | FileCheck %s

// Rows go to each member as soon as they are computed, this one's own last; what all members sent is added up in their
// order, in memory in which each has a place.
device.mesh @m = [x = 3]
// CHECK: heddle.overlaps = ["reduce_scatter of tensor<12x8xf32> goes to each of 3 ranks beside the product that makes it: {{[0-9]+}} ns, whole {{[0-9]+}} ns; so it was asked for"]
// CHECK-LABEL: @scattered
// CHECK-SAME: %[[X:[^:]*]]: tensor<12x32xf32>
// CHECK-NOT: flow.reduce_scatter
// CHECK: %[[MEMORY:.*]] = tensor.empty() {flow.filled = 0 : i64} : tensor<12x8xf32>
// CHECK: %[[NEXT:.*]] = arith.remsi
// CHECK: %[[BEGIN:.*]] = arith.muli %[[NEXT]], %{{.*}} : index
// CHECK: %[[X1:.*]] = tensor.extract_slice %[[X]][%[[BEGIN]], 0] [4, 32] [1, 1] {flow.piece}
// CHECK: %[[P1:.*]] = linalg.matmul ins(%[[X1]]
// CHECK: %[[Q1:.*]] = linalg.add ins(%[[P1]]
// CHECK: %[[R1:.*]] = flow.permute %[[Q1]] shift 1 over @m["x"] : tensor<4x8xf32>
// CHECK: %[[M1:.*]] = tensor.insert_slice %[[R1]] into %[[MEMORY]][%{{.*}}, 0] [4, 8] [1, 1]
// CHECK: %[[R2:.*]] = flow.permute %{{.*}} shift 2 over @m["x"] : tensor<4x8xf32>
// CHECK: %[[M2:.*]] = tensor.insert_slice %[[R2]] into %[[M1]]
// CHECK-NOT: flow.permute
// CHECK: %[[M3:.*]] = tensor.insert_slice %{{.*}} into %[[M2]]
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %[[M3]] {{.*}} output_shape [3, 4, 8]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel"]} ins(%[[PARTS]]
func.func @scattered(%x: tensor<12x32xf32>, %w: tensor<32x8xf32>, %b: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<12x8xf32>) -> tensor<12x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<12x32xf32>, tensor<32x8xf32>) outs(%f : tensor<12x8xf32>) -> tensor<12x8xf32>
  %q = linalg.add ins(%p, %b : tensor<12x8xf32>, tensor<12x8xf32>) outs(%e : tensor<12x8xf32>) -> tensor<12x8xf32>
  %y = flow.reduce_scatter %q sum dim 0 over @m["x"] : tensor<12x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// A maximum, and floats of 16 bits, which groups add in more: whole.
device.mesh @m = [x = 3]
// CHECK: heddle.overlaps = ["reduce_scatter of tensor<12x8xf32> is moved whole: {{.*}}no sum of 32 bits or more", "reduce_scatter of tensor<12x8xf16> is moved whole:
// CHECK-LABEL: @others
func.func @others(%x: tensor<12x32xf32>, %w: tensor<32x8xf32>, %i: tensor<12x8xf32>, %s: tensor<12x32xf16>,
    %v: tensor<32x8xf16>, %j: tensor<12x8xf16>) -> (tensor<4x8xf32>, tensor<4x8xf16>) {
  %p = linalg.matmul ins(%x, %w : tensor<12x32xf32>, tensor<32x8xf32>) outs(%i : tensor<12x8xf32>) -> tensor<12x8xf32>
  %y = flow.reduce_scatter %p max dim 0 over @m["x"] : tensor<12x8xf32> -> tensor<4x8xf32>
  %q = linalg.matmul ins(%s, %v : tensor<12x32xf16>, tensor<32x8xf16>) outs(%j : tensor<12x8xf16>) -> tensor<12x8xf16>
  %z = flow.reduce_scatter %q sum dim 0 over @m["x"] : tensor<12x8xf16> -> tensor<4x8xf16>
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf16>
}

// -----

// Another size is free: what the parts would fill is not known before they are there.
device.mesh @m = [x = 3]
// CHECK: heddle.overlaps = ["all_gather of tensor<4x32xf32> is moved whole: it does not go around the ranks
// CHECK-LABEL: @free_columns
func.func @free_columns(%x: tensor<4x32xf32>, %w: tensor<32x?xf32>, %i: tensor<12x?xf32>) -> tensor<12x?xf32> {
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<4x32xf32> -> tensor<12x32xf32>
  %p = linalg.matmul ins(%g, %w : tensor<12x32xf32>, tensor<32x?xf32>) outs(%i : tensor<12x?xf32>) -> tensor<12x?xf32>
  return %p : tensor<12x?xf32>
}
