// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_FLOW_PRODUCTS
#define HEDDLE_FLOW_PRODUCTS

include "compiler/Dialect/Flow/IR/FlowDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Flow_GroupedMatmulOp : Op<Flow_Dialect, "grouped_matmul", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Groups of rows, each times a matrix of its own: the experts of a mixture";
  let description = [{
    `result[m, n] = sum over k of rows[m, k] * weights[g, k, n]`, where g is the group that has row m. Groups follow one
    another from row 0 on; data says how many rows each has (`sizes`), or where each ends (`ends`, the sum of the sizes up
    to its own). A group may be empty. Rows behind the last group are 0. Sizes below 0, and groups that end behind the last
    row, fail the call.

    Floats are summed in f32, integers of 8 bits in i32. The result has that type, or that of the rows if they are floats.

    ```mlir
    %y = flow.grouped_matmul %x, %w sizes %s : (tensor<?x64xf32>, tensor<8x64x32xf32>, tensor<8xi32>) -> tensor<?x32xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[F32, F16, BF16, I8]>:$rows, RankedTensorOf<[F32, F16, BF16, I8]>:$weights,
                       RankedTensorOf<[I32, I64]>:$groups, UnitAttr:$ends);
  let results = (outs RankedTensorOf<[F32, F16, BF16, I32]>:$result);
  let assemblyFormat = [{
    $rows `,` $weights (`ends` $ends^) : (`sizes`)? $groups attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

#endif // HEDDLE_FLOW_PRODUCTS
