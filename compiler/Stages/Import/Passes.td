#ifndef HEDDLE_IMPORT_PASSES
#define HEDDLE_IMPORT_PASSES

include "mlir/Pass/PassBase.td"

def LowerTosa : Pass<"import-lower-tosa", "::mlir::ModuleOp"> {
  let summary = "Turns TOSA into linalg by the upstream pipelines; leaves a module without TOSA alone";
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def NameDimensions : Pass<"import-name-dimensions", "::mlir::ModuleOp"> {
  let summary = "Names arguments, results and every dynamic dimension of an argument";
  let description = [{
    An argument without a name is `arg0`, a result `result0`, a dynamic dimension without a name `arg0_d1`: it is its own.
  }];
}

def VerifyImport : Pass<"import-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that only known dialects are left and every dynamic dimension of an argument has a name";
}

#endif // HEDDLE_IMPORT_PASSES
