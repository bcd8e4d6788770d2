// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_HOST_OPS
#define HEDDLE_HOST_OPS

include "compiler/Dialect/Host/IR/HostDialect.td"
include "compiler/Dialect/Host/IR/HostInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// An op of a host program: a row of the table (HostInterfaces.td). `opcode` is its instruction, `stated` what its row
// states besides its step; both are defined in HostTable.cpp, one block an op.
class Host_Op<string mnemonic, string opcode, list<string> stated = [], list<Trait> traits = []>
    : Op<Host_Dialect, mnemonic, traits # [DeclareOpInterfaceMethods<Host_OpInterface, stated>]> {
  code declarations = "";
  let extraClassDeclaration = "static constexpr ::heddle::contract::Opcode kOpcode = ::heddle::contract::Opcode::" #
                              opcode # ";\n" # declarations;
}

// Ordered against all other host ops: never removed, duplicated or moved.
def Host_Ordered : MemoryEffects<[MemRead, MemWrite]>;

//===--- Entry points --------------------------------------------------------------------------------------------===//

def Host_FuncOp : Op<Host_Dialect, "func", [
    IsolatedFromAbove, AffineScope, AutomaticAllocationScope, FunctionOpInterface]> {
  let summary = "An entry point";
  let description = [{
    Its block's arguments are: the call's stream, one buffer for each of `arguments`, one index for each of `symbols`
    (the named dimensions, checked at entry). Ends in `host.return`.

    ```mlir
    host.func @main(%s: !host.stream, %x: !host.buffer, %m: index)
        arguments([#host.value<"x", tensor<?x4xf32>, ["m", ""]>])
        results([#host.value<"y", tensor<?x4xf32>, ["m", ""]>]) symbols(["m"]) { … }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       ArrayAttr:$arguments, ArrayAttr:$results, StrArrayAttr:$symbols);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::ArrayAttr":$arguments,
                                 "::mlir::ArrayAttr":$results, "::mlir::ArrayAttr":$symbols)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }

    // The call's stream, its i-th argument and its i-th symbol.
    ::mlir::BlockArgument getStream() { return getBody().getArgument(0); }
    ::mlir::BlockArgument getBufferArgument(unsigned i) { return getBody().getArgument(1 + i); }
    ::mlir::BlockArgument getSymbol(unsigned i) {
      return getBody().getArgument(1 + getArgumentsAttr().size() + i);
    }
    // The value that an argument of the body describes; null for the stream, a symbol, and values of other blocks.
    ValueAttr describe(::mlir::Value argument);
    // Whether the program may write the argument's memory: it is donated, or state that a result replaces.
    bool mayWrite(ValueAttr argument);
  }];
}

def Host_ReturnOp : Host_Op<"return", "Return", ["encode"], [Terminator, HasParent<"FuncOp">, AttrSizedOperandSegments]> {
  let summary = "Ends an entry point: each result's buffer and its full shape";
  let arguments = (ins Variadic<Host_Buffer>:$buffers, Variadic<Index>:$sizes);
  let assemblyFormat = "$buffers `shape` `(` $sizes `)` attr-dict";
  let hasVerifier = 1;
}

def Host_CheckOp : Host_Op<"check", "Check", ["encode"], [Host_Ordered]> {
  let summary = "Fails the call with a message when the condition does not hold";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

//===--- Memory --------------------------------------------------------------------------------------------------===//

def Host_ParameterOp : Host_Op<"parameter", "Parameter", ["encode", "getStorageKind", "getBindingTime"], [Pure]> {
  let summary = "The bytes of a flow.parameter on a device; never written, never freed";
  let arguments = (ins FlatSymbolRefAttr:$parameter, FlatSymbolRefAttr:$device);
  let results = (outs Host_Buffer:$result);
  let assemblyFormat = "$parameter `on` $device attr-dict";
}

def Host_ResultOp : Host_Op<"result", "Result", ["encode", "getStorageKind", "getBindingTime"], [Host_Ordered]> {
  let summary = "Storage for a result: the caller's buffer if one was given, else a new one";
  let arguments = (ins I32Attr:$index, FlatSymbolRefAttr:$device, Index:$size);
  let results = (outs Host_Buffer:$result);
  let assemblyFormat = "$index `on` $device `size` $size attr-dict";
}

def Host_SlabOp : Host_Op<"slab", "Slab", ["encode", "getStorageKind", "getBindingTime"], [Host_Ordered]> {
  let summary = "The call's slab of transient memory on a device; kept between calls, never freed by the program";
  let arguments = (ins FlatSymbolRefAttr:$device, Index:$size);
  let results = (outs Host_Buffer:$result);
  let assemblyFormat = "`on` $device `size` $size attr-dict";
}

def Host_PlanOp : Host_Op<"plan", "Plan", ["encode"], [Pure]> {
  let summary = "Places buffers of given sizes and lives in one slab (contract/Plan.h)";
  let description = [{
    ```mlir
    %total, %o0, %o1 = host.plan(%s0, %s1) lives([#host.interval<0, 1>, #host.interval<1, 2>])
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, ArrayAttr:$intervals);
  let results = (outs Index:$total, Variadic<Index>:$offsets);
  let assemblyFormat = "`(` $sizes `)` `lives` `(` $intervals `)` attr-dict `:` type($offsets)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Host_AllocOp : Host_Op<"alloc", "Alloc", ["encode", "getStorageKind", "getBindingTime"], [Host_Ordered]> {
  let summary = "A buffer of its own; freed once, by host.free";
  let arguments = (ins FlatSymbolRefAttr:$device, Index:$size);
  let results = (outs Host_Buffer:$result);
  let assemblyFormat = "`on` $device `size` $size attr-dict";
}

def Host_FreeOp : Host_Op<"free", "Free", ["getAccesses"], [Host_Ordered]> {
  let summary = "Frees a buffer after what was issued on the stream";
  let arguments = (ins Host_Stream:$stream, Host_Buffer:$buffer);
  let assemblyFormat = "$stream `,` $buffer attr-dict";
}

def Host_ViewOp : Host_Op<"view", "View", ["encode"], [Pure]> {
  let summary = "Bytes [offset, offset + size) of a buffer, or several such runs";
  let description = [{
    With `times` and `stride` the view is `count` runs of `size` bytes, whose begins are `stride` bytes apart: a slice of
    which the outermost dimension is not the one that is cut. Only dispatches take such a view: their kernels are bound
    to its first byte and know the stride, so the view's bytes are those of the runs, one after the other.

    ```mlir
    %rows = host.view %b[%offset] size %bytes
    %columns = host.view %b[%offset] size %run times %count stride %stride
    ```
  }];
  let arguments = (ins Host_Buffer:$source, Index:$offset, Index:$size, Variadic<Index>:$runs);
  let results = (outs Host_Buffer:$result);
  let assemblyFormat = "$source `[` $offset `]` `size` custom<Runs>($size, $runs) attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$offset, "::mlir::Value":$size,
                                 CArg<"::mlir::ValueRange", "{}">:$runs)>];
  let declarations = [{
    // How many runs there are and how far apart; null for one run.
    ::mlir::Value getCount() { return getRuns().empty() ? ::mlir::Value() : getRuns()[0]; }
    ::mlir::Value getStride() { return getRuns().empty() ? ::mlir::Value() : getRuns()[1]; }
  }];
}

//===--- Work on streams -----------------------------------------------------------------------------------------===//

def Host_DispatchOp : Host_Op<"dispatch", "Dispatch", ["encode", "getAccesses"], [
    Host_Ordered, AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs an executable's export on a stream";
  let description = [{
    `access` says of each binding "r", "w" or "rw". Constants are the executable's index arguments. `package` adds what
    the variant's functions say of this call: the number of workgroups and the bytes of scratch memory of each worker;
    such a pair for each variant, in their order, where they differ.

    ```mlir
    host.dispatch %s, @matmul_0(%a, %w, %r) [%m] access(["r", "r", "w"])
    host.dispatch %s, @matmul_0(%a, %w, %r) [%m] launch(%workgroups, %scratch) access(["r", "r", "w"])
    ```
  }];
  let arguments = (ins Host_Stream:$stream, FlatSymbolRefAttr:$executable, Variadic<Host_Buffer>:$bindings,
                       Variadic<Index>:$constants, Variadic<Index>:$launch, StrArrayAttr:$access);
  let assemblyFormat = [{
    $stream `,` $executable `(` $bindings `)` (`[` $constants^ `]`)? (`launch` `(` $launch^ `)`)?
    `access` `(` $access `)` attr-dict
  }];
  let hasVerifier = 1;
  let declarations = [{
    bool reads(unsigned binding);
    bool writes(unsigned binding);
  }];
}

def Host_CopyOp : Host_Op<"copy", "Copy", ["getAccesses"], [Host_Ordered]> {
  let summary = "Copies bytes; source and target do not overlap";
  let arguments = (ins Host_Stream:$stream, Host_Buffer:$target, Index:$target_offset, Host_Buffer:$source,
                       Index:$source_offset, Index:$size);
  let assemblyFormat = [{
    $stream `,` $target `[` $target_offset `]` `from` $source `[` $source_offset `]` `size` $size attr-dict
  }];
}

def Host_FillOp : Host_Op<"fill", "Fill", ["encode", "getAccesses"], [Host_Ordered]> {
  let summary = "Fills bytes with a pattern of 1, 2, 4 or 8 bytes";
  let arguments = (ins Host_Stream:$stream, Host_Buffer:$target, Index:$offset, Index:$size, Index:$pattern,
                       I32Attr:$pattern_bytes);
  let assemblyFormat = [{
    $stream `,` $target `[` $offset `]` `size` $size `pattern` $pattern `:` $pattern_bytes attr-dict
  }];
  let hasVerifier = 1;
}

def Host_ReadOp : Host_Op<"read", "Read", ["encode", "getAccesses", "getOrders", "getBindingTime"], [Host_Ordered]> {
  let summary = "A scalar computed on a device; the host waits for the stream";
  let description = "The element's type decides how it becomes an index: integers are extended by their sign, i1 by zero.";
  let arguments = (ins Host_Stream:$stream, Host_Buffer:$source, Index:$offset, TypeAttr:$type);
  let results = (outs Index:$result);
  let assemblyFormat = "$stream `,` $source `[` $offset `]` `:` $type attr-dict";
  let hasVerifier = 1;
}

def Host_StreamOp : Host_Op<"stream", "Stream", ["encode", "getBindingTime"], [Host_Ordered]> {
  let summary = "The i-th extra stream of a device for this call";
  let arguments = (ins FlatSymbolRefAttr:$device, I32Attr:$index);
  let results = (outs Host_Stream:$result);
  let assemblyFormat = "`on` $device $index attr-dict";
}

def Host_StreamAtOp : Host_Op<"stream_at", "StreamAt", ["encode", "getBindingTime"], [Host_Ordered]> {
  let summary = "The extra stream of a device whose number only the call knows";
  let description = [{
    What `package` makes of a loop over streams. Equal numbers are one stream, that of `host.stream` too; a device may
    give one stream to several numbers.
  }];
  let arguments = (ins FlatSymbolRefAttr:$device, Index:$index);
  let results = (outs Host_Stream:$result);
  let assemblyFormat = "`on` $device $index attr-dict";
}

def Host_StreamForOp : Op<Host_Dialect, "stream_for", [
    SingleBlockImplicitTerminator<"YieldOp">, Host_Ordered]> {
  let summary = "A loop whose iterations take turns on the streams of a device";
  let description = [{
    Iteration i runs on stream i mod n of the n extra streams of `device` from number `first` on; `slot` is i mod n, for
    buffers that turn with the streams. Before the loop each of the streams that it uses, min(trips, n), waits for what
    was issued on the stream after `issue`; behind the loop that stream waits for all of them. No trips change nothing.

    Nothing orders iterations of different streams, but in an `ordered` loop, where each comes after the one before. The
    body issues on the loop's own stream only. `package` makes jumps of it.

    ```mlir
    host.stream_for %i to %trips slot %k stream %mine on @gpu 0 streams %n issue %s {
      %from = host.view %x[%offset] size %bytes
      host.dispatch %mine, @f(%from, %to) access(["r", "w"])
    }
    ```
  }];
  let arguments = (ins Host_Stream:$issue, Index:$trips, Index:$streams, FlatSymbolRefAttr:$device, I32Attr:$first,
                       UnitAttr:$ordered);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$issue, "::mlir::Value":$trips, "::mlir::Value":$streams,
                                 "::mlir::FlatSymbolRefAttr":$device, "uint32_t":$first, "bool":$ordered)>];
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getIndex() { return getBody().getArgument(0); }
    ::mlir::BlockArgument getSlot() { return getBody().getArgument(1); }
    ::mlir::BlockArgument getMine() { return getBody().getArgument(2); }
  }];
}

