// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_FLOW_OPS
#define HEDDLE_FLOW_OPS

include "compiler/Dialect/Flow/IR/FlowAttrs.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Flow_Op<string mnemonic, list<Trait> traits = []> : Op<Flow_Dialect, mnemonic, traits>;

//===--- Parameters and dimensions -------------------------------------------------------------------------------===//

def Flow_ParameterOp : Flow_Op<"parameter", [Symbol]> {
  let summary = "A constant tensor of the model, by name";
  let description = [{
    The value stays where it was read (usually the mapped model file) until `package` writes it into the artifact.

    ```mlir
    flow.parameter private @encoder.0.weight : tensor<384x384xf32> = dense_resource<w0>
    ```

    Where the type has an encoding, the value has a type of its own: plain, of the same shape, while the encoding is
    abstract; what is in memory once there is a layout.

    ```mlir
    flow.parameter private @w : tensor<384x384xf32, #rhs> = dense_resource<w0> : tensor<384x384xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       TypeAttrOf<AnyRankedTensor>:$type, ElementsAttr:$value,
                       OptionalAttr<StrAttr>:$scope);
  let assemblyFormat = [{
    (`scope` $scope^)? custom<SymbolVisibility>($sym_visibility) $sym_name `:` custom<TypeAndValue>($type, $value) attr-dict
  }];
  let hasVerifier = 1;
}

def Flow_ParameterLoadOp : Flow_Op<"parameter.load", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a parameter";
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$parameter attr-dict `:` type($result)";
}

def Flow_DimensionOp : Flow_Op<"dimension", [Pure]> {
  let summary = "The size of a named dimension of the entry point's arguments";
  let description = [{
    Arguments name their dynamic dimensions (`heddle.dims`); equal names are one value, checked once at entry.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
}

def Flow_UnitsOp : Flow_Op<"units", [Pure]> {
  let summary = "How many units (cores, multiprocessors) the device has that runs a dispatch";
  let description = [{
    The dispatch is the first one that the number decides about: it takes a value computed from the number, or stands in a branch
    that such a value chooses. `of` tells apart numbers of different dispatches, which may run on different devices.
    With `workgroups` it is the number of workgroups that one unit works on at the same time: 1 for a core, many for a
    multiprocessor.
  }];
  let arguments = (ins I64Attr:$of, UnitAttr:$workgroups);
  let results = (outs Index:$result);
  let assemblyFormat = "(`workgroups` $workgroups^)? `of` $of attr-dict";
}

//===--- Checks --------------------------------------------------------------------------------------------------===//

def Flow_CheckedIndexOp : Flow_Op<"checked_index", [Pure, SameOperandsAndResultType]> {
  let summary = "An index that is proved inside its dimension at run time";
  let description = [{
    `0 <= index < size` gives `index`. Otherwise the result is 0 and the call fails with "index out of range", naming
    the dispatch. Pure for the optimiser: an index nobody uses is not checked.
  }];
  let arguments = (ins Index:$index, Index:$size);
  let results = (outs Index:$result);
  let assemblyFormat = "$index `,` $size attr-dict";
  let hasFolder = 1;
}

def Flow_CheckOp : Flow_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "Fails the call with a message when the condition does not hold";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

//===--- Loops over streams --------------------------------------------------------------------------------------===//

def Flow_StreamedOp : Flow_Op<"streamed", [Pure, SameOperandsAndResultType]> {
  let summary = "Its operand: in the body of an op that is marked for streams and would fold away as a copy";
  let description = [{
    An op that moves elements only (a copy, a transpose, a broadcast) folds into what reads it, and its mark `heddle.stream`
    would go with it. `import-keep-streams` puts this into its body, `streams-form-loops` takes it out.
  }];
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

//===--- Dispatch regions ----------------------------------------------------------------------------------------===//

def Flow_RegionOp : Flow_Op<"region", [
    SingleBlock, NoRegionArguments, AttrSizedOperandSegments]> {
  let summary = "Ops that become one dispatch";
  let description = [{
    Captures values from above. From `form-capture-sizes` on the captured tensors stand as operands with the sizes of
    their dynamic dimensions. A value, but not declared pure: CSE would compare every
    region with every other, in quadratic time; equal ones meet when they are outlined.

    ```mlir
    %r = flow.region -> (tensor<?x4xf32>{%m}) {
      %0 = linalg.matmul …
      flow.return %0 : tensor<?x4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$captures, Variadic<Index>:$captured_dims,
                       Variadic<Index>:$result_dims);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`captured` `(` $captures^ `)` `:` custom<DimensionedTypes>(type($captures), $captured_dims))?
    `->` custom<DimensionedTypes>(type($outputs), $result_dims) $body attr-dict
  }];
  let hasVerifier = 1;
}

