// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --ranks-overlap=pieces=2 | FileCheck %s
// RUN: heddle-opt %s --split-input-file --ranks-overlap=pieces=1 | FileCheck %s --check-prefix=OFF

// RUN: heddle-opt %s --split-input-file --ranks-overlap=pieces=-1 | FileCheck %s --check-prefix=AROUND

// Rows of each member; the products and what follows element by element are of each piece, which are put together by member.
device.mesh @m = [x = 4]
// CHECK-LABEL: @gathered
// CHECK: %[[X0:.*]] = tensor.extract_slice %arg0[0, 0] [3, 32] [1, 1] {flow.piece} : tensor<6x32xf32> to tensor<3x32xf32>
// CHECK: %[[G0:.*]] = flow.all_gather %[[X0]] dim 0 over @m["x"] : tensor<3x32xf32> -> tensor<12x32xf32>
// CHECK: %[[P0:.*]] = linalg.matmul ins(%[[G0]], %arg1 {{.*}} -> tensor<12x8xf32>
// CHECK: tensor.expand_shape %arg2 {{.*}} output_shape [4, 6, 8] : tensor<24x8xf32> into tensor<4x6x8xf32>
// CHECK: tensor.extract_slice {{.*}}[0, 0, 0] [4, 3, 8] [1, 1, 1]
// CHECK: %[[Y0:.*]] = linalg.add ins(%[[P0]]
// CHECK: tensor.extract_slice %arg0[3, 0] [3, 32] [1, 1]
// CHECK: tensor.concat dim(1) {{.*}} : (tensor<4x3x8xf32>, tensor<4x3x8xf32>) -> tensor<4x6x8xf32>
// CHECK: tensor.collapse_shape {{.*}} : tensor<4x6x8xf32> into tensor<24x8xf32>
// AROUND-LABEL: @gathered
// AROUND: %[[ALL:.*]] = tensor.empty() {flow.filled = 0 : i64} : tensor<24x8xf32>
// AROUND: %[[PLACE:.*]] = flow.coordinate @m "x"
// AROUND: %[[AT:.*]] = arith.muli %[[PLACE]], %{{.*}} : index
// AROUND: %[[P:.*]] = linalg.matmul ins(%arg0, %arg1 {{.*}} -> tensor<6x8xf32>
// AROUND: tensor.extract_slice %arg2[%[[AT]], 0] [6, 8] [1, 1] {flow.piece}
// AROUND: %[[Y:.*]] = linalg.add ins(%[[P]]
// AROUND: tensor.insert_slice %[[Y]] into %[[ALL]][%[[AT]], 0] [6, 8] [1, 1]
// AROUND: arith.addi %{{.*}}, %{{.*}} : index
// AROUND: arith.remsi %{{.*}}, %{{.*}} : index
// AROUND: flow.permute %arg0 shift 3 over @m["x"] : tensor<6x32xf32>
// AROUND: flow.permute %arg0 shift 2 over @m["x"] : tensor<6x32xf32>
// AROUND: flow.permute %arg0 shift 1 over @m["x"] : tensor<6x32xf32>
// AROUND-NOT: flow.permute
// AROUND: return
// OFF-LABEL: @gathered
// OFF-NOT: extract_slice
func.func @gathered(%x: tensor<6x32xf32>, %w: tensor<32x8xf32>, %b: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x8xf32>
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<6x32xf32> -> tensor<24x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  %p = linalg.matmul ins(%g, %w : tensor<24x32xf32>, tensor<32x8xf32>) outs(%f : tensor<24x8xf32>) -> tensor<24x8xf32>
  %y = linalg.add ins(%p, %b : tensor<24x8xf32>, tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  return %y : tensor<24x8xf32>
}

// -----

// Several products of what was gathered along the columns: rows lie behind one another.
device.mesh @m = [x = 4]
// CHECK-LABEL: @columns
// CHECK-COUNT-2: flow.all_gather {{.*}} dim 1 over @m["x"] : tensor<3x8xf32> -> tensor<3x32xf32>
// CHECK: tensor.concat dim(0)
// CHECK: tensor.concat dim(0)
func.func @columns(%x: tensor<6x8xf32>, %w: tensor<32x8xf32>, %v: tensor<32x8xf32>, %i: tensor<6x8xf32>)
    -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %g = flow.all_gather %x dim 1 over @m["x"] : tensor<6x8xf32> -> tensor<6x32xf32>
  %p = linalg.matmul ins(%g, %w : tensor<6x32xf32>, tensor<32x8xf32>) outs(%i : tensor<6x8xf32>) -> tensor<6x8xf32>
  %q = linalg.matmul ins(%g, %v : tensor<6x32xf32>, tensor<32x8xf32>) outs(%i : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %p, %q : tensor<6x8xf32>, tensor<6x8xf32>
}

// -----

// A batch of one: rows are the outermost dimension that is cut. Seven rows are three and four.
device.mesh @m = [x = ?]
// CHECK-LABEL: @reduced
// CHECK: tensor.extract_slice %arg0[0, 0, 0] [1, 3, 32] [1, 1, 1]
// CHECK: %[[P0:.*]] = linalg.batch_matmul {{.*}} -> tensor<1x3x8xf32>
// CHECK: %[[Y0:.*]] = flow.all_reduce %[[P0]] sum over @m["x"] : tensor<1x3x8xf32>
// CHECK: tensor.extract_slice %arg0[0, 3, 0] [1, 4, 32] [1, 1, 1]
// CHECK: %[[Y1:.*]] = flow.all_reduce {{.*}} : tensor<1x4x8xf32>
// CHECK: tensor.concat dim(1) %[[Y0]], %[[Y1]]
func.func @reduced(%x: tensor<1x7x32xf32>, %w: tensor<1x32x8xf32>) -> tensor<1x7x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x8xf32>) -> tensor<1x7x8xf32>
  %p = linalg.batch_matmul ins(%x, %w : tensor<1x7x32xf32>, tensor<1x32x8xf32>) outs(%f : tensor<1x7x8xf32>) -> tensor<1x7x8xf32>
  %y = flow.all_reduce %p sum over @m["x"] : tensor<1x7x8xf32>
  return %y : tensor<1x7x8xf32>
}

