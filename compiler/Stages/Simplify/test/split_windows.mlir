// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --simplify-split-windows | FileCheck %s

// Outermost dimension first, each with its own padding.

#in = affine_map<(c, h, w, i, j) -> (c, h + i, w + j)>
#taps = affine_map<(c, h, w, i, j) -> (i, j)>
#out = affine_map<(c, h, w, i, j) -> (c, h, w)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 + d3, d2)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 + d3)>
// CHECK-LABEL: @greatest
// CHECK: tensor.pad %arg0 low[0, 4, 0] high[0, 4, 0]
// CHECK: linalg.generic {indexing_maps = [#[[ROWS]], {{.*}} : tensor<3x21x13xf32>, tensor<9xf32>) outs({{.*}} : tensor<3x13x13xf32>)
// CHECK: arith.maximumf
// CHECK: tensor.pad {{.*}} low[0, 0, 4] high[0, 0, 4]
// CHECK: linalg.generic {indexing_maps = [#[[COLUMNS]], {{.*}} : tensor<3x13x21xf32>, tensor<9xf32>) outs({{.*}} : tensor<3x13x13xf32>)
func.func @greatest(%x: tensor<3x13x13xf32>) -> tensor<3x13x13xf32> {
  %least = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 4, 4] high[0, 4, 4] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %least : f32
  } : tensor<3x13x13xf32> to tensor<3x21x21xf32>
  %k = tensor.empty() : tensor<9x9xf32>
  %e = tensor.empty() : tensor<3x13x13xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<3x13x13xf32>) -> tensor<3x13x13xf32>
  %y = linalg.generic {indexing_maps = [#in, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %k : tensor<3x21x21xf32>, tensor<9x9xf32>) outs(%f : tensor<3x13x13xf32>) {
  ^bb0(%v: f32, %t: f32, %o: f32):
    %m = arith.maximumf %o, %v : f32
    linalg.yield %m : f32
  } -> tensor<3x13x13xf32>
  return %y : tensor<3x13x13xf32>
}

// -----

// A sum of padding that is not zero is not the padding: it stays. The start counts once.

#in = affine_map<(c, h, w, i, j) -> (c, h + i, w * 2 + j * 3)>
#taps = affine_map<(c, h, w, i, j) -> (i, j)>
#out = affine_map<(c, h, w, i, j) -> (c, h, w)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 * 2 + d3 * 3)>
// CHECK-LABEL: @sum
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[P:.*]] = tensor.pad %arg0 low[0, 4, 4] high[0, 4, 4]
// CHECK: %[[START:.*]] = linalg.fill ins(%[[ONE]] : f32)
// CHECK: %[[DIM:.*]] = tensor.dim %[[START]], %c1
// CHECK: %[[E:.*]] = tensor.empty(%[[DIM]])
// CHECK: %[[FIRST:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[E]]
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[P]], {{.*}} outs(%[[FIRST]] : tensor<3x?x56xf32>)
// CHECK-NOT: tensor.pad
// CHECK: linalg.generic {indexing_maps = [#[[COLUMNS]], {{.*}} ins(%[[R]], {{.*}} outs(%[[START]] : tensor<3x?x16xf32>)
func.func @sum(%x: tensor<3x?x48xf32>, %h: index) -> tensor<3x?x16xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 4, 4] high[0, 4, 4] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %one : f32
  } : tensor<3x?x48xf32> to tensor<3x?x56xf32>
  %k = tensor.empty() : tensor<9x9xf32>
  %e = tensor.empty(%h) : tensor<3x?x16xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<3x?x16xf32>) -> tensor<3x?x16xf32>
  %y = linalg.generic {indexing_maps = [#in, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %k : tensor<3x?x56xf32>, tensor<9x9xf32>) outs(%f : tensor<3x?x16xf32>) {
  ^bb0(%v: f32, %t: f32, %o: f32):
    %m = arith.addf %v, %o : f32
    linalg.yield %m : f32
  } -> tensor<3x?x16xf32>
  return %y : tensor<3x?x16xf32>
}

// -----

// Small windows, windows that cover all of their operand, and what is weighted stay whole.

