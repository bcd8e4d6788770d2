// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_INTENT_LISTS
#define HEDDLE_INTENT_LISTS

include "compiler/Dialect/Intent/IR/IntentDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Ops on the lists that a tensor has along a dimension. A region is of scalars; it may read values from outside. `sizes`
// are those of the operands' dynamic dimensions, where whoever made the op knew them: equal values are equal sizes.
class Intent_ListOp<string mnemonic, list<Trait> traits = []> : Op<Intent_Dialect, mnemonic, traits # [
    SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Intent_SortOp : Intent_ListOp<"sort", [AttrSizedOperandSegments]> {
  let summary = "Where the elements along a dimension stand when sorted";
  let description = [{
    The positions (i64) of the elements that come first in each list along dimension `dim`, in order: so many as `first`
    says, or the result's type, or all. It is stable: of elements of which none comes before the other, the one that stands first comes first.

    Without a region there is one operand, whose least elements come first, or its greatest (`descending`). NaN is
    greater than all numbers, both zeros are one. Integers have signs, unless `unsigned_order`. With a region, lists of
    several operands of one shape are sorted as one: the region gets two elements of each operand and yields whether
    those of one position, x0, y0, come before those of another one, x1, y1.

    ```mlir
    %places = intent.sort %x dim 1 first %k descending : (tensor<?x100xf32>, index) -> tensor<?x?xi64>
    %order = intent.sort %x, %y dim 0 by {
    ^bb0(%x0: i32, %x1: i32, %y0: f32, %y1: f32):
      %less = arith.cmpi slt, %x0, %x1 : i32
      intent.yield %less : i1
    } : (tensor<8xi32>, tensor<8xf32>) -> tensor<8xi64>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$lists, I64Attr:$dim, Optional<Index>:$first, Variadic<Index>:$sizes,
                       UnitAttr:$descending, UnitAttr:$unsigned_order);
  let results = (outs RankedTensorOf<[I64]>:$places);
  let regions = (region MaxSizedRegion<1>:$before);
  let assemblyFormat = [{
    $lists `dim` $dim (`first` $first^)? (`descending` $descending^)? (`unsigned` $unsigned_order^)?
    (`sizes` `(` $sizes^ `)`)? (`by` $before^)? attr-dict `:` functional-type(operands, $places)
  }];
}

def Intent_ScanOp : Intent_ListOp<"scan", [AttrSizedOperandSegments]> {
  let summary = "Running sums and the like along a dimension";
  let description = [{
    Each result is a state, which is `start` before the first element of a list along dimension `dim` and then what the
    region makes of it, element by element: result `i` is the state behind element `i`, or before it where `exclusive`.
    `reverse` begins with the last element. The region gets the element's position, the states, and the element of each
    operand, and yields the states. Results have the operands' shape.

    `associative`: states are of the operands' types, one for each, and the region combines two runs of neighbours, of
    which the first comes first, whatever their lengths; `start` changes nothing. Sums of floats count as such: their
    order is open.

    ```mlir
    %sums = intent.scan %x dim 1 exclusive associative from [0.0 : f32] in {
    ^bb0(%i: index, %sum: f32, %element: f32):
      %next = arith.addf %sum, %element : f32
      intent.yield %next : f32
    } : (tensor<4x?xf32>) -> tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$lists, Variadic<Index>:$sizes, I64Attr:$dim, ArrayAttr:$start,
                       UnitAttr:$exclusive, UnitAttr:$reverse, UnitAttr:$associative);
  let results = (outs Variadic<AnyRankedTensor>:$states);
  let regions = (region SizedRegion<1>:$step);
  let assemblyFormat = [{
    $lists `dim` $dim (`exclusive` $exclusive^)? (`reverse` $reverse^)? (`associative` $associative^)?
    (`sizes` `(` $sizes^ `)`)? `from` $start `in` $step attr-dict `:` functional-type(operands, $states)
  }];
}

def Intent_ScatterOp : Intent_ListOp<"scatter"> {
  let summary = "A tensor after updates, one after the other";
  let description = [{
    `data`, where updates are written along dimension `dim`. Update `u` of a list goes where `places` says: it has the
    updates' shape, or, alike for all that lies behind the dimension, their first `dim + 1` sizes. A place outside of
    the dimension is not written. Along the others updates may be fewer than the data: they are of the first ones.

    Updates of one place come in their order. Without a region the last one stays; the region gets what is there and the
    update, and yields what is there then. `associative`: updates of one place may be combined among themselves first.

    Sizes are those of the data, then those of the updates.

    ```mlir
    %sum = intent.scatter %u into %data at %places dim 0 associative by {
    ^bb0(%before: f32, %update: f32):
      %after = arith.addf %before, %update : f32
      intent.yield %after : f32
    } : (tensor<20x7xf32>, tensor<100x7xf32>, tensor<20xi64>) -> tensor<100x7xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$updates, AnyRankedTensor:$data, RankedTensorOf<[I32, I64]>:$places,
                       Variadic<Index>:$sizes, I64Attr:$dim, UnitAttr:$associative);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region MaxSizedRegion<1>:$combine);
  let assemblyFormat = [{
    $updates `into` $data `at` $places `dim` $dim (`associative` $associative^)? (`sizes` `(` $sizes^ `)`)?
    (`by` $combine^)? attr-dict `:` functional-type(operands, $result)
  }];
  let extraClassDeclaration = [{
    // Those of `sizes` that belong to the data; to the updates.
    ::mlir::ValueRange getDataSizes();
    ::mlir::ValueRange getUpdateSizes() { return getSizes().drop_front(getDataSizes().size()); }
  }];
}

def Intent_YieldOp : Op<Intent_Dialect, "yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["SortOp", "ScanOp", "ScatterOp"]>]> {
  let summary = "What a region of an op on lists gives";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif // HEDDLE_INTENT_LISTS
