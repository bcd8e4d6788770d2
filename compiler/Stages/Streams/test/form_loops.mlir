// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --streams-form-loops --canonicalize --cse --split-input-file | FileCheck %s

// One row is one iteration; rows are where they were.
// CHECK-LABEL: @rows
// CHECK-SAME: (%[[X:.*]]: tensor<7x16xf32>)
func.func @rows(%x: tensor<7x16xf32>) -> tensor<7x16xf32> {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
  // CHECK: %[[ALL:.*]] = tensor.empty() : tensor<7x16xf32>
  // CHECK: %[[Y:.*]] = scf.for %[[I:[a-z0-9]+]] = %[[C0]] to %[[C7]] step %{{.*}} iter_args(%[[ACC:.*]] = %[[ALL]])
  // CHECK: %[[FROM:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [1, 16] [1, 1]
  // CHECK: %[[INTO:.*]] = tensor.empty() : tensor<1x16xf32>
  // CHECK: %[[PART:.*]] = linalg.exp ins(%[[FROM]] : tensor<1x16xf32>) outs(%[[INTO]] : tensor<1x16xf32>)
  // CHECK: %[[NEXT:.*]] = tensor.insert_slice %[[PART]] into %[[ACC]][%[[I]], 0] [1, 16] [1, 1]
  // CHECK: scf.yield %[[NEXT]]
  // CHECK: } {heddle.keeps_shapes, heddle.streams = #flow.streams<4>}
  // CHECK: return %[[Y]]
  %e = tensor.empty() : tensor<7x16xf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 4>} ins(%x : tensor<7x16xf32>) outs(%e : tensor<7x16xf32>) -> tensor<7x16xf32>
  return %y : tensor<7x16xf32>
}

// -----

// Equal parts of fixed size.
// CHECK-LABEL: @columns
func.func @columns(%x: tensor<7x16xf32>) -> tensor<7x16xf32> {
  // CHECK: scf.for %[[I:[a-z0-9]+]] =
  // CHECK: %[[AT:.*]] = arith.muli %[[I]], %c4
  // CHECK: tensor.extract_slice %{{.*}}[0, %[[AT]]] [7, 4] [1, 1]
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[AT]]] [7, 4] [1, 1]
  // CHECK: heddle.streams = #flow.streams<?, ordered>
  %e = tensor.empty() : tensor<7x16xf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<1, ?, parts = 4, ordered>} ins(%x : tensor<7x16xf32>) outs(%e : tensor<7x16xf32>) -> tensor<7x16xf32>
  return %y : tensor<7x16xf32>
}

// -----

// Ragged parts, by the formula of split reductions.
// CHECK-LABEL: @ragged
func.func @ragged(%x: tensor<?x16xf32> {heddle.dims = ["n", ""]}) -> tensor<?x16xf32> {
  // CHECK: %[[N:.*]] = flow.dimension "n"
  // CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %c3
  // CHECK: %[[A:.*]] = arith.muli %[[I]], %[[N]]
  // CHECK: %[[LOW:.*]] = arith.divsi %[[A]], %c3
  // CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c1
  // CHECK: %[[B:.*]] = arith.muli %[[NEXT]], %[[N]]
  // CHECK: %[[HIGH:.*]] = arith.divsi %[[B]], %c3
  // CHECK: %[[SIZE:.*]] = arith.subi %[[HIGH]], %[[LOW]]
  // CHECK: tensor.extract_slice %{{.*}}[%[[LOW]], 0] [%[[SIZE]], 16] [1, 1]
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 4, parts = 3>} ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

// Two neighbours: one loop, and what only it reads is no whole tensor.
// CHECK-LABEL: @neighbours
// CHECK: scf.for
// CHECK-SAME: -> (tensor<7x16xf32>) {
// CHECK: linalg.exp {{.*}} tensor<1x16xf32>
// CHECK: linalg.abs {{.*}} tensor<1x16xf32>
// CHECK: tensor.insert_slice
// CHECK-NOT: tensor.insert_slice
// CHECK-NOT: scf.for
// CHECK: return
func.func @neighbours(%x: tensor<7x16xf32>) -> tensor<7x16xf32> {
  %e = tensor.empty() : tensor<7x16xf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 4>} ins(%x : tensor<7x16xf32>) outs(%e : tensor<7x16xf32>) -> tensor<7x16xf32>
  %z = linalg.abs {heddle.stream = #flow.stream_axis<0, 4>} ins(%y : tensor<7x16xf32>) outs(%e : tensor<7x16xf32>) -> tensor<7x16xf32>
  return %z : tensor<7x16xf32>
}

