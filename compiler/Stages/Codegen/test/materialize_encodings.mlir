// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt --split-input-file --codegen-materialize-encodings %s | FileCheck %s

#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>
#tiles = #encoding.layout<perm = [0, 1], inner_dims = [0, 1], inner_tiles = [8, 16], swizzle = []>

// Columns are read in panels; the size of a loop still follows from another operand.
// CHECK-DAG: #[[PANELS:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 16, d2, d1 mod 16)>
// CHECK-LABEL: kernel.program @columns
// CHECK: func.func @kernel(%[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<3x64x16xf32> {encoding.layout = #{{.*}}}, %{{.*}}: index) -> tensor<?x40xf32>
// CHECK-NOT: linalg.generic
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[PANELS]], {{.*}}]{{.*}} ins(%[[X]], %[[W]] : tensor<?x64xf32>, tensor<3x64x16xf32>)
kernel.program @columns of @columns for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%x: tensor<?x64xf32>, %w: tensor<64x40xf32, #panels>, %m: index) -> tensor<?x40xf32> {
    %init = tensor.empty(%m) : tensor<?x40xf32>
    %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x40xf32, #panels>) outs(%init : tensor<?x40xf32>) -> tensor<?x40xf32>
    return %r : tensor<?x40xf32>
  }
}

// -----

// All in tiles: k is no operand's own dimension any more, so one of them is read by way of rows. The result is padded, in tiles.
// CHECK-LABEL: kernel.program @all
#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>
#tiles = #encoding.layout<perm = [0, 1], inner_dims = [0, 1], inner_tiles = [8, 16], swizzle = []>
// CHECK: func.func @kernel(%[[X:.*]]: tensor<?x4x8x16xf32> {{.*}}, %[[W:.*]]: tensor<8x3x8x16xf32> {{.*}}, %[[M:.*]]: index) -> tensor<?x3x8x16xf32>
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} ins(%[[W]] : tensor<8x3x8x16xf32>) outs({{.*}} : tensor<64x40xf32>)
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[ROWS]] : tensor<?x4x8x16xf32>, tensor<64x40xf32>)
// CHECK-NOT: encoding.
// CHECK: %[[COLUMNS:.*]] = tensor.pad %[[P]]
// CHECK: %[[PAD:.*]] = tensor.pad %[[COLUMNS]]
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[PAD]] : tensor<?x48xf32>) outs({{.*}} : tensor<?x3x8x16xf32>)
// CHECK: return %[[R]]
kernel.program @all of @all for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%x: tensor<?x64xf32, #tiles>, %w: tensor<64x40xf32, #tiles>, %m: index) -> tensor<?x40xf32, #tiles> {
    %init = tensor.empty(%m) : tensor<?x40xf32, #tiles>
    %r = linalg.matmul ins(%x, %w : tensor<?x64xf32, #tiles>, tensor<64x40xf32, #tiles>) outs(%init : tensor<?x40xf32, #tiles>) -> tensor<?x40xf32, #tiles>
    return %r : tensor<?x40xf32, #tiles>
  }
}

// -----

// Handed on as it came.
#tiles = #encoding.layout<perm = [0, 1], inner_dims = [0, 1], inner_tiles = [8, 16], swizzle = []>
// CHECK-LABEL: kernel.program @same
// CHECK: func.func @kernel(%[[X:.*]]: tensor<1x1x8x16xf32> {{.*}}) -> tensor<1x1x8x16xf32>
// CHECK-NEXT: return %[[X]]
kernel.program @same of @same for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%x: tensor<3x3xf32, #tiles>) -> tensor<3x3xf32, #tiles> {
    return %x : tensor<3x3xf32, #tiles>
  }
}