// -----

// Of each member's rows a part; columns of free size.
device.mesh @m = [x = 4]
// CHECK-LABEL: @scattered
// CHECK: tensor.expand_shape %arg0 {{.*}} : tensor<24x?xf32> into tensor<4x6x?xf32>
// CHECK: tensor.extract_slice {{.*}}[0, 0, 0] [4, 3, %{{.*}}] [1, 1, 1]
// CHECK: flow.reduce_scatter {{.*}} sum dim 0 over @m["x"] : tensor<12x8xf32> -> tensor<3x8xf32>
// CHECK: tensor.concat dim(0) {{.*}} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<6x8xf32>
func.func @scattered(%x: tensor<24x?xf32>, %w: tensor<?x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<24x?xf32>, tensor<?x8xf32>) outs(%f : tensor<24x8xf32>) -> tensor<24x8xf32>
  %y = flow.reduce_scatter %p sum dim 0 over @m["x"] : tensor<24x8xf32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// Nothing is cut: no product; another reader of the sum's operand; rows that are counted; the gathered dimension is summed
// over and there is one row; what is gathered is returned, too.
device.mesh @m = [x = 4]
// CHECK-LABEL: @whole
// CHECK-NOT: extract_slice
func.func @whole(%x: tensor<6x8xf32>, %row: tensor<1x8xf32>, %w: tensor<8x8xf32>, %v: tensor<32x8xf32>, %i: tensor<6x8xf32>, %o: tensor<1x8xf32>)
    -> (tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<1x8xf32>, tensor<1x32xf32>) {
  %0 = linalg.exp ins(%x : tensor<6x8xf32>) outs(%i : tensor<6x8xf32>) -> tensor<6x8xf32>
  %1 = flow.all_reduce %0 sum over @m["x"] : tensor<6x8xf32>
  %2 = linalg.matmul ins(%x, %w : tensor<6x8xf32>, tensor<8x8xf32>) outs(%i : tensor<6x8xf32>) -> tensor<6x8xf32>
  %3 = flow.all_reduce %2 max over @m["x"] : tensor<6x8xf32>
  %g = flow.all_gather %row dim 1 over @m["x"] : tensor<1x8xf32> -> tensor<1x32xf32>
  %4 = linalg.matmul ins(%g, %v : tensor<1x32xf32>, tensor<32x8xf32>) outs(%o : tensor<1x8xf32>) -> tensor<1x8xf32>
  return %1, %2, %3, %4, %g : tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<1x8xf32>, tensor<1x32xf32>
}

// -----

