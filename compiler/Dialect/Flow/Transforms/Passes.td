// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_FLOW_PASSES
#define HEDDLE_FLOW_PASSES

include "mlir/Pass/PassBase.td"

def ResolveDims : Pass<"flow-resolve-dims", "::mlir::ModuleOp"> {
  let summary = "Replaces tensor.dim by the size it stands for";
  let description = [{
    Sizes of results become functions of sizes of operands, down to `flow.dimension`, the sizes a dispatch or region carries,
    and constants. Index arithmetic loses its overflow flags, so that equal sizes are equal values after CSE.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::heddle::flow::FlowDialect", "::mlir::tensor::TensorDialect"];
}

def SinkReshapes : Pass<"flow-sink-reshapes", "::mlir::ModuleOp"> {
  let summary = "Moves reshapes past structured ops, so that they do not stand between ops that can share a dispatch";
  let description = [{
    `expand_shape` moves below its elementwise and reduction consumers by collapsing their loops; pairs that cancel fold.
    What is left stands at the edges of the program or between ops of different iteration spaces, where it is a view.

    ```mlir
    func.func @main(%x: tensor<6x4xf32>) -> tensor<2x3x4xf32> {
      %e = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
      %i = tensor.empty() : tensor<2x3x4xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
          iterator_types = ["parallel", "parallel", "parallel"]} ins(%e : tensor<2x3x4xf32>)
              outs(%i : tensor<2x3x4xf32>) {
      ^bb0(%v: f32, %o: f32):
        %n = arith.negf %v : f32
        linalg.yield %n : f32
      } -> tensor<2x3x4xf32>
      return %r : tensor<2x3x4xf32>
    }
    // becomes
    #map = affine_map<(d0, d1) -> (d0, d1)>
    func.func @main(%arg0: tensor<6x4xf32>) -> tensor<2x3x4xf32> {
      %0 = tensor.empty() : tensor<6x4xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel",
          "parallel"]} ins(%arg0 : tensor<6x4xf32>) outs(%0 : tensor<6x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %2 = arith.negf %in : f32
        linalg.yield %2 : f32
      } -> tensor<6x4xf32>
      %expanded = tensor.expand_shape %1 [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32>
          into tensor<2x3x4xf32>
      return %expanded : tensor<2x3x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def EvaluateConstants : Pass<"flow-evaluate-constants", "::mlir::ModuleOp"> {
  let summary = "Computes what depends on parameters and literals only, into new parameters";
  let description = [{
    Maximal sub-graphs of computable ops (`compiler/Evaluation/Evaluator.h`) are evaluated now; only what the rest of the
    program reads becomes a parameter. Parameters nobody reads any more disappear.

    An op stays where its result would be more than 4 times as large as the parameters it is computed from (broadcasts;
    results of up to 4 KiB are always computed), where it has no value (an index out of range fails at run time, as before),
    and where it is too costly (`Structured.h`), by itself or with those before it: products and other reductions have `max-work`
    iterations together, about two seconds. A result whose elements are all equal becomes a splat constant.

    ```mlir
    flow.parameter private @w : tensor<2x1xf32> = dense<[[1.0], [2.0]]>
    func.func @main() -> tensor<1x2xf32> {
      %w = flow.parameter.load @w : tensor<2x1xf32>
      %e = tensor.empty() : tensor<1x2xf32>
      %t = linalg.transpose ins(%w : tensor<2x1xf32>) outs(%e : tensor<1x2xf32>) permutation = [1, 0]
      return %t : tensor<1x2xf32>
    }
    // becomes
    module {
      flow.parameter private @folded : tensor<1x2xf32> = dense_resource<folded>
      func.func @main() -> tensor<1x2xf32> {
        %0 = flow.parameter.load @folded : tensor<1x2xf32>
        return %0 : tensor<1x2xf32>
      }
    }

    {-#
      dialect_resources: {
        builtin: {
          folded: "0x010000000000803F00000040"
        }
      }
    #-}
    ```
  }];
  let options = [Option<"maxWork", "max-work", "int64_t", "int64_t{1} << 31", "iterations of reductions that are computed now">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::heddle::flow::FlowDialect"];
}

def MergeExecutables : Pass<"flow-merge-executables", "::mlir::ModuleOp"> {
  let summary = "Makes one executable of those whose functions are equal";
  let description = [{
    The first one stays. Dispatch formation shares executables already; this is for those that it had to tell apart and that
    became equal since, because a device lays out alike what they were given in two encodings. Executables with variants stay.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = flow.dispatch @copy_0(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
      %1 = flow.dispatch @copy_0_0(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
      %2 = flow.dispatch @other_1(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
      return %2 : tensor<4xf32>
    }
    flow.executable private @copy_0 {
      func.func @copy_0(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
    }
    flow.executable private @copy_0_0 {
      func.func @copy_0_0(%b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }
    }
    flow.executable private @other_1 {
      func.func @other_1(%a: tensor<4xf32>) -> tensor<4xf32> {
        %e = tensor.empty() : tensor<4xf32>
        return %e : tensor<4xf32>
      }
    }
    // becomes
    func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
      %0 = flow.dispatch @copy_0(%arg0) : (tensor<4xf32>) -> (tensor<4xf32>)
      %1 = flow.dispatch @copy_0(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
      %2 = flow.dispatch @other_1(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
      return %2 : tensor<4xf32>
    }
    flow.executable private @copy_0 {
      func.func @copy_0(%arg0: tensor<4xf32>) -> tensor<4xf32> {
        return %arg0 : tensor<4xf32>
      }
    }
    flow.executable private @other_1 {
      func.func @other_1(%arg0: tensor<4xf32>) -> tensor<4xf32> {
        %0 = tensor.empty() : tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def KeepIndexChecks : Pass<"flow-keep-index-checks", "::mlir::ModuleOp"> {
  let summary = "Keeps the check of an index into a tensor whose elements are all equal";
  let description = [{
    Before anything folds, as upstream folds take the element of a splat or fill without its index, and a checked index that
    nobody reads is not checked. The element depends on the index from here on, by a condition that always holds.
    flow-evaluate-constants does the same where it makes a splat.

    ```mlir
    func.func @main(%0: index) -> f32 {
      %c8 = arith.constant 8 : index
      %threes = arith.constant dense<3.0> : tensor<8xf32>
      %i = flow.checked_index %0, %c8
      %e = tensor.extract %threes[%i] : tensor<8xf32>
      return %e : f32
    }
    // becomes
    func.func @main(%0: index) -> f32 {
      %c8 = arith.constant 8 : index
      %threes = arith.constant dense<3.0> : tensor<8xf32>
      %i = flow.checked_index %0, %c8
      %c0 = arith.constant 0 : index
      %c = arith.cmpi sge, %i, %c0 : index
      %three = arith.constant 3.0 : f32
      %zero = arith.constant 0.0 : f32
      %e = arith.select %c, %three, %zero : f32
      return %e : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ElideTransfers : Pass<"flow-elide-transfers", "::mlir::ModuleOp"> {
  let summary = "Takes away each flow.transfer of a value to the device where it is anyway";
  let description = [{
    Before the first rewrite, as none looks through a transfer. With one device all go. With several, those whose operand is
    there by explicit affinities and what follows them alone, also without the transfers that go. Those stay that say
    something of queues, or hold a constant's users on a device.

    ```mlir
    device.global @a = #device.ordinal<0>
    func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = flow.transfer %x : tensor<4xf32> to #device.affinity<@a>
      %1 = arith.negf %0 : tensor<4xf32>
      %2 = flow.transfer %1 : tensor<4xf32> to #device.affinity<@a>
      return %2 : tensor<4xf32>
    }
    // becomes
    device.global @a = #device.ordinal<0>
    func.func @one(%arg0: tensor<4xf32>) -> tensor<4xf32> {
      %0 = arith.negf %arg0 : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let options = [Option<"byCost", "by-cost", "bool", "false",
                        "dispatches are placed by cost: each transfer of several devices is a pin of its users, and stays "
                        "unless it follows its like">];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def MaterializeTransfers : Pass<"flow-materialize-transfers", "::mlir::ModuleOp"> {
  let summary = "Puts a flow.transfer where a value crosses from device to device";
  let description = [{
    Affinity analysis (`compiler/Dialect/Flow/Analysis/Affinities.h`) says where each op runs; a use elsewhere gets a transfer,
    one for each value and device. No rewrite looks through a transfer, so that ops of two devices are not made one
    afterwards. Constants cross nothing. Stays without effect on a module of one device. A device that competition decided
    is reported by a remark.

    ```mlir
    device.global @a = #device.ordinal<0>
    device.global @b = #device.ordinal<1>
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) -> tensor<4xf32>
        {
      %b = flow.transfer %x : tensor<4xf32> to #device.affinity<@b>
      %s = arith.addf %y, %b {heddle.affinity = #device.affinity<@a>} : tensor<4xf32>
      return %s : tensor<4xf32>
    }
    // becomes
    device.global @a = #device.ordinal<0>
    device.global @b = #device.ordinal<1>
    func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) ->
        tensor<4xf32> {
      %0 = flow.transfer %arg0 : tensor<4xf32> to #device.affinity<@b>
      %1 = flow.transfer %0 : tensor<4xf32> to #device.affinity<@a> {heddle.placed_by = "read there"}
      %2 = arith.addf %arg1, %1 {heddle.affinity = #device.affinity<@a>} : tensor<4xf32>
      return %2 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect", "::mlir::tensor::TensorDialect"];
}

def MaterializeQueues : Pass<"flow-materialize-queues", "::mlir::ModuleOp"> {
  let summary = "Puts a flow.transfer where a value crosses between sets of queues of one device";
  let description = [{
    As flow-materialize-transfers does for devices: what may be issued on other queues (`compiler/Dialect/Flow/Analysis/QueueSets.h`)
    is kept apart by transfers, through which no rewrite looks. Nothing is copied for them. Without effect where no affinity
    names queues.

    ```mlir
    device.global @a = #device.ordinal<0>
    func.func @sets(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %x0 = flow.transfer %x : tensor<4xf32> to #device.affinity<@a, [0]>
      %x1 = flow.transfer %x : tensor<4xf32> to #device.affinity<@a, [1]>
      %a = arith.negf %x0 : tensor<4xf32>
      %b = arith.addf %x1, %y : tensor<4xf32>
      %c = arith.addf %a, %b : tensor<4xf32>
      %free = flow.transfer %b : tensor<4xf32> to #device.affinity<@a>
      %d = arith.addf %free, %c : tensor<4xf32>
      return %d : tensor<4xf32>
    }
    // becomes
    device.global @a = #device.ordinal<0>
    func.func @sets(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
      %0 = flow.transfer %arg0 : tensor<4xf32> to #device.affinity<@a, [0]>
      %1 = flow.transfer %arg0 : tensor<4xf32> to #device.affinity<@a, [1]>
      %2 = arith.negf %0 : tensor<4xf32>
      %3 = flow.transfer %2 : tensor<4xf32> to #device.affinity<@a, [0, 1]>
      %4 = arith.addf %1, %arg1 : tensor<4xf32>
      %5 = flow.transfer %4 : tensor<4xf32> to #device.affinity<@a, [0, 1]>
      %6 = arith.addf %3, %5 : tensor<4xf32>
      %7 = flow.transfer %4 : tensor<4xf32> to #device.affinity<@a>
      %8 = arith.addf %7, %6 : tensor<4xf32>
      return %8 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect", "::mlir::tensor::TensorDialect"];
}

def CutFactors : Pass<"flow-cut-factors", "::mlir::ModuleOp"> {
  let summary = "For tests: returns what is returned once more for each factor, computed in parts along it";
  let description = [{
    Factors (Factors.h) are the loops of an op that can be cut, whatever the op is. Behind the results of a function come, for
    each op whose result it returns, for each of its factors that can be cut and each number of `parts`: the op's results put
    together of its parts. The op on each part gets what operandSharding() says, no more. All must be equal.

    ```mlir
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> { %0 = linalg.exp ins(%x : …) …  return %0 : tensor<3xf32> }
    // with parts=2: returns %0, and [exp(x[0:1]), exp(x[1:3])]
    ```
  }];
  let options = [ListOption<"parts", "parts", "int64_t", "numbers of parts">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::heddle::flow::FlowDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // HEDDLE_FLOW_PASSES
