// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-lower-collectives --cse --canonicalize | FileCheck %s
// RUN: heddle-opt %s --ranks-resolve-meshes --ranks-lower-collectives --ranks-verify -o /dev/null
// Pieces that need not be of one size.

device.mesh @m = [x = 2, y = 3]

// What is cut comes to the front, and goes back behind. 7 columns over 3.
// CHECK-LABEL: func @gather_columns
// CHECK-SAME: %[[X:.*]]: tensor<4x?xf32>, %[[D:.*]]: index
func.func @gather_columns(%x: tensor<4x?xf32>, %d: index) -> tensor<4x7xf32> {
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  // The rank's part, floor((y + 1) * 7 / 3) - floor(y * 7 / 3), is checked; the sum of all is known.
  // CHECK: %[[Y:.*]] = flow.coordinate @m "y"
  // CHECK: %[[P:.*]] = arith.subi %{{.*}}, %{{.*}} : index
  // CHECK: %[[E:.*]] = arith.cmpi eq, %[[D]], %[[P]] : index
  // CHECK: flow.check %[[E]], "flow.all_gather: dimension 1 of its operand is not this rank's part"
  // CHECK-NOT: flow.check
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]] : tensor<4x?xf32>) outs(%{{.*}} : tensor<?x4xf32>) permutation = [1, 0]
  // CHECK: %[[G:.*]] = flow.all_gather %[[T]] dim 0 cut(%c7, %c1, %c0, %c3) over @m["y"] : tensor<?x4xf32>{%[[D]]} -> tensor<7x4xf32>
  // CHECK: %[[R:.*]] = linalg.transpose ins(%[[G]] : tensor<7x4xf32>) outs(%{{.*}} : tensor<4x7xf32>) permutation = [1, 0]
  // CHECK: return %[[R]]
  %0 = flow.all_gather %x dim 1 cut(%c7, %c1, %c0, %c3) over @m["y"] : tensor<4x?xf32>{%d} -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// CHECK-LABEL: func @leading
// CHECK-NOT: linalg.transpose
// CHECK: flow.reduce_scatter %{{.*}} sum dim 0 cut(%c7, %c2, %c0, %c3) over @m["y"] : tensor<14x5xf32> -> tensor<?x5xf32>{%{{.*}}}
// CHECK: flow.all_to_all %{{.*}} split 0 concat 1 cut(%c7, %c1, %c0, %c3, %c5, %c1, %c0, %c3) over @m["y"]
// CHECK-NOT: linalg.transpose
func.func @leading(%x: tensor<14x5xf32>, %y: tensor<7x?x3xi8>, %d: index) -> (tensor<?x5xf32>, tensor<?x5x3xi8>) {
  %c7 = arith.constant 7 : index
  %c5 = arith.constant 5 : index
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %0 = flow.reduce_scatter %x sum dim 0 cut(%c7, %c2, %c0, %c3) over @m["y"] : tensor<14x5xf32> -> tensor<?x5xf32>{%d}
  %1 = flow.all_to_all %y split 0 concat 1 cut(%c7, %c1, %c0, %c3, %c5, %c1, %c0, %c3) over @m["y"]
      : tensor<7x?x3xi8>{%d} -> tensor<?x5x3xi8>{%d}
  return %0, %1 : tensor<?x5xf32>, tensor<?x5x3xi8>
}

// CHECK-LABEL: func @exchange
// CHECK: flow.all_to_all %{{.*}} split 0 concat 1 cut(%c7, %c1, %c0, %c3, %c5, %c1, %c0, %c3) over @m["y"] : tensor<7x?x4xf32>{%{{.*}}} -> tensor<?x5x4xf32>{%{{.*}}}
// CHECK: return %{{.*}} : tensor<5x4x?xf32>
func.func @exchange(%x: tensor<?x4x7xf32>, %d: index, %e: index) -> tensor<5x4x?xf32> {
  %c7 = arith.constant 7 : index
  %c5 = arith.constant 5 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %0 = flow.all_to_all %x split 2 concat 0 cut(%c7, %c1, %c0, %c3, %c5, %c1, %c0, %c3) over @m["y"]
      : tensor<?x4x7xf32>{%d} -> tensor<5x4x?xf32>{%e}
  return %0 : tensor<5x4x?xf32>
}

// Where all pieces are of one size nothing is cut.
// CHECK-LABEL: func @equal
// CHECK: flow.check %{{.*}}, "flow.all_gather: dimension 0 of its operand is not this rank's part"
// CHECK: flow.all_gather %{{.*}} dim 0 over @m["y"] : tensor<4x5xf32> -> tensor<12x5xf32>
func.func @equal(%x: tensor<?x5xf32>, %d: index) -> tensor<12x5xf32> {
  %c6 = arith.constant 6 : index
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %0 = flow.all_gather %x dim 0 cut(%c6, %c2, %c0, %c3) over @m["y"] : tensor<?x5xf32>{%d} -> tensor<12x5xf32>
  return %0 : tensor<12x5xf32>
}
