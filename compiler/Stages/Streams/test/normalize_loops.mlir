// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --streams-normalize-loops | FileCheck %s
// RUN: heddle-opt %s --streams-normalize-loops --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// The location says it, too, for `streams-verify`.
// LOC: } {heddle.keeps_shapes, heddle.streams = #flow.streams<4>} loc([[L:#loc[0-9]*]])
// LOC: [[L]] = loc(fused<#flow.streams<4>>[

// CHECK-LABEL: @odd
func.func @odd(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>) -> tensor<7x4xf32> {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: scf.for %[[K:[a-z0-9]+]] = %{{.*}} to %[[TRIPS:.*]] step %{{.*}} iter_args
  // CHECK-NEXT: %[[SCALED:.*]] = arith.muli %[[K]], %[[STEP:.*]] : index
  // CHECK-NEXT: %[[I:.*]] = arith.addi %{{.*}}, %[[SCALED]] : index
  // CHECK-NEXT: tensor.extract_slice %{{.*}}[%[[I]], 0] [1, 4] [1, 1]
  // CHECK: heddle.keeps_shapes, heddle.streams = #flow.streams<4>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %i = %c1 to %c7 step %c2 iter_args(%acc = %y) -> (tensor<7x4xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<7x4xf32> to tensor<1x4xf32>
    %e = tensor.empty() : tensor<1x4xf32>
    %p = linalg.exp ins(%s : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
    %n = tensor.insert_slice %p into %acc[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<7x4xf32>
    scf.yield %n : tensor<7x4xf32>
  } {heddle.streams = #flow.streams<4>}
  return %r : tensor<7x4xf32>
}

// CHECK-LABEL: @plain
// CHECK-NOT: keeps_shapes
func.func @plain(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %x) -> (tensor<4xf32>) {
    %e = linalg.exp ins(%acc : tensor<4xf32>) outs(%acc : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
