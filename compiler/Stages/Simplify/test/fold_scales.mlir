// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --simplify-fold-scales | FileCheck %s

// Batch normalisation after a biased matrix product: the weights are scaled, one offset is added. What comes after stays.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
// CHECK-LABEL: @dense
// CHECK-DAG: %[[W:.*]] = flow.parameter.load @w
// CHECK: %[[F:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK: arith.mulf
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%[[W]], %[[F]]#0 : tensor<3x2xf32>, tensor<2xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.mulf %[[A]], %[[B]]
// CHECK: %[[M:.*]] = linalg.matmul ins(%arg0, %[[SCALED]]
// CHECK: linalg.generic {{.*}} ins(%[[M]], %[[F]]#1 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[O:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[O]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[S]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[S]], %[[E]]
// CHECK-NEXT: linalg.yield %[[P]]
flow.parameter private @w : tensor<3x2xf32> = dense<1.0>
flow.parameter private @bias : tensor<2xf32> = dense<[1.0, 2.0]>
flow.parameter private @mean : tensor<2xf32> = dense<[3.0, 4.0]>
flow.parameter private @scale : tensor<2xf32> = dense<[5.0, 6.0]>
func.func @dense(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %w = flow.parameter.load @w : tensor<3x2xf32>
  %bias = flow.parameter.load @bias : tensor<2xf32>
  %mean = flow.parameter.load @mean : tensor<2xf32>
  %scale = flow.parameter.load @scale : tensor<2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %bias, %mean, %scale : tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%v: f32, %b: f32, %u: f32, %s: f32, %o: f32):
    %0 = arith.addf %v, %b : f32
    %1 = arith.subf %0, %u : f32
    %2 = arith.mulf %1, %s : f32
    %3 = math.exp %2 : f32
    %4 = arith.mulf %2, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

// A convolution of groups, through the collapsed channels and a transpose; divided and negated, no offset.