// -----

// An op that is not marked stands between: two loops.
// CHECK-LABEL: @separated
// CHECK: scf.for
// CHECK: heddle.streams
// CHECK: linalg.abs {{.*}} tensor<7x16xf32>
// CHECK: scf.for
// CHECK: heddle.streams
// CHECK-NOT: scf.for
func.func @separated(%x: tensor<7x16xf32>) -> tensor<7x16xf32> {
  %e = tensor.empty() : tensor<7x16xf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 4>} ins(%x : tensor<7x16xf32>) outs(%e : tensor<7x16xf32>) -> tensor<7x16xf32>
  %u = linalg.abs ins(%y : tensor<7x16xf32>) outs(%e : tensor<7x16xf32>) -> tensor<7x16xf32>
  %z = linalg.exp {heddle.stream = #flow.stream_axis<0, 4>} ins(%u : tensor<7x16xf32>) outs(%e : tensor<7x16xf32>) -> tensor<7x16xf32>
  return %z : tensor<7x16xf32>
}

// -----

// What stands between in the text only moves: one loop, whose result the op reads behind it.
// CHECK-LABEL: @moved
// CHECK: %[[L:.*]]:2 = scf.for
// CHECK: linalg.abs ins(%[[L]]#0
// CHECK-NOT: scf.for
// CHECK: return %{{.*}}, %[[L]]#1
func.func @moved(%x: tensor<7x16xf32>) -> (tensor<7x16xf32>, tensor<7x16xf32>) {
  %e = tensor.empty() : tensor<7x16xf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 4>} ins(%x : tensor<7x16xf32>) outs(%e : tensor<7x16xf32>) -> tensor<7x16xf32>
  %u = linalg.abs ins(%y : tensor<7x16xf32>) outs(%e : tensor<7x16xf32>) -> tensor<7x16xf32>
  %z = linalg.floor {heddle.stream = #flow.stream_axis<0, 4>} ins(%x : tensor<7x16xf32>) outs(%e : tensor<7x16xf32>) -> tensor<7x16xf32>
  return %u, %z : tensor<7x16xf32>, tensor<7x16xf32>
}

// -----

