// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_FLOW_COLLECTIVES
#define HEDDLE_FLOW_COLLECTIVES

include "compiler/Dialect/Flow/IR/FlowDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===--- Where this rank is --------------------------------------------------------------------------------------===//

class Flow_RankOp<string mnemonic> : Op<Flow_Dialect, mnemonic, [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Flow_CoordinateOp : Flow_RankOp<"coordinate"> {
  let summary = "This rank's place along an axis of a mesh, from 0; known when the module is loaded";
  let description = [{ 0 on a rank that is not in the mesh. `%i = flow.coordinate @m "x"` }];
  let arguments = (ins FlatSymbolRefAttr:$mesh, StrAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$mesh $axis attr-dict";
}

def Flow_MeshSizeOp : Flow_RankOp<"mesh_size"> {
  let summary = "The size of an axis of a mesh; known when the module is loaded";
  let description = [{ `%n = flow.mesh_size @m "x"` }];
  let arguments = (ins FlatSymbolRefAttr:$mesh, StrAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$mesh $axis attr-dict";
}

def Flow_MemberOp : Flow_RankOp<"member"> {
  let summary = "Whether this rank is in the mesh";
  let description = [{
    Collectives over a mesh that is a part of the world stand under it.

    ```mlir
    %b = flow.member @tail
    %r = scf.if %b -> (tensor<4xf32>) { %s = flow.all_reduce %x sum over @tail["stage"] : tensor<4xf32> … }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$mesh);
  let results = (outs I1:$result);
  let assemblyFormat = "$mesh attr-dict";
}

//===--- Collectives ---------------------------------------------------------------------------------------------===//

def Flow_Reduction : I32EnumAttr<"Reduction", "how a collective combines elements", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Product", 1, "product">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"UMin", 4, "umin">, I32EnumAttrCase<"UMax", 5, "umax">,
    I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">, I32EnumAttrCase<"Xor", 8, "xor">]> {
  let cppNamespace = "::mlir::heddle::flow";
}

// What collectives wait for: each other, in program order. An effect that is a read: a collective that nobody reads may go, as it
// goes on all ranks, but none leaves or enters a loop or a branch, and none is computed where it was not.
def Flow_Communication : Resource<"::mlir::heddle::flow::Communication">;

def Flow_CollectiveInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::mlir::heddle::flow";
  let description = [{
    What the ranks of a group compute together; each rank of it meets the same op, in program order. A group is the ranks
    that differ along `axes` only, in row-major order of the axes as named; or, without axes, one list of `groups`: numbers
    of ranks in the mesh. A rank's position is its place in its group. A rank that no list names gets zeros.
  }];
  let methods = [
    InterfaceMethod<"", "::mlir::FlatSymbolRefAttr", "getMeshAttr">,
    InterfaceMethod<"", "::mlir::ArrayAttr", "getAxes">,
    InterfaceMethod<"Lists of ranks, DenseI64ArrayAttr; null: the axes say it.", "::mlir::ArrayAttr", "getGroupsAttr">,
    InterfaceMethod<"", "::mlir::Value", "getOperand">,
    InterfaceMethod<"", "::mlir::Value", "getResult">,
    InterfaceMethod<"Of the operand's dynamic dimensions.", "::mlir::OperandRange", "getOperandDims">,
    InterfaceMethod<"Of the result's dynamic dimensions.", "::mlir::OperandRange", "getResultDims">,
    InterfaceMethod<"How dimensions are cut into pieces that need not be of one size, four values for each: granules, "
                    "positions of a granule, the first member's part, parts. None: pieces are of one size.",
                    "::mlir::OperandRange", "getCut">,
    InterfaceMethod<"", "::heddle::contract::CollectiveKind", "getKind">,
    InterfaceMethod<"None where the kind reduces nothing.", "::std::optional<::mlir::heddle::flow::Reduction>",
                    "getCombiner", (ins), [{
      return ::mlir::heddle::flow::getReductionOf($_op);
    }]>,
  ];
  let extraSharedClassDeclaration = [{
    ::mlir::RankedTensorType getOperandType() {
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getOperand().getType());
    }
    ::mlir::RankedTensorType getResultType() {
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getResult().getType());
    }
    bool isCut() { return !$_op.getCut().empty(); }
  }];
}

// `own`: arguments between the operand and the members; `ownFormat`: their text.
class Flow_CollectiveOp<string mnemonic, string kind, list<Trait> traits>
    : Op<Flow_Dialect, mnemonic, traits # [
      MemoryEffects<[MemRead<Flow_Communication>]>, Flow_CollectiveInterface,
      DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let results = (outs AnyRankedTensor:$result);
  code shared = "::heddle::contract::CollectiveKind getKind() { return ::heddle::contract::CollectiveKind::" # kind #
                "; }\n";
}

// The result has the operand's type.
class Flow_SameTypeCollectiveOp<string mnemonic, string kind, dag own, string ownFormat>
    : Flow_CollectiveOp<mnemonic, kind, [AllTypesMatch<["operand", "result"]>]> {
  let arguments = !con((ins AnyRankedTensor:$operand), own,
                       (ins FlatSymbolRefAttr:$mesh, StrArrayAttr:$axes, OptionalAttr<ArrayAttr>:$groups,
                            Variadic<Index>:$dims));
  let assemblyFormat = "$operand " # ownFormat # [{ `over` custom<Members>($mesh, $axes, $groups) attr-dict `:`
    type($result) (`{` $dims^ `}`)?}];
  let extraClassDeclaration = shared # [{
    ::mlir::OperandRange getOperandDims() { return getDims(); }
    ::mlir::OperandRange getResultDims() { return getDims(); }
    ::mlir::OperandRange getCut() { return ::mlir::OperandRange(nullptr, 0); }
  }];
}

// The result has another shape than the operand. Pieces are of one size, or `cut`: the dimension that consists of pieces
// has granules of a size, which parts begin at multiples of; member p of the group has part `first` + p
// (contract/Collectives.h, Cut). The four values are the same on all members.
class Flow_ShapedCollectiveOp<string mnemonic, string kind, dag own, string ownFormat>
    : Flow_CollectiveOp<mnemonic, kind, [AttrSizedOperandSegments]> {
  let arguments = !con((ins AnyRankedTensor:$operand), own,
                       (ins FlatSymbolRefAttr:$mesh, StrArrayAttr:$axes, OptionalAttr<ArrayAttr>:$groups,
                            Variadic<Index>:$operand_dims, Variadic<Index>:$result_dims, Variadic<Index>:$cut));
  let assemblyFormat = "$operand " # ownFormat # [{ (`cut` `(` $cut^ `)`)? `over` custom<Members>($mesh, $axes, $groups) attr-dict `:`
    type($operand) (`{` $operand_dims^ `}`)? `->` type($result) (`{` $result_dims^ `}`)?}];
  let extraClassDeclaration = shared;
}

def Flow_AllReduceOp : Flow_SameTypeCollectiveOp<"all_reduce", "AllReduce", (ins Flow_Reduction:$reduction),
                                                 "$reduction"> {
  let summary = "The operands of all members combined, element by element, on each member";
  let description = [{
    In the order of the positions. Minima and maxima of floats are NaN where an operand is; `umin` and `umax` are those of
    unsigned integers. Elements of i1 are combined by `and`, `or` and `xor`.

    ```mlir
    %r = flow.all_reduce %x sum over @m["x", "y"] : tensor<?x16xf32>{%d}
    ```
  }];
}

def Flow_AllGatherOp : Flow_ShapedCollectiveOp<"all_gather", "AllGather", (ins I64Attr:$dim), "`dim` $dim"> {
  let summary = "The operands of all members behind one another along a dimension, on each member";
  let description = [{
    ```mlir
    %r = flow.all_gather %x dim 0 over @m["x"] : tensor<4x16xf32> -> tensor<8x16xf32>
    // 66 granules of one row in as many parts as "x" has ranks, of which the first member has the first
    %s = flow.all_gather %y dim 0 cut(%c66, %c1, %c0, %n) over @m["x"] : tensor<?x16xf32>{%d} -> tensor<66x16xf32>
    ```
  }];
}

def Flow_ReduceScatterOp : Flow_ShapedCollectiveOp<"reduce_scatter", "ReduceScatter",
                                                   (ins Flow_Reduction:$reduction, I64Attr:$dim),
                                                   "$reduction `dim` $dim"> {
  let summary = "The operands of all members combined; each member gets the part along a dimension that is its own";
  let description = [{
    ```mlir
    %r = flow.reduce_scatter %x sum dim 0 over @m["x"] : tensor<8x16xf32> -> tensor<4x16xf32>
    ```
  }];
}

def Flow_AllToAllOp : Flow_ShapedCollectiveOp<"all_to_all", "AllToAll", (ins I64Attr:$split, I64Attr:$concat),
                                              "`split` $split `concat` $concat"> {
  let summary = "Each member's part of each operand along `split`, behind one another along `concat`";
  let description = [{
    ```mlir
    %r = flow.all_to_all %x split 0 concat 1 over @m["x"] : tensor<8x4xf32> -> tensor<4x8xf32>
    ```
    Cut, it has eight values, those of `split` first, and the two are not one dimension.
  }];
}

def Flow_BroadcastOp : Flow_SameTypeCollectiveOp<"broadcast", "Broadcast", (ins I64Attr:$root), "`root` $root"> {
  let summary = "The operand of the member at a position, on each member";
  let description = [{ `%r = flow.broadcast %x root 0 over @m["x"] : tensor<4xf32>` }];
}

def Flow_PermuteOp : Flow_SameTypeCollectiveOp<"permute", "Permute", (ins OptionalAttr<DenseI64ArrayAttr>:$pairs,
                                               DefaultValuedAttr<I64Attr, "0">:$shift),
                                               "custom<Permutation>($pairs, $shift)"> {
  let summary = "The operand of the member that sends to this one; zeros where none does";
  let description = [{
    `pairs` are positions [from, to]; each is named at most once on a side. `shift` sends around the ring of all members, whatever
    their number: from position p to (p + shift) mod n.

    ```mlir
    %r = flow.permute %x pairs [[0, 1], [1, 0]] over @m["x"] : tensor<4xf32>
    %s = flow.permute %x shift -1 over @m["x"] : tensor<4xf32>
    ```
  }];
}

def Flow_GatherOp : Flow_ShapedCollectiveOp<"gather", "Gather", (ins I64Attr:$dim, I64Attr:$root),
                                            "`dim` $dim `root` $root"> {
  let summary = "The operands of all members behind one another along a dimension, on the root; zeros on the others";
  let description = [{
    ```mlir
    %r = flow.gather %x dim 0 root 1 over @m["x"] : tensor<4x16xf32> -> tensor<8x16xf32>
    ```
  }];
}

def Flow_ScatterOp : Flow_ShapedCollectiveOp<"scatter", "Scatter", (ins I64Attr:$dim, I64Attr:$root),
                                             "`dim` $dim `root` $root"> {
  let summary = "Each member's part of the root's operand along a dimension";
  let description = [{
    ```mlir
    %r = flow.scatter %x dim 0 root 1 over @m["x"] : tensor<8x16xf32> -> tensor<4x16xf32>
    ```
  }];
}

def Flow_ExchangeOp : Flow_ShapedCollectiveOp<"exchange", "Exchange", (ins I64Attr:$dim), "`dim` $dim"> {
  let summary = "What each member needs of a dimension that all members have parts of";
  let description = [{
    Thirteen values: how the dimension lies, how the loop lies that reads it (granules, positions of a granule, the first
    part, parts; all parts are the group's, so the first is 0), then scale, extent and first of the windows. Position i
    of the loop reads [scale * i + first, + extent), those positions that there are; low in front of the dimension and
    high behind it, the last two values, count as there, and are zeros.

    ```mlir
    // 8 rows over x = 4, read in windows of three: [0, 2), [2, 4), … need [0, 3), [1, 5), [3, 7), [5, 8)
    %r = flow.exchange %x dim 0 cut(%c8, %c1, %c0, %c4, %c8, %c1, %c0, %c4, %c1, %c3, %cm1, %c0, %c0) over @m["x"]
        : tensor<2x16xf32> -> tensor<?x16xf32>{%n}
    ```
  }];
}

#endif // HEDDLE_FLOW_COLLECTIVES
