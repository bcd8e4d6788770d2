// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_FORM_PASSES
#define HEDDLE_FORM_PASSES

include "mlir/Pass/PassBase.td"

def SplitTransposes : Pass<"form-split-transposes", "::mlir::ModuleOp"> {
  let summary = "Transposes whose last dimension is short turn squares first and interleave rows then";
  let description = [{
    Where rows of two to eight elements are made of elements far apart (pixels of a transposed convolution, depth to
    space) vectors fit neither the source nor the result. The transpose of a matrix has long rows, and the interleaving
    reads each of those once. Dimensions that stay neighbours (the window of a convolution's gradient) are merged before,
    which often leaves the transpose of a matrix alone. A transpose that a structured op reads stays: they share a dispatch.

    Where the source's rows are that short (the taps of a kernel) and become rows of another dimension, the transpose of
    a matrix comes first, too: all dimensions behind that one are its columns. Then whole rows move. Movements before it
    that nobody else reads, dimensions that are walked backwards or in steps among them (a transposed convolution's
    taps), are part of it; several of one source share what was turned. Convolutions and matrix products read the result of dispatches of its own.

    ```mlir
    %y = linalg.transpose %x [2, 1, 0]                    // 2x28x32 to 32x28x2; becomes:
    %t = linalg.transpose %x [2, 0, 1]                    // 32x2x28, as a matrix of 32x56
    %i = linalg.generic %t[a, b mod 2, b floordiv 2]      // 32x56
    %y = tensor.expand_shape %i [[0], [1, 2]]
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def HoistConstants : Pass<"form-hoist-constants", "::mlir::ModuleOp"> {
  let summary = "Turns constant tensors into parameters and fills, so that kernels hold no data";
  let description = [{
    A splat becomes a `linalg.fill`, anything else a `flow.parameter`. Equal constants share one parameter.

    ```mlir
    func.func @main() -> (tensor<4xf32>, tensor<2xf32>) {
      %0 = arith.constant dense<1.0> : tensor<4xf32>
      %1 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
      return %0, %1 : tensor<4xf32>, tensor<2xf32>
    }
    // becomes
    flow.parameter private @constant : tensor<2xf32> = dense<[1.0, 2.0]>
    func.func @main() -> (tensor<4xf32>, tensor<2xf32>) {
      %one = arith.constant 1.0 : f32
      %empty = tensor.empty() : tensor<4xf32>
      %0 = linalg.fill ins(%one : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
      %1 = flow.parameter.load @constant : tensor<2xf32>
      return %0, %1 : tensor<4xf32>, tensor<2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FormRegions : Pass<"form-regions", "::mlir::ModuleOp"> {
  let summary = "Puts tensor compute into dispatch regions";
  let description = [{
    Ops that share a region: a contraction or convolution with its elementwise epilogue; elementwise ops and reductions
    over the same rows (softmax, normalisations). A region has one root, the op whose results leave it. Fills, slices and
    empty tensors are cloned to where they are used. The rules and their reasons: docs/design/form.md.

    Where there are several devices, ops of two of them never share a region, and a region whose ops have one answer says so
    by `heddle.affinity` (`compiler/Dialect/Flow/Analysis/Affinities.h`).
  }];
  let options = [
    Option<"byCost", "by-cost", "bool", "false", "only ops that are pinned have a device: stage `place` decides by cost">
  ];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def CaptureSizes : Pass<"form-capture-sizes", "::mlir::ModuleOp"> {
  let summary = "Gives each dispatch region the sizes of the dynamic dimensions of the tensors it captures";
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def OutlineExecutables : Pass<"form-outline-executables", "::mlir::ModuleOp"> {
  let summary = "Turns dispatch regions into executables and dispatches; equal regions share one executable";
  let description = [{
    An executable's function takes the region's tensors, then the sizes of their dynamic dimensions in order, then the
    other index values the region uses. Equal sizes are one value in its body, so that it sees which shapes agree. Where
    more than eight regions differ in nothing but where their slices begin, that is an argument, too: the parts of a
    long Split are one kernel.
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def VerifyForm : Pass<"form-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that no tensor compute is left outside executables, and that what fills memory in parts is read in time";
}

def CopyParts : Pass<"form-copy-parts", "::mlir::ModuleOp"> {
  let summary = "Gives slices that no dispatch makes a dispatch that copies them";
  let description = [{
    Columns that are written into a tensor that a loop carries are stored there by the dispatch that computes them
    (form-pitch-results). Where they come from elsewhere (an argument, a branch, something that others read, too), a
    region of its own copies them: the host would make a copy for each run of bytes.

    ```mlir
    %next = tensor.insert_slice %x into %all[0, %at] [8, 4] [1, 1]
    // becomes
    %part = flow.region -> (tensor<8x4xf32>) { flow.return (linalg.copy %x) }
    %next = tensor.insert_slice %part into %all[0, %at] [8, 4] [1, 1]
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PitchResults : Pass<"form-pitch-results", "::mlir::ModuleOp"> {
  let summary = "Lets dispatches store results with the strides of the tensor that they are a part of";
  let description = [{
    A result that is used by nothing but a `tensor.insert_slice` into a tensor that a loop carries gets the attribute
    `flow.pitch` on the executable's function, and what its place is computed of moves before the dispatch. The value
    stays the dense one that its type says; code generation stores it with the distance, and `schedule` gives it the
    place (docs/design/pitch.md). Dispatches of the executable whose results are not alike get a copy of it.

    ```mlir
    flow.executable private @relu_0 { func.func @relu_0(%x: tensor<8x4xf32>) -> (tensor<8x4xf32> {flow.pitch =
      {outer = 1 : i64, elements = 16 : i64}}) … }
    %part = flow.dispatch @relu_0(%x) : (tensor<8x4xf32>) -> (tensor<8x4xf32>)
    %next = tensor.insert_slice %part into %all[0, %at] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x16xf32>
    ```

    A distance that dispatches do not share, or that only the call knows, is an index argument: `{outer = 1 : i64,
    argument = 3 : i64}`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def FillConcats : Pass<"form-fill-concats", "::mlir::ModuleOp"> {
  let summary = "Concatenations whose parts are computed for them alone become memory that these write";
  let description = [{
    A concatenation reads and writes all bytes once more. Where each of its inputs is computed by an op that nothing else
    reads, it becomes memory and an insertion of each, which the host does not copy: the dispatches write there
    (form-pitch-results). Sizes along the dimension must be known, and the program must have one device and one queue.

    ```mlir
    %c = tensor.concat dim(1) %a, %b : (tensor<8x3xf32>, tensor<8x5xf32>) -> tensor<8x8xf32>
    // becomes
    %m = tensor.empty() {flow.filled = 0 : i64} : tensor<8x8xf32>
    %n = tensor.insert_slice %a into %m[0, 0] [8, 3] [1, 1] : tensor<8x3xf32> into tensor<8x8xf32>
    %c = tensor.insert_slice %b into %n[0, 3] [8, 5] [1, 1] : tensor<8x5xf32> into tensor<8x8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

#endif // HEDDLE_FORM_PASSES
