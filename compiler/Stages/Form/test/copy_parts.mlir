// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --form-copy-parts | FileCheck %s

// An argument goes through a region that copies it; what a region computes for the insertion alone does not.
// CHECK-LABEL: func.func @columns
func.func @columns(%x: tensor<8x4xf32>, %trips: index) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x16xf32>
  // CHECK: scf.for
  %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %e, %b = %e) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
    // CHECK: %[[OWN:.*]] = flow.region
    // CHECK-NEXT: tensor.empty
    // CHECK-NEXT: linalg.add
    %own = flow.region -> (tensor<8x4xf32>) {
      %o = tensor.empty() : tensor<8x4xf32>
      %s = linalg.add ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
      flow.return %s : tensor<8x4xf32>
    }
    // CHECK: tensor.insert_slice %[[OWN]] into
    %na = tensor.insert_slice %own into %a[0, %i] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x16xf32>
    // CHECK: %[[COPY:.*]] = flow.region
    // CHECK-NEXT: tensor.empty
    // CHECK-NEXT: linalg.copy ins(%arg0
    // CHECK: tensor.insert_slice %[[COPY]] into
    %nb = tensor.insert_slice %x into %b[0, %i] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x16xf32>
    scf.yield %na, %nb : tensor<8x16xf32>, tensor<8x16xf32>
  }
  return %r#0, %r#1 : tensor<8x16xf32>, tensor<8x16xf32>
}

// What others read, too, is copied; its place may be computed behind the region, of what does not depend on it.
// CHECK-LABEL: func.func @shared
func.func @shared(%x: tensor<?x4xf32>, %trips: index, %n: index) -> (tensor<?x16xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %e, %last = %x) -> (tensor<?x16xf32>, tensor<?x4xf32>) {
    %own = flow.region -> (tensor<?x4xf32>{%n}) {
      %o = tensor.empty(%n) : tensor<?x4xf32>
      %s = linalg.add ins(%last, %x : tensor<?x4xf32>, tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
      flow.return %s : tensor<?x4xf32>
    }
    %at = arith.muli %i, %c4 : index
    // CHECK: arith.muli
    // CHECK-NEXT: %[[COPY:.*]] = flow.region -> (tensor<?x4xf32>{
    // CHECK: linalg.copy
    // CHECK: tensor.insert_slice %[[COPY]] into
    %na = tensor.insert_slice %own into %a[0, %at] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x16xf32>
    scf.yield %na, %own : tensor<?x16xf32>, tensor<?x4xf32>
  }
  return %r#0, %r#1 : tensor<?x16xf32>, tensor<?x4xf32>
}

// Rows are one run of bytes, which the host copies; two dimensions that are cut are no runs of one distance.
// CHECK-LABEL: func.func @others
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @others(%x: tensor<2x4x5xf32>, %trips: index) -> (tensor<8x4x5xf32>, tensor<2x8x9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x4x5xf32>
  %f = tensor.empty() : tensor<2x8x9xf32>
  %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %e, %b = %f) -> (tensor<8x4x5xf32>, tensor<2x8x9xf32>) {
    %na = tensor.insert_slice %x into %a[%i, 0, 0] [2, 4, 5] [1, 1, 1] : tensor<2x4x5xf32> into tensor<8x4x5xf32>
    %nb = tensor.insert_slice %x into %b[0, %i, 0] [2, 4, 5] [1, 1, 1] : tensor<2x4x5xf32> into tensor<2x8x9xf32>
    scf.yield %na, %nb : tensor<8x4x5xf32>, tensor<2x8x9xf32>
  }
  return %r#0, %r#1 : tensor<8x4x5xf32>, tensor<2x8x9xf32>
}
