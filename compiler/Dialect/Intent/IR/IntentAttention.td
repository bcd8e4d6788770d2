// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_INTENT_ATTENTION
#define HEDDLE_INTENT_ATTENTION

include "compiler/Dialect/Intent/IR/IntentDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Intent_AttentionOp : Op<Intent_Dialect, "attention", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Values weighted by a softmax of scaled dot products";
  let description = [{
    For each batch and each head of the queries `[batch, heads, n, depth]`:

    ```
    s[i, j] = scale * sum over d of queries[i, d] * keys[j, d]        softcap c: c * tanh(s / c);  a mask of floats is added
    w[i, j] = exp(s[i, j] - peak of row i) / sum over seen j          0 where query i does not see key j
    output[i, d] = sum over j of w[i, j] * values[j, d]
    ```

    Keys and values are `[batch, shared heads, m, depth]`: neighbouring heads of queries share one. A query that sees no
    key gets zeros. Queries may be flat, `[batch, n, heads * depth]`, with `heads`; the output lies as they do.

    Query i sees key j where all of this holds:

    | given | condition |
    |---|---|
    | `mask` of booleans | it is true there; it broadcasts to `[batch, heads, n, m]`, its last dimensions first |
    | `lengths` `[batch]` | j < lengths |
    | `causal` | j <= i + begin, where begin is `offset`, or `begins` `[batch]`, or lengths - n: the last query is the last key |
    | `window` w, of causal | j > i + begin - w |

    `sinks`, one for each head or one for all: the score of a key without a value, which every query sees.
    `softmax` is the type rows are computed in, where it is not the scores'. `gives` names a step whose scores are a second
    result, `[batch, heads, n, m]`: `"scaled"`, `"capped"`, `"masked"` or `"weights"`. `sizes` are those of the dynamic
    dimensions of queries, keys, values and mask, in this order: equal values are equal sizes.

    ```mlir
    // a step of decoding: 9 heads of queries share 3 of keys, of which the first %l are filled
    %y = intent.attention %q, %k, %v lengths %l causal scale 0.125
        : (tensor<1x9x1x64xf32>, tensor<1x3x512x64xf32>, tensor<1x3x512x64xf32>, tensor<1xi64>) -> tensor<1x9x1x64xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$queries, 4DTensorOf<[AnyFloat]>:$keys, 4DTensorOf<[AnyFloat]>:$values,
                       Optional<AnyRankedTensor>:$mask, Optional<Index>:$offset, Optional<1DTensorOf<[AnyInteger]>>:$begins,
                       Optional<1DTensorOf<[AnyInteger]>>:$lengths, Optional<RankedTensorOf<[AnyFloat]>>:$sinks,
                       Variadic<Index>:$sizes, UnitAttr:$causal, OptionalAttr<I64Attr>:$window, F64Attr:$scale,
                       OptionalAttr<F64Attr>:$softcap, OptionalAttr<TypeAttr>:$softmax, OptionalAttr<StrAttr>:$gives,
                       OptionalAttr<I64Attr>:$heads);
  let results = (outs RankedTensorOf<[AnyFloat]>:$output, Optional<4DTensorOf<[AnyFloat]>>:$scores);
  let assemblyFormat = [{
    $queries `,` $keys `,` $values (`mask` $mask^)? (`offset` $offset^)? (`begins` $begins^)? (`lengths` $lengths^)?
    (`sinks` $sinks^)? (`causal` $causal^)? (`window` $window^)? `scale` $scale (`softcap` $softcap^)?
    (`softmax` $softmax^)? (`gives` $gives^)? (`heads` $heads^)? (`sizes` `(` $sizes^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isFlat() { return getQueries().getType().getRank() == 3; }
    // Those of `sizes` that belong to an operand, of queries, keys, values and mask (0 to 3).
    ::mlir::ValueRange getSizesOf(unsigned operand);
  }];
}

#endif // HEDDLE_INTENT_ATTENTION
