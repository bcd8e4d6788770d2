// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' --split-input-file | FileCheck %s

// One row has workgroups and code of its own, 4 x 128 columns; other numbers of rows have tiles of 6 x 2 vectors, and
// behind them code for 1 to 5 rows.

// CHECK-LABEL: kernel.program @free
// CHECK-SAME: kernel.strategy = "contraction, tile 6x2x8; up to 1 row 1x4x8"
// CHECK: func.func @workgroups(%[[M:.*]]: index) -> index
// CHECK: %[[FEW:.*]] = arith.cmpi sle, %[[M]], %c1
// CHECK: arith.select %[[FEW]]
// CHECK: func.func @kernel()
// CHECK: %[[ROWS:.*]] = kernel.constant 0
// CHECK: %[[ONE:.*]] = arith.cmpi sle, %[[ROWS]], %c1
// CHECK: scf.if %[[ONE]]
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-NOT: scf.for {{.*}} -> (vector
// CHECK: } else {
// CHECK: arith.remui %{{.*}}, %c6
// CHECK: %{{.*}}:12 = scf.for
// CHECK: arith.cmpi uge, %{{.*}}, %c6
// CHECK: arith.cmpi eq, %{{.*}}, %c1
// CHECK: %{{.*}}:2 = scf.for
// CHECK: arith.cmpi eq, %{{.*}}, %c2
// CHECK: %{{.*}}:4 = scf.for
// CHECK: arith.cmpi eq, %{{.*}}, %c3
// CHECK: %{{.*}}:6 = scf.for
// CHECK: arith.cmpi eq, %{{.*}}, %c4
// CHECK: %{{.*}}:8 = scf.for
// CHECK-NOT: arith.cmpi eq, %{{.*}}, %c5
// CHECK: %{{.*}}:10 = scf.for
// CHECK-NOT: scf.for {{.*}} -> (vector
kernel.program @free of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
  func.func @kernel(%a: tensor<?x48xf32>, %b: tensor<32x48x16xf32>, %m: index) -> tensor<?x512xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x512xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>]}
        ins(%a, %b : tensor<?x48xf32>, tensor<32x48x16xf32>) outs(%f : tensor<?x512xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<?x512xf32>
    return %r : tensor<?x512xf32>
  }
}

// -----

// A known dimension of rows: tiles are exact as they are, there are no classes.

// CHECK-LABEL: kernel.program @map
// CHECK-SAME: kernel.strategy = "contraction, tile 1*3x2x8
// CHECK-NOT: up to
// CHECK: func.func @workgroups
kernel.program @map of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
  func.func @kernel(%a: tensor<?x3x64xf32>, %b: tensor<2x64x16xf32>, %m: index) -> tensor<?x3x32xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x3x32xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x3x32xf32>) -> tensor<?x3x32xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(b, m, n, k) -> (b, m, n)>],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>]}
        ins(%a, %b : tensor<?x3x64xf32>, tensor<2x64x16xf32>) outs(%f : tensor<?x3x32xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<?x3x32xf32>
    return %r : tensor<?x3x32xf32>
  }
}

// -----

// In tile registers (AMX) from four rows on, below by dot products of functions that kernels share.

// CHECK-LABEL: kernel.program @bytes
// CHECK-SAME: "integer contraction, tile 32x2x16, in tile registers; up to 1 row 1x{{.*}}; up to 3 rows 3x
// CHECK: func.func @kernel()
// CHECK-NOT: kernel.tile_configure
// CHECK: kernel.microkernel {{.*}}tile_rows = 1 : i64
// CHECK: } else {
// CHECK: kernel.microkernel {{.*}}tile_rows = 3 : i64
// CHECK: kernel.tile_configure
// CHECK-NOT: kernel.microkernel
// CHECK: kernel.tile_release
kernel.program @bytes of @e for #device.executable<"elf-x86_64", {cpu = "sapphirerapids", features = ""}> {
  func.func @kernel(%a: tensor<?x512xi8>, %b: tensor<16x128x16x4xi8>, %m: index) -> tensor<?x256xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x256xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x256xi32>) -> tensor<?x256xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k floordiv 4, n mod 16, k mod 4)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 4], swizzle = []>]}
        ins(%a, %b : tensor<?x512xi8>, tensor<16x128x16x4xi8>) outs(%f : tensor<?x256xi32>) {
    ^bb0(%x: i8, %y: i8, %o: i32):
      %0 = arith.extui %x : i8 to i32
      %1 = arith.extsi %y : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<?x256xi32>
    return %r : tensor<?x256xi32>
  }
}

// -----

// The last tile of columns is as wide as the others, and has lanes that are off: all tiles have masks, so that what is
// written out for each number of rows is there once.

// CHECK-LABEL: kernel.program @ragged
// CHECK-SAME: "contraction, tile 6x4x16; up to 1 row
// CHECK: func.func @kernel()
// CHECK: %{{.*}}:24 = scf.for
// CHECK: vector.maskedstore
// CHECK-NOT: %{{.*}}:24 = scf.for
kernel.program @ragged of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x48xf32>, %b: tensor<20x48x16xf32>, %m: index) -> tensor<?x317xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x317xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x317xf32>) -> tensor<?x317xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>]}
        ins(%a, %b : tensor<?x48xf32>, tensor<20x48x16xf32>) outs(%f : tensor<?x317xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<?x317xf32>
    return %r : tensor<?x317xf32>
  }
}

// -----

// Columns that only the call knows: up to a vector of them have tiles of one vector and more rows, whatever the rows.

// CHECK-LABEL: kernel.program @columns
// CHECK-SAME: kernel.strategy = "contraction, tile 6x4x16, all rows by 512 steps; up to 16 columns 9x1x16
// CHECK: func.func @workgroups(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[N:.*]]: index) -> index
// CHECK: %[[FEW:.*]] = arith.cmpi sle, %[[N]], %c16
// CHECK: arith.select %[[FEW]]
// CHECK: func.func @kernel()
// CHECK: %[[COLUMNS:.*]] = kernel.constant 3
// CHECK: %[[NARROW:.*]] = arith.cmpi sle, %[[COLUMNS]], %c16
// CHECK: scf.if %[[NARROW]]
kernel.program @columns of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %k: index, %l: index, %n: index) -> tensor<?x?xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m, %n) : tensor<?x?xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
}