// The other axis, another number of streams, another number of trips: loops of their own.
// CHECK-LABEL: @different
// CHECK-COUNT-4: heddle.streams
// CHECK-NOT: heddle.streams
func.func @different(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.exp {heddle.stream = #flow.stream_axis<0, 4>} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.exp {heddle.stream = #flow.stream_axis<1, 4>} ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = linalg.exp {heddle.stream = #flow.stream_axis<1, 2>} ins(%1 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = linalg.exp {heddle.stream = #flow.stream_axis<1, 2, parts = 2>} ins(%2 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// A reduced axis: parts begin with the neutral element, and are merged into what the op began with.
// CHECK-LABEL: @product
// CHECK-SAME: (%[[A:.*]]: tensor<4x100xf32>, %[[B:.*]]: tensor<100x8xf32>, %[[C:.*]]: tensor<4x8xf32>)
func.func @product(%a: tensor<4x100xf32>, %b: tensor<100x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[P:.*]] = scf.for %[[I:[a-z0-9]+]] = {{.*}} -> (tensor<7x4x8xf32>)
  // CHECK: tensor.extract_slice %[[A]][0, %[[LOW:.*]]] [4, %[[SIZE:.*]]] [1, 1]
  // CHECK: tensor.extract_slice %[[B]][%[[LOW]], 0] [%[[SIZE]], 8] [1, 1]
  // CHECK: linalg.fill
  // CHECK: linalg.matmul {heddle.keeps_layout, heddle.split = 1 : i64}
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[I]], 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x8xf32> into tensor<7x4x8xf32>
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[P]] : tensor<7x4x8xf32>) outs(%[[C]] : tensor<4x8xf32>) attrs = {heddle.split = 1 : i64}
  // CHECK: arith.addf
  %y = linalg.matmul {heddle.stream = #flow.stream_axis<reduced 0, 2, parts = 7>} ins(%a, %b : tensor<4x100xf32>, tensor<100x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// A product of rows and its epilogue of rows.
// CHECK-LABEL: @epilogue
// CHECK: scf.for
// CHECK-SAME: -> (tensor<?x8xf32>) {
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<1x32xf32>, tensor<32x8xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x8xf32>, tensor<8xf32>)
// CHECK-NOT: scf.for
func.func @epilogue(%a: tensor<?x32xf32> {heddle.dims = ["n", ""]}, %b: tensor<32x8xf32>, %c: tensor<8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.matmul {heddle.stream = #flow.stream_axis<0, 4>} ins(%a, %b : tensor<?x32xf32>, tensor<32x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  %m = tensor.dim %y, %c0 : tensor<?x8xf32>
  %g = tensor.empty(%m) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%y, %c : tensor<?x8xf32>, tensor<8xf32>) outs(%g : tensor<?x8xf32>) attrs = {heddle.stream = #flow.stream_axis<0, 4>} {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// Rows that are split between: parts of as many rows as one has.
// CHECK-LABEL: @split
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %c3
// CHECK: linalg.exp {{.*}} tensor<4x8xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [1, 4, 8] : tensor<4x8xf32> into tensor<1x4x8xf32>
// CHECK: linalg.abs {{.*}} tensor<1x4x8xf32>
// CHECK-NOT: scf.for
func.func @split(%x: tensor<12x8xf32>) -> tensor<3x4x8xf32> {
  %e = tensor.empty() : tensor<12x8xf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 2, parts = 3>} ins(%x : tensor<12x8xf32>) outs(%e : tensor<12x8xf32>) -> tensor<12x8xf32>
  %r = tensor.expand_shape %y [[0, 1], [2]] output_shape [3, 4, 8] : tensor<12x8xf32> into tensor<3x4x8xf32>
  %g = tensor.empty() : tensor<3x4x8xf32>
  %z = linalg.abs {heddle.stream = #flow.stream_axis<0, 2>} ins(%r : tensor<3x4x8xf32>) outs(%g : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %z : tensor<3x4x8xf32>
}

// -----

// Merged ones, of free size: a granule for each.
// CHECK-LABEL: @merged
// CHECK: %[[N:.*]] = flow.dimension "n"
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %[[N]]
// CHECK: linalg.exp {{.*}} tensor<1x4x8xf32>
// CHECK: tensor.collapse_shape {{.*}} : tensor<1x4x8xf32> into tensor<4x8xf32>
// CHECK: linalg.abs
// CHECK-NOT: scf.for
func.func @merged(%x: tensor<?x4x8xf32> {heddle.dims = ["n", "", ""]}) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x8xf32>
  %e = tensor.empty(%n) : tensor<?x4x8xf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 2>} ins(%x : tensor<?x4x8xf32>) outs(%e : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  %r = tensor.collapse_shape %y [[0, 1], [2]] : tensor<?x4x8xf32> into tensor<?x8xf32>
  %m = tensor.dim %r, %c0 : tensor<?x8xf32>
  %g = tensor.empty(%m) : tensor<?x8xf32>
  %z = linalg.abs {heddle.stream = #flow.stream_axis<0, 2, granule = 4>} ins(%r : tensor<?x8xf32>) outs(%g : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// -----

// A marked reshape is a copy.
// CHECK-LABEL: @reshape
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %c3
// CHECK: %[[AT:.*]] = {{.*}}%[[I]]
// CHECK: tensor.extract_slice %{{.*}} [4, 8] [1, 1]
// CHECK: tensor.expand_shape
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[I]], 0, 0] [1, 4, 8] [1, 1, 1]
func.func @reshape(%x: tensor<12x8xf32>) -> tensor<3x4x8xf32> {
  %r = tensor.expand_shape %x [[0, 1], [2]] output_shape [3, 4, 8] {heddle.stream = #flow.stream_axis<0, 2>} : tensor<12x8xf32> into tensor<3x4x8xf32>
  return %r : tensor<3x4x8xf32>
}

// -----

// Two axes of one op: loops in one another.
// CHECK-LABEL: @nested
// CHECK: scf.for
// CHECK: scf.for
// CHECK: linalg.exp ins(%{{.*}} : tensor<1x1xf32>)
// CHECK: heddle.streams = #flow.streams<2>
// CHECK: heddle.streams = #flow.streams<3>
func.func @nested(%x: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %y = linalg.exp {heddle.stream = [#flow.stream_axis<0, 3>, #flow.stream_axis<1, 2>]} ins(%x : tensor<7x5xf32>) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}

// -----

// Windows overlap: the slices of the operand do too, those of the result do not.
// CHECK-LABEL: @window
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: tensor.extract_slice %{{.*}}[0, %{{.*}}, 0] [1, 3, 4] [1, 1, 1] : tensor<1x9x4xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[I]], 0] [1, 1, 5] [1, 1, 1]
func.func @window(%x: tensor<1x9x4xf32>, %w: tensor<3x4x5xf32>) -> tensor<1x4x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  %y = linalg.conv_1d_nwc_wcf {strides = dense<2> : vector<1xi64>, heddle.stream = #flow.stream_axis<1, 2>} ins(%x, %w : tensor<1x9x4xf32>, tensor<3x4x5xf32>) outs(%f : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  return %y : tensor<1x4x5xf32>
}

// -----

// A part of free size: no size is asked of what the loop gives.
// CHECK-LABEL: @free_columns
// CHECK: %[[T:.*]] = flow.dimension "t"
// CHECK: scf.for
// CHECK: linalg.exp {{.*}} tensor<?x1xf32>
// CHECK-NOT: tensor.dim
// CHECK: linalg.matmul
// CHECK: tensor.insert_slice
func.func @free_columns(%x: tensor<?x8xf32> {heddle.dims = ["t", ""]}, %w: tensor<8x4xf32>) -> (tensor<?x4xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%t) : tensor<?x8xf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<1, 2>} ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %g = tensor.empty(%t) : tensor<?x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%g : tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = linalg.matmul {heddle.stream = #flow.stream_axis<reduced 0, 2>} ins(%y, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %m, %y : tensor<?x4xf32>, tensor<?x8xf32>
}

// -----

// A granule is a product of a number and named sizes: of all that a free size is inner to.
// CHECK-LABEL: @named
// CHECK-DAG: %[[B:.*]] = flow.dimension "b"
// CHECK-DAG: %[[S:.*]] = flow.dimension "s"
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %[[B]]
// CHECK: %[[AT:.*]] = arith.muli %[[I]], %[[S]]
// CHECK: tensor.extract_slice %{{.*}}[%[[AT]], 0] [%[[S]], 4] [1, 1]
// CHECK: linalg.exp {{.*}} tensor<?x4xf32>
// CHECK: tensor.expand_shape {{.*}} output_shape [1, %[[S]], 4] : tensor<?x4xf32> into tensor<1x?x4xf32>
// CHECK: linalg.abs {{.*}} tensor<1x?x4xf32>
// CHECK-NOT: scf.for
func.func @named(%x: tensor<?x?x4xf32> {heddle.dims = ["b", "s", ""]}) -> tensor<?x?x4xf32> {
  %b = flow.dimension "b"
  %s = flow.dimension "s"
  %n = arith.muli %b, %s : index
  %r = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x4xf32> into tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 2, granule = "s">} ins(%r : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %t = tensor.expand_shape %y [[0, 1], [2]] output_shape [%b, %s, 4] : tensor<?x4xf32> into tensor<?x?x4xf32>
  %g = tensor.empty(%b, %s) : tensor<?x?x4xf32>
  %z = linalg.abs {heddle.stream = #flow.stream_axis<0, 2>} ins(%t : tensor<?x?x4xf32>) outs(%g : tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  return %z : tensor<?x?x4xf32>
}

// -----

// The size of several merged dimensions that a part is asked for is their product.
// CHECK-LABEL: @merged
// CHECK: scf.for
// CHECK-NOT: tensor.dim {{.*}} tensor<?x?xf32>
// CHECK: linalg.abs {{.*}} tensor<1x?xf32>
func.func @merged(%x: tensor<?x2x3x?xf32> {heddle.dims = ["b", "", "", "s"]}) -> tensor<?x?xf32> {
  %b = flow.dimension "b"
  %s = flow.dimension "s"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%b, %s) : tensor<?x2x3x?xf32>
  %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 1>} ins(%x : tensor<?x2x3x?xf32>) outs(%e : tensor<?x2x3x?xf32>) -> tensor<?x2x3x?xf32>
  %r = tensor.collapse_shape %y [[0], [1, 2, 3]] : tensor<?x2x3x?xf32> into tensor<?x?xf32>
  %d0 = tensor.dim %r, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %r, %c1 : tensor<?x?xf32>
  %f = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %z = linalg.abs {heddle.stream = #flow.stream_axis<0, 1>} ins(%r : tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// -----

// Padding, concatenation and softmax keep positions along other dimensions apart, so they share the loop of what they read.
// CHECK-LABEL: @aligned
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %{{.*}}
// CHECK: %[[IN:.*]] = tensor.extract_slice %arg0[%[[I]], 0] [1, 6]
// CHECK: %[[EXP:.*]] = linalg.exp ins(%[[IN]] : tensor<1x6xf32>)
// CHECK: %[[PAD:.*]] = tensor.pad %[[EXP]] low[0, 1] high[0, %arg1]
// CHECK: : tensor<1x6xf32> to tensor<1x?xf32>
// CHECK: %[[OTHER:.*]] = tensor.extract_slice %arg2[%[[I]], 0] [1, 5]
// CHECK: %[[BOTH:.*]] = tensor.concat dim(1) %[[PAD]], %[[OTHER]] : (tensor<1x?xf32>, tensor<1x5xf32>) -> tensor<1x?xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty(%{{.*}}) : tensor<1x?xf32>
// CHECK: linalg.softmax dimension(1) ins(%[[BOTH]] : tensor<1x?xf32>) outs(%[[EMPTY]] : tensor<1x?xf32>) -> tensor<1x?xf32>
// CHECK: tensor.insert_slice
// CHECK-NOT: scf.for
// CHECK-NOT: heddle.stream =
func.func @aligned(%x: tensor<?x6xf32> {heddle.dims = ["b", ""]}, %more: index, %y: tensor<?x5xf32> {heddle.dims = ["b", ""]}) -> tensor<?x?xf32> {
  %b = flow.dimension "b"
  %c12 = arith.constant 12 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%b) : tensor<?x6xf32>
  %0 = linalg.exp {heddle.stream = #flow.stream_axis<0, 2>} ins(%x : tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  %1 = tensor.pad %0 low[0, 1] high[0, %more] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } {heddle.stream = #flow.stream_axis<0, 2>} : tensor<?x6xf32> to tensor<?x?xf32>
  %2 = tensor.concat dim(1) %1, %y {heddle.stream = #flow.stream_axis<0, 2>} : (tensor<?x?xf32>, tensor<?x5xf32>) -> tensor<?x?xf32>
  %size = arith.addi %more, %c12 : index
  %f = tensor.empty(%b, %size) : tensor<?x?xf32>
  %3 = linalg.softmax {heddle.stream = #flow.stream_axis<0, 2>} dimension(1) ins(%2 : tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// -----

// The size of what is joined is told by what is read, so that no whole concatenation is left.
// CHECK-LABEL: @joined
// CHECK-NOT: tensor.concat
// CHECK: tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?xf32>
// CHECK: scf.for
// CHECK: tensor.concat dim(1) {{.*}} -> tensor<1x?xf32>
// CHECK: scf.yield
// CHECK-NOT: tensor.concat
func.func @joined(%x: tensor<?x?xf32> {heddle.dims = ["b", "s"]}, %y: tensor<?x5xf32> {heddle.dims = ["b", ""]}) -> tensor<?x?xf32> {
  %0 = tensor.concat dim(1) %x, %y {heddle.stream = #flow.stream_axis<0, 2>} : (tensor<?x?xf32>, tensor<?x5xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