// By the account: 20 us of each step of a ring are more than this product; with 2,048 rows of 4,096 they are not.
// RUN: heddle-opt %s --split-input-file --ranks-overlap | FileCheck %s --check-prefix=COST
// COST: heddle.overlaps = ["all_reduce of tensor<64x64xf32> is moved whole, with the product beside it in {{[0-9]+}} ns (2 ranks): in 2 to 16 pieces it takes no less, {{[0-9]+}} ns at best",
// COST-SAME: "all_reduce of tensor<2048x4096xf32> is moved in 16 pieces beside the product that makes it: {{[0-9]+}} ns, whole {{[0-9]+}} ns (2 ranks)"]
device.mesh @m = [x = 2]
// CHECK-LABEL: @small
// COST-LABEL: @small
// COST-NOT: extract_slice
func.func @small(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %i: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = flow.all_reduce %p sum over @m["x"] : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
// COST-LABEL: @large
// COST-COUNT-16: flow.all_reduce {{.*}} : tensor<128x4096xf32>
// COST-NOT: flow.all_reduce
func.func @large(%x: tensor<2048x4096xf32>, %w: tensor<4096x4096xf32>, %i: tensor<2048x4096xf32>) -> tensor<2048x4096xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<2048x4096xf32>, tensor<4096x4096xf32>) outs(%i : tensor<2048x4096xf32>) -> tensor<2048x4096xf32>
  %y = flow.all_reduce %p sum over @m["x"] : tensor<2048x4096xf32>
  return %y : tensor<2048x4096xf32>
}

// -----

// Reshapes between the product and the collective move to its other side: a product of batch and rows as one dimension.
device.mesh @m = [x = 2]
// CHECK-LABEL: @reshaped_sum
// COST-LABEL: @reshaped_sum
// CHECK: flow.all_reduce {{.*}} : tensor<12x8xf32>
// CHECK: flow.all_reduce {{.*}} : tensor<12x8xf32>
// CHECK: tensor.concat dim(0)
// CHECK: tensor.expand_shape {{.*}} : tensor<24x8xf32> into tensor<4x6x8xf32>
func.func @reshaped_sum(%x: tensor<24x16xf32>, %w: tensor<16x8xf32>, %i: tensor<24x8xf32>) -> tensor<4x6x8xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<24x16xf32>, tensor<16x8xf32>) outs(%i : tensor<24x8xf32>) -> tensor<24x8xf32>
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [4, 6, 8] : tensor<24x8xf32> into tensor<4x6x8xf32>
  %y = flow.all_reduce %e sum over @m["x"] : tensor<4x6x8xf32>
  return %y : tensor<4x6x8xf32>
}
// CHECK-LABEL: @reshaped_scatter
// CHECK: flow.reduce_scatter {{.*}} sum dim 0 over @m["x"] : tensor<12x8xf32> -> tensor<6x8xf32>
// CHECK: tensor.concat dim(0)
// CHECK: tensor.expand_shape {{.*}} : tensor<12x8xf32> into tensor<1x12x8xf32>
func.func @reshaped_scatter(%x: tensor<24x16xf32>, %w: tensor<16x8xf32>, %i: tensor<24x8xf32>) -> tensor<1x12x8xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<24x16xf32>, tensor<16x8xf32>) outs(%i : tensor<24x8xf32>) -> tensor<24x8xf32>
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [1, 24, 8] : tensor<24x8xf32> into tensor<1x24x8xf32>
  %y = flow.reduce_scatter %e sum dim 1 over @m["x"] : tensor<1x24x8xf32> -> tensor<1x12x8xf32>
  return %y : tensor<1x12x8xf32>
}
// CHECK-LABEL: @reshaped_gather
// CHECK: tensor.collapse_shape %arg0 {{.*}} : tensor<1x12x16xf32> into tensor<12x16xf32>
// CHECK: flow.all_gather {{.*}} dim 0 over @m["x"] : tensor<6x16xf32> -> tensor<12x16xf32>
func.func @reshaped_gather(%x: tensor<1x12x16xf32>, %w: tensor<16x8xf32>, %i: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %g = flow.all_gather %x dim 1 over @m["x"] : tensor<1x12x16xf32> -> tensor<1x24x16xf32>
  %c = tensor.collapse_shape %g [[0, 1], [2]] : tensor<1x24x16xf32> into tensor<24x16xf32>
  %p = linalg.matmul ins(%c, %w : tensor<24x16xf32>, tensor<16x8xf32>) outs(%i : tensor<24x8xf32>) -> tensor<24x8xf32>
  return %p : tensor<24x8xf32>
}
// A batch of several: the rows of each member lie in each of its batches. Nothing moves.
// CHECK-LABEL: @reshaped_batch
// CHECK: flow.all_gather %arg0 dim 1 over @m["x"] : tensor<4x3x16xf32> -> tensor<4x6x16xf32>
func.func @reshaped_batch(%x: tensor<4x3x16xf32>, %w: tensor<16x8xf32>, %i: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %g = flow.all_gather %x dim 1 over @m["x"] : tensor<4x3x16xf32> -> tensor<4x6x16xf32>
  %c = tensor.collapse_shape %g [[0, 1], [2]] : tensor<4x6x16xf32> into tensor<24x16xf32>
  %p = linalg.matmul ins(%c, %w : tensor<24x16xf32>, tensor<16x8xf32>) outs(%i : tensor<24x8xf32>) -> tensor<24x8xf32>
  return %p : tensor<24x8xf32>
}

