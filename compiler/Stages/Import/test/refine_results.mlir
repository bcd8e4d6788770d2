// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-refine-results | FileCheck %s

// CHECK-LABEL: func.func @forgets
// CHECK-SAME: (%[[X:.*]]: tensor<4x?xf32>, %[[Y:.*]]: tensor<2xf32>) -> (tensor<4x?xf32>, tensor<2xf32>)
// CHECK: return %[[X]], %[[Y]]
func.func @forgets(%x: tensor<4x?xf32>, %y: tensor<2xf32>) -> (tensor<?x?xf32>, tensor<2xf32>) {
  %0 = tensor.cast %x : tensor<4x?xf32> to tensor<?x?xf32>
  return %0, %y : tensor<?x?xf32>, tensor<2xf32>
}

// A cast that says a size is a promise of the program.
// CHECK-LABEL: func.func @promises
// CHECK-SAME: -> tensor<4xf32>
// CHECK: %[[CAST:.*]] = tensor.cast
// CHECK: return %[[CAST]]
func.func @promises(%x: tensor<?xf32>) -> tensor<4xf32> {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What is called keeps its type.
// CHECK-LABEL: func.func @called
// CHECK-SAME: -> tensor<?xf32>
func.func @called(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func @caller
func.func @caller(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = call @called(%x) : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
