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
    func.func @neighbours(%x: tensor<28x2x32xf32>) -> tensor<32x28x2xf32> {
      %e = tensor.empty() : tensor<32x28x2xf32>
      %y = linalg.transpose ins(%x : tensor<28x2x32xf32>) outs(%e : tensor<32x28x2xf32>) permutation = [2, 0, 1]
      return %y : tensor<32x28x2xf32>
    }
    // becomes
    func.func @neighbours(%arg0: tensor<28x2x32xf32>) -> tensor<32x28x2xf32> {
      %0 = tensor.empty() : tensor<32x28x2xf32>
      %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<28x2x32xf32> into tensor<56x32xf32>
      %1 = tensor.empty() : tensor<32x56xf32>
      %transposed = linalg.transpose ins(%collapsed : tensor<56x32xf32>) outs(%1 : tensor<32x56xf32>)
          permutation = [1, 0]
      %expanded = tensor.expand_shape %transposed [[0], [1, 2]] output_shape [32, 28, 2] : tensor<32x56xf32>
          into tensor<32x28x2xf32>
      return %expanded : tensor<32x28x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PartLoops : Pass<"form-part-loops", "::mlir::ModuleOp"> {
  let summary = "Loops over parts (scf.forall) become roots of dispatches, or loops of the host program";
  let description = [{
    A loop whose body one dispatch may hold is one: its parts have one number, from 0 in steps of 1, and the longest part comes
    last (or nobody knows which it is: `flow.uneven_parts`). A result whose last dimension has one element of each part is
    stored with it first, and structured ops read it so. Places that only the call knows are checked in the kernel, which
    fails the call. Dialect/Flow/IR/PartLoops.h says what code generation takes.

    Where a part is several dispatches, or holds a loop, or the parts may not be all of a result that begins with something, or
    nobody can tell that no two write the same element, the loop is one of the host (`scf.for`), turn by turn.

    Errors: parts outside of a tensor, parts that write the same element, mappings, bodies that do more than computing.

    ```mlir
    func.func @main(%a: tensor<30xf32>) -> tensor<30xf32> {
      %e = tensor.empty() : tensor<30xf32>
      %r = scf.forall (%i) = (0) to (30) step (8) shared_outs(%o = %e) -> (tensor<30xf32>) {
        %n = affine.min affine_map<(i) -> (8, 30 - i)>(%i)
        %x = tensor.extract_slice %a[%i] [%n] [1] : tensor<30xf32> to tensor<?xf32>
        %p = tensor.empty(%n) : tensor<?xf32>
        %y = linalg.exp ins(%x : tensor<?xf32>) outs(%p : tensor<?xf32>) -> tensor<?xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %y into %o[%i] [%n] [1] : tensor<?xf32> into tensor<30xf32>
        }
      }
      return %r : tensor<30xf32>
    }
    // becomes
    func.func @main(%arg0: tensor<30xf32>) -> tensor<30xf32> {
      %0 = tensor.empty() : tensor<30xf32>
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %c30 = arith.constant 30 : index
      %c0_0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      %c37 = arith.constant 37 : index
      %c4 = arith.constant 4 : index
      %c4_1 = arith.constant 4 : index
      %c4_2 = arith.constant 4 : index
      %1 = tensor.empty() : tensor<30xf32>
      %2 = scf.forall (%arg1) in (4) shared_outs(%arg2 = %1) -> (tensor<30xf32>) {
        %c1_3 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %3 = arith.subi %c3, %arg1 : index
        %c8_4 = arith.constant 8 : index
        %4 = arith.muli %3, %c8_4 : index
        %c0_5 = arith.constant 0 : index
        %c8_6 = arith.constant 8 : index
        %c-1 = arith.constant -1 : index
        %5 = arith.muli %4, %c-1 overflow<nsw> : index
        %c30_7 = arith.constant 30 : index
        %6 = arith.addi %5, %c30_7 : index
        %7 = arith.minsi %c8_6, %6 : index
        %extracted_slice = tensor.extract_slice %arg0[%4] [%7] [1] : tensor<30xf32> to tensor<?xf32>
        %8 = tensor.empty(%7) : tensor<?xf32>
        %9 = linalg.exp ins(%extracted_slice : tensor<?xf32>) outs(%8 : tensor<?xf32>) -> tensor<?xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %9 into %arg2[%4] [%7] [1] : tensor<?xf32> into tensor<30xf32>
        }
      }
      return %2 : tensor<30xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::heddle::flow::FlowDialect"];
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
    func.func @columns(%x: tensor<8x4xf32>, %trips: index) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %e = tensor.empty() : tensor<8x16xf32>
      %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %e, %b = %e) -> (tensor<8x16xf32>, tensor<8x16xf32>)
          {
        %own = flow.region -> (tensor<8x4xf32>) {
          %o = tensor.empty() : tensor<8x4xf32>
          %s = linalg.add ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) ->
              tensor<8x4xf32>
          flow.return %s : tensor<8x4xf32>
        }
        %na = tensor.insert_slice %own into %a[0, %i] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x16xf32>
        %nb = tensor.insert_slice %x into %b[0, %i] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x16xf32>
        scf.yield %na, %nb : tensor<8x16xf32>, tensor<8x16xf32>
      }
      return %r#0, %r#1 : tensor<8x16xf32>, tensor<8x16xf32>
    }
    // becomes
    func.func @columns(%arg0: tensor<8x4xf32>, %arg1: index) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = tensor.empty() : tensor<8x16xf32>
      %1:2 = scf.for %arg2 = %c0 to %arg1 step %c1 iter_args(%arg3 = %0, %arg4 = %0) -> (tensor<8x16xf32>,
          tensor<8x16xf32>) {
        %2 = flow.region -> (tensor<8x4xf32>) {
          %4 = tensor.empty() : tensor<8x4xf32>
          %5 = linalg.add ins(%arg0, %arg0 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%4 : tensor<8x4xf32>) ->
              tensor<8x4xf32>
          flow.return %5 : tensor<8x4xf32>
        }
        %inserted_slice = tensor.insert_slice %2 into %arg3[0, %arg2] [8, 4] [1, 1] : tensor<8x4xf32>
            into tensor<8x16xf32>
        %3 = flow.region -> (tensor<8x4xf32>) {
          %4 = tensor.empty() : tensor<8x4xf32>
          %5 = linalg.copy ins(%arg0 : tensor<8x4xf32>) outs(%4 : tensor<8x4xf32>) -> tensor<8x4xf32>
          flow.return %5 : tensor<8x4xf32>
        }
        %inserted_slice_0 = tensor.insert_slice %3 into %arg4[0, %arg2] [8, 4] [1, 1] : tensor<8x4xf32>
            into tensor<8x16xf32>
        scf.yield %inserted_slice, %inserted_slice_0 : tensor<8x16xf32>, tensor<8x16xf32>
      }
      return %1#0, %1#1 : tensor<8x16xf32>, tensor<8x16xf32>
    }
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
    func.func @copied(%x: tensor<8x16xf32>) -> tensor<8x32xf32> {
      %e = tensor.empty() : tensor<8x16xf32>
      %a = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
      %0 = tensor.concat dim(1) %a, %x : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x32xf32>
      return %0 : tensor<8x32xf32>
    }
    // becomes
    func.func @copied(%arg0: tensor<8x16xf32>) -> tensor<8x32xf32> {
      %0 = tensor.empty() : tensor<8x16xf32>
      %1 = tensor.empty() {flow.filled = 0 : i64} : tensor<8x32xf32>
      %2 = linalg.exp ins(%arg0 : tensor<8x16xf32>) outs(%0 : tensor<8x16xf32>) -> tensor<8x16xf32>
      %inserted_slice = tensor.insert_slice %2 into %1[0, 0] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<8x32xf32>
      %3 = tensor.empty() : tensor<8x16xf32>
      %4 = linalg.copy ins(%arg0 : tensor<8x16xf32>) outs(%3 : tensor<8x16xf32>) -> tensor<8x16xf32>
      %inserted_slice_0 = tensor.insert_slice %4 into %inserted_slice[0, 16] [8, 16] [1, 1] : tensor<8x16xf32>
          into tensor<8x32xf32>
      return %inserted_slice_0 : tensor<8x32xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

#endif // HEDDLE_FORM_PASSES