// -----

// Pieces that need not be of one size stay what they are along their own dimension; equal ones need not be said.
device.mesh @m = [x = 2]
// CHECK-LABEL: @ragged
// CHECK-COUNT-2: flow.all_gather {{.*}} dim 1 cut({{.*}}) over @m["x"] : tensor<3x?xf32>{{.*}} -> tensor<3x33xf32>
// CHECK-NOT: flow.all_gather
// CHECK-LABEL: @ragged_rows
// CHECK: flow.all_gather %arg0 dim 0 cut({{.*}}) over @m["x"] : tensor<?x16xf32>{{.*}} -> tensor<33x16xf32>
// CHECK-LABEL: @equal
// CHECK-COUNT-2: flow.all_gather {{.*}} dim 0 over @m["x"] : tensor<3x16xf32> -> tensor<6x16xf32>
func.func @ragged(%x: tensor<6x?xf32>, %w: tensor<33x8xf32>, %i: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c33 = arith.constant 33 : index
  %d = tensor.dim %x, %c1 : tensor<6x?xf32>
  %g = flow.all_gather %x dim 1 cut(%c33, %c1, %c0, %c2) over @m["x"] : tensor<6x?xf32>{%d} -> tensor<6x33xf32>
  %p = linalg.matmul ins(%g, %w : tensor<6x33xf32>, tensor<33x8xf32>) outs(%i : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %p : tensor<6x8xf32>
}
func.func @ragged_rows(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %i: tensor<33x8xf32>) -> tensor<33x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c33 = arith.constant 33 : index
  %d = tensor.dim %x, %c0 : tensor<?x16xf32>
  %g = flow.all_gather %x dim 0 cut(%c33, %c1, %c0, %c2) over @m["x"] : tensor<?x16xf32>{%d} -> tensor<33x16xf32>
  %p = linalg.matmul ins(%g, %w : tensor<33x16xf32>, tensor<16x8xf32>) outs(%i : tensor<33x8xf32>) -> tensor<33x8xf32>
  return %p : tensor<33x8xf32>
}
func.func @equal(%x: tensor<6x16xf32>, %w: tensor<16x8xf32>, %i: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  %g = flow.all_gather %x dim 0 cut(%c12, %c1, %c0, %c2) over @m["x"] : tensor<6x16xf32> -> tensor<12x16xf32>
  %p = linalg.matmul ins(%g, %w : tensor<12x16xf32>, tensor<16x8xf32>) outs(%i : tensor<12x8xf32>) -> tensor<12x8xf32>
  return %p : tensor<12x8xf32>
}

// -----

