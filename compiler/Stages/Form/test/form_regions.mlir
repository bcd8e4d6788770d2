// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --form-regions | FileCheck %s

// A contraction takes its elementwise epilogue; the fill and the empty tensors are the region's own.

// CHECK-LABEL: @epilogue
// CHECK-NOT: linalg
// CHECK: %[[R:.*]] = flow.region -> (tensor<8x4xf32>)
// CHECK: tensor.empty
// CHECK: linalg.fill
// CHECK: linalg.matmul
// CHECK: linalg.generic
// CHECK: flow.return
// CHECK: return %[[R]]
func.func @epilogue(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %bias: tensor<4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %m = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%m, %bias : tensor<8x4xf32>, tensor<4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// Softmax is one region: the maximum, the exponentials, their sum and the quotient walk the same rows.

// CHECK-LABEL: @softmax
// CHECK: flow.region
// CHECK-COUNT-4: linalg.generic
// CHECK: flow.return
// CHECK-NOT: flow.region
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @softmax(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x16xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xf32>) outs(%f0 : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = arith.maximumf %v, %o : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<8x16xf32>, tensor<8xf32>) outs(%e2 : tensor<8x16xf32>) {
  ^bb0(%v: f32, %m: f32, %o: f32):
    %d = arith.subf %v, %m : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<8x16xf32>) outs(%f1 : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.addf %v, %o : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %div = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<8x16xf32>, tensor<8xf32>) outs(%e2 : tensor<8x16xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %r = arith.divf %v, %s : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %div : tensor<8x16xf32>
}

// -----

// Two contractions are two regions.

// CHECK-LABEL: @two_matmuls
// CHECK-COUNT-2: flow.region
// CHECK-NOT: flow.region
func.func @two_matmuls(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = linalg.matmul ins(%m, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %n : tensor<4x4xf32>
}

// -----

// A result that something else reads as well stays its own region.

// CHECK-LABEL: @shared
// CHECK-COUNT-2: flow.region
// CHECK-NOT: flow.region
#id = affine_map<(i) -> (i)>
func.func @shared(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.addf %v, %v : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.mulf %v, %v : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// A pool and a depthwise convolution read padding where it is, and take their epilogue too.

// CHECK-LABEL: @padded_pool
// CHECK: flow.region
// CHECK: tensor.pad
// CHECK: linalg.pooling_nhwc_max
// CHECK: linalg.exp
// CHECK: flow.return
// CHECK-NOT: flow.region
func.func @padded_pool(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %i: index, %j: index, %c: index):
    tensor.yield %low : f32
  } : tensor<1x4x4x8xf32> to tensor<1x6x6x8xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x4x4x8xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %m = linalg.pooling_nhwc_max ins(%p, %w : tensor<1x6x6x8xf32>, tensor<3x3xf32>) outs(%f : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %r = linalg.exp ins(%m : tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %r : tensor<1x4x4x8xf32>
}

// -----

// Other convolutions read an element many times: their operand is padded where it is computed, or in a region of its own. So is padding along the last
// dimension of large windows; small ones read it where it is.

// CHECK-LABEL: @padded_convolutions
// CHECK: flow.region
// CHECK: tensor.pad
// CHECK: flow.return
// CHECK: flow.region
// CHECK-NOT: tensor.pad
// CHECK: linalg.conv_1d_nwc_wcf
// CHECK: flow.return
// CHECK: flow.region
// CHECK: tensor.pad
// CHECK: flow.return
// CHECK: flow.region
// CHECK: linalg.pooling_nchw_max
// CHECK: flow.return
// CHECK: flow.region
// CHECK: tensor.pad
// CHECK: linalg.pooling_nchw_max
// CHECK: flow.return
func.func @padded_convolutions(%x: tensor<1x8x3xf32>, %w: tensor<3x3x5xf32>, %y: tensor<1x2x4x12xf32>) -> (tensor<1x8x5xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x12xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%n: index, %i: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x8x3xf32> to tensor<1x10x3xf32>
  %e = tensor.empty() : tensor<1x8x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x5xf32>) -> tensor<1x8x5xf32>
  %r = linalg.conv_1d_nwc_wcf ins(%p, %w : tensor<1x10x3xf32>, tensor<3x3x5xf32>) outs(%f : tensor<1x8x5xf32>) -> tensor<1x8x5xf32>
  %q = tensor.pad %y low[0, 0, 3, 1] high[0, 0, 3, 1] {
  ^bb0(%n: index, %c: index, %i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<1x2x4x12xf32> to tensor<1x2x10x14xf32>
  %v = tensor.empty() : tensor<7x11xf32>
  %g = tensor.empty() : tensor<1x2x4x4xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %m = linalg.pooling_nchw_max ins(%q, %v : tensor<1x2x10x14xf32>, tensor<7x11xf32>) outs(%h : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %s = tensor.pad %y low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<1x2x4x12xf32> to tensor<1x2x6x14xf32>
  %t = tensor.empty() : tensor<3x3xf32>
  %a = tensor.empty() : tensor<1x2x4x12xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<1x2x4x12xf32>) -> tensor<1x2x4x12xf32>
  %d = linalg.pooling_nchw_max ins(%s, %t : tensor<1x2x6x14xf32>, tensor<3x3xf32>) outs(%b : tensor<1x2x4x12xf32>) -> tensor<1x2x4x12xf32>
  return %r, %m, %d : tensor<1x8x5xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x12xf32>
}

// -----

// A convolution writes its result where the pad has it, after its epilogue; not where pools read the padding in place,
// nor where something else reads the result, too.

// CHECK-LABEL: @padded_results
// CHECK: flow.region
// CHECK: linalg.conv_1d_nwc_wcf
// CHECK: linalg.generic
// CHECK: tensor.pad
// CHECK: flow.return
// CHECK: flow.region
// CHECK-NOT: tensor.pad
// CHECK: linalg.conv_1d_nwc_wcf
// CHECK-NOT: tensor.pad
// CHECK: flow.return
// CHECK: flow.region
// CHECK-NOT: linalg
// CHECK: tensor.pad
// CHECK: flow.return
func.func @padded_results(%x: tensor<1x8x3xf32>, %w: tensor<3x3x5xf32>, %v: tensor<3x5x5xf32>) -> (tensor<1x6x5xf32>, tensor<1x8x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x5xf32>) -> tensor<1x6x5xf32>
  %a = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<1x8x3xf32>, tensor<3x3x5xf32>) outs(%f : tensor<1x6x5xf32>) -> tensor<1x6x5xf32>
  %relu = linalg.generic {indexing_maps = [affine_map<(n, i, c) -> (n, i, c)>, affine_map<(n, i, c) -> (n, i, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<1x6x5xf32>) outs(%e : tensor<1x6x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %most = arith.maximumf %in, %zero : f32
    linalg.yield %most : f32
  } -> tensor<1x6x5xf32>
  %p = tensor.pad %relu low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%n: index, %i: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x6x5xf32> to tensor<1x8x5xf32>
  %b = linalg.conv_1d_nwc_wcf ins(%p, %v : tensor<1x8x5xf32>, tensor<3x5x5xf32>) outs(%f : tensor<1x6x5xf32>) -> tensor<1x6x5xf32>
  %q = tensor.pad %b low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%n: index, %i: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x6x5xf32> to tensor<1x8x5xf32>
  return %b, %q : tensor<1x6x5xf32>, tensor<1x8x5xf32>
}

// -----

// Sizes of a padded result are those of the source, which its init tells, and the amounts; some may be known of one only.
// CHECK-LABEL: func.func @padded_sizes(
// CHECK-SAME: %[[N:[a-z0-9]*]]: index, %[[L:[a-z0-9]*]]: index
// CHECK: %[[S:.*]] = affine.apply {{.*}}()[%[[L]]]
// CHECK: flow.region {{.*}}-> (tensor<?x?x3x5xf32>{%[[N]], %[[S]]})
// CHECK: linalg.generic
// CHECK: tensor.pad
func.func @padded_sizes(%n: index, %l: index, %one: index, %x: tensor<?x?x?x4xf32>, %w: tensor<4x5xf32>) -> tensor<?x?x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n, %l, %one) : tensor<?x?x?x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x5xf32>) -> tensor<?x?x?x5xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, i, j, f, c) -> (n, i, j, c)>, affine_map<(n, i, j, f, c) -> (c, f)>, affine_map<(n, i, j, f, c) -> (n, i, j, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?x?x4xf32>, tensor<4x5xf32>) outs(%f : tensor<?x?x?x5xf32>) {
  ^bb0(%u: f32, %v: f32, %sum: f32):
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?x5xf32>
  %p = tensor.pad %a low[0, 2, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x5xf32> to tensor<?x?x3x5xf32>
  return %p : tensor<?x?x3x5xf32>
}

// -----

// Rows and columns of a tensor that only the loop carries are written in place, without a dispatch; where something else
// reads the tensor, a dispatch makes a new one.
// CHECK-LABEL: func.func @update
func.func @update(%row: tensor<8xf32>, %column: tensor<4xf32>, %n: index) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tensor.empty
  %y = tensor.empty() : tensor<4x8xf32>
  // CHECK: scf.for
  // CHECK-NOT: flow.region
  // CHECK: tensor.insert_slice
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> (tensor<4x8xf32>) {
    %b = tensor.insert_slice %row into %a[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>
    scf.yield %b : tensor<4x8xf32>
  }
  // CHECK: scf.for
  // CHECK-NOT: flow.region
  // CHECK: tensor.insert_slice
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> (tensor<4x8xf32>) {
    %b = tensor.insert_slice %column into %a[0, %i] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x8xf32>
    scf.yield %b : tensor<4x8xf32>
  }
  // CHECK: scf.for
  // CHECK: flow.region
  // CHECK-NEXT: tensor.insert_slice
  %t:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y, %before = %y) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %b = tensor.insert_slice %row into %a[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>
    scf.yield %b, %a : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %r, %s, %t#1 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A slice that only a region reads is the region's own, also where somebody asks for its size: that is resolved later.

// CHECK-LABEL: @slice_of_unknown_size
// CHECK: flow.region
// CHECK-NEXT: tensor.extract_slice
// CHECK-NEXT: tensor.concat
func.func @slice_of_unknown_size(%x: tensor<?x17xf32>, %n: index) -> tensor<?x26xf32> {
  %s = tensor.extract_slice %x[0, 8] [%n, 9] [1, 1] : tensor<?x17xf32> to tensor<?x9xf32>
  %c = tensor.concat dim(1) %s, %x : (tensor<?x9xf32>, tensor<?x17xf32>) -> tensor<?x26xf32>
  return %c : tensor<?x26xf32>
}

// -----

// A slice of state that the function gives a new value is the host program's to write; of state that it only reads, a
// region's, which makes a tensor of its own.
flow.global private @cache : tensor<8x4xf32>
// CHECK-LABEL: func.func @stored
// CHECK-NOT: flow.region
// CHECK: tensor.insert_slice
// CHECK-NOT: flow.region
// CHECK: return
func.func @stored(%row: tensor<1x4xf32>, %cache: tensor<8x4xf32> {heddle.state = @cache})
    -> (tensor<8x4xf32> {heddle.state = @cache}) {
  %0 = tensor.insert_slice %row into %cache[2, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
// CHECK-LABEL: func.func @only_read
// CHECK: flow.region
// CHECK-NEXT: tensor.insert_slice
func.func @only_read(%row: tensor<1x4xf32>, %cache: tensor<8x4xf32> {heddle.state = @cache}) -> tensor<8x4xf32> {
  %0 = tensor.insert_slice %row into %cache[2, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// Rows that are read as columns are not the reader's rows.

// CHECK-LABEL: @sums_of_columns
// CHECK: flow.region
// CHECK: math.exp
// CHECK: flow.return
// CHECK: flow.region
// CHECK: arith.addf
// CHECK: flow.return
func.func @sums_of_columns(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %exp = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = math.exp %v : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<8x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.addf %v, %o : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// -----

// An op that repeats a product's rows is no epilogue: the product would be computed once for each repetition.

// CHECK-LABEL: @repeated_product
// CHECK: flow.region
// CHECK: linalg.matmul
// CHECK: flow.return
// CHECK: flow.region
// CHECK: arith.addf
// CHECK: flow.return
func.func @repeated_product(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %m = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  %e3 = tensor.empty() : tensor<2x8x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, i, j) -> (i, j)>, affine_map<(n, i, j) -> (n, i, j)>,
                                        affine_map<(n, i, j) -> (n, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %c : tensor<8x4xf32>, tensor<2x8x4xf32>) outs(%e3 : tensor<2x8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<2x8x4xf32>
  return %r : tensor<2x8x4xf32>
}

// -----

// What is updated is computed in the same region: its size is that of its own destination, which stands before.

// CHECK-LABEL: @updates_what_it_holds
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK-NOT: tensor.dim
// CHECK: flow.region -> (tensor<?xf32>{%[[N]]})
// CHECK: linalg.max
// CHECK: linalg.generic
func.func @updates_what_it_holds(%a: tensor<?xf32>, %b: tensor<?xf32>, %n: index, %c: i1) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %m = linalg.max ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%c, %m, %b : i1, tensor<?xf32>, tensor<?xf32>) outs(%m : tensor<?xf32>) {
  ^bb0(%p: i1, %x: f32, %y: f32, %o: f32):
    %s = arith.select %p, %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
