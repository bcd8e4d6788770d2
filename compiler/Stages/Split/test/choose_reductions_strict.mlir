// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-choose-reductions="strategy=default strict-float" --split-input-file --verify-diagnostics | FileCheck %s

// Sums and products of floats stay whole; what has the same result in any order does not.
// CHECK-LABEL: @orders
// CHECK-NOT: heddle.split
// CHECK: arith.maximumf {{.*}}heddle.split = "default"
// CHECK: arith.addi {{.*}}heddle.split = "default"
func.func @orders(%a: tensor<8x50000xf32>, %b: tensor<50000x8xf32>, %c: tensor<8x8xf32>, %d: tensor<50000xf32>, %e: tensor<50000xi32>,
                  %f: tensor<f32>, %i: tensor<i32>) -> (tensor<8x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<8x50000xf32>, tensor<50000x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.reduce {arith.addf} ins(%d : tensor<50000xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %2 = linalg.reduce {arith.mulf} ins(%d : tensor<50000xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %3 = linalg.reduce {arith.maximumf} ins(%d : tensor<50000xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %4 = linalg.reduce {arith.addi} ins(%e : tensor<50000xi32>) outs(%i : tensor<i32>) dimensions = [0]
  return %0, %1, %2, %3, %4 : tensor<8x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
}

// -----

func.func @asked(%a: tensor<8x100xf32>, %b: tensor<100x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{has heddle.split, but cannot be split: --strict-float keeps the order in which floats are combined}}
  %0 = linalg.matmul {heddle.split = 3 : i64} ins(%a, %b : tensor<8x100xf32>, tensor<100x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
