#ifndef HEDDLE_FORM_PASSES
#define HEDDLE_FORM_PASSES

include "mlir/Pass/PassBase.td"

def HoistConstants : Pass<"form-hoist-constants", "::mlir::ModuleOp"> {
  let summary = "Turns constant tensors into parameters and fills, so that kernels hold no data";
  let description = [{
    A splat becomes a `linalg.fill`, anything else a `flow.parameter`. Equal constants share one parameter.
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
  }];
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
    other index values the region uses. Equal sizes are one value in its body, so that it sees which shapes agree.
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def VerifyForm : Pass<"form-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that no tensor compute is left outside executables";
}

#endif // HEDDLE_FORM_PASSES
