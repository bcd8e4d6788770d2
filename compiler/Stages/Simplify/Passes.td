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
    %a = exp(%x); %b = %a + %y; %c = %a * %b           // becomes one op: %a and %b are read by %c's group only
    %a = exp(%x); %b = %a + %y; %c = matmul(%a, %b)    // two ops: %a is in memory for the product, and %b reads it there
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
    %a = extf %x : f16 to f32
    %y[i] = %b[i] + tensor.extract %a[select(%one, 0, i)]    // becomes: %b[i] + extf(tensor.extract %x[select(%one, 0, i)])
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

def DecomposeSoftmax : Pass<"simplify-decompose-softmax", "::mlir::ModuleOp"> {
  let summary = "Writes linalg.softmax as the elementwise ops and reductions that it is short for";
  let description = [{
    Upstream's decomposition: the largest of each row, exponents of what lies below it, their sum, a quotient. Dispatch
    formation makes them one dispatch again. After loops over streams, which cut the one op.

    ```mlir
    %y = linalg.softmax dimension(1) ins(%x : tensor<?x7xf32>) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
    // becomes
    %m = linalg.generic … max …
    %p = linalg.generic … exp(%x - %m) …
    %s = linalg.generic … sum …
    %y = linalg.generic … %p / %s …
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // HEDDLE_SIMPLIFY_PASSES
