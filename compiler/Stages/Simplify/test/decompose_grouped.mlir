// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --simplify-decompose-grouped | FileCheck %s

// Sums of the sizes, then a part for each group and one for the rows behind the last, which is of no columns.
// CHECK-LABEL: @sizes
// CHECK: %[[B:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: arith.cmpi slt
// CHECK: scf.forall (%[[G:.*]]) in (9) shared_outs
// CHECK: %[[BEGIN:.*]] = tensor.extract %[[B]][%[[G]]]
// CHECK: tensor.extract %[[B]]
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [%[[N:.*]], %[[K:.*]]] [1, 1]
// CHECK: tensor.extract_slice %arg1[%{{.*}}, 0, 0] [1, %[[K]], 32] [1, 1, 1] : tensor<8x64x32xf16> to tensor<?x32xf16>
// CHECK: linalg.matmul {{.*}} -> tensor<?x32xf32>
// CHECK: arith.truncf
// CHECK: {flow.parts_apart}
func.func @sizes(%x: tensor<?x64xf16>, %w: tensor<8x64x32xf16>, %s: tensor<8xi32>) -> tensor<?x32xf16> {
  %y = flow.grouped_matmul %x, %w sizes %s : (tensor<?x64xf16>, tensor<8x64x32xf16>, tensor<8xi32>) -> tensor<?x32xf16>
  return %y : tensor<?x32xf16>
}

// What types leave open the call checks.
// CHECK-LABEL: @ends
// CHECK: flow.check {{.*}}, "a grouped product has weights for another number of groups than it has sizes"
// CHECK: arith.cmpi eq
// CHECK: scf.forall
func.func @ends(%x: tensor<?x64xi8>, %w: tensor<?x64x32xi8>, %s: tensor<?xi64>) -> tensor<?x32xi32> {
  %y = flow.grouped_matmul %x, %w ends %s : (tensor<?x64xi8>, tensor<?x64x32xi8>, tensor<?xi64>) -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}
