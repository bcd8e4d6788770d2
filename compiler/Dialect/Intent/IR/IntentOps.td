// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_INTENT_OPS
#define HEDDLE_INTENT_OPS

include "compiler/Dialect/Intent/IR/IntentDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Intent_QuantizedProductOp : Op<Intent_Dialect, "quantized_product", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Rows times weights that are stored as codes";
  let description = [{
    `result[m, n] = sum over k of rows[m, k] * (code[k, n] - zero) * scale`, in f32. `code` is the type of the codes:
    integers of 8 bits (`i8`, `ui8`), unsigned ones of 2 to 7, floats of 8 and 4 bits. Codes lie in bytes, row after
    row: one a byte, or, of at most 4 bits, those of rows `2 i` and `2 i + 1` of a column in one, the first in the lower
    bits. Two dimensions are `[k, n]`; three are blocks of rows, `[blocks, k of a block, n]`.

    Scales and zeros (zero: none) are one for all, one for each column `[n]`, or one for each column of a block
    `[blocks, n]`, which scales have where there are blocks. Zeros are codes in bytes, or floats between codes.

    With `rounded` the rows are rounded to 8 bits first, in blocks of so many columns, those of the codes: a block's
    element x is `round(x / s) * s`, where s is the block's greatest magnitude divided by 127 (`docs/design/quantisation.md`).

    ```mlir
    // 64 rows of 48 columns in blocks of 32, two codes a byte
    %y = intent.quantized_product %x, %codes as ui4 scales %s zeros %z
        : (tensor<?x64xf32>, tensor<2x16x48xi8>, tensor<2x48xf32>, tensor<2x48xi8>) -> tensor<?x48xf32>
    ```
  }];
  let arguments = (ins 2DTensorOf<[F32]>:$rows, RankedTensorOf<[I8]>:$codes, RankedTensorOf<[F32, F16, BF16]>:$scales,
                       Optional<RankedTensorOf<[I8, F32]>>:$zeros, TypeAttr:$code,
                       OptionalAttr<I64Attr>:$rounded);
  let results = (outs 2DTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $rows `,` $codes `as` $code `scales` $scales (`zeros` $zeros^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // Rows of the weights, their columns; codes in a byte; rows of a block, 0 without blocks.
    int64_t getDepth() { return getRows().getType().getDimSize(1); }
    int64_t getColumns() { return getCodes().getType().getShape().back(); }
    int64_t getCodesPerByte();
    int64_t getBlock();
  }];
}

#endif // HEDDLE_INTENT_OPS
