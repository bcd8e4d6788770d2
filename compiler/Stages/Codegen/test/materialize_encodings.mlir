// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt --split-input-file --codegen-materialize-encodings %s | FileCheck %s

#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>
#tiles = #encoding.layout<perm = [0, 1], inner_dims = [0, 1], inner_tiles = [8, 16], swizzle = []>

// Columns are read in panels; the size of a loop still follows from another operand.
// CHECK-DAG: #[[PANELS:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 16, d2, d1 mod 16)>
// CHECK-LABEL: kernel.program @columns
// CHECK: func.func @kernel(%[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<3x64x16xf32> {encoding.layout = #{{.*}}}, %{{.*}}: index) -> tensor<?x40xf32>
// CHECK-NOT: linalg.generic
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[PANELS]], {{.*}}]{{.*}} ins(%[[X]], %[[W]] : tensor<?x64xf32>, tensor<3x64x16xf32>) {{.*}}attrs = {encoding.operands = [#encoding.identity, #{{.*}}]}
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
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[ROWS]] : tensor<?x4x8x16xf32>, tensor<64x40xf32>) {{.*}}attrs = {encoding.operands = [#{{.*}}, #encoding.identity]}
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

// -----

// A slice that begins with whole tiles is a rectangle of the memory: also along a dimension in groups, where its offset is a
// multiple of them.
#groups = #encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 4], swizzle = []>
// CHECK-LABEL: kernel.program @slice
// CHECK: func.func @kernel(%[[X:.*]]: tensor<3x?xi8>, %[[W:.*]]: tensor<3x16x16x4xi8> {{.*}}, %[[K:.*]]: index, %[[I:.*]]: index)
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[W]][0, %[[I]], 0, 0] [3, %{{.*}}, 16, 4] [1, 1, 1, 1] : tensor<3x16x16x4xi8> to tensor<3x?x16x4xi8>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[PART]] : tensor<3x?xi8>, tensor<3x?x16x4xi8>) {{.*}}attrs = {encoding.operands = [#encoding.identity, #{{.*}}]}
kernel.program @slice of @slice for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%x: tensor<3x?xi8>, %w: tensor<64x40xi8, #groups>, %k: index, %i: index) -> tensor<3x40xi32> {
    %c4 = arith.constant 4 : index
    %at = arith.muli %i, %c4 : index
    %u = encoding.unset %w : tensor<64x40xi8, #groups> -> tensor<64x40xi8>
    %part = tensor.extract_slice %u[%at, 0] [%k, 40] [1, 1] : tensor<64x40xi8> to tensor<?x40xi8>
    %init = tensor.empty() : tensor<3x40xi32>
    %r = linalg.matmul ins(%x, %part : tensor<3x?xi8>, tensor<?x40xi8>) outs(%init : tensor<3x40xi32>) -> tensor<3x40xi32>
    return %r : tensor<3x40xi32>
  }
}

// -----

// One matrix of several: its dimension of one element is dropped there, too.
#matrices = #encoding.layout<perm = [0, 2, 1], inner_dims = [2], inner_tiles = [16], swizzle = []>
// CHECK-LABEL: kernel.program @matrix
// CHECK: func.func @kernel(%[[X:.*]]: tensor<3x?xf32>, %[[W:.*]]: tensor<5x3x64x16xf32> {{.*}}, %[[K:.*]]: index, %[[G:.*]]: index)
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[W]][%[[G]], 0, 0, 0] [1, 3, %[[K]], 16] [1, 1, 1, 1] : tensor<5x3x64x16xf32> to tensor<3x?x16xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[PART]] : tensor<3x?xf32>, tensor<3x?x16xf32>)
kernel.program @matrix of @matrix for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%x: tensor<3x?xf32>, %w: tensor<5x64x40xf32, #matrices>, %k: index, %g: index) -> tensor<3x40xf32> {
    %u = encoding.unset %w : tensor<5x64x40xf32, #matrices> -> tensor<5x64x40xf32>
    %part = tensor.extract_slice %u[%g, 0, 0] [1, %k, 40] [1, 1, 1] : tensor<5x64x40xf32> to tensor<?x40xf32>
    %init = tensor.empty() : tensor<3x40xf32>
    %r = linalg.matmul ins(%x, %part : tensor<3x?xf32>, tensor<?x40xf32>) outs(%init : tensor<3x40xf32>) -> tensor<3x40xf32>
    return %r : tensor<3x40xf32>
  }
}

// -----

// One that may begin inside of a group is a slice of the rows.
#groups = #encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 4], swizzle = []>
// CHECK-LABEL: kernel.program @inside_of_a_group
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<3x16x16x4xi8>) outs({{.*}} : tensor<64x40xi8>)
// CHECK: tensor.extract_slice %[[ROWS]]
kernel.program @inside_of_a_group of @slice for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%x: tensor<3x?xi8>, %w: tensor<64x40xi8, #groups>, %k: index, %i: index) -> tensor<3x40xi32> {
    %u = encoding.unset %w : tensor<64x40xi8, #groups> -> tensor<64x40xi8>
    %part = tensor.extract_slice %u[%i, 0] [%k, 40] [1, 1] : tensor<64x40xi8> to tensor<?x40xi8>
    %init = tensor.empty() : tensor<3x40xi32>
    %r = linalg.matmul ins(%x, %part : tensor<3x?xi8>, tensor<?x40xi8>) outs(%init : tensor<3x40xi32>) -> tensor<3x40xi32>
    return %r : tensor<3x40xi32>
  }
}
