// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' --split-input-file | FileCheck %s

// Long sums in blocks: the columns of a tile would not stay in the cache, so all rows take a block before one takes the next.
// The first block's sums are stored to scratch memory, others are added.

// CHECK-LABEL: kernel.program @outside
// CHECK-SAME: "contraction, tile 9x3x16, all rows by 512 steps"
// CHECK: func.func @kernel()
// CHECK: %[[SUMS:.*]] = kernel.scratch
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c10 step %c1
// CHECK: scf.for {{.*}} to %c63 step %c9
// CHECK: scf.for {{.*}} to %c500 step %c1 {{.*}}vector<16xf32>
// CHECK: scf.if
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// CHECK: } else {
// CHECK: vector.load %[[SUMS]]
// CHECK: arith.addf
// CHECK: vector.store %{{.*}}, %[[SUMS]]
kernel.program @outside of @e for #device.executable<"elf-x86_64", {cpu = "znver4", features = ""}> {
  func.func @kernel(%a: tensor<64x5000xf32>, %b: tensor<5000x48xf32>) -> tensor<64x48xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x48xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
    %r = linalg.matmul ins(%a, %b : tensor<64x5000xf32>, tensor<5000x48xf32>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
    return %r : tensor<64x48xf32>
  }
}

// -----

// Columns that stay: each tile of rows takes its blocks by itself.

// CHECK-LABEL: kernel.program @inside
// CHECK-SAME: "contraction, tile 14x1x16, by 512 steps"
kernel.program @inside of @e for #device.executable<"elf-x86_64", {cpu = "znver4", features = ""}> {
  func.func @kernel(%a: tensor<64x1200xf32>, %b: tensor<1200x16xf32>) -> tensor<64x16xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x16xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
    %r = linalg.matmul ins(%a, %b : tensor<64x1200xf32>, tensor<1200x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
    return %r : tensor<64x16xf32>
  }
}

// -----

// Sums of up to 1,024 steps are one, as before; so are those of integers.

// CHECK-LABEL: kernel.program @short
// CHECK-NOT: steps"
// CHECK: func.func @kernel()
kernel.program @short of @e for #device.executable<"elf-x86_64", {cpu = "znver4", features = ""}> {
  func.func @kernel(%a: tensor<64x1024xf32>, %b: tensor<1024x16xf32>, %c: tensor<64x5000xi32>, %d: tensor<5000x16xi32>) -> (tensor<64x16xf32>, tensor<64x16xi32>) {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x16xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
    %r = linalg.matmul ins(%a, %b : tensor<64x1024xf32>, tensor<1024x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
    %zi = arith.constant 0 : i32
    %ei = tensor.empty() : tensor<64x16xi32>
    %fi = linalg.fill ins(%zi : i32) outs(%ei : tensor<64x16xi32>) -> tensor<64x16xi32>
    %ri = linalg.matmul ins(%c, %d : tensor<64x5000xi32>, tensor<5000x16xi32>) outs(%fi : tensor<64x16xi32>) -> tensor<64x16xi32>
    return %r, %ri : tensor<64x16xf32>, tensor<64x16xi32>
  }
}

// -----

// --strict-float keeps the order.

module attributes {flow.strict_float} {
  // CHECK-LABEL: kernel.program @strict
  // CHECK-NOT: steps"
  // CHECK: func.func @kernel()
  kernel.program @strict of @e for #device.executable<"elf-x86_64", {cpu = "znver4", features = ""}> {
    func.func @kernel(%a: tensor<64x5000xf32>, %b: tensor<5000x48xf32>) -> tensor<64x48xf32> {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<64x48xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
      %r = linalg.matmul ins(%a, %b : tensor<64x5000xf32>, tensor<5000x48xf32>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
      return %r : tensor<64x48xf32>
    }
  }
}
