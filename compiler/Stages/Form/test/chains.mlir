// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --form-regions | FileCheck %s

// Scores, the rows between and the product with the values are one region, and so is the transpose that moves its rows.

// CHECK-LABEL: @attention
// CHECK: flow.region
// CHECK: linalg.batch_matmul
// CHECK-COUNT-4: linalg.generic
// CHECK: linalg.batch_matmul
// CHECK: linalg.transpose
// CHECK: flow.return
// CHECK-NOT: flow.region
#row = affine_map<(b, i, j) -> (b, i)>
#all = affine_map<(b, i, j) -> (b, i, j)>
#mask = affine_map<(b, i, j) -> (j)>
func.func @attention(%q: tensor<12x7x32xf32>, %k: tensor<12x32x9xf32>, %mask: tensor<9xf32>, %v: tensor<12x9x32xf32>) -> tensor<7x12x32xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<12x7x9xf32>
  %er = tensor.empty() : tensor<12x7xf32>
  %ec = tensor.empty() : tensor<12x7x32xf32>
  %et = tensor.empty() : tensor<7x12x32xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<12x7x9xf32>) -> tensor<12x7x9xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<12x7xf32>) -> tensor<12x7xf32>
  %fc = linalg.fill ins(%zero : f32) outs(%ec : tensor<12x7x32xf32>) -> tensor<12x7x32xf32>
  %scores = linalg.batch_matmul ins(%q, %k : tensor<12x7x32xf32>, tensor<12x32x9xf32>) outs(%fs : tensor<12x7x9xf32>) -> tensor<12x7x9xf32>
  %masked = linalg.generic {indexing_maps = [#all, #mask, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %mask : tensor<12x7x9xf32>, tensor<9xf32>) outs(%es : tensor<12x7x9xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<12x7x9xf32>
  %exp = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%masked : tensor<12x7x9xf32>) outs(%es : tensor<12x7x9xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = math.exp %x : f32
    linalg.yield %s : f32
  } -> tensor<12x7x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<12x7x9xf32>) outs(%fr : tensor<12x7xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<12x7xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<12x7x9xf32>, tensor<12x7xf32>) outs(%es : tensor<12x7x9xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.divf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<12x7x9xf32>
  %context = linalg.batch_matmul ins(%weights, %v : tensor<12x7x9xf32>, tensor<12x9x32xf32>) outs(%fc : tensor<12x7x32xf32>) -> tensor<12x7x32xf32>
  %heads = linalg.transpose ins(%context : tensor<12x7x32xf32>) outs(%et : tensor<7x12x32xf32>) permutation = [1, 0, 2]
  return %heads : tensor<7x12x32xf32>
}

// -----

// Weights that something else reads need memory: three regions, not one.

// CHECK-LABEL: @weights_are_read
// CHECK: flow.region
// CHECK: linalg.batch_matmul
// CHECK: flow.region
// CHECK: linalg.generic
// CHECK: flow.region
// CHECK: linalg.batch_matmul
#row = affine_map<(b, i, j) -> (b, i)>
#all = affine_map<(b, i, j) -> (b, i, j)>
func.func @weights_are_read(%q: tensor<2x7x8xf32>, %k: tensor<2x8x9xf32>, %v: tensor<2x9x8xf32>) -> (tensor<2x7x8xf32>, tensor<2x7x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x7x9xf32>
  %er = tensor.empty() : tensor<2x7xf32>
  %ec = tensor.empty() : tensor<2x7x8xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x7xf32>) -> tensor<2x7xf32>
  %fc = linalg.fill ins(%zero : f32) outs(%ec : tensor<2x7x8xf32>) -> tensor<2x7x8xf32>
  %scores = linalg.batch_matmul ins(%q, %k : tensor<2x7x8xf32>, tensor<2x8x9xf32>) outs(%fs : tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : tensor<2x7x9xf32>) outs(%fr : tensor<2x7xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<2x7xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %sum : tensor<2x7x9xf32>, tensor<2x7xf32>) outs(%es : tensor<2x7x9xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.divf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<2x7x9xf32>
  %context = linalg.batch_matmul ins(%weights, %v : tensor<2x7x9xf32>, tensor<2x9x8xf32>) outs(%fc : tensor<2x7x8xf32>) -> tensor<2x7x8xf32>
  return %context, %weights : tensor<2x7x8xf32>, tensor<2x7x9xf32>
}
