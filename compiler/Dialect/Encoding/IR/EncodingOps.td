// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_ENCODING_OPS
#define HEDDLE_ENCODING_OPS

include "compiler/Dialect/Encoding/IR/EncodingDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Encoding_Op<string mnemonic, list<Trait> traits = []> : Op<Encoding_Dialect, mnemonic, traits>;

def Encoding_SetOp : Encoding_Op<"set", [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
    ["reifyResultShapes"]>]> {
  let summary = "The same elements, laid out as the result's type says";
  let description = [{
    ```mlir
    %e = encoding.set %x : tensor<?x64xf32> -> tensor<?x64xf32, #encoding.contraction<…>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Encoding_UnsetOp : Encoding_Op<"unset", [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
    ["reifyResultShapes"]>]> {
  let summary = "The same elements in plain row-major order";
  let description = [{
    ```mlir
    %x = encoding.unset %e : tensor<?x64xf32, #encoding.contraction<…>> -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Encoding_SliceOp : Encoding_Op<"slice", [Pure, AttrSizedOperandSegments]> {
  let summary = "Whole tiles of a value whose layout is known";
  let description = [{
    Offsets and sizes count granules of the layout: its tile along each dimension, 1 where a dimension has none. So the
    result, which has the same layout, is a rectangle of the operand's memory. Any other slice of an encoded value is
    `unset`, a plain slice, `set`. The last granule may be partly padding: then the result's size ends with the operand's.

    ```mlir
    %s = encoding.slice %e[%i, 0] [2, 64]
        : tensor<?x64xf32, #rows_of_16> -> tensor<32x64xf32, #rows_of_16>   // rows 16 i to 16 i + 31
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($offsets, $static_offsets) custom<DynamicIndexList>($sizes, $static_sizes)
    attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // HEDDLE_ENCODING_OPS
