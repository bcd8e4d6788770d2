// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' | FileCheck %s

// Codes of 4 bits in blocks of 32, in panels of 128 columns. One row: a block's products are summed by themselves, what
// a code means is looked up, and its scale is applied once. Many rows: a block of a tile's columns is decoded into
// scratch first, times their scales, and a function that kernels share multiplies all rows with it.

// CHECK-LABEL: kernel.program @free
// CHECK-SAME: kernel.strategy = "contraction, tile {{.*}}, columns decoded{{.*}}up to {{.*}} row{{.*}} 1x8x16
// CHECK: func.func @kernel()
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: kernel.permute
// CHECK: kernel.scratch
// CHECK: kernel.permute
// CHECK: vector.store
// CHECK: kernel.microkernel {{.*}} columns {{.*}} by %c0 steps(%c16, %c32) strides(
// CHECK-NOT: kernel.permute
// CHECK: return
#rows = #encoding.identity
#codes = #encoding.layout<perm = [2, 0, 1], inner_dims = [2], inner_tiles = [128], swizzle = []>
#scales = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [128], swizzle = []>
kernel.program @free of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%x: tensor<?x2048xf32>, %codes: tensor<4x64x16x128xi8>, %scales: tensor<4x64x128xf32>, %m: index) -> tensor<?x512xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x512xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, b, j) -> (m, b * 32 + j * 2)>, affine_map<(m, n, b, j) -> (m, b * 32 + j * 2 + 1)>,
                                          affine_map<(m, n, b, j) -> (n floordiv 128, b, j, n mod 128)>, affine_map<(m, n, b, j) -> (n floordiv 128, b, n mod 128)>,
                                          affine_map<(m, n, b, j) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction", "reduction"],
                         encoding.operands = [#rows, #rows, #codes, #scales], intent.code = ui4}
        ins(%x, %x, %codes, %scales : tensor<?x2048xf32>, tensor<?x2048xf32>, tensor<4x64x16x128xi8>, tensor<4x64x128xf32>) outs(%f : tensor<?x512xf32>) {
    ^bb0(%even: f32, %odd: f32, %byte: i8, %scale: f32, %sum: f32):
      %word = arith.extui %byte : i8 to i32
      %c15 = arith.constant 15 : i32
      %c4 = arith.constant 4 : i32
      %zero = arith.constant 8.0 : f32
      %low = arith.andi %word, %c15 : i32
      %high = arith.shrui %word, %c4 : i32
      %l = arith.sitofp %low : i32 to f32
      %h = arith.sitofp %high : i32 to f32
      %l0 = arith.subf %l, %zero : f32
      %h0 = arith.subf %h, %zero : f32
      %p0 = arith.mulf %even, %l0 : f32
      %p1 = arith.mulf %odd, %h0 : f32
      %p = arith.addf %p0, %p1 : f32
      %s = arith.mulf %p, %scale : f32
      %next = arith.addf %sum, %s : f32
      linalg.yield %next : f32
    } -> tensor<?x512xf32>
    return %r : tensor<?x512xf32>
  }
}
