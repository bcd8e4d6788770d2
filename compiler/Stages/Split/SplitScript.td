// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a script of --split-file says beyond MLIR's own transform ops: docs/design/split-reduction.md.
#ifndef HEDDLE_SPLIT_SCRIPT
#define HEDDLE_SPLIT_SCRIPT

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def MatchReductionsOp : TransformDialectOp<"heddle.match_reductions",
    [NavigationTransformOpTrait, MemoryEffectsOpInterface, DeclareOpInterfaceMethods<TransformOpInterface>]> {
  let summary = "The reductions that nodes of the model are computed by, found by the nodes' names";
  let description = [{
    Structured ops in `root` that reduce, can be computed in parts, and come from a node whose name fits the pattern: `*`
    stands for any characters and `?` for one. A warning where there is none.

    ```mlir
    %products = transform.heddle.match_reductions "encoder/*/MatMul" in %program : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let cppNamespace = "::mlir::heddle::split";
  let arguments = (ins StrAttr:$pattern, TransformHandleTypeInterface:$root);
  let results = (outs TransformHandleTypeInterface:$reductions);
  let assemblyFormat = "$pattern `in` $root attr-dict `:` functional-type(operands, results)";
}

def SplitReductionOp : TransformDialectOp<"heddle.split_reduction",
    [DeclareOpInterfaceMethods<TransformOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Says into how many parts reductions are computed";
  let description = [{
    `into` so many parts (1: they stay whole), for each unit of the device with `per_unit`; or `by` parts of so many steps
    of the loop. The loop that is cut is the longest one that can be, or the one behind `along`, counted as in the op. The
    last op that speaks of a reduction counts. Parts are never more than what there is to be cut.

    ```mlir
    transform.heddle.split_reduction %ops into 13 : !transform.any_op
    transform.heddle.split_reduction %ops into 2 per_unit : !transform.any_op
    transform.heddle.split_reduction %ops by %steps along 2 : !transform.any_op, !transform.param<i64>
    ```
  }];
  let cppNamespace = "::mlir::heddle::split";
  let arguments = (ins TransformHandleTypeInterface:$reductions, Optional<TransformParamTypeInterface>:$number,
                       OptionalAttr<I64Attr>:$static_number, UnitAttr:$by_size, UnitAttr:$per_unit,
                       OptionalAttr<I64Attr>:$loop);
  let assemblyFormat = [{
    $reductions (`by` $by_size^) : (`into`)? custom<Number>($number, $static_number) (`per_unit` $per_unit^)?
    (`along` $loop^)? attr-dict `:` type($reductions) (`,` type($number)^)?
  }];
  let hasVerifier = 1;
}

def TargetFactOp : TransformDialectOp<"heddle.target_fact",
    [MemoryEffectsOpInterface, ParamProducerTransformOpTrait, MatchOpInterface,
     DeclareOpInterfaceMethods<TransformOpInterface>]> {
  let summary = "A figure of the devices that may compute ops, one for each op";
  let description = [{
    Of processors `vector_bytes`, `vector_registers`, `first_level_bytes` and `second_level_bytes` (of a core's caches), of
    GPUs `workgroup_invocations`, `shared_bytes` and `subgroup` where it is known. Divided by what stands behind `over`,
    rounded down, at least 1. An op that is pinned to a device is computed by it, others by any device of the program;
    where these differ the op fails, as a match does.

    ```mlir
    %steps = transform.heddle.target_fact "second_level_bytes" of %op over 64 : (!transform.any_op) -> !transform.param<i64>
    ```
  }];
  let cppNamespace = "::mlir::heddle::split";
  let arguments = (ins StrAttr:$fact, TransformHandleTypeInterface:$ops, OptionalAttr<I64Attr>:$divisor);
  let results = (outs TransformParamTypeInterface:$values);
  let assemblyFormat = "$fact `of` $ops (`over` $divisor^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MatchTargetOp : TransformDialectOp<"heddle.match_target",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "Matches an op that devices of this kind compute, and no others";
  let description = [{
    The kind is "cpu", "vulkan" or "cuda". For matchers of `transform.foreach_match` and `transform.collect_matching`.

    ```mlir
    transform.heddle.match_target %op is "cuda" : !transform.any_op
    ```
  }];
  let cppNamespace = "::mlir::heddle::split";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, StrAttr:$kind);
  let assemblyFormat = "$operand_handle `is` $kind attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

#endif // HEDDLE_SPLIT_SCRIPT
