// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_FLOW_ROWS
#define HEDDLE_FLOW_ROWS

include "compiler/Dialect/Flow/IR/FlowDialect.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Flow_RowsOp : Op<Flow_Dialect, "rows", [
    SingleBlock, RecursiveMemoryEffects, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Scalar code that writes the rows of its results, one dispatch";
  let description = [{
    For what no structured op says: sorting, selecting, compacting. The body is run once for each row; runs may be at the
    same time, and one writes only what belongs to its row of the results (of all of it, where there is one row). Results
    begin undefined: what the body does not write, nobody may read.

    The body's arguments are the row and the results so far, which it threads through scf.for, scf.while, scf.if and
    tensor.insert to flow.yield. It reads tensors from outside by tensor.extract. There is one memory for each result: of a
    result's versions only the newest may be read or written, which the verifier checks.

    ```mlir
    %count = flow.rows %one -> (tensor<1xi64>) {
    ^bb0(%row: index, %out: tensor<1xi64>):
      %n = scf.for %i = %zero to %size step %one iter_args(%so_far = %null) -> (i64) { … tensor.extract %x[%i] … }
      %written = tensor.insert %n into %out[%row] : tensor<1xi64>
      flow.yield %written : tensor<1xi64>
    }
    ```
  }];
  let arguments = (ins Index:$rows, Variadic<Index>:$result_dims);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$rows `->` custom<DimensionedTypes>(type($outputs), $result_dims) $body attr-dict";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getRow() { return getBody().front().getArgument(0); }
    ::mlir::ValueRange getVersions() { return getBody().front().getArguments().drop_front(); }
    // The sizes of result `i`.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes(unsigned i);
  }];
}

def Flow_YieldOp : Op<Flow_Dialect, "yield", [Pure, ReturnLike, Terminator, HasParent<"RowsOp">]> {
  let summary = "The results of flow.rows after a row";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // HEDDLE_FLOW_ROWS
