// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' | FileCheck %s

// Depthwise convolutions with channels first: windows that lie over each other along the positions, not contractions
// without rows. A row of one vector: tiles of seven rows.

// CHECK-LABEL: kernel.program @one_vector
// CHECK-SAME: kernel.strategy = "windows, tile 7x1x16 positions"
#input = affine_map<(c, h, w, i, j) -> (c, h + i, w + j)>
#window = affine_map<(c, h, w, i, j) -> (c, i, j)>
#result = affine_map<(c, h, w, i, j) -> (c, h, w)>
kernel.program @one_vector of @e for #device.executable<"elf-x86_64", {cpu = "cascadelake", features = ""}> {
  func.func @kernel(%x: tensor<8x14x14xf32>, %w: tensor<8x7x7xf32>) -> tensor<8x14x14xf32> {
    %z = arith.constant 0.0 : f32
    %p = tensor.pad %x low[0, 3, 3] high[0, 3, 3] {
    ^bb0(%i: index, %j: index, %l: index):
      tensor.yield %z : f32
    } : tensor<8x14x14xf32> to tensor<8x20x20xf32>
    %e = tensor.empty() : tensor<8x14x14xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x14x14xf32>) -> tensor<8x14x14xf32>
    %r = linalg.generic {indexing_maps = [#input, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %w : tensor<8x20x20xf32>, tensor<8x7x7xf32>) outs(%f : tensor<8x14x14xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<8x14x14xf32>
    return %r : tensor<8x14x14xf32>
  }
}

// Long rows: the first and the last vector have the padding in masks. Each result has two sums.

// CHECK-LABEL: kernel.program @long_rows
// CHECK-SAME: kernel.strategy = "windows, tile 4x1x16 positions"
// CHECK: scf.if %{{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT: memref.store
kernel.program @long_rows of @e for #device.executable<"elf-x86_64", {cpu = "cascadelake", features = ""}> {
  func.func @kernel(%x: tensor<8x40x40xf32>, %w: tensor<8x7x7xf32>) -> tensor<8x40x40xf32> {
    %z = arith.constant 0.0 : f32
    %p = tensor.pad %x low[0, 3, 3] high[0, 3, 3] {
    ^bb0(%i: index, %j: index, %l: index):
      tensor.yield %z : f32
    } : tensor<8x40x40xf32> to tensor<8x46x46xf32>
    %e = tensor.empty() : tensor<8x40x40xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x40x40xf32>) -> tensor<8x40x40xf32>
    %r = linalg.generic {indexing_maps = [#input, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %w : tensor<8x46x46xf32>, tensor<8x7x7xf32>) outs(%f : tensor<8x40x40xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<8x40x40xf32>
    return %r : tensor<8x40x40xf32>
  }
}
