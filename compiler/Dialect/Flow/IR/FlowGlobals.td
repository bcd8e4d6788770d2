// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_FLOW_GLOBALS
#define HEDDLE_FLOW_GLOBALS

include "compiler/Dialect/Flow/IR/FlowAttrs.td"
include "compiler/Dialect/Flow/IR/FlowDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/SymbolInterfaces.td"

def Flow_GlobalOp : Op<Flow_Dialect, "global", [Symbol]> {
  let summary = "A tensor that the module keeps between calls";
  let description = [{
    Entry points read and write it at their boundary: an argument with `heddle.state` is its value when the call begins, a
    result with `heddle.state` its value when the call ends (docs/design/state.md). Without an initial value it begins
    as zeros; its dynamic dimensions begin at 0, or at the size that an argument of the first call gives their name.
    `heddle.affinity` says on which device it lies, the default one without. With a sharding it is a rank's part, and the
    initial value that of the whole: each rank begins with its part of it.

    ```mlir
    flow.global private @cache : tensor<?x64xf32>
    flow.global private @step : tensor<i64> = dense<1> : tensor<i64>
    flow.global private @bias : tensor<?xf32> as <@m, [["x"]]> = dense<1.0> : tensor<7xf32>
    func.func @main(%x: tensor<i64>, %old: tensor<i64> {heddle.state = @step}) -> (tensor<i64> {heddle.state = @step})
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       TypeAttrOf<AnyRankedTensor>:$type, OptionalAttr<ElementsAttr>:$value,
                       OptionalAttr<Flow_ShardingAttr>:$sharding);
  let assemblyFormat = "custom<SymbolVisibility>($sym_visibility) $sym_name `:` $type (`as` $sharding^)? (`=` $value^)? attr-dict";
  let hasVerifier = 1;
}

#endif // HEDDLE_FLOW_GLOBALS
