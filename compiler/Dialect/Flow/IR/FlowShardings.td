// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_FLOW_SHARDINGS
#define HEDDLE_FLOW_SHARDINGS

include "compiler/Dialect/Flow/IR/FlowDialect.td"
include "compiler/Dialect/Flow/IR/FlowAttrs.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Flow_ShardOp : Op<Flow_Dialect, "shard", [
    Pure, AllTypesMatch<["operand", "result"]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Asks that ranks share a whole value so; the value stays what it is";
  let description = [{
    A program with such requests is about whole values. Stage `partition` decides how ranks share the others, and makes of
    it the program of one rank.

    ```mlir
    %r = flow.shard %x as <@m, [["x"], ?]> : tensor<?x16xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$operand, Flow_ShardingAttr:$sharding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `as` $sharding attr-dict `:` type($result)";
}

def Flow_PartOp : Op<Flow_Dialect, "part", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "This rank's part of a whole value";
  let description = [{
    From here to flow.whole the program is that of one rank: what is computed of parts is the rank's own, with collectives as the
    program has them. Of a sharding with partial sums, the rank at place 0 of these axes has the value, the others the
    reduction's neutral element.

    ```mlir
    %p = flow.part %x as <@m, [["x"], []]> : tensor<8x16xf32> -> tensor<4x16xf32>
    %q = flow.part %y as <@m, [["x"], []]> : tensor<7x16xf32> -> tensor<?x16xf32>{%rows}
    ```
  }];
  let arguments = (ins AnyRankedTensor:$operand, Flow_ShardingAttr:$sharding, Variadic<Index>:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `as` $sharding attr-dict `:` type($operand) `->` type($result) (`{` $dims^ `}`)?";
  let hasVerifier = 1;
}

def Flow_WholeOp : Op<Flow_Dialect, "whole", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The whole value of which each rank has a part";
  let description = [{
    ```mlir
    %w = flow.whole %p as <@m, [["x"], []]> : tensor<4x16xf32> -> tensor<8x16xf32>
    %v = flow.whole %q as <@m, [["x"], []]> : tensor<?x16xf32> -> tensor<?x16xf32>{%all}
    ```
  }];
  let arguments = (ins AnyRankedTensor:$operand, Flow_ShardingAttr:$sharding, Variadic<Index>:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `as` $sharding attr-dict `:` type($operand) `->` type($result) (`{` $dims^ `}`)?";
  let hasVerifier = 1;
}

def Flow_BlockOp : Op<Flow_Dialect, "block", [Pure]> {
  let summary = "One of the blocks that a constant consists of";
  let description = [{
    A rank's part of a parameter, whose equal parts lie behind one another (encode-block-constants). The source's leading dimension
    counts the blocks. In memory a block is what its type says alone, also in a layout: the host program takes a view.

    ```mlir
    %i = flow.coordinate @m "x"
    %own = flow.block %w[%i] : tensor<4x64x128xf32> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$source, Index:$block);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source `[` $block `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // HEDDLE_FLOW_SHARDINGS
