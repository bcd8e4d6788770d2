// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// The number of elements that are not zero, and their positions.
func.func @positions(%x: tensor<?xi1>, %n: index) -> (tensor<?xi64>, tensor<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: flow.rows %{{.*}} -> (tensor<?xi64>{%{{.*}}}, tensor<1xi64>) {
  // CHECK-NEXT: ^bb0(%[[ROW:.*]]: index, %{{.*}}: tensor<?xi64>, %{{.*}}: tensor<1xi64>):
  %r:2 = flow.rows %c1 -> (tensor<?xi64>{%n}, tensor<1xi64>) {
  ^bb0(%row: index, %list: tensor<?xi64>, %count: tensor<1xi64>):
    %w:2 = scf.for %i = %c0 to %n step %c1 iter_args(%l = %list, %next = %c0) -> (tensor<?xi64>, index) {
      %holds = tensor.extract %x[%i] : tensor<?xi1>
      %v:2 = scf.if %holds -> (tensor<?xi64>, index) {
        %p = arith.index_cast %i : index to i64
        %t = tensor.insert %p into %l[%next] : tensor<?xi64>
        %m = arith.addi %next, %c1 : index
        scf.yield %t, %m : tensor<?xi64>, index
      } else {
        scf.yield %l, %next : tensor<?xi64>, index
      }
      scf.yield %v#0, %v#1 : tensor<?xi64>, index
    }
    %number = arith.index_cast %w#1 : index to i64
    %c = tensor.insert %number into %count[%row] : tensor<1xi64>
    // CHECK: flow.yield %{{.*}}, %{{.*}} : tensor<?xi64>, tensor<1xi64>
    flow.yield %w#0, %c : tensor<?xi64>, tensor<1xi64>
  }
  return %r#0, %r#1 : tensor<?xi64>, tensor<1xi64>
}
