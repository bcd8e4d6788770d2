// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-winograd | FileCheck %s
// RUN: heddle-opt %s --encode-winograd=tile=2 | FileCheck %s --check-prefix=SMALL
// RUN: heddle-opt %s --encode-winograd=tile=off | FileCheck %s --check-prefix=OFF
// OFF-NOT: heddle.winograd

#x = affine_map<(n, h, w, f, k, l, c) -> (n, h + k, w + l, c)>
#w = affine_map<(n, h, w, f, k, l, c) -> (k, l, c, f)>
#y = affine_map<(n, h, w, f, k, l, c) -> (n, h, w, f)>
#two = affine_map<(n, h, w, f, k, l, c) -> (n, h * 2 + k, w * 2 + l, c)>

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>

// 30 x 30 results are 8 x 8 tiles of 4, so the pad has two more rows and columns.

// CHECK-LABEL: func.func @padded
// CHECK: tensor.pad %{{.*}} low[0, 1, 1, 0] high[0, 3, 3, 0]
// CHECK: linalg.generic {{.*}} tensor<6x6xf32>, tensor<6x6xf32>, tensor<1x34x34x64xf32>)
// CHECK-SAME: heddle.keeps_layout, heddle.split = 1 : i64, heddle.winograd = "input"
// CHECK: linalg.generic {{.*}} tensor<6x6x1x8x8x64xf32>, tensor<6x6x64x64xf32>){{.*}} heddle.winograd = "product"
// CHECK: linalg.generic {{.*}} tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x6x1x8x8x64xf32>)
// CHECK-SAME: heddle.winograd = "output"
// SMALL-LABEL: func.func @padded
// SMALL: tensor.pad %{{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0]
// SMALL: linalg.generic {{.*}} tensor<4x4xf32>, tensor<4x4xf32>, tensor<1x32x32x64xf32>)
// SMALL-SAME: heddle.winograd = "input"
func.func @padded(%x: tensor<1x30x30x64xf32>) -> tensor<1x30x30x64xf32> {
  %w = arith.constant dense<1.0> : tensor<3x3x64x64xf32>
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x30x30x64xf32> to tensor<1x32x32x64xf32>
  %e = tensor.empty() : tensor<1x30x30x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x30x30x64xf32>) -> tensor<1x30x30x64xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel",
      "reduction", "reduction", "reduction"]}
      ins(%p, %w : tensor<1x32x32x64xf32>, tensor<3x3x64x64xf32>) outs(%init : tensor<1x30x30x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x30x30x64xf32>
  return %0 : tensor<1x30x30x64xf32>
}

// Weights that the call brings would be transformed by each call.

// CHECK-LABEL: func.func @computed_weights
// CHECK-NOT: heddle.winograd
func.func @computed_weights(%x: tensor<1x30x30x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<1x28x28x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x28x28x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel",
      "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x30x30x64xf32>, tensor<3x3x64x64xf32>) outs(%init : tensor<1x28x28x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x28x28x64xf32>
  return %0 : tensor<1x28x28x64xf32>
}

// CHECK-LABEL: func.func @strided
// CHECK-NOT: heddle.winograd
func.func @strided(%x: tensor<1x57x57x64xf32>) -> tensor<1x28x28x64xf32> {
  %w = arith.constant dense<1.0> : tensor<3x3x64x64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x28x28x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  %0 = linalg.generic {indexing_maps = [#two, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel",
      "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x57x57x64xf32>, tensor<3x3x64x64xf32>) outs(%init : tensor<1x28x28x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x28x28x64xf32>
  return %0 : tensor<1x28x28x64xf32>
}
