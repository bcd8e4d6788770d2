// RUN: heddle-opt %s --split-input-file --encode-pack-columns | FileCheck %s

// Columns of a constant go to panels of 16, the last one padded.

// CHECK-DAG: #[[PANELS:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 16, d2, d1 mod 16)>
// CHECK-LABEL: @matmul
// CHECK: %[[W:.*]] = flow.parameter.load
// CHECK: %[[PAD:.*]] = tensor.pad %[[W]] low[0, 0] high[0, 8]
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[PAD]] {{\[}}[0], [1, 2]]
// CHECK: %[[P:.*]] = linalg.transpose ins(%[[SPLIT]] : tensor<64x3x16xf32>) outs({{.*}} : tensor<3x64x16xf32>) permutation = [1, 0, 2]
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[PANELS]], #{{.*}}]
// CHECK-SAME: ins(%{{.*}}, %[[P]] : tensor<8x64xf32>, tensor<3x64x16xf32>)
flow.parameter private @w : tensor<64x40xf32> = dense<1.0>
func.func @matmul(%x: tensor<8x64xf32>, %init: tensor<8x40xf32>) -> tensor<8x40xf32> {
  %w = flow.parameter.load @w : tensor<64x40xf32>
  %r = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x40xf32>) outs(%init : tensor<8x40xf32>) -> tensor<8x40xf32>
  return %r : tensor<8x40xf32>
}

// -----

// A grouped convolution keeps its groups outside.

// CHECK-DAG: affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3 floordiv 16, d4, d5, d3 mod 16)>
// CHECK-LABEL: @groups
// CHECK: permutation = [0, 3, 1, 2, 4]
// CHECK: linalg.generic {{.*}} tensor<2x2x3x5x16xf32>
flow.parameter private @w : tensor<2x3x5x32xf32> = dense<1.0>
func.func @groups(%x: tensor<1x9x2x5xf32>, %init: tensor<1x7x2x32xf32>) -> tensor<1x7x2x32xf32> {
  %w = flow.parameter.load @w : tensor<2x3x5x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, o, g, f, k, c) -> (n, o + k, g, c)>,
                                        affine_map<(n, o, g, f, k, c) -> (g, k, c, f)>,
                                        affine_map<(n, o, g, f, k, c) -> (n, o, g, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x9x2x5xf32>, tensor<2x3x5x32xf32>) outs(%init : tensor<1x7x2x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x7x2x32xf32>
  return %r : tensor<1x7x2x32xf32>
}

// -----

// What is not constant, has few columns, or is depthwise stays.

// CHECK-LABEL: @others
// CHECK-NOT: floordiv
// CHECK-NOT: linalg.transpose
// CHECK: return
flow.parameter private @few : tensor<64x16xf32> = dense<1.0>
flow.parameter private @taps : tensor<3x32xf32> = dense<1.0>
func.func @others(%x: tensor<8x64xf32>, %y: tensor<64x40xf32>, %z: tensor<1x5x32xf32>, %i: tensor<8x40xf32>, %j: tensor<8x16xf32>,
                  %k: tensor<1x3x32xf32>) -> (tensor<8x40xf32>, tensor<8x16xf32>, tensor<1x3x32xf32>) {
  %few = flow.parameter.load @few : tensor<64x16xf32>
  %taps = flow.parameter.load @taps : tensor<3x32xf32>
  %a = linalg.matmul ins(%x, %y : tensor<8x64xf32>, tensor<64x40xf32>) outs(%i : tensor<8x40xf32>) -> tensor<8x40xf32>
  %b = linalg.matmul ins(%x, %few : tensor<8x64xf32>, tensor<64x16xf32>) outs(%j : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = linalg.depthwise_conv_1d_nwc_wc ins(%z, %taps : tensor<1x5x32xf32>, tensor<3x32xf32>) outs(%k : tensor<1x3x32xf32>) -> tensor<1x3x32xf32>
  return %a, %b, %c : tensor<8x40xf32>, tensor<8x16xf32>, tensor<1x3x32xf32>
}
