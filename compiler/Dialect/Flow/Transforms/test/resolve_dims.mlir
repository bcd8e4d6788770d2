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
