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
    func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
      %0 = func.call @entry(%x) : (tensor<4xi32>) -> tensor<4xi32>
      return %0 : tensor<4xi32>
    }
    func.func @entry(%x: tensor<4xi32>) -> tensor<4xi32> {
      %0 = flow.import %x : tensor<4xi32> to #device.promise<@b>
      %1 = arith.muli %0, %0 : tensor<4xi32>
      %2 = flow.alias %1 in %x : tensor<4xi32> to #device.promise<@a>
      return %2 : tensor<4xi32>
    }
    // becomes
    func.func @main(%arg0: tensor<4xi32>) -> tensor<4xi32> {
      %0 = call @entry_0(%arg0) : (tensor<4xi32>) -> tensor<4xi32>
      return %0 : tensor<4xi32>
    }
    func.func @entry(%arg0: tensor<4xi32>) -> tensor<4xi32> {
      %0 = flow.import %arg0 : tensor<4xi32> to #device.promise<@b>
      %1 = arith.muli %0, %0 : tensor<4xi32>
      %2 = flow.alias %1 in %arg0 : tensor<4xi32> to #device.promise<@a>
      return %2 : tensor<4xi32>
    }
    func.func private @entry_0(%arg0: tensor<4xi32>) -> tensor<4xi32> {
      %0 = flow.transfer %arg0 : tensor<4xi32> to #device.promise<@b>
      %1 = arith.muli %0, %0 : tensor<4xi32>
      %2 = flow.transfer %1 : tensor<4xi32> to #device.promise<@a>
      return %2 : tensor<4xi32>
    }
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
    func.func @main(%x: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<3x4xf32> {
      %1 = "stablehlo.broadcast_in_dim"(%b) {broadcast_dimensions = array<i64: 1>} : (tensor<4xf32>) ->
          tensor<3x4xf32>
      %2 = "stablehlo.add"(%x, %1) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
      return %2 : tensor<3x4xf32>
    }
    // becomes
    #map = affine_map<(d0, d1) -> (d0, d1)>
    #map1 = affine_map<(d0, d1) -> (d1)>
    func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>) -> tensor<3x4xf32> {
      %expanded = tensor.expand_shape %arg1 [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
      %0 = tensor.empty() : tensor<3x4xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel",
          "parallel"]} ins(%arg0, %arg1 : tensor<3x4xf32>, tensor<4xf32>) outs(%0 : tensor<3x4xf32>) {
      ^bb0(%in: f32, %in_0: f32, %out: f32):
        %2 = arith.addf %in, %in_0 : f32
        linalg.yield %2 : f32
      } -> tensor<3x4xf32>
      return %1 : tensor<3x4xf32>
    }
    ```
  }];
  let options = [ListOption<"meshSizes", "mesh", "std::string",
                            "AXIS=SIZE: axes of the mesh of a program that says nothing, such as replica=2,partition=4">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::heddle::device::DeviceDialect",
                           "::mlir::heddle::flow::FlowDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::heddle::intent::IntentDialect"];
}

def LowerSwitches : Pass<"import-lower-switches", "::mlir::ModuleOp"> {
  let summary = "Turns scf.index_switch into scf.if, one in the other, with the switch's attributes";
  let description = [{
    ```mlir
    func.func @main(%k: index, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %r = scf.index_switch %k -> tensor<4xf32>
      case 0 {
        scf.yield %a : tensor<4xf32>
      }
      default {
        scf.yield %b : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }
    // becomes
    func.func @main(%arg0: index, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %0 = arith.cmpi eq, %arg0, %c0 : index
      %1 = scf.if %0 -> (tensor<4xf32>) {
        scf.yield %arg1 : tensor<4xf32>
      } else {
        scf.yield %arg2 : tensor<4xf32>
      }
      return %1 : tensor<4xf32>
    }
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
    func.func @main(%x: tensor<?xi1>) -> tensor<?xi1> {
      %r = arith.xori %x, %x : tensor<?xi1>
      return %r : tensor<?xi1>
    }
    // becomes
    #map = affine_map<(d0) -> (d0)>
    func.func @main(%arg0: tensor<?xi1>) -> tensor<?xi1> {
      %c0 = arith.constant 0 : index
      %dim = tensor.dim %arg0, %c0 : tensor<?xi1>
      %0 = tensor.empty(%dim) : tensor<?xi1>
      %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg0,
          %arg0 : tensor<?xi1>, tensor<?xi1>) outs(%0 : tensor<?xi1>) {
      ^bb0(%in: i1, %in_0: i1, %out: i1):
        %2 = arith.xori %in, %in_0 : i1
        linalg.yield %2 : i1
      } -> tensor<?xi1>
      return %1 : tensor<?xi1>
    }
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
    func.func @main(%x: tensor<4xui8>) -> tensor<4xui8> {
      return %x : tensor<4xui8>
    }
    // becomes
    func.func @main(%arg0: tensor<4xi8> {heddle.element_type = ui8}) -> (tensor<4xi8> {heddle.element_type = ui8}) {
      return %arg0 : tensor<4xi8>
    }
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
    func.func @main() -> tensor<i64> {
      %0 = ml_program.global_load @count : tensor<i64>
      %1 = arith.addi %0, %0 : tensor<i64>
      ml_program.global_store @count = %1 : tensor<i64>
      return %1 : tensor<i64>
    }
    // becomes
    flow.global private @count : tensor<i64> = dense<0> : tensor<i64>
    func.func @main(%arg0: tensor<i64> {heddle.dims = [], heddle.name = "count", heddle.state = @count}) ->
        (tensor<i64>, tensor<i64> {heddle.name = "count", heddle.state = @count}) {
      %0 = arith.addi %arg0, %arg0 : tensor<i64>
      return %0, %0 : tensor<i64>, tensor<i64>
    }
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
