// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,codegen-convert-to-llvm))' | FileCheck %s --check-prefix=LLVM

// Bytes of different signs, columns in groups: rows are broadcast from where they are, nothing is copied.

// CHECK-LABEL: kernel.program @vnni
// CHECK-SAME: kernel.strategy = "integer contraction, tile 9x2x16"
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-2: vector.load %{{.*}} : memref<?xi8>, vector<64xi8>
// CHECK: vector.load %{{.*}} : memref<?xi8>, vector<4xi8>
// CHECK: vector.broadcast %{{.*}} : i32 to vector<16xi32>
// CHECK: kernel.dot %{{.*}}, %{{.*}}, %{{.*}} rhs_signed : vector<64xi8> into vector<16xi32>
// CHECK-NOT: kernel.scratch
// LLVM-LABEL: kernel.program @vnni
// LLVM: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n floordiv 16, k floordiv 4, n mod 16, k mod 4)>
#groups_of_4 = #encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 4], swizzle = []>
#plain = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
kernel.program @vnni of @e for #device.executable<"elf-x86_64", {cpu = "cascadelake", features = ""}> {
  func.func @kernel(%a: tensor<?x60xi8>, %b: tensor<2x15x16x4xi8>, %m: index) -> tensor<?x32xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x32xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x32xi32>) -> tensor<?x32xi32>
    %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #groups_of_4]}
        ins(%a, %b : tensor<?x60xi8>, tensor<2x15x16x4xi8>) outs(%f : tensor<?x32xi32>) {
    ^bb0(%x: i8, %y: i8, %o: i32):
      %0 = arith.extui %x : i8 to i32
      %1 = arith.extsi %y : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<?x32xi32>
    return %r : tensor<?x32xi32>
  }
}

// Bytes of one sign: rows are shifted in scratch, once for a block, and accumulators begin with
// what that adds taken away.

// CHECK-LABEL: kernel.program @shifted
// CHECK-SAME: rows copied
// CHECK: kernel.scratch
// CHECK: arith.xori %{{.*}} : vector<64xi8>
// CHECK: kernel.dot
// CHECK: arith.subi %{{.*}} : vector<16xi32>
// CHECK: kernel.dot
kernel.program @shifted of @e for #device.executable<"elf-x86_64", {cpu = "cascadelake", features = ""}> {
  func.func @kernel(%a: tensor<?x64xi8>, %b: tensor<64x32xi8>, %m: index) -> tensor<?x32xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x32xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x32xi32>) -> tensor<?x32xi32>
    %r = linalg.generic {indexing_maps = [#rows, #plain, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<?x64xi8>, tensor<64x32xi8>) outs(%f : tensor<?x32xi32>) {
    ^bb0(%x: i8, %y: i8, %o: i32):
      %0 = arith.extsi %x : i8 to i32
      %1 = arith.extsi %y : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<?x32xi32>
    return %r : tensor<?x32xi32>
  }
}

// Without VNNI: pairs of words.

// CHECK-LABEL: kernel.program @pairs
// CHECK: kernel.dot %{{.*}}, %{{.*}}, %{{.*}} lhs_signed rhs_signed : vector<16xi16> into vector<8xi32>
// LLVM-LABEL: kernel.program @pairs
// LLVM: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
kernel.program @pairs of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}> {
  func.func @kernel(%a: tensor<?x64xi8>, %b: tensor<64x32xi8>, %m: index) -> tensor<?x32xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x32xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x32xi32>) -> tensor<?x32xi32>
    %r = linalg.generic {indexing_maps = [#rows, #plain, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<?x64xi8>, tensor<64x32xi8>) outs(%f : tensor<?x32xi32>) {
    ^bb0(%x: i8, %y: i8, %o: i32):
      %0 = arith.extui %x : i8 to i32
      %1 = arith.extsi %y : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<?x32xi32>
    return %r : tensor<?x32xi32>
  }
}

// Two elements of bf16 in a lane: rows are broadcast from where they are.

// CHECK-LABEL: kernel.program @brain
// CHECK-SAME: kernel.strategy = "bf16 contraction, tile
// CHECK-NOT: kernel.scratch
// CHECK: vector.load %{{.*}} : memref<?xbf16>, vector<32xbf16>
// CHECK: vector.load %{{.*}} : memref<?xbf16>, vector<2xbf16>
// CHECK: kernel.dot %{{.*}}, %{{.*}}, %{{.*}} : vector<32xbf16> into vector<16xf32>
// LLVM-LABEL: kernel.program @brain
// LLVM: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
#pairs = affine_map<(m, n, k) -> (n floordiv 16, k floordiv 2, n mod 16, k mod 2)>
#groups_of_2 = #encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 2], swizzle = []>
kernel.program @brain of @e for #device.executable<"elf-x86_64", {cpu = "cooperlake", features = ""}> {
  func.func @kernel(%a: tensor<?x64xbf16>, %b: tensor<2x32x16x2xbf16>, %m: index) -> tensor<?x32xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x32xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
    %r = linalg.generic {indexing_maps = [#rows, #pairs, #result], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #groups_of_2]}
        ins(%a, %b : tensor<?x64xbf16>, tensor<2x32x16x2xbf16>) outs(%f : tensor<?x32xf32>) {
    ^bb0(%x: bf16, %y: bf16, %o: f32):
      %0 = arith.extf %x : bf16 to f32
      %1 = arith.extf %y : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<?x32xf32>
    return %r : tensor<?x32xf32>
  }
}

// Columns that do not lie in pairs, as those of a transform's windows, which share elements: for few rows they are not
// copied, but widened as they are read.

// CHECK-LABEL: kernel.program @windows
// CHECK-SAME: kernel.strategy = "contraction of widened bf16, tile
// CHECK-NOT: kernel.scratch
// CHECK-NOT: kernel.dot
// CHECK: return
#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>
kernel.program @windows of @e for #device.executable<"elf-x86_64", {cpu = "cooperlake", features = ""}> {
  func.func @kernel(%a: tensor<640xbf16>, %b: tensor<3x256x16xbf16>) -> tensor<4x48xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x48xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x48xf32>) -> tensor<4x48xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m * 128 + k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, #result],
                         iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #panels]}
        ins(%a, %b : tensor<640xbf16>, tensor<3x256x16xbf16>) outs(%f : tensor<4x48xf32>) {
    ^bb0(%x: bf16, %y: bf16, %o: f32):
      %0 = arith.extf %x : bf16 to f32
      %1 = arith.extf %y : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<4x48xf32>
    return %r : tensor<4x48xf32>
  }
}
