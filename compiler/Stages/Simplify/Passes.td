// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_SIMPLIFY_PASSES
#define HEDDLE_SIMPLIFY_PASSES

include "mlir/Pass/PassBase.td"

def FuseElementwise : Pass<"simplify-fuse-elementwise", "::mlir::ModuleOp"> {
  let summary = "Makes one op of elementwise ops that compute the same elements";
  let description = [{
    A group has one root, elementwise or a reduction, and the elementwise ops that only the group reads, however often:
    each is computed once for an element. What something else reads too is kept in memory and never computed again.
    Contractions keep their operands as they are, since a fused operand would be computed once for each element it is
    used for. A value read by broadcast is not recomputed either, and a constant is left for `flow-evaluate-constants`.

    A group of more than 512 ops or 64 tensors becomes several ops, cut where few values cross; these are results of
    the op that makes them. The time is linear in the ops and their operands.

    ```mlir
    #id = affine_map<(i, j) -> (i, j)>
    func.func @chain(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %o = tensor.empty() : tensor<4x4xf32>
      %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
      ^bb0(%v: f32, %out: f32):
        %e = math.exp %v : f32
        linalg.yield %e : f32
      } -> tensor<4x4xf32>
      %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
      ^bb0(%v: f32, %w: f32, %out: f32):
        %s = arith.addf %v, %w : f32
        linalg.yield %s : f32
      } -> tensor<4x4xf32>
      return %b : tensor<4x4xf32>
    }
    // becomes
    #map = affine_map<(d0, d1) -> (d0, d1)>
    func.func @chain(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = tensor.empty() : tensor<4x4xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel",
          "parallel"]} ins(%arg0 : tensor<4x4xf32>) outs(%0 : tensor<4x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %2 = math.exp %in : f32
        %3 = arith.addf %2, %in : f32
        linalg.yield %3 : f32
      } -> tensor<4x4xf32>
      return %1 : tensor<4x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def InlineReads : Pass<"simplify-inline-reads", "::mlir::ModuleOp"> {
  let summary = "Computes a cheap elementwise operand where it is read at an index of its own";
  let description = [{
    An operand whose size only the call tells is 1 or the other operand's is read by `tensor.extract`, at 0 or at the loop's
    index, and so is no operand that `simplify-fuse-elementwise` sees. A producer of at most 16 arithmetic ops that nobody
    else reads is computed there: each element at most once for an element of the reader. Constants are left for
    `flow-evaluate-constants`.

    ```mlir
    func.func @cheap(%x: tensor<?x?xf16>, %s: tensor<?xf32>, %b: tensor<?x?xf32>, %one: i1, %n: index, %m: index,
        %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %c0 = arith.constant 0 : index
      %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
      %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i,
          j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<?x?xf16>, tensor<?xf32>)
          outs(%empty : tensor<?x?xf32>) {
      ^bb0(%v: f16, %t: f32, %o: f32):
        %w = arith.extf %v : f16 to f32
        %p = arith.mulf %w, %t : f32
        linalg.yield %p : f32
      } -> tensor<?x?xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%b : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%v: f32, %o: f32):
        %i = linalg.index 0 : index
        %row = arith.select %one, %c0, %i : index
        %j = linalg.index 1 : index
        %y = tensor.extract %a[%row, %j] : tensor<?x?xf32>
        %sum = arith.addf %v, %y : f32
        linalg.yield %sum : f32
      } -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }
    // becomes
    #map = affine_map<(d0, d1) -> (d0, d1)>
    func.func @cheap(%arg0: tensor<?x?xf16>, %arg1: tensor<?xf32>, %arg2: tensor<?x?xf32>, %arg3: i1, %arg4: index,
        %arg5: index, %arg6: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %c0 = arith.constant 0 : index
      %0 = tensor.empty(%arg4, %arg5) : tensor<?x?xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel",
          "parallel"]} ins(%arg2 : tensor<?x?xf32>) outs(%arg6 : tensor<?x?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %2 = linalg.index 0 : index
        %3 = arith.select %arg3, %c0, %2 : index
        %4 = linalg.index 1 : index
        %extracted = tensor.extract %arg0[%3, %4] : tensor<?x?xf16>
        %extracted_0 = tensor.extract %arg1[%4] : tensor<?xf32>
        %5 = arith.extf %extracted : f16 to f32
        %6 = arith.mulf %5, %extracted_0 : f32
        %7 = arith.addf %in, %6 : f32
        linalg.yield %7 : f32
      } -> tensor<?x?xf32>
      return %1 : tensor<?x?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def OneHotToGather : Pass<"simplify-one-hot-to-gather", "::mlir::ModuleOp"> {
  let summary = "Reads rows of a constant matrix instead of multiplying one-hot rows with it";
  let description = [{
    The left operand of a matrix product says 1 where an index equals the column's number, else 0. Then each row of the product
    is a row of the right operand, or zeros where the index is no column. The right operand must be constant and finite:
    0 times infinity is no 0.

    ```mlir
    %h[i, k] = %index[i] == k ? 1.0 : 0.0
    %y = linalg.matmul ins(%h, %w)            // becomes: %y[i, j] = 0 <= %index[i] < K ? %w[%index[i], j] : 0.0
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FoldScales : Pass<"simplify-fold-scales", "::mlir::ModuleOp"> {
  let summary = "Scales the constant weights of a contraction instead of its result";
  let description = [{
    An elementwise op that first multiplies, divides, shifts what a convolution or matrix product gives by constants for
    each channel (batch normalisation, scales, biases in between) becomes one addition; the scale goes into the weights, as an
    op on constants that `flow-evaluate-constants` computes. Also through a transpose or a collapse_shape in between.

    ```mlir
    %y = conv(%x, %w)                 // becomes: conv(%x, %w * scale)
    %z = (%y - mean) * scale + bias   // becomes: %y + (bias - mean * scale)
    ```

    Only f32 and f64 (narrower weights would lose bits), only where nobody else reads the contraction's result, only for
    finite scales up to 2^60 and finite offsets.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SplitWindows : Pass<"simplify-split-windows", "::mlir::ModuleOp"> {
  let summary = "Computes pools with large windows one dimension after the other";
  let description = [{
    The greatest, least or sum of a window of several dimensions is that of its rows' results: 13 + 13 elements are
    combined instead of 13 x 13. Sums are rounded in another order. What decides is how many elements are combined for one of
    the result, with a fixed amount for each pass through memory. Padding goes to the dimension that reads it, where
    combining nothing but padding gives the padding.

    ```mlir
    %y = linalg.generic (max) %x[c, h + i, w + j]      // 13 x 13; becomes:
    %r = linalg.generic (max) %x[c, h + i, w]
    %y = linalg.generic (max) %r[c, h, w + j]
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def DecomposeGrouped : Pass<"simplify-decompose-grouped", "::mlir::ModuleOp"> {
  let summary = "Writes flow.grouped_matmul as a loop over its groups, whose places data says";
  let description = [{
    Where groups begin is summed in a dispatch of its own; then an `scf.forall` over the groups, and one part more for the rows
    behind the last of them, which is a dispatch (`form-part-loops`). Its slices are checked in the kernel.

    ```mlir
    func.func @experts(%x: tensor<?x64xf32>, %w: tensor<8x64x32xf32>, %s: tensor<8xi32>) -> tensor<?x32xf32> {
      %y = flow.grouped_matmul %x, %w sizes %s
          : (tensor<?x64xf32>, tensor<8x64x32xf32>, tensor<8xi32>) -> tensor<?x32xf32>
      return %y : tensor<?x32xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::heddle::flow::FlowDialect"];
}

def DecomposeSoftmax : Pass<"simplify-decompose-softmax", "::mlir::ModuleOp"> {
  let summary = "Writes linalg.softmax as the elementwise ops and reductions that it is short for";
  let description = [{
    Upstream's decomposition: the largest of each row, exponents of what lies below it, their sum, a quotient. Dispatch
    formation makes them one dispatch again. After loops over streams, which cut the one op.

    ```mlir
    func.func @rows(%x: tensor<?x7xf32>, %e: tensor<?x7xf32>) -> tensor<?x7xf32> {
      %y = linalg.softmax dimension(1) ins(%x : tensor<?x7xf32>) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
      return %y : tensor<?x7xf32>
    }
    // becomes
    #map = affine_map<(d0, d1) -> (d0, d1)>
    #map1 = affine_map<(d0, d1) -> (d0)>
    func.func @rows(%arg0: tensor<?x7xf32>, %arg1: tensor<?x7xf32>) -> tensor<?x7xf32> {
      %c0 = arith.constant 0 : index
      %dim = tensor.dim %arg0, %c0 : tensor<?x7xf32>
      %0 = tensor.empty(%dim) : tensor<?xf32>
      %cst = arith.constant 0xFFC00000 : f32
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
      %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel",
          "reduction"]} ins(%arg0 : tensor<?x7xf32>) outs(%1 : tensor<?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %7 = arith.maxnumf %in, %out : f32
        linalg.yield %7 : f32
      } -> tensor<?xf32>
      %3 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel",
          "parallel"]} ins(%arg0, %2 : tensor<?x7xf32>, tensor<?xf32>) outs(%arg1 : tensor<?x7xf32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32):
        %7 = arith.subf %in, %in_1 : f32
        %8 = math.exp %7 : f32
        linalg.yield %8 : f32
      } -> tensor<?x7xf32>
      %cst_0 = arith.constant 0.000000e+00 : f32
      %4 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
      %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel",
          "reduction"]} ins(%3 : tensor<?x7xf32>) outs(%4 : tensor<?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %7 = arith.addf %in, %out : f32
        linalg.yield %7 : f32
      } -> tensor<?xf32>
      %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3,
          %5 : tensor<?x7xf32>, tensor<?xf32>) outs(%arg1 : tensor<?x7xf32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32):
        %7 = arith.divf %in, %in_1 : f32
        linalg.yield %7 : f32
      } -> tensor<?x7xf32>
      return %6 : tensor<?x7xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // HEDDLE_SIMPLIFY_PASSES
