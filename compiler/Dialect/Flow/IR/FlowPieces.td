// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_FLOW_PIECES
#define HEDDLE_FLOW_PIECES

include "compiler/Dialect/Flow/IR/FlowDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Flow_PiecesOp : Op<Flow_Dialect, "pieces", [Pure]> {
  let summary = "In how many pieces a collective is moved beside its work: chosen when the module is loaded, alike on all ranks";
  let description = [{
    `account` is what the loader reckons with (OverlapAccounts.h), ops of one `number` have one. Of a known extent it is one
    of the account's counts, 0 where rows come from each rank as they are. Of an extent that calls know it is the most
    pieces, and with `positions` the number of positions for each.

    `%n = flow.pieces 0 {account = {…, counts = array<i64: 1, 4, 16>}}`
  }];
  let arguments = (ins I64Attr:$number, UnitAttr:$positions, DictionaryAttr:$account);
  let results = (outs Index:$result);
  let assemblyFormat = "$number (`positions` $positions^)? attr-dict";
  let hasVerifier = 1;
}

#endif // HEDDLE_FLOW_PIECES