#in = affine_map<(c, h, w, i, j) -> (c, h + i, w + j)>
#whole = affine_map<(c, i, j) -> (c, i, j)>
#taps = affine_map<(c, h, w, i, j) -> (i, j)>
#out = affine_map<(c, h, w, i, j) -> (c, h, w)>
// CHECK-LABEL: @stay
// CHECK: linalg.generic {{.*}}"reduction", "reduction"]
// CHECK: linalg.generic {{.*}}"reduction", "reduction"]
// CHECK: linalg.generic {{.*}}"reduction", "reduction"]
func.func @stay(%x: tensor<3x15x15xf32>, %weights: tensor<9x9xf32>) -> (tensor<3x13x13xf32>, tensor<3xf32>, tensor<3x7x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %k = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<3x13x13xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x13x13xf32>) -> tensor<3x13x13xf32>
  %small = linalg.generic {indexing_maps = [#in, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %k : tensor<3x15x15xf32>, tensor<3x3xf32>) outs(%f : tensor<3x13x13xf32>) {
  ^bb0(%v: f32, %t: f32, %o: f32):
    %m = arith.addf %o, %v : f32
    linalg.yield %m : f32
  } -> tensor<3x13x13xf32>
  %e1 = tensor.empty() : tensor<3xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %all = linalg.generic {indexing_maps = [#whole, affine_map<(c, i, j) -> (c)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<3x15x15xf32>) outs(%f1 : tensor<3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = arith.addf %o, %v : f32
    linalg.yield %m : f32
  } -> tensor<3xf32>
  %e2 = tensor.empty() : tensor<3x7x7xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<3x7x7xf32>) -> tensor<3x7x7xf32>
  %weighted = linalg.generic {indexing_maps = [#in, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %weights : tensor<3x15x15xf32>, tensor<9x9xf32>) outs(%f2 : tensor<3x7x7xf32>) {
  ^bb0(%v: f32, %t: f32, %o: f32):
    %p = arith.mulf %v, %t : f32
    %m = arith.addf %o, %p : f32
    linalg.yield %m : f32
  } -> tensor<3x7x7xf32>
  return %small, %all, %weighted : tensor<3x13x13xf32>, tensor<3xf32>, tensor<3x7x7xf32>
}

// -----

// Padding of one dimension only.

#in = affine_map<(c, h, w, i, j) -> (c, h + i, w + j)>
#taps = affine_map<(c, h, w, i, j) -> (i, j)>
#out = affine_map<(c, h, w, i, j) -> (c, h, w)>
// CHECK-LABEL: @one_side
// CHECK-NOT: tensor.pad
// CHECK: linalg.generic {{.*}} ins(%arg0, {{.*}} outs({{.*}} : tensor<3x13x13xf32>)
// CHECK: tensor.pad {{.*}} low[0, 0, 4] high[0, 0, 4]
// CHECK: linalg.generic
func.func @one_side(%x: tensor<3x21x13xf32>) -> tensor<3x13x13xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 4] high[0, 0, 4] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<3x21x13xf32> to tensor<3x21x21xf32>
  %k = tensor.empty() : tensor<9x9xf32>
  %e = tensor.empty() : tensor<3x13x13xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x13x13xf32>) -> tensor<3x13x13xf32>
  %y = linalg.generic {indexing_maps = [#in, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %k : tensor<3x21x21xf32>, tensor<9x9xf32>) outs(%f : tensor<3x13x13xf32>) {
  ^bb0(%v: f32, %t: f32, %o: f32):
    %m = arith.addf %o, %v : f32
    linalg.yield %m : f32
  } -> tensor<3x13x13xf32>
  return %y : tensor<3x13x13xf32>
}

// -----

// A dimension that is read in steps without a window of its own belongs to no pass.

#in = affine_map<(c, h, w, i, j) -> (c * 2, h + i, w + j)>
#taps = affine_map<(c, h, w, i, j) -> (i, j)>
#out = affine_map<(c, h, w, i, j) -> (c, h, w)>
// CHECK-LABEL: @steps
// CHECK: linalg.generic {{.*}}"reduction", "reduction"]
// CHECK-NOT: linalg.generic
func.func @steps(%x: tensor<5x21x21xf32>) -> tensor<3x13x13xf32> {
  %zero = arith.constant 0.0 : f32
  %k = tensor.empty() : tensor<9x9xf32>
  %e = tensor.empty() : tensor<3x13x13xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x13x13xf32>) -> tensor<3x13x13xf32>
  %y = linalg.generic {indexing_maps = [#in, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %k : tensor<5x21x21xf32>, tensor<9x9xf32>) outs(%f : tensor<3x13x13xf32>) {
  ^bb0(%v: f32, %t: f32, %o: f32):
    %m = arith.addf %o, %v : f32
    linalg.yield %m : f32
  } -> tensor<3x13x13xf32>
  return %y : tensor<3x13x13xf32>
}
