// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-compile-programs))' | %python %S/Inputs/disassemble.py | FileCheck %s

// The instructions that sums of 8-bit integers and of bf16 become on AArch64: a row's group in all lanes times columns
// in groups.

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n floordiv 16, k floordiv 4, n mod 16, k mod 4)>
#groups_of_4 = #encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 4], swizzle = []>
#pairs = affine_map<(m, n, k) -> (n floordiv 16, k floordiv 2, n mod 16, k mod 2)>
#groups_of_2 = #encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 2], swizzle = []>
#result = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: signed:
// CHECK-NOT: udot
// CHECK-NOT: smull
// CHECK: sdot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b
kernel.program @signed of @e for #device.executable<"elf-aarch64", {cpu = "generic", features = "+neon,+dotprod"}> {
  func.func @kernel(%a: tensor<?x64xi8>, %b: tensor<2x16x16x4xi8>, %m: index) -> tensor<?x32xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x32xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x32xi32>) -> tensor<?x32xi32>
    %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #groups_of_4]}
        ins(%a, %b : tensor<?x64xi8>, tensor<2x16x16x4xi8>) outs(%f : tensor<?x32xi32>) {
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

// Signs that processors without i8mm have no instruction for: rows are shifted.

// CHECK-LABEL: unsigned:
// CHECK-NOT: sdot
// CHECK-NOT: umull
// CHECK: udot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b
kernel.program @unsigned of @e for #device.executable<"elf-aarch64", {cpu = "generic", features = "+neon,+dotprod"}> {
  func.func @kernel(%a: tensor<?x64xi8>, %b: tensor<2x16x16x4xi8>, %m: index) -> tensor<?x32xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x32xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x32xi32>) -> tensor<?x32xi32>
    %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #groups_of_4]}
        ins(%a, %b : tensor<?x64xi8>, tensor<2x16x16x4xi8>) outs(%f : tensor<?x32xi32>) {
    ^bb0(%x: i8, %y: i8, %o: i32):
      %0 = arith.extui %x : i8 to i32
      %1 = arith.extui %y : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
    } -> tensor<?x32xi32>
    return %r : tensor<?x32xi32>
  }
}

// CHECK-LABEL: mixed_shifted:
// CHECK-NOT: usdot
// CHECK: eor v
// CHECK: sdot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b
kernel.program @mixed_shifted of @e for #device.executable<"elf-aarch64", {cpu = "generic", features = "+neon,+dotprod"}> {
  func.func @kernel(%a: tensor<?x64xi8>, %b: tensor<2x16x16x4xi8>, %m: index) -> tensor<?x32xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x32xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x32xi32>) -> tensor<?x32xi32>
    %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #groups_of_4]}
        ins(%a, %b : tensor<?x64xi8>, tensor<2x16x16x4xi8>) outs(%f : tensor<?x32xi32>) {
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

// CHECK-LABEL: mixed:
// CHECK-NOT: eor v
// CHECK: {{usdot|sudot}} v{{[0-9]+}}.4s
kernel.program @mixed of @e for #device.executable<"elf-aarch64", {cpu = "generic", features = "+neon,+dotprod,+i8mm"}> {
  func.func @kernel(%a: tensor<?x64xi8>, %b: tensor<2x16x16x4xi8>, %m: index) -> tensor<?x32xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x32xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x32xi32>) -> tensor<?x32xi32>
    %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #groups_of_4]}
        ins(%a, %b : tensor<?x64xi8>, tensor<2x16x16x4xi8>) outs(%f : tensor<?x32xi32>) {
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

// CHECK-LABEL: without:
// CHECK-NOT: dot v
// CHECK: {{smull|mla|smlal|mul}}
kernel.program @without of @e for #device.executable<"elf-aarch64", {cpu = "generic", features = "+neon"}> {
  func.func @kernel(%a: tensor<?x64xi8>, %b: tensor<2x16x16x4xi8>, %m: index) -> tensor<?x32xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x32xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x32xi32>) -> tensor<?x32xi32>
    %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #groups_of_4]}
        ins(%a, %b : tensor<?x64xi8>, tensor<2x16x16x4xi8>) outs(%f : tensor<?x32xi32>) {
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

// CHECK-LABEL: brain:
// CHECK: bfdot v{{[0-9]+}}.4s, v{{[0-9]+}}.8h
kernel.program @brain of @e for #device.executable<"elf-aarch64", {cpu = "generic", features = "+neon,+bf16"}> {
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
