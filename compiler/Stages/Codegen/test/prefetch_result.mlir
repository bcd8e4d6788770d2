// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' | FileCheck %s

// A short sum of a large result: each row's lines of the result are asked for before its share of the steps.

// CHECK-LABEL: kernel.program @large
// CHECK-SAME: tile 9x3x16, last 1
// CHECK: scf.for %{{.*}} = %c0 to %c9 step %c1 iter_args
// CHECK-COUNT-3: memref.prefetch %{{.*}}, write, locality<3>, data
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-27: math.fma
// CHECK-LABEL: kernel.program @small
// CHECK-NOT: memref.prefetch {{.*}}, write
kernel.program @large of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<3150x70xf32>, %b: tensor<16x70x16xf32>) -> tensor<3150x256xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<3150x256xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<3150x256xf32>) -> tensor<3150x256xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j floordiv 16, k, j mod 16)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>]} ins(%a, %b : tensor<3150x70xf32>, tensor<16x70x16xf32>) outs(%f : tensor<3150x256xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = math.fma %x, %y, %o : f32
      linalg.yield %p : f32
    } -> tensor<3150x256xf32>
    return %r : tensor<3150x256xf32>
  }
}
kernel.program @small of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<630x70xf32>, %b: tensor<16x70x16xf32>) -> tensor<630x256xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<630x256xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<630x256xf32>) -> tensor<630x256xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j floordiv 16, k, j mod 16)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>]} ins(%a, %b : tensor<630x70xf32>, tensor<16x70x16xf32>) outs(%f : tensor<630x256xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = math.fma %x, %y, %o : f32
      linalg.yield %p : f32
    } -> tensor<630x256xf32>
    return %r : tensor<630x256xf32>
  }
}
