// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_IMPORT_PASSES
#define HEDDLE_IMPORT_PASSES

include "mlir/Pass/PassBase.td"

def SpecializeCalls : Pass<"import-specialize-calls", "::mlir::ModuleOp"> {
  let summary = "Gives a called function's ops the affinities that it, its boundary and the call state";
  let description = [{
    Before calls are inlined, which keeps attributes of ops only. The affinity of a called function, or else that of the
    call, is the default of the ops in it. That of an argument or result is a `flow.transfer`, as are `flow.import` and
    `flow.export` in a function that is an entry point too. Each pair of function and affinity is one copy.

    ```mlir
    func.func private @f(%x: tensor<4xf32> {heddle.affinity = #device.promise<@b>}) -> tensor<4xf32> {
      %0 = arith.mulf %x, %x : tensor<4xf32>
    // becomes
    func.func private @f_0(%x: tensor<4xf32>) -> tensor<4xf32> {
      %t = flow.transfer %x : tensor<4xf32> to #device.promise<@b>
      %0 = arith.mulf %t, %t : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect", "::mlir::tensor::TensorDialect"];
}

def LowerTosa : Pass<"import-lower-tosa", "::mlir::ModuleOp"> {
  let summary = "Turns TOSA into linalg by the upstream pipelines; leaves a module without TOSA alone";
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def LowerStablehlo : Pass<"import-lower-stablehlo", "::mlir::ModuleOp"> {
  let summary = "Turns StableHLO into linalg; leaves a module without StableHLO alone";
  let description = [{
    The ops are unregistered and known by name, whether the text had them in short or in generic form. Calls are inlined;
    broadcasts become indexing maps of what reads them. Collectives become those of flow on a device.mesh, and manual
    computations of sdy the program of one rank. Everything that is not supported is reported, at its location.

    ```mlir
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %2 = stablehlo.add %x, %1 : tensor<3x4xf32>
    // becomes
    %2 = linalg.generic {indexing_maps = [(i, j) -> (i, j), (i, j) -> (j), (i, j) -> (i, j)] …} ins(%x, %b) …
    ```
  }];
  let options = [ListOption<"meshSizes", "mesh", "std::string",
                            "AXIS=SIZE: axes of the mesh of a program that says nothing, such as replica=2,partition=4">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::heddle::device::DeviceDialect",
                           "::mlir::heddle::flow::FlowDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def LowerSwitches : Pass<"import-lower-switches", "::mlir::ModuleOp"> {
  let summary = "Turns scf.index_switch into scf.if, one in the other, with the switch's attributes";
  let description = [{
    ```mlir
    %r = scf.index_switch %k -> tensor<4xf32> case 0 { scf.yield %a : … } default { scf.yield %b : … }
    // becomes
    %is = arith.cmpi eq, %k, %c0 : index
    %r = scf.if %is -> tensor<4xf32> { scf.yield %a : … } else { scf.yield %b : … }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def KeepSizes : Pass<"import-keep-sizes", "::mlir::ModuleOp"> {
  let summary = "Makes linalg.generic of arith.xori and arith.cmpi on tensors with free sizes";
  let description = [{
    Before anything folds: upstream takes `x ^ x` and `x == x` for a constant, which on such tensors has no size. On elements
    the same folds are right. Other folds of ops on tensors need a constant operand, which has a static shape.

    ```mlir
    %r = arith.xori %x, %x : tensor<?xi1>
    // becomes
    %r = linalg.generic … { %e = arith.xori %a, %b : i1 … }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def KeepStreams : Pass<"import-keep-streams", "::mlir::ModuleOp"> {
  let summary = "Keeps ops that only move elements and are marked for streams from folding away as copies";
  let description = [{
    Before anything folds: a copy, transpose or broadcast would go, and its mark `heddle.stream` with it.

    ```mlir
    %r = linalg.copy {heddle.stream = #flow.stream_axis<0, 4>} ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) …
    // becomes
    %r = linalg.generic … {heddle.stream = #flow.stream_axis<0, 4>} { %e = flow.streamed %a : f32 … }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect", "::mlir::linalg::LinalgDialect"];
}

def ConvertUnsigned : Pass<"import-convert-unsigned", "::mlir::ModuleOp"> {
  let summary = "Makes all integers signless, narrow elements bytes; a public function remembers what the caller knows them as";
  let description = [{
    From here on only ops say whether an integer is unsigned (`arith.divui`). Elements of 8 and 4 bits that are floats,
    and integers of 4 and 2, are i8, their codes. The entry point's attribute `heddle.element_type` says it to the caller.
    What turned one into the other, `tensor.bitcast` or `builtin.unrealized_conversion_cast`, is gone. Arithmetic on codes
    is an error: MLIR models may move them only.

    ```mlir
    func.func @main(%x: tensor<4xui8>) -> tensor<4xi8>
    func.func @main(%x: tensor<4xi8> {heddle.element_type = ui8}) -> tensor<4xi8>     // becomes
    ```
  }];
}

def ConvertGlobals : Pass<"import-convert-globals", "::mlir::ModuleOp"> {
  let summary = "Makes flow.global of ml_program.global; entry points take and give their values at the boundary";
  let description = [{
    What an entry point loads is an argument with `heddle.state`, what it stores a result; between loads and stores, also
    through scf.if and scf.for, the values flow as SSA values. A global that is not mutable becomes a flow.parameter.

    ```mlir
    ml_program.global private mutable @count(dense<0> : tensor<i64>) : tensor<i64>
    %0 = ml_program.global_load @count : tensor<i64>
    // becomes
    flow.global private @count : tensor<i64> = dense<0> : tensor<i64>
    func.func @main(…, %0: tensor<i64> {heddle.state = @count}) -> (…, tensor<i64> {heddle.state = @count})
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect", "::mlir::scf::SCFDialect"];
}

def BindState : Pass<"import-bind-state", "::mlir::ModuleOp"> {
  let summary = "Holds inputs in the module as outputs give them, and gives donated arguments a result";
  let description = [{
    `--state=INPUT=OUTPUT`: the pair leaves the caller's signature and becomes a flow.global, named like the input, in each
    entry point that has it; an entry point with the output alone only writes it. Stars stand for any text, the same on
    both sides. Arguments and results with `heddle.state` are put last. `--donate=INPUT[=OUTPUT]`, or `heddle.donated` in
    the model: the output, the first of the input's type if none is named, lies in the argument's memory.
  }];
  let options = [
    ListOption<"states", "states", "std::string", "INPUT=OUTPUT, a star on both sides for several">,
    ListOption<"donations", "donations", "std::string", "INPUT or INPUT=OUTPUT">];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def NameDimensions : Pass<"import-name-dimensions", "::mlir::ModuleOp"> {
  let summary = "Names arguments, results and every dynamic dimension of an argument";
  let description = [{
    An argument without a name has that of its location (`loc("params['w']")`), where JAX writes one, else `arg0`; a result is
    `result0`, a dynamic dimension without a name `arg0_d1`: it is its own.

    ```mlir
    func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      return %x : tensor<?x8xf32>
    }
    // becomes
    func.func @main(%x: tensor<?x8xf32> {heddle.dims = ["arg0_d0", ""], heddle.name = "arg0"})
        -> (tensor<?x8xf32> {heddle.name = "result0"}) {
      return %x : tensor<?x8xf32>
    }
    ```
  }];
}

def ApplyShardFile : Pass<"import-apply-shard-file", "::mlir::ModuleOp"> {
  let summary = "Asks by a file with patterns of names how ranks share arguments, parameters, results and nodes' values";
  let description = [{
    The grammar: `Annotations/ShardFile.h`. A node is all ops whose locations have its name; its results are what others read. The first
    line that fits decides; one that fits nothing is an error.

    ```mlir
    // mesh tp = 2
    // w = [-, tp]
    %w = flow.parameter.load @w : tensor<4x8xf32>
    // becomes
    %0 = flow.parameter.load @w : tensor<4x8xf32>
    %w = flow.shard %0 as <@mesh, [[], ["tp"]]> : tensor<4x8xf32>
    ```
  }];
  let options = [Option<"file", "file", "std::string", "", "the file">];
  let dependentDialects = ["::mlir::heddle::device::DeviceDialect", "::mlir::heddle::flow::FlowDialect"];
}

def VerifyImport : Pass<"import-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that only known dialects are left and every dynamic dimension of an argument has a name";
}

def RefineResults : Pass<"import-refine-results", "::mlir::ModuleOp"> {
  let summary = "Gives a result that is returned through a cast the type before it";
  let description = [{
    Sizes of arguments that `--dim` fixes reach the results this way: folding has moved the casts to the end. It runs only
    where sizes are given, on entry points that nothing calls.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {
      %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
      return %y : tensor<?xf32>
    }
    // becomes
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
      return %x : tensor<4xf32>
    }
    ```
  }];
}

#endif // HEDDLE_IMPORT_PASSES
