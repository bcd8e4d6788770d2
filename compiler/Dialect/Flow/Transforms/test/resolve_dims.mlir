// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --flow-resolve-dims --canonicalize --cse | FileCheck %s

// The size of a collapsed, expanded or computed value is arithmetic on the named dimensions; equal sizes are one value.

// CHECK-LABEL: @main
// CHECK-DAG: %[[B:.*]] = flow.dimension "b"
// CHECK-DAG: %[[S:.*]] = flow.dimension "s"
// CHECK: %[[N:.*]] = arith.muli %[[B]], %[[S]] : index
// CHECK-NOT: muli
// CHECK-NOT: tensor.dim
// CHECK: return %[[N]], %[[N]], %[[S]]
func.func @main(%x: tensor<?x?x4xf32> {heddle.dims = ["b", "s", ""]}) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = flow.dimension "b"
  %s = flow.dimension "s"
  %n = arith.muli %b, %s overflow<nsw> : index
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x4xf32> into tensor<?x4xf32>
  %d = tensor.dim %c, %c0 : tensor<?x4xf32>
  %r = flow.region -> (tensor<?x?xf32>{%n, %s}) {
    %e = tensor.empty(%n, %s) : tensor<?x?xf32>
    flow.return %e : tensor<?x?xf32>
  }
  %t = tensor.dim %r, %c1 : tensor<?x?xf32>
  return %n, %d, %t : index, index, index
}

// What a loop carries keeps its size where the loop says so; else nobody knows it.
// CHECK-LABEL: func.func @loop
func.func @loop(%x: tensor<?xf32> {heddle.dims = ["n"]}, %k: index) -> (tensor<?xf32>, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[N:.*]] = flow.dimension "n"
  // CHECK: scf.for
  // CHECK: tensor.empty(%[[N]])
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %d = tensor.dim %a, %c0 : tensor<?xf32>
    %e = tensor.empty(%d) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } {heddle.keeps_shapes}
  // CHECK: %[[GROWN:.*]] = scf.for
  %s = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %e = tensor.empty(%i) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  // CHECK: %[[UNKNOWN:.*]] = tensor.dim %[[GROWN]]
  %kept = tensor.dim %r, %c0 : tensor<?xf32>
  %grown = tensor.dim %s, %c0 : tensor<?xf32>
  // CHECK: return %{{.*}}, %[[N]], %[[UNKNOWN]], %[[N]]
  %again = tensor.dim %x, %c0 : tensor<?xf32>
  return %r, %kept, %grown, %again : tensor<?xf32>, index, index, index
}

// The size of a branch's result is a result of the branch (here a select, after folding).
// CHECK-LABEL: func.func @branch
func.func @branch(%c: i1, %x: tensor<?xf32> {heddle.dims = ["n"]}) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  // CHECK-DAG: %[[N:.*]] = flow.dimension "n"
  // CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7 : index
  // CHECK: %[[SIZE:.*]] = arith.select %{{.*}}, %[[N]], %[[SEVEN]] : index
  // CHECK: %[[R:.*]] = scf.if %{{.*}} -> (tensor<?xf32>)
  %r = scf.if %c -> (tensor<?xf32>) {
    scf.yield %x : tensor<?xf32>
  } else {
    %e = tensor.empty(%c7) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  // CHECK: return %[[R]], %[[SIZE]]
  %d = tensor.dim %r, %c0 : tensor<?xf32>
  return %r, %d : tensor<?xf32>, index
}
