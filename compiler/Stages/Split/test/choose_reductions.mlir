// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-choose-reductions=strategy=default | FileCheck %s
// RUN: heddle-opt %s --split-choose-reductions | FileCheck %s --check-prefix=NONE

flow.parameter private @w : tensor<5000x8xf32> = dense<1.0>

// CHECK-LABEL: @long
// CHECK: linalg.matmul {heddle.split = "default"}
// NONE-LABEL: @long
// NONE: linalg.matmul ins
func.func @long(%a: tensor<8x50000xf32>, %b: tensor<50000x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x50000xf32>, tensor<50000x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Short, and one of many results.
// CHECK-LABEL: @others
// CHECK-NOT: heddle.split
func.func @others(%a: tensor<8x100xf32>, %b: tensor<100x8xf32>, %c: tensor<8x8xf32>, %d: tensor<2048x5000xf32>, %e: tensor<5000x2048xf32>,
                  %f: tensor<2048x2048xf32>) -> (tensor<8x8xf32>, tensor<2048x2048xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<8x100xf32>, tensor<100x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%d, %e : tensor<2048x5000xf32>, tensor<5000x2048xf32>) outs(%f : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<2048x2048xf32>
}

// A product with a constant, which data tiling lays out.
// CHECK-LABEL: @constant
// CHECK: linalg.matmul {heddle.split = "default"}
func.func @constant(%a: tensor<8x5000xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %w = flow.parameter.load @w : tensor<5000x8xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<8x5000xf32>, tensor<5000x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Neither what has so many results that they are enough workgroups, nor what takes a constant apart, nor an unknown number of
// results of an unknown length.
// CHECK-LABEL: @whole
// CHECK-NOT: heddle.split
func.func @whole(%a: tensor<8x5000xf32>, %b: tensor<8x8xf32>, %d: tensor<4096x5000xf32>, %e: tensor<4096xf32>, %f: tensor<?x?xf32>,
                 %g: tensor<?xf32>) -> (tensor<8x8xf32>, tensor<4096xf32>, tensor<?xf32>) {
  %w = flow.parameter.load @w : tensor<5000x8xf32>
  %n = linalg.negf ins(%w : tensor<5000x8xf32>) outs(%w : tensor<5000x8xf32>) -> tensor<5000x8xf32>
  %0 = linalg.matmul ins(%a, %n : tensor<8x5000xf32>, tensor<5000x8xf32>) outs(%b : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.reduce {arith.addf} ins(%d : tensor<4096x5000xf32>) outs(%e : tensor<4096xf32>) dimensions = [1]
  %2 = linalg.reduce {arith.addf} ins(%f : tensor<?x?xf32>) outs(%g : tensor<?xf32>) dimensions = [1]
  return %0, %1, %2 : tensor<8x8xf32>, tensor<4096xf32>, tensor<?xf32>
}

// Of results that only the call knows it computes how many parts.
// CHECK-LABEL: @free_rows
// CHECK: linalg.matmul {heddle.split = "default"}
// CHECK: linalg.matmul {heddle.split = "default"}
// CHECK: linalg.reduce {{.*}}{heddle.split = "default"}
func.func @free_rows(%a: tensor<?x50000xf32>, %b: tensor<50000x8xf32>, %c: tensor<?x8xf32>, %d: tensor<?x?xf32>, %e: tensor<?x8xf32>, %g: tensor<?xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<?x50000xf32>, tensor<50000x8xf32>) outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = linalg.matmul ins(%d, %e : tensor<?x?xf32>, tensor<?x8xf32>) outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = linalg.reduce {arith.addf} ins(%a : tensor<?x50000xf32>) outs(%g : tensor<?xf32>) dimensions = [1]
  return %0, %1, %2 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>
}

// What says how many is taken at its word.
// CHECK-LABEL: @asked
// CHECK: heddle.split = 3 : i64
// NONE-LABEL: @asked
// NONE: heddle.split = 3 : i64
func.func @asked(%a: tensor<8x100xf32>, %b: tensor<100x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.matmul {heddle.split = 3 : i64} ins(%a, %b : tensor<8x100xf32>, tensor<100x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

flow.parameter private @kernel : tensor<4x512x3x3xf32> = dense<1.0>

// A convolution is a product too.
// CHECK-LABEL: @convolution
// CHECK-COUNT-2: linalg.conv_2d_nchw_fchw {{.*}}heddle.split = "default"
func.func @convolution(%x: tensor<1x512x5x5xf32>, %v: tensor<4x512x3x3xf32>, %c: tensor<1x4x3x3xf32>)
    -> (tensor<1x4x3x3xf32>, tensor<1x4x3x3xf32>) {
  %w = flow.parameter.load @kernel : tensor<4x512x3x3xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x512x5x5xf32>, tensor<4x512x3x3xf32>) outs(%c : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  %1 = linalg.conv_2d_nchw_fchw ins(%x, %v : tensor<1x512x5x5xf32>, tensor<4x512x3x3xf32>) outs(%c : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return %0, %1 : tensor<1x4x3x3xf32>, tensor<1x4x3x3xf32>
}

// One part is asked for: it stays whole, whatever strategy there is, and may be what could not be split.
// CHECK-LABEL: @asked_whole
// CHECK: linalg.matmul {heddle.split = 1 : i64} ins
// CHECK: linalg.add {heddle.split = 1 : i64} ins
func.func @asked_whole(%a: tensor<8x50000xf32>, %b: tensor<50000x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.matmul {heddle.split = 1 : i64} ins(%a, %b : tensor<8x50000xf32>, tensor<50000x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.add {heddle.split = 1 : i64} ins(%0, %0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
