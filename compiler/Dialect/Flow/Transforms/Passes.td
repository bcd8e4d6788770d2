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

#endif // HEDDLE_FLOW_PASSES
