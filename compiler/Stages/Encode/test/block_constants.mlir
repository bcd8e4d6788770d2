// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --encode-block-constants | FileCheck %s

// Columns, and in two dimensions by two axes: the first dimension that is cut counts slowest.

// CHECK-LABEL: @columns
// CHECK: %[[AT:.*]] = flow.coordinate @m "x"
// CHECK: %[[W:.*]] = flow.parameter.load @w
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[W]] {{\[\[}}0], [1, 2]] output_shape [64, 4, 32]
// CHECK: %[[BLOCKS:.*]] = linalg.transpose ins(%[[SPLIT]] : tensor<64x4x32xf32>) {{.*}} permutation = [1, 0, 2]
// CHECK: %[[OWN:.*]] = flow.block %[[BLOCKS]][%[[AT]]] : tensor<4x64x32xf32> -> tensor<64x32xf32>
// CHECK: return %[[OWN]]
device.mesh @m = [x = 4, y = 2]
flow.parameter private @w : tensor<64x128xf32> = dense_resource<w>
func.func @columns() -> tensor<64x32xf32> {
  %c32 = arith.constant 32 : index
  %x = flow.coordinate @m "x"
  %begin = arith.muli %x, %c32 : index
  %w = flow.parameter.load @w : tensor<64x128xf32>
  %own = tensor.extract_slice %w[0, %begin] [64, 32] [1, 1] : tensor<64x128xf32> to tensor<64x32xf32>
  return %own : tensor<64x32xf32>
}

// CHECK-LABEL: @both
// CHECK-DAG: %[[X:.*]] = flow.coordinate @m "x"
// CHECK-DAG: %[[Y:.*]] = flow.coordinate @m "y"
// CHECK: tensor.expand_shape {{.*}} {{\[\[}}0, 1], [2, 3]] output_shape [2, 32, 4, 32]
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 1, 3]
// CHECK: tensor.collapse_shape {{.*}} {{\[\[}}0, 1], [2], [3]]
// CHECK: %[[ROW:.*]] = arith.muli %[[Y]], %{{.*}} : index
// CHECK: %[[NUMBER:.*]] = arith.addi %[[ROW]], %[[X]] : index
// CHECK: flow.block %{{.*}}[%[[NUMBER]]] : tensor<8x32x32xf32> -> tensor<32x32xf32>
func.func @both() -> tensor<32x32xf32> {
  %c32 = arith.constant 32 : index
  %x = flow.coordinate @m "x"
  %y = flow.coordinate @m "y"
  %row = arith.muli %y, %c32 : index
  %column = arith.muli %x, %c32 : index
  %w = flow.parameter.load @w : tensor<64x128xf32>
  %own = tensor.extract_slice %w[%row, %column] [32, 32] [1, 1] : tensor<64x128xf32> to tensor<32x32xf32>
  return %own : tensor<32x32xf32>
}

// -----

// What is computed of a block alone is computed of all of them.

// CHECK-LABEL: @computed
// CHECK: %[[BLOCKS:.*]] = tensor.expand_shape {{.*}} output_shape [4, 16, 128]
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[BLOCKS]] : tensor<4x16x128xf32>) outs(%{{.*}} : tensor<4x128x16xf32>)
// CHECK: %[[OWN:.*]] = flow.block %[[ALL]][%{{.*}}] : tensor<4x128x16xf32> -> tensor<128x16xf32>
// CHECK: return %[[OWN]]
device.mesh @m = [x = 4]
flow.parameter private @w : tensor<64x128xf32> = dense_resource<w>
func.func @computed() -> tensor<128x16xf32> {
  %c16 = arith.constant 16 : index
  %x = flow.coordinate @m "x"
  %begin = arith.muli %x, %c16 : index
  %w = flow.parameter.load @w : tensor<64x128xf32>
  %own = tensor.extract_slice %w[%begin, 0] [16, 128] [1, 1] : tensor<64x128xf32> to tensor<16x128xf32>
  %e = tensor.empty() : tensor<128x16xf32>
  %turned = linalg.transpose ins(%own : tensor<16x128xf32>) outs(%e : tensor<128x16xf32>) permutation = [1, 0]
  return %turned : tensor<128x16xf32>
}

// -----

// Columns of a number that ranks tell: rows of the constant turned.

// CHECK-LABEL: @ragged
// CHECK: %[[W:.*]] = flow.parameter.load @w
// CHECK: %[[TURNED:.*]] = linalg.transpose ins(%[[W]] : tensor<64x128xf32>) outs(%{{.*}} : tensor<128x64xf32>) permutation = [1, 0]
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[TURNED]][%{{.*}}, 0] [%{{.*}}, 64] [1, 1] : tensor<128x64xf32> to tensor<?x64xf32>
// CHECK: %[[OWN:.*]] = linalg.transpose ins(%[[ROWS]] : tensor<?x64xf32>) outs(%{{.*}} : tensor<64x?xf32>) permutation = [1, 0]
// CHECK: return %[[OWN]]
device.mesh @m = [x = 3]
flow.parameter private @w : tensor<64x128xf32> = dense_resource<w>
func.func @ragged() -> tensor<64x?xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c128 = arith.constant 128 : index
  %x = flow.coordinate @m "x"
  %from = arith.muli %x, %c128 : index
  %begin = arith.divsi %from, %c3 : index
  %next = arith.addi %x, %c1 : index
  %to = arith.muli %next, %c128 : index
  %end = arith.divsi %to, %c3 : index
  %size = arith.subi %end, %begin : index
  %w = flow.parameter.load @w : tensor<64x128xf32>
  %own = tensor.extract_slice %w[0, %begin] [64, %size] [1, 1] : tensor<64x128xf32> to tensor<64x?xf32>
  return %own : tensor<64x?xf32>
}

// -----

// Not of a constant; rows, not at multiples of the part or of no fixed size; at a place that no rank tells.

// CHECK-LABEL: @others
// CHECK-NOT: flow.block
device.mesh @m = [x = 4]
flow.parameter private @w : tensor<64x128xf32> = dense_resource<w>
func.func @others(%v: tensor<64x128xf32>, %i: index, %n: index) -> (tensor<16x128xf32>, tensor<16x128xf32>, tensor<?x128xf32>, tensor<16x128xf32>) {
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %x = flow.coordinate @m "x"
  %begin = arith.muli %x, %c16 : index
  %between = arith.muli %x, %c8 : index
  %any = arith.muli %i, %c16 : index
  %w = flow.parameter.load @w : tensor<64x128xf32>
  %0 = tensor.extract_slice %v[%begin, 0] [16, 128] [1, 1] : tensor<64x128xf32> to tensor<16x128xf32>
  %1 = tensor.extract_slice %w[%between, 0] [16, 128] [1, 1] : tensor<64x128xf32> to tensor<16x128xf32>
  %2 = tensor.extract_slice %w[%begin, 0] [%n, 128] [1, 1] : tensor<64x128xf32> to tensor<?x128xf32>
  %3 = tensor.extract_slice %w[%any, 0] [16, 128] [1, 1] : tensor<64x128xf32> to tensor<16x128xf32>
  return %0, %1, %2, %3 : tensor<16x128xf32>, tensor<16x128xf32>, tensor<?x128xf32>, tensor<16x128xf32>
}