def Host_YieldOp : Op<Host_Dialect, "yield", [Pure, Terminator, HasParent<"StreamForOp">]> {
  let summary = "Ends an iteration of a loop over streams";
  let assemblyFormat = "attr-dict";
}

def Host_RecordOp : Host_Op<"record", "Record", ["getOrders", "getBindingTime"], [Host_Ordered]> {
  let summary = "The point after everything issued on the stream so far";
  let arguments = (ins Host_Stream:$stream);
  let results = (outs Host_Event:$result);
  let assemblyFormat = "$stream attr-dict";
}

def Host_WaitOp : Host_Op<"wait", "Wait", ["getOrders"], [Host_Ordered]> {
  let summary = "What is issued on the stream from here on comes after the event";
  let arguments = (ins Host_Stream:$stream, Host_Event:$event);
  let assemblyFormat = "$stream `,` $event attr-dict";
}

def Host_AwaitOp : Host_Op<"await", "Await", ["getOrders"], [Host_Ordered]> {
  let summary = "The host blocks until the event";
  let arguments = (ins Host_Event:$event);
  let assemblyFormat = "$event attr-dict";
}

def Host_BarrierOp : Host_Op<"barrier", "Follow", ["encode", "getQueue", "getOrders"], [Host_Ordered]> {
  let summary = "What is issued on any of the streams from here on comes after what was issued on all of them";
  let description = [{
    ```mlir
    host.barrier %s, %s0, %s1
    ```
  }];
  let arguments = (ins Variadic<Host_Stream>:$streams);
  let assemblyFormat = "$streams attr-dict";
  let hasVerifier = 1;
}

