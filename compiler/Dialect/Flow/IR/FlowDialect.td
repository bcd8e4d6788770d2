// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_FLOW_DIALECT
#define HEDDLE_FLOW_DIALECT

include "mlir/IR/OpBase.td"

def Flow_Dialect : Dialect {
  let name = "flow";
  let cppNamespace = "::mlir::heddle::flow";
  let summary = "Values: what is computed, in which dispatch, on tensors.";
  let description = [{
    Parameters, named dimensions, dispatch regions, executables and the dispatches that call them. Tensors only: memory
    and order come later, in `host`. Dispatches, regions and transfers carry the dynamic dimensions of their operands
    and results explicitly, `%x : tensor<?x4xf32>{%m}`, so that no later stage has to search for a size.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{ void registerAttributes(); }];
}

#endif // HEDDLE_FLOW_DIALECT
