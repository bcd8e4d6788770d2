// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of many ranks: where this rank is, and what the ranks of a group do together. Included by HostOps.td.
#ifndef HEDDLE_HOST_COLLECTIVES
#define HEDDLE_HOST_COLLECTIVES

//===--- Questions about the mesh (bind time) --------------------------------------------------------------------===//

class Host_RankOp<string mnemonic, string opcode>
    : Host_Op<mnemonic, opcode, ["encode", "getBindingTime"], [
        Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Host_CoordinateOp : Host_RankOp<"coordinate", "Coordinate"> {
  let summary = "This rank's place along an axis of a mesh, from 0; 0 outside of the mesh";
  let description = [{ `%i = host.coordinate @m "x"` }];
  let arguments = (ins FlatSymbolRefAttr:$mesh, StrAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$mesh $axis attr-dict";
}

def Host_MeshSizeOp : Host_RankOp<"mesh_size", "MeshSize"> {
  let summary = "The size of an axis of a mesh";
  let description = [{ `%n = host.mesh_size @m "x"` }];
  let arguments = (ins FlatSymbolRefAttr:$mesh, StrAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$mesh $axis attr-dict";
}

def Host_MemberOp : Host_RankOp<"member", "Member"> {
  let summary = "Whether this rank is in the mesh";
  let description = [{ `%b = host.member @m` }];
  let arguments = (ins FlatSymbolRefAttr:$mesh);
  let results = (outs I1:$result);
  let assemblyFormat = "$mesh attr-dict";
}

def Host_ParameterSliceOp : Host_Op<"parameter_slice", "ParameterSlice", [
    "encode", "getStorageKind", "getBindingTime"], [Host_Ordered]> {
  let summary = "A rank's part of a parameter on a device, the only bytes of it that move there; only in @__bind";
  let description = [{
    ```mlir
    %p = host.parameter_slice @w[%offset] size %bytes on @gpu
    host.bind "w.0" = %p : !host.buffer
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter, Index:$offset, Index:$size, FlatSymbolRefAttr:$device);
  let results = (outs Host_Buffer:$result);
  let assemblyFormat = "$parameter `[` $offset `]` `size` $size `on` $device attr-dict";
  let hasVerifier = 1;
}

//===--- Collectives ---------------------------------------------------------------------------------------------===//

def Host_CommStreamOp : Host_Op<"comm_stream", "CommStream", ["getBindingTime"], [Host_Ordered]> {
  let summary = "The stream that this rank's collectives run on";
  let description = [{ There is one, so that all ranks meet all collectives in the order of the program. }];
  let results = (outs Host_Stream:$result);
  let assemblyFormat = "attr-dict";
}

def Host_CollectiveOp : Host_Op<"collective", "Collective", ["encode", "getAccesses"], [
    Host_Ordered, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "What the ranks of a group do together (contract/Collectives.h)";
  let description = [{
    Groups are the ranks that differ along the axes only, or lists of ranks, by their numbers in the mesh. Pieces lie one
    behind the other: `count` elements each. Source and target are one range, or have no byte in common. A rank that is
    not in the mesh, or that no list names, gets zeros and waits for nobody.

    ```mlir
    host.collective %c all_reduce sum f32 over @m["x"] (%b) -> (%b) count %n
    host.collective %c broadcast f32 root 0 over @m groups [[0, 1], [2, 3]] (%a) -> (%b) count %n
    host.collective %c permute i32 pairs [[0, 1], [1, 0]] over @m["x"] (%a) -> (%b) count %n
    host.collective %c permute i32 shift 1 over @m["x"] (%a) -> (%b) count %n
    ```

    Of a kind with pieces, these need not be of one size: `cut` has for each cut (contract::Cut) granules, positions of a
    granule, the first member's part and parts; of all_to_all the cut of what is split, then of what is joined; of an
    exchange how the dimension and the loop lie, then scale, extent and first of windows, the number of rows, and
    zeros in front and behind and 0 twice. Then
    `count` is the elements of one position, and source and target are not one range.

    ```mlir
    host.collective %c all_gather f32 over @m["x"] (%a) -> (%b) count %n cut(%granules, %granule, %first, %parts)
    ```
  }];
  let arguments = (ins Host_Stream:$stream, Host_Buffer:$source, Host_Buffer:$target, Index:$count,
                       StrAttr:$kind, OptionalAttr<StrAttr>:$reduction, TypeAttr:$type,
                       DefaultValuedAttr<I64Attr, "0">:$root, OptionalAttr<DenseI64ArrayAttr>:$pairs,
                       DefaultValuedAttr<I64Attr, "0">:$shift, FlatSymbolRefAttr:$mesh, StrArrayAttr:$axes,
                       OptionalAttr<ArrayAttr>:$groups, Variadic<Index>:$cut);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let declarations = [{
    ::heddle::contract::CollectiveKind getCollectiveKind();
    // Null before the module is verified.
    ::mlir::heddle::device::MeshOp lookupMesh();
    // Its axes by their places in the mesh.
    ::heddle::contract::CollectiveSpec getSpec();
    bool isInPlace() { return getSource() == getTarget(); }
    bool isCut() { return !getCut().empty(); }
    // Whether source and target have as many bytes, whatever the number of members.
    bool isOfOneSize();
  }];
}

#endif // HEDDLE_HOST_COLLECTIVES
