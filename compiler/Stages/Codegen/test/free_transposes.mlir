// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' --split-input-file | FileCheck %s

// Sizes that only the call tells: squares of 16, of 8, of 4. Of fewer rows elements are as many apart as there are rows:
// code for each number of these; what is narrow along the lanes is loaded one by one.

// CHECK-LABEL: kernel.program @free
// CHECK: func.func @kernel()
// CHECK: scf.if
// CHECK: vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK: } else {
// CHECK: scf.if
// CHECK: vector.shuffle {{.*}} : vector<8xf32>, vector<8xf32>
// CHECK: } else {
// CHECK: scf.if
// CHECK: vector.shuffle {{.*}} : vector<4xf32>, vector<4xf32>
// CHECK: } else {
// CHECK: scf.if
// CHECK: vector.load {{.*}} : memref<?xf32>, vector<16xf32>
// CHECK: scf.if
// CHECK: vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK: vector.load {{.*}} : memref<?xf32>, vector<1xf32>
kernel.program @free of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
    %e = tensor.empty(%m, %n) : tensor<?x?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
}

// -----

// Known ones: squares of one size.

// CHECK-LABEL: kernel.program @known
// CHECK: func.func @kernel()
// CHECK: vector.shuffle {{.*}} : vector<8xf32>, vector<8xf32>
// CHECK-NOT: vector<4xf32>
kernel.program @known of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<12x20xf32>) -> tensor<20x12xf32> {
    %e = tensor.empty() : tensor<20x12xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<12x20xf32>) outs(%e : tensor<20x12xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<20x12xf32>
    return %r : tensor<20x12xf32>
  }
}
