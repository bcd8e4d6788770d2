// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,codegen-convert-to-llvm))' | FileCheck %s --check-prefix=LLVM

// Rows rounded to 8 bits by block, codes of 4 bits in groups of four bytes. A block's sums are integers, beginning with
// what the zero takes off; then they are floats, times both scales. What the op is says its attribute.
#lower = affine_map<(m, n, b, j) -> (m, b, 0, j)>
#upper = affine_map<(m, n, b, j) -> (m, b, 1, j)>
#block = affine_map<(m, n, b, j) -> (m, b)>
#codes = affine_map<(m, n, b, j) -> (n floordiv 128, b, j floordiv 4, n mod 128, j mod 4)>
#groups = #encoding.layout<perm = [2, 0, 1], inner_dims = [2, 1], inner_tiles = [128, 4], swizzle = []>
#scales = affine_map<(m, n, b, j) -> (n floordiv 128, b, n mod 128)>
#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [128], swizzle = []>
#rows = #encoding.identity
#result = affine_map<(m, n, b, j) -> (m, n)>

// One instruction for four products: both halves of a byte, codes apart once for all rows of a tile.

// CHECK-LABEL: kernel.program @vnni
// CHECK-SAME: kernel.strategy = "contraction of rounded rows, tile {{[0-9]+}}x{{[0-9]+}}x16; up to 1 row 1x8x16
// CHECK: arith.muli %{{.*}}, %c-8_i32
// CHECK: vector.load %{{.*}} : memref<?xi8>, vector<64xi8>
// CHECK: arith.andi %{{.*}} : vector<64xi8>
// CHECK: arith.shrui %{{.*}} : vector<64xi8>
// CHECK: kernel.dot %{{.*}}, %{{.*}}, %{{.*}} rhs_signed : vector<64xi8> into vector<16xi32>
// CHECK: arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: arith.mulf
// LLVM-LABEL: kernel.program @vnni
// LLVM: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
kernel.program @vnni of @e for #device.executable<"elf-x86_64", {cpu = "cascadelake", features = ""}> {
  func.func @kernel(%q: tensor<?x64x2x16xi8>, %sx: tensor<?x64xf32>, %sums: tensor<?x64xi32>, %codes: tensor<4x64x4x128x4xi8>, %s: tensor<4x64x128xf32>, %m: index) -> tensor<?x512xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x512xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
    %r = linalg.generic {indexing_maps = [#lower, #upper, #block, #block, #codes, #scales, #result],
                         iterator_types = ["parallel", "parallel", "reduction", "reduction"],
                         encoding.operands = [#rows, #rows, #rows, #rows, #groups, #panels]}
        ins(%q, %q, %sx, %sums, %codes, %s : tensor<?x64x2x16xi8>, tensor<?x64x2x16xi8>, tensor<?x64xf32>, tensor<?x64xi32>, tensor<4x64x4x128x4xi8>, tensor<4x64x128xf32>)
        outs(%f : tensor<?x512xf32>) attrs = {intent.code = ui4, intent.rounded = {block = 32 : i64, zero = 8.0 : f64}} {
    ^bb0(%q0: i8, %q1: i8, %row: f32, %sum: i32, %byte: i8, %scale: f32, %o: f32):
      %c15 = arith.constant 15 : i32
      %c4 = arith.constant 4 : i32
      %eighth = arith.constant 0.5 : f32
      %word = arith.extui %byte : i8 to i32
      %low = arith.andi %word, %c15 : i32
      %high = arith.shrui %word, %c4 : i32
      %x0 = arith.extsi %q0 : i8 to i32
      %x1 = arith.extsi %q1 : i8 to i32
      %p0 = arith.muli %x0, %low : i32
      %p1 = arith.muli %x1, %high : i32
      %p = arith.addi %p0, %p1 : i32
      %pf = arith.sitofp %p : i32 to f32
      %sf = arith.sitofp %sum : i32 to f32
      %share = arith.mulf %sf, %eighth : f32
      %d = arith.subf %pf, %share : f32
      %both = arith.mulf %scale, %row : f32
      %t = arith.mulf %d, %both : f32
      %next = arith.addf %o, %t : f32
      linalg.yield %next : f32
    } -> tensor<?x512xf32>
    return %r : tensor<?x512xf32>
  }
}

// Through words of 16 bits, which products of halves of a byte do not fill.

// CHECK-LABEL: kernel.program @avx2
// CHECK: kernel.dot %{{.*}}, %{{.*}}, %{{.*}} rhs_signed through_words : vector<32xi8> into vector<8xi32>
// LLVM-LABEL: kernel.program @avx2
// LLVM: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// LLVM: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
kernel.program @avx2 of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
  func.func @kernel(%q: tensor<?x64x2x16xi8>, %sx: tensor<?x64xf32>, %sums: tensor<?x64xi32>, %codes: tensor<4x64x4x128x4xi8>, %s: tensor<4x64x128xf32>, %m: index) -> tensor<?x512xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x512xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
    %r = linalg.generic {indexing_maps = [#lower, #upper, #block, #block, #codes, #scales, #result],
                         iterator_types = ["parallel", "parallel", "reduction", "reduction"],
                         encoding.operands = [#rows, #rows, #rows, #rows, #groups, #panels]}
        ins(%q, %q, %sx, %sums, %codes, %s : tensor<?x64x2x16xi8>, tensor<?x64x2x16xi8>, tensor<?x64xf32>, tensor<?x64xi32>, tensor<4x64x4x128x4xi8>, tensor<4x64x128xf32>)
        outs(%f : tensor<?x512xf32>) attrs = {intent.code = ui4, intent.rounded = {block = 32 : i64, zero = 8.0 : f64}} {
    ^bb0(%q0: i8, %q1: i8, %row: f32, %sum: i32, %byte: i8, %scale: f32, %o: f32):
      %c15 = arith.constant 15 : i32
      %c4 = arith.constant 4 : i32
      %eighth = arith.constant 0.5 : f32
      %word = arith.extui %byte : i8 to i32
      %low = arith.andi %word, %c15 : i32
      %high = arith.shrui %word, %c4 : i32
      %x0 = arith.extsi %q0 : i8 to i32
      %x1 = arith.extsi %q1 : i8 to i32
      %p0 = arith.muli %x0, %low : i32
      %p1 = arith.muli %x1, %high : i32
      %p = arith.addi %p0, %p1 : i32
      %pf = arith.sitofp %p : i32 to f32
      %sf = arith.sitofp %sum : i32 to f32
      %share = arith.mulf %sf, %eighth : f32
      %d = arith.subf %pf, %share : f32
      %both = arith.mulf %scale, %row : f32
      %t = arith.mulf %d, %both : f32
      %next = arith.addf %o, %t : f32
      linalg.yield %next : f32
    } -> tensor<?x512xf32>
    return %r : tensor<?x512xf32>
  }
}

// Halves of a byte have either sign.

// CHECK-LABEL: kernel.program @sdot
// CHECK: kernel.dot %{{.*}}, %{{.*}}, %{{.*}} lhs_signed rhs_signed : vector<16xi8> into vector<4xi32>
// LLVM-LABEL: kernel.program @sdot
// LLVM: llvm.call_intrinsic "llvm.aarch64.neon.sdot"
kernel.program @sdot of @e for #device.executable<"elf-aarch64", {cpu = "neoverse-n1", features = ""}> {
  func.func @kernel(%q: tensor<?x64x2x16xi8>, %sx: tensor<?x64xf32>, %sums: tensor<?x64xi32>, %codes: tensor<4x64x4x128x4xi8>, %s: tensor<4x64x128xf32>, %m: index) -> tensor<?x512xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x512xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
    %r = linalg.generic {indexing_maps = [#lower, #upper, #block, #block, #codes, #scales, #result],
                         iterator_types = ["parallel", "parallel", "reduction", "reduction"],
                         encoding.operands = [#rows, #rows, #rows, #rows, #groups, #panels]}
        ins(%q, %q, %sx, %sums, %codes, %s : tensor<?x64x2x16xi8>, tensor<?x64x2x16xi8>, tensor<?x64xf32>, tensor<?x64xi32>, tensor<4x64x4x128x4xi8>, tensor<4x64x128xf32>)
        outs(%f : tensor<?x512xf32>) attrs = {intent.code = ui4, intent.rounded = {block = 32 : i64, zero = 8.0 : f64}} {
    ^bb0(%q0: i8, %q1: i8, %row: f32, %sum: i32, %byte: i8, %scale: f32, %o: f32):
      %c15 = arith.constant 15 : i32
      %c4 = arith.constant 4 : i32
      %eighth = arith.constant 0.5 : f32
      %word = arith.extui %byte : i8 to i32
      %low = arith.andi %word, %c15 : i32
      %high = arith.shrui %word, %c4 : i32
      %x0 = arith.extsi %q0 : i8 to i32
      %x1 = arith.extsi %q1 : i8 to i32
      %p0 = arith.muli %x0, %low : i32
      %p1 = arith.muli %x1, %high : i32
      %p = arith.addi %p0, %p1 : i32
      %pf = arith.sitofp %p : i32 to f32
      %sf = arith.sitofp %sum : i32 to f32
      %share = arith.mulf %sf, %eighth : f32
      %d = arith.subf %pf, %share : f32
      %both = arith.mulf %scale, %row : f32
      %t = arith.mulf %d, %both : f32
      %next = arith.addf %o, %t : f32
      linalg.yield %next : f32
    } -> tensor<?x512xf32>
    return %r : tensor<?x512xf32>
  }
}
