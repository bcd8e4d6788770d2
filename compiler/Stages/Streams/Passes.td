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
    func.func @main(%x: tensor<12x16xf32>) -> tensor<12x16xf32> {
      %e = tensor.empty() : tensor<12x16xf32>
      %y = linalg.exp {heddle.stream = #flow.stream_axis<0, 4>} ins(%x : tensor<12x16xf32>)
          outs(%e : tensor<12x16xf32>)
          -> tensor<12x16xf32>
      return %y : tensor<12x16xf32>
    }
    // becomes
    func.func @main(%arg0: tensor<12x16xf32>) -> tensor<12x16xf32> {
      %0 = tensor.empty() : tensor<12x16xf32>
      %c12 = arith.constant 12 : index
      %1 = tensor.empty() : tensor<12x16xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %2 = scf.for %arg1 = %c0 to %c12 step %c1 iter_args(%arg2 = %1) -> (tensor<12x16xf32>) {
        %extracted_slice = tensor.extract_slice %arg0[%arg1, 0] [1, 16] [1, 1] : tensor<12x16xf32>
            to tensor<1x16xf32>
        %3 = tensor.empty() : tensor<1x16xf32>
        %4 = linalg.exp ins(%extracted_slice : tensor<1x16xf32>) outs(%3 : tensor<1x16xf32>) -> tensor<1x16xf32>
        %inserted_slice = tensor.insert_slice %4 into %arg2[%arg1, 0] [1, 16] [1, 1] : tensor<1x16xf32>
            into tensor<12x16xf32>
        scf.yield %inserted_slice : tensor<12x16xf32>
      } {heddle.keeps_shapes, heddle.streams = #flow.streams<4>}
      return %2 : tensor<12x16xf32>
    }
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
    func.func @odd(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>) -> tensor<7x4xf32> {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c7 = arith.constant 7 : index
      %r = scf.for %i = %c1 to %c7 step %c2 iter_args(%acc = %y) -> (tensor<7x4xf32>) {
        %s = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<7x4xf32> to tensor<1x4xf32>
        %e = tensor.empty() : tensor<1x4xf32>
        %p = linalg.exp ins(%s : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
        %n = tensor.insert_slice %p into %acc[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<7x4xf32>
        scf.yield %n : tensor<7x4xf32>
      } {heddle.streams = #flow.streams<4>}
      return %r : tensor<7x4xf32>
    }
    // becomes
    func.func @odd(%arg0: tensor<7x4xf32>, %arg1: tensor<7x4xf32>) -> tensor<7x4xf32> {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c7 = arith.constant 7 : index
      %c0 = arith.constant 0 : index
      %c1_0 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %c6_1 = arith.constant 6 : index
      %c3 = arith.constant 3 : index
      %0 = scf.for %arg2 = %c0 to %c3 step %c1_0 iter_args(%arg3 = %arg1) -> (tensor<7x4xf32>) {
        %1 = arith.muli %arg2, %c2 : index
        %2 = arith.addi %c1, %1 : index
        %extracted_slice = tensor.extract_slice %arg0[%2, 0] [1, 4] [1, 1] : tensor<7x4xf32> to tensor<1x4xf32>
        %3 = tensor.empty() : tensor<1x4xf32>
        %4 = linalg.exp ins(%extracted_slice : tensor<1x4xf32>) outs(%3 : tensor<1x4xf32>) -> tensor<1x4xf32>
        %inserted_slice = tensor.insert_slice %4 into %arg3[%2, 0] [1, 4] [1, 1] : tensor<1x4xf32>
            into tensor<7x4xf32>
        scf.yield %inserted_slice : tensor<7x4xf32>
      } {heddle.keeps_shapes, heddle.streams = #flow.streams<4>}
      return %0 : tensor<7x4xf32>
    }
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
    func.func @main(%n: index, %x: tensor<8xf32>) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<8xf32>) {
        %m = arith.muli %n, %n : index
        %s = tensor.empty(%m) : tensor<?xf32>
        %p = tensor.insert_slice %s into %acc[%i] [%m] [1] : tensor<?xf32> into tensor<8xf32>
        scf.yield %p : tensor<8xf32>
      } {heddle.streams = #flow.streams<2>}
      return %a : tensor<8xf32>
    }
    // becomes
    func.func @main(%arg0: index, %arg1: tensor<8xf32>) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = arith.muli %arg0, %arg0 : index
      %1 = scf.for %arg2 = %c0 to %arg0 step %c1 iter_args(%arg3 = %arg1) -> (tensor<8xf32>) {
        %2 = tensor.empty(%0) : tensor<?xf32>
        %inserted_slice = tensor.insert_slice %2 into %arg3[%arg2] [%0] [1] : tensor<?xf32> into tensor<8xf32>
        scf.yield %inserted_slice : tensor<8xf32>
      } {heddle.streams = #flow.streams<2>}
      return %1 : tensor<8xf32>
    }
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
