// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_SPLIT_PASSES
#define HEDDLE_SPLIT_PASSES

include "mlir/Pass/PassBase.td"

def ChooseReductions : Pass<"split-choose-reductions", "::mlir::ModuleOp"> {
  let summary = "Marks reductions that are long and have few results, so that they may be computed in parts";
  let description = [{
    A strategy: it says which ops `split-reductions` may split. Of these data tiling lays out constants only, which are cut in
    tiles; not what is computed.
    An op that says itself how many parts (`heddle.split = 77`) is left as it is; where it cannot be split that is an error.
    With `heddle.split = 1` it stays whole.
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", "", "which ops, besides those that say so: default, or none (empty)">,
    Option<"strictFloat", "strict-float", "bool", "false", "sums and products of floats keep their order">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ApplyScript : Pass<"split-apply-script", "::mlir::ModuleOp"> {
  let summary = "Runs a script of MLIR's transform dialect that says which reductions are computed in how many parts";
  let description = [{
    Before `split-choose-reductions`, when ops are what is split. The script marks ops by `transform.heddle.split_reduction`
    (`heddle.split`) and changes nothing else. The line of the script is what `heddle explain` names as the reason.
  }];
  let options = [Option<"file", "file", "std::string", "", "the script">];
  let dependentDialects = ["::mlir::transform::TransformDialect"];
}

def SplitReductions : Pass<"split-reductions", "::mlir::ModuleOp"> {
  let summary = "Splits the long reduction of a dispatch region into parts and a merge, as many as the device has units for";
  let description = [{
    On regions, so that what shares a dispatch is the same with and without. The count is computed by the program: from sizes,
    and `flow.units` of the device. One part is the region as it was.

    ```mlir
    %y = flow.region { %0 = linalg.matmul ins(%a, %b) outs(%zero) … relu … }     // becomes:
    %n = …                                                                       // how many parts
    %y = scf.if (%n == 1) { flow.region as before }
    else {
      %p = flow.region -> tensor<?x123x456xf32>{%n} {
        %q = scf.forall (%s) in (%n) {
          %k = %s * %granules / %n * %granule                                    // ragged: no padding, no copies
          %part = linalg.matmul ins(%a[:, %k …], %b[%k …, :]) outs(%zero)
          tensor.parallel_insert_slice %part into %q[%s]
        }
      }
      %m = flow.region { %1 = sum of %p over the parts, from what %y began with; … relu … }
    }
    ```
  }];
  let options = [
    Option<"strictFloat", "strict-float", "bool", "false", "why an op was not chosen, which the program keeps, counts it in">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::heddle::flow::FlowDialect"];
}

#endif // HEDDLE_SPLIT_PASSES