// A product of all that another one makes is not made in pieces, nor is what is read otherwise than it is cut.
// CHECK: heddle.overlaps = ["all_gather of tensor<4x8xf32> is moved whole: one product reads all that another one makes", "all_gather {{.*}} whole: one product reads {{.*}}", "all_gather of tensor<4x8xf32> is moved in 2 pieces beside the products that read it: {{[0-9]+}} ns, whole {{[0-9]+}} ns (2 ranks); so many were asked for"]
device.mesh @m = [x = 2]
#row = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: @reads_all
// CHECK-COUNT-1: flow.all_gather
// CHECK-NOT: flow.all_gather
// CHECK-LABEL: @reads_columns
// CHECK-COUNT-1: flow.all_gather
// CHECK-NOT: flow.all_gather
// CHECK-LABEL: @reads_rows
// CHECK-COUNT-2: flow.all_gather
func.func @reads_all(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %i: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<4x8xf32> -> tensor<8x8xf32>
  %p = linalg.matmul ins(%g, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%g, %p : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %q : tensor<8x8xf32>
}
func.func @reads_columns(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %i: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<4x8xf32> -> tensor<8x8xf32>
  %p = linalg.matmul ins(%g, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %q : tensor<8x8xf32>
}
func.func @reads_rows(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %i: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<4x8xf32> -> tensor<8x8xf32>
  %p = linalg.matmul ins(%g, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%g, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%p : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %q : tensor<8x8xf32>
}

// -----

// Read by a work and, in front of the last one, by what is none: it stands behind. And an operand of a size that is not
// known.
device.mesh @m = [x = 2]
// CHECK-LABEL: @read_between
// CHECK-COUNT-2: flow.all_gather
// CHECK: linalg.reduce
// CHECK-LABEL: @unknown_size
// CHECK-COUNT-1: flow.all_gather
// CHECK-NOT: flow.all_gather
func.func @read_between(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %i: tensor<8x8xf32>, %j: tensor<8xf32>)
    -> (tensor<8x8xf32>, tensor<8xf32>) {
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<4x8xf32> -> tensor<8x8xf32>
  %p = linalg.matmul ins(%g, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.reduce {arith.addf} ins(%p : tensor<8x8xf32>) outs(%j : tensor<8xf32>) dimensions = [0]
  %q = linalg.add ins(%g, %p : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %q, %r : tensor<8x8xf32>, tensor<8xf32>
}
func.func @unknown_size(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %i: tensor<8x8xf32>, %b: tensor<?x8xf32>)
    -> tensor<8x8xf32> {
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<4x8xf32> -> tensor<8x8xf32>
  %p = linalg.matmul ins(%g, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.add ins(%p, %b : tensor<8x8xf32>, tensor<?x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %q : tensor<8x8xf32>
}

// -----

// Rows that only the call knows: up to two pieces, into memory of the whole's.
device.mesh @m = [x = 2]
// CHECK: heddle.overlaps = ["all_reduce of tensor<?x8xf32> is moved in up to 2 pieces of its free size, as was asked for"
// CHECK-LABEL: @free_rows
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x32xf32>
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]]
// COST: heddle.overlaps = ["all_reduce of tensor<?x8xf32> is moved in up to 4 pieces of its free size, one for each [[POSITIONS:[0-9]+]] positions", "all_gather of tensor<?x32xf32> is moved
// CHECK: %[[MOST:.*]] = arith.minsi %[[ROWS]], %{{.*}} : index
// CHECK: %[[COUNT:.*]] = arith.maxsi %[[MOST]], %{{.*}} : index
// CHECK: %[[ALL:.*]] = arith.muli %{{.*}}, %[[ROWS]] : index
// CHECK: arith.divsi %[[ALL]], %[[COUNT]] : index
// CHECK: tensor.extract_slice %[[X]][%{{.*}}, 0] [%{{.*}}, 32] [1, 1] {flow.piece} : tensor<?x32xf32> to tensor<?x32xf32>
// CHECK: flow.all_reduce
// CHECK: flow.all_reduce
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
// COST-LABEL: @free_rows
// COST: %[[PIECES:.*]] = arith.divsi %{{.*}}, %{{.*}} : index
// COST: arith.minsi %[[PIECES]], %{{.*}} : index
// COST: tensor.empty(%{{.*}}) {flow.filled = 0 : i64} : tensor<?x8xf32>
// COST-COUNT-4: flow.all_reduce
// COST-NOT: flow.all_reduce
// Parts of each member's rows are copied, so of few rows the whole is moved.
// CHECK-LABEL: @free_gathered
// CHECK: %[[SMALL:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: scf.if %[[SMALL]] -> (tensor<?x8xf32>) {
// CHECK:   flow.all_gather %{{.*}} dim 0 over @m["x"] : tensor<?x32xf32>{%{{.*}}} -> tensor<?x32xf32>{%{{.*}}}
// CHECK: } else {
// CHECK: %[[G0:.*]] = flow.all_gather {{.*}} dim 0 over @m["x"] : tensor<?x32xf32>{%{{.*}}} -> tensor<?x32xf32>{%{{.*}}}
// CHECK: linalg.matmul ins(%[[G0]]
// CHECK: tensor.expand_shape {{.*}} output_shape [2, %{{.*}}, 8] : tensor<?x8xf32> into tensor<2x?x8xf32>
// CHECK: tensor.insert_slice {{.*}} : tensor<2x?x8xf32> into tensor<2x?x8xf32>
// CHECK: tensor.collapse_shape {{.*}} : tensor<2x?x8xf32> into tensor<?x8xf32>
func.func @free_rows(%x: tensor<?x32xf32>, %w: tensor<32x8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%d) : tensor<?x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x32xf32>, tensor<32x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = flow.all_reduce %p sum over @m["x"] : tensor<?x8xf32>{%d}
  return %y : tensor<?x8xf32>
}
func.func @free_gathered(%x: tensor<?x32xf32>, %w: tensor<32x8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %d = tensor.dim %x, %c0 : tensor<?x32xf32>
  %all = arith.muli %d, %c2 : index
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<?x32xf32>{%d} -> tensor<?x32xf32>{%all}
  %rows = tensor.dim %g, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%g, %w : tensor<?x32xf32>, tensor<32x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %p : tensor<?x8xf32>
}
