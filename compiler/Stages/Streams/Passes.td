// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_STREAMS_PASSES
#define HEDDLE_STREAMS_PASSES

include "mlir/Pass/PassBase.td"

def FormLoops : Pass<"streams-form-loops", "::mlir::ModuleOp"> {
  let summary = "Turns ops that are marked for streams into loops over their parts";
  let description = [{
    Marked ops of equal trips share a loop where each reads of another the part of the same iteration, and where no op
    outside would stand between them. Parts are balanced and may be ragged. A reduced loop gives partial results, merged
    after the loop in their order. What cannot be streamed is an error.

    ```mlir
    %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 4>} ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) …
    // becomes
    %y = scf.for %i = %c0 to %rows step %c1 iter_args(%acc = %empty) -> (tensor<?x16xf32>) {
      %from = tensor.extract_slice %x[%i, 0] [1, 16] [1, 1] …
      %part = linalg.exp ins(%from : tensor<1x16xf32>) outs(%row : tensor<1x16xf32>) …
      %next = tensor.insert_slice %part into %acc[%i, 0] [1, 16] [1, 1] …
      scf.yield %next : tensor<?x16xf32>
    } {heddle.streams = #flow.streams<4>, heddle.keeps_shapes}
    ```
  }];
  let options = [
    Option<"strictFloat", "strict-float", "bool", "false", "sums and products of floats keep their order, so are not cut">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::heddle::flow::FlowDialect"];
}

def JoinNested : Pass<"streams-join-nested", "::mlir::ModuleOp"> {
  let summary = "Lets a loop over streams in a loop over streams fill the outer loop's tensor itself";
  let description = [{
    Instead of a tensor of the iteration, which the outer loop inserts. Slices of slices become slices.

    ```mlir
    scf.for %i … iter_args(%all = …) {
      %row = scf.for %j … iter_args(%one = %empty) { … tensor.insert_slice %p into %one[0, %j] [1, 1] [1, 1] … } {heddle.streams …}
      %next = tensor.insert_slice %row into %all[%i, 0] [1, 5] [1, 1] …
    // becomes
    scf.for %i … iter_args(%all = …) {
      %next = scf.for %j … iter_args(%one = %all) { … tensor.insert_slice %p into %one[%i, %j] [1, 1] [1, 1] … } {heddle.streams …}
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect"];
}

def NormalizeLoops : Pass<"streams-normalize-loops", "::mlir::ModuleOp"> {
  let summary = "Gives loops over streams the form that later stages expect, counting from 0 in steps of 1";
  let description = [{
    Also loops that a user wrote. Each carried tensor must be changed by one tensor.insert_slice and read by nothing else, or
    be what one loop over streams in the loop carries and changes so; anything else that goes from one iteration to the next is an error. From here on the loop's location names its streams,
    by which `streams-verify` finds a loop that lost them.

    ```mlir
    scf.for %i = %c1 to %n step %c2 … { … %i … } {heddle.streams = #flow.streams<4>}
    // becomes
    scf.for %k = %c0 to %trips step %c1 … { %i = %c1 + %k * %c2 … } {heddle.streams = #flow.streams<4>, heddle.keeps_shapes}
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def HoistInvariants : Pass<"streams-hoist-invariants", "::mlir::ModuleOp"> {
  let summary = "Moves what is the same in every iteration of a loop over streams in front of it";
  let description = [{
    After dispatches are formed: the layout of an operand that all iterations read, or a dispatch that reads nothing of the
    iteration. Only loops over streams, whose bodies were written without them.

    ```mlir
    scf.for %i = … { %w = flow.encode %b : tensor<16x8xf32> -> tensor<16x8xf32, #rhs> … } {heddle.streams = #flow.streams<4>}
    // becomes
    %w = flow.encode %b : tensor<16x8xf32> -> tensor<16x8xf32, #rhs>
    scf.for %i = … { … } {heddle.streams = #flow.streams<4>}
    ```
  }];
}

def VerifyStreams : Pass<"streams-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that no mark is left and that every loop over streams still is one";
  let description = [{
    Counts the loops whose location names streams and those that have `heddle.streams`: a pass that builds a loop anew
    without its attributes makes it serial, which is an error here.
  }];
}

#endif // HEDDLE_STREAMS_PASSES