//===--- Questions about devices (bind time) ---------------------------------------------------------------------===//

def Host_AlternativeOp : Host_Op<"alternative", "Alternative", ["encode", "getBindingTime"], [Pure]> {
  let summary = "Index of the alternative a device resolved to at load";
  let arguments = (ins FlatSymbolRefAttr:$device);
  let results = (outs Index:$result);
  let assemblyFormat = "$device attr-dict";
}

def Host_QueryOp : Host_Op<"query", "Query", ["encode", "getBindingTime"], [Pure]> {
  let summary = "A number the device knows of itself: \"cores\", how many \"streams\" work at the same time there, or how many \"workgroups\" of a dispatch on each core";
  let arguments = (ins FlatSymbolRefAttr:$device, StrAttr:$key);
  let results = (outs Index:$result);
  let assemblyFormat = "$device $key attr-dict";
  let hasVerifier = 1;
}

def Host_SameOp : Host_Op<"same", "SameDevice", ["encode", "getBindingTime"], [Pure]> {
  let summary = "Whether two device symbols resolved to one device";
  let arguments = (ins FlatSymbolRefAttr:$lhs, FlatSymbolRefAttr:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict";
}

//===--- What binding leaves for calls ---------------------------------------------------------------------------===//

def Host_BindOp : Host_Op<"bind", "BindBuffer", ["encode"], [Host_Ordered]> {
  let summary = "Gives a value a name for all calls; only in @__bind";
  let description = [{
    `@__bind` runs once for a module and its devices. A buffer that is bound lives as long as that binding: the program
    does not free it.
  }];
  let arguments = (ins StrAttr:$name, AnyTypeOf<[Index, I1, Host_Buffer]>:$value);
  let assemblyFormat = "$name `=` $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Host_PackOp : Host_Op<"pack", "PackParameter", ["encode", "getStorageKind", "getBindingTime"], [Host_Ordered]> {
  let summary = "A parameter, whose bytes are rows, in a layout on a device; only in @__bind";
  let description = [{
    Packed once for a machine and kept in the cache for packed parameters. It belongs to the loaded module: never written,
    never freed.

    ```mlir
    %w = host.pack @w layout(#encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16]>) on @gpu
    host.bind "w" = %w : !host.buffer
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter, AnyAttr:$layout, FlatSymbolRefAttr:$device);
  let results = (outs Host_Buffer:$result);
  let assemblyFormat = "$parameter `layout` `(` $layout `)` `on` $device attr-dict";
  let hasVerifier = 1;
}

def Host_BoundOp : Host_Op<"bound", "BoundBuffer", ["encode", "getStorageKind", "getBindingTime"], [Pure]> {
  let summary = "What @__bind bound under a name; buffers are only read";
  let arguments = (ins StrAttr:$name);
  let results = (outs AnyTypeOf<[Index, I1, Host_Buffer]>:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

include "compiler/Dialect/Host/IR/HostCollectives.td"

#endif // HEDDLE_HOST_OPS