#id = affine_map<(n, o, f) -> (n, o, f)>
// CHECK-LABEL: @groups
// CHECK: %[[F:.*]] = linalg.generic
// CHECK: arith.divf
// CHECK: arith.negf
// CHECK: %[[E:.*]] = tensor.expand_shape %[[F]] {{.*}} : tensor<6xf32> into tensor<2x3xf32>
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[E]] : tensor<2x3x4x5xf32>, tensor<2x3xf32>)
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[SCALED]] :
// CHECK: tensor.collapse_shape
// CHECK: linalg.transpose
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[X]]
flow.parameter private @w : tensor<2x3x4x5xf32> = dense<1.0>
flow.parameter private @scale : tensor<6xf32> = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]>
func.func @groups(%x: tensor<1x2x4x20xf32>) -> tensor<1x16x6xf32> {
  %zero = arith.constant 0.0 : f32
  %w = flow.parameter.load @w : tensor<2x3x4x5xf32>
  %scale = flow.parameter.load @scale : tensor<6xf32>
  %e = tensor.empty() : tensor<1x2x3x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x3x16xf32>) -> tensor<1x2x3x16xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(n, g, f, o, c, k) -> (n, g, c, o + k)>, affine_map<(n, g, f, o, c, k) -> (g, f, c, k)>, affine_map<(n, g, f, o, c, k) -> (n, g, f, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x2x4x20xf32>, tensor<2x3x4x5xf32>) outs(%f : tensor<1x2x3x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x2x3x16xf32>
  %c = tensor.collapse_shape %m [[0], [1, 2], [3]] : tensor<1x2x3x16xf32> into tensor<1x6x16xf32>
  %te = tensor.empty() : tensor<1x16x6xf32>
  %t = linalg.transpose ins(%c : tensor<1x6x16xf32>) outs(%te : tensor<1x16x6xf32>) permutation = [0, 2, 1]
  %r = linalg.generic {indexing_maps = [#id, affine_map<(n, o, f) -> (f)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t, %scale : tensor<1x16x6xf32>, tensor<6xf32>) outs(%te : tensor<1x16x6xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %0 = arith.divf %v, %s : f32
    %1 = arith.negf %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x16x6xf32>
  return %r : tensor<1x16x6xf32>
}

// -----

// Not folded: the product is read twice; the scale is infinite, varies along rows, or is an argument; only a bias;
// a quotient by the product.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>
// CHECK-LABEL: @refused
// CHECK: linalg.matmul ins(%arg0, %[[W:.*]] :
// CHECK-COUNT-5: linalg.matmul ins(%arg0, %[[W]] :
flow.parameter private @w : tensor<3x2xf32> = dense<1.0>
flow.parameter private @infinite : tensor<2xf32> = dense<[1.0, 0x7F800000]>
flow.parameter private @scale : tensor<2xf32> = dense<[1.0, 2.0]>
flow.parameter private @column : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func private @use(tensor<4x2xf32>)
func.func @refused(%x: tensor<4x3xf32>, %argument: tensor<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = flow.parameter.load @w : tensor<3x2xf32>
  %infinite = flow.parameter.load @infinite : tensor<2xf32>
  %scale = flow.parameter.load @scale : tensor<2xf32>
  %column = flow.parameter.load @column : tensor<4xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %m_twice = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  func.call @use(%m_twice) : (tensor<4x2xf32>) -> ()
  %r_twice = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m_twice, %scale : tensor<4x2xf32>, tensor<2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %0 = arith.mulf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<4x2xf32>
  func.call @use(%r_twice) : (tensor<4x2xf32>) -> ()
  %m_inf = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r_inf = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m_inf, %infinite : tensor<4x2xf32>, tensor<2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %0 = arith.mulf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<4x2xf32>
  func.call @use(%r_inf) : (tensor<4x2xf32>) -> ()
  %m_rows = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r_rows = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m_rows, %column : tensor<4x2xf32>, tensor<4xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %0 = arith.mulf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<4x2xf32>
  func.call @use(%r_rows) : (tensor<4x2xf32>) -> ()
  %m_arg = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r_arg = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m_arg, %argument : tensor<4x2xf32>, tensor<2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %0 = arith.mulf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<4x2xf32>
  func.call @use(%r_arg) : (tensor<4x2xf32>) -> ()
  %m_bias = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r_bias = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m_bias, %scale : tensor<4x2xf32>, tensor<2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %0 = arith.addf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<4x2xf32>
  func.call @use(%r_bias) : (tensor<4x2xf32>) -> ()
  %m_inverse = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r_inverse = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m_inverse, %scale : tensor<4x2xf32>, tensor<2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %0 = arith.divf %s, %v : f32
    linalg.yield %0 : f32
  } -> tensor<4x2xf32>
  func.call @use(%r_inverse) : (tensor<4x2xf32>) -> ()
  return
}

// -----

// Through a transpose that is not its own inverse: the scale of the transposed product's first dimension, its columns,
// is one of the weights' last.

#all = affine_map<(i, j, k) -> (i, j, k)>
#first = affine_map<(i, j, k) -> (i)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: @turned
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[LAST]], #[[ID]]]{{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x3x2xf32>, tensor<2xf32>)
// CHECK: linalg.batch_matmul
flow.parameter private @w : tensor<2x3x2xf32> = dense<1.0>
flow.parameter private @scale : tensor<2xf32> = dense<[5.0, 6.0]>
func.func @turned(%x: tensor<2x2x3xf32>) -> tensor<2x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %w = flow.parameter.load @w : tensor<2x3x2xf32>
  %scale = flow.parameter.load @scale : tensor<2xf32>
  %e = tensor.empty() : tensor<2x2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %m = linalg.batch_matmul ins(%x, %w : tensor<2x2x3xf32>, tensor<2x3x2xf32>) outs(%f : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %t = linalg.transpose ins(%m : tensor<2x2x2xf32>) outs(%e : tensor<2x2x2xf32>) permutation = [2, 0, 1]
  %r = linalg.generic {indexing_maps = [#all, #first, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t, %scale : tensor<2x2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2x2xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %0 = arith.mulf %v, %s : f32
    linalg.yield %0 : f32
  } -> tensor<2x2x2xf32>
  return %r : tensor<2x2x2xf32>
}
