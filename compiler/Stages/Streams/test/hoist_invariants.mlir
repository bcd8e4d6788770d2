// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --streams-hoist-invariants | FileCheck %s

// CHECK-LABEL: @hoisted
// CHECK: arith.muli
// CHECK: scf.for
// CHECK-NOT: arith.muli
// CHECK: tensor.empty
// CHECK: scf.for
// CHECK: arith.muli
func.func @hoisted(%n: index, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<8xf32>) {
    %m = arith.muli %n, %n : index
    %s = tensor.empty(%m) : tensor<?xf32>
    %p = tensor.insert_slice %s into %acc[%i] [%m] [1] : tensor<?xf32> into tensor<8xf32>
    scf.yield %p : tensor<8xf32>
  } {heddle.streams = #flow.streams<2>}
  // A loop of another kind is left alone.
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> (tensor<8xf32>) {
    %m = arith.muli %n, %n : index
    %s = tensor.empty(%m) : tensor<?xf32>
    %p = tensor.insert_slice %s into %acc[%i] [%m] [1] : tensor<?xf32> into tensor<8xf32>
    scf.yield %p : tensor<8xf32>
  }
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
