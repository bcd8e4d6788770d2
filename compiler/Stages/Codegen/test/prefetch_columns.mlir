// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' | FileCheck %s

// Rows of columns: of a short sum each tile asks the second-level cache for the next tile's columns, of a long one for
// its own 24 steps ahead.

// CHECK-LABEL: kernel.program @short
// CHECK: scf.for %[[K:.*]] = %c0 to %c48 step %c1 iter_args
// CHECK: arith.addi %{{.*}}, %c48 : index
// CHECK: arith.muli %[[K]], %c480 : index
// CHECK-COUNT-3: memref.prefetch %{{.*}}, read, locality<2>, data
// CHECK-NOT: locality<3>
// CHECK-LABEL: kernel.program @long
// CHECK: scf.for %[[K:.*]] = %c0 to %c49 step %c1 iter_args
// CHECK: %[[LATER:.*]] = arith.addi %[[K]], %c24 : index
// CHECK: arith.muli %[[LATER]], %c480 : index
// CHECK-COUNT-3: memref.prefetch %{{.*}}, read, locality<3>, data
// CHECK-NOT: locality<2>
kernel.program @short of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<96x48xf32>, %b: tensor<48x480xf32>) -> tensor<96x480xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<96x480xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<96x480xf32>) -> tensor<96x480xf32>
    %r = linalg.matmul ins(%a, %b : tensor<96x48xf32>, tensor<48x480xf32>) outs(%f : tensor<96x480xf32>) -> tensor<96x480xf32>
    return %r : tensor<96x480xf32>
  }
}
kernel.program @long of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<96x49xf32>, %b: tensor<49x480xf32>) -> tensor<96x480xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<96x480xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<96x480xf32>) -> tensor<96x480xf32>
    %r = linalg.matmul ins(%a, %b : tensor<96x49xf32>, tensor<49x480xf32>) outs(%f : tensor<96x480xf32>) -> tensor<96x480xf32>
    return %r : tensor<96x480xf32>
  }
}
