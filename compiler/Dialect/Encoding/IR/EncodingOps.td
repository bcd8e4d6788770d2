#ifndef HEDDLE_ENCODING_OPS
#define HEDDLE_ENCODING_OPS

include "compiler/Dialect/Encoding/IR/EncodingDialect.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Encoding_Op<string mnemonic, list<Trait> traits = []> : Op<Encoding_Dialect, mnemonic, traits>;

def Encoding_SetOp : Encoding_Op<"set", [Pure]> {
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

def Encoding_UnsetOp : Encoding_Op<"unset", [Pure]> {
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

#endif // HEDDLE_ENCODING_OPS
