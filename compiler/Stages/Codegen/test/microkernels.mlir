// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' --split-input-file | FileCheck %s

// Products of free rows and their short epilogue are left to functions that kernels share: all rows of a block in one
// call, with code for few rows and for many, of full tiles of columns and of the last one, whose last vector is masked.

// CHECK-LABEL: kernel.program @layer
// CHECK-SAME: "contraction, tile 9x3x16; up to 1 row 1x8x16, last 1"
// CHECK: func.func @kernel()
// CHECK-DAG: %[[K:.*]] = arith.constant 600
// CHECK-DAG: %[[PANEL:.*]] = arith.constant 9600
// CHECK-DAG: %[[X:.*]] = kernel.binding 0
// CHECK-DAG: %[[W:.*]] = kernel.binding 1
// CHECK-DAG: %[[B:.*]] = kernel.binding 2
// CHECK-DAG: %[[Y:.*]] = kernel.binding 3 written
// CHECK: kernel.microkernel %{{.*}} rows %[[X]][%{{.*}}] by %{{.*}} columns %[[W]][%{{.*}}] by %[[PANEL]] steps(%[[K]]) into %[[Y]][%{{.*}}] by %{{.*}} epilogue @[[EPILOGUE:.*]] operands %[[B]][%{{.*}}] by(%c0)
// CHECK-SAME: tile_rows = 1 : i64, vectors = 8
// CHECK: kernel.microkernel {{.*}} last %{{.*}} epilogue @[[EPILOGUE]] {{.*}}tile_rows = 1 : i64, vectors = 1
// CHECK: kernel.microkernel {{.*}} next(%{{.*}}, %c4) into {{.*}} epilogue @[[EPILOGUE]] {{.*}}tile_rows = 9 : i64, vectors = 3
// CHECK: kernel.microkernel {{.*}} last %{{.*}} epilogue @[[EPILOGUE]] {{.*}}tile_rows = 9 : i64, vectors = 3
// CHECK-NOT: kernel.microkernel
// CHECK: func.func private @[[EPILOGUE]](%[[SUM:.*]]: vector<16xf32>, %[[BIAS:.*]]: vector<16xf32>) -> vector<16xf32>
// CHECK: %[[ADDED:.*]] = arith.addf %[[SUM]], %[[BIAS]]
// CHECK: arith.maximumf %[[ADDED]], %{{.*}}
kernel.program @layer of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x600xf32>, %b: tensor<33x600x16xf32>, %c: tensor<517xf32>, %m: index) -> tensor<?x517xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x517xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x517xf32>) -> tensor<?x517xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>]}
        ins(%a, %b : tensor<?x600xf32>, tensor<33x600x16xf32>) outs(%f : tensor<?x517xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<?x517xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%r, %c : tensor<?x517xf32>, tensor<517xf32>) outs(%e : tensor<?x517xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.addf %x, %y : f32
      %1 = arith.maximumf %0, %z : f32
      linalg.yield %1 : f32
    } -> tensor<?x517xf32>
    return %s : tensor<?x517xf32>
  }
}

// -----

// Functions are no short epilogue: tiles' sums go to memory, where it reads them.

// CHECK-LABEL: kernel.program @functions
// CHECK: func.func @kernel()
// CHECK: kernel.microkernel %{{.*}} into %{{.*}}[%c0] by %{{.*}} {panel = 16 : i64, tile_rows = 1 : i64
// CHECK: math.tanh
// CHECK: kernel.microkernel %{{.*}} into %{{.*}}[%c0] by %{{.*}} {panel = 16 : i64, tile_rows = 6 : i64
// CHECK: math.tanh
// CHECK-NOT: func.func private
kernel.program @functions of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
  func.func @kernel(%a: tensor<?x256xf32>, %b: tensor<4x256x16xf32>, %m: index) -> tensor<?x64xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x64xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>]}
        ins(%a, %b : tensor<?x256xf32>, tensor<4x256x16xf32>) outs(%f : tensor<?x64xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<?x64xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
        ins(%r : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
    ^bb0(%x: f32, %o: f32):
      %0 = math.tanh %x : f32
      linalg.yield %0 : f32
    } -> tensor<?x64xf32>
    return %s : tensor<?x64xf32>
  }
}

// -----

// Sums of less than 64 steps would be as long as a call; and functions begin with 0.

// CHECK-LABEL: kernel.program @short
// CHECK-NOT: kernel.microkernel
// CHECK-LABEL: kernel.program @begun
// CHECK-NOT: kernel.microkernel
kernel.program @short of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x63xf32>, %b: tensor<4x63x16xf32>, %m: index) -> tensor<?x64xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x64xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>]}
        ins(%a, %b : tensor<?x63xf32>, tensor<4x63x16xf32>) outs(%f : tensor<?x64xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<?x64xf32>
    return %r : tensor<?x64xf32>
  }
}
kernel.program @begun of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x256xf32>, %b: tensor<4x256x16xf32>, %m: index) -> tensor<?x64xf32> {
    %z = arith.constant 1.0 : f32
    %e = tensor.empty(%m) : tensor<?x64xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>]}
        ins(%a, %b : tensor<?x256xf32>, tensor<4x256x16xf32>) outs(%f : tensor<?x64xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<?x64xf32>
    return %r : tensor<?x64xf32>
  }
}

// -----

// Known rows have code for full tiles and for what is left alone.

// CHECK-LABEL: kernel.program @known
// CHECK-SAME: "contraction, tile 9x3x16"
// CHECK: kernel.microkernel %c20 rows {{.*}}rest = 2 : i64, tile_rows = 9 : i64, vectors = 3
kernel.program @known of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<20x256xf32>, %b: tensor<3x256x16xf32>) -> tensor<20x48xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<20x48xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<20x48xf32>) -> tensor<20x48xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>]}
        ins(%a, %b : tensor<20x256xf32>, tensor<3x256x16xf32>) outs(%f : tensor<20x48xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<20x48xf32>
    return %r : tensor<20x48xf32>
  }
}