def Flow_ReturnOp : Flow_Op<"return", [Pure, ReturnLike, Terminator, HasParent<"RegionOp">]> {
  let summary = "The results of a dispatch region";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

//===--- Executables ---------------------------------------------------------------------------------------------===//

def Flow_ExecutableOp : Flow_Op<"executable", [
    IsolatedFromAbove, SymbolTable, Symbol, NoTerminator, SingleBlock]> {
  let summary = "Device code: one logical function and a variant for each executable target";
  let description = [{
    Holds one `func.func` of the executable's own name on tensors and index values (dynamic sizes of the arguments come
    as trailing index arguments), and after `codegen` one `flow.variant` for each target. `targets`, from `resolve` on:
    the executable targets of the devices that run it, where these are not all that the module has.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<ArrayAttr>:$targets);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<SymbolVisibility>($sym_visibility) $sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // The logical function; null only in IR that does not verify.
    ::mlir::func::FuncOp getFunction();
  }];
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
}

def Flow_VariantOp : Flow_Op<"variant", [
    IsolatedFromAbove, SymbolTable, Symbol, NoTerminator, SingleBlock, HasParent<"ExecutableOp">]> {
  let summary = "An executable compiled for one target";
  let description = [{
    `object` is the linked binary; `symbol` its entry (KernelAbi.h). The body holds two host functions of the dispatch's
    index arguments, which `package` inlines at each call: `@workgroups`, how many workgroups, and `@scratch`, bytes of
    scratch memory of each worker. `launch` is the launch record (contract/Launch.h) of code that runs in workgroups of
    invocations: their number along x, y and z, and the bytes that they share.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target, StrAttr:$format, ArrayAttr:$features,
                       StrAttr:$symbol, ElementsAttr:$object, OptionalAttr<DenseI64ArrayAttr>:$launch);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `target` `(` $target `)` `format` `(` $format `)` `features` `(` $features `)` `symbol` `(` $symbol `)`
    `object` `(` $object `)` attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::func::FuncOp getWorkgroups();
    ::mlir::func::FuncOp getScratch();
  }];
}

def Flow_DispatchOp : Flow_Op<"dispatch", [
    Pure, AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs an executable";
  let description = [{
    Tensor operands and results are the bindings, in that order; index operands are the constants. The dimensions in
    braces are those of the operand's and result's dynamic sizes.

    ```mlir
    %r = flow.dispatch @matmul_0(%a, %w)[%m] : (tensor<?x4xf32>{%m}, tensor<4x4xf32>) -> (tensor<?x4xf32>{%m})
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$executable, Variadic<AnyRankedTensor>:$bindings, Variadic<Index>:$constants,
                       Variadic<Index>:$binding_dims, Variadic<Index>:$result_dims);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $executable `(` $bindings `)` (`[` $constants^ `]`)? attr-dict `:`
    custom<DimensionedTypes>(type($bindings), $binding_dims) `->`
    custom<DimensionedTypes>(type($outputs), $result_dims)
  }];
  let hasVerifier = 1;
}

def Flow_TransferOp : Flow_Op<"transfer", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "The same value on another device";
  let arguments = (ins AnyRankedTensor:$operand, Variadic<Index>:$dims, AnyAttr:$affinity);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand (`{` $dims^ `}`)? `:` type($result) `to` $affinity attr-dict";
  let hasVerifier = 1;
}

def Flow_ImportOp : Flow_Op<"import", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "An entry point's argument, in memory of a device";
  let description = [{
    The caller gives the argument in memory that the device reads, so it is used where it is. Stage `devices` makes it the
    argument's `heddle.affinity`; an argument is imported on one device, a transfer brings it to others.

    ```mlir
    %0 = flow.import %x : tensor<4xf32> to #device.affinity<@gpu>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$operand, AnyAttr:$affinity);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result) `to` $affinity";
  let hasVerifier = 1;
}

def Flow_ExportOp : Flow_Op<"export", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "A result of an entry point, in memory of a device";
  let description = [{
    The result's storage, the caller's if one was given, is memory of the device, and what computes the value there writes
    straight into it. Only returned; stage `devices` makes it the result's `heddle.affinity`.

    ```mlir
    %0 = flow.export %y : tensor<4xf32> to #device.affinity<@gpu>
    return %0 : tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$operand, AnyAttr:$affinity);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result) `to` $affinity";
  let hasVerifier = 1;
}

def Flow_AliasOp : Flow_Op<"alias", [Pure, AllTypesMatch<["operand", "storage", "result"]>]> {
  let summary = "A result of an entry point, in the storage of an argument";
  let description = [{
    The caller donates the argument: the result is computed into its memory, and the call may write it. Only returned, once;
    stage `devices` makes it the argument's `heddle.donated`, and where a device is named, the affinity of both.

    ```mlir
    %0 = flow.alias %y in %x : tensor<4xf32> to #device.affinity<@gpu>
    return %0 : tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$operand, AnyRankedTensor:$storage, OptionalAttr<AnyAttr>:$affinity);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `in` $storage attr-dict `:` type($result) (`to` $affinity^)?";
  let hasVerifier = 1;
}

def Flow_EncodeOp : Flow_Op<"encode", [Pure]> {
  let summary = "The same elements in another layout: an encoding.set, unset or both that no dispatch took in";
  let description = [{
    Either type may be plain. Between equal types, which `resolve` makes of layouts that do not differ on a device, it is
    its operand; else it becomes a copy or a dispatch.

    ```mlir
    %e = flow.encode %x : tensor<?x64xf32>{%m} -> tensor<?x64xf32, #lhs>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) (`{` $dims^ `}`)? `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // HEDDLE_FLOW_OPS
