#ifndef HEDDLE_KERNEL_OPS
#define HEDDLE_KERNEL_OPS

include "compiler/Codegen/IR/KernelDialect.td"
include "compiler/Dialect/Device/IR/DeviceDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_ProgramOp : Kernel_Op<"program", [
    IsolatedFromAbove, SymbolTable, Symbol, NoTerminator, SingleBlock]> {
  let summary = "An executable being compiled for one target";
  let description = [{
    Holds the function `@kernel` (first on tensors, then on memory, then in the LLVM dialect) and, once the kernel is in
    loops, the host functions `@workgroups` and `@scratch`. `object` appears when the machine code is linked.

    ```mlir
    kernel.program @matmul_0_x86_64_v4 of @matmul_0 for #device.executable<…> { func.func @kernel(…) … }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$executable, Device_ExecutableAttr:$target,
                       OptionalAttr<ElementsAttr>:$object);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `of` $executable `for` $target (`object` `(` $object^ `)`)? attr-dict-with-keyword $body
  }];
}

def Kernel_BindingOp : Kernel_Op<"binding", [Pure]> {
  let summary = "The memory of a binding";
  let description = [{
    Row-major and contiguous, seen as one dimension. Booleans take a byte. A written binding overlaps no other.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$index, UnitAttr:$written);
  let results = (outs MemRefRankOf<[AnyType], [1]>:$result);
  let assemblyFormat = "$index (`written` $written^)? attr-dict `:` type($result)";
}

def Kernel_ConstantOp : Kernel_Op<"constant", [Pure]> {
  let summary = "An index argument of the dispatch";
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$index);
  let results = (outs Index:$result);
  let assemblyFormat = "$index attr-dict";
}

def Kernel_RangeOp : Kernel_Op<"range", [Pure]> {
  let summary = "The workgroups this call computes: begin, and one past the last";
  let results = (outs Index:$begin, Index:$end);
  let assemblyFormat = "attr-dict";
}

def Kernel_ScratchOp : Kernel_Op<"scratch", [Pure]> {
  let summary = "This worker's scratch memory from a byte offset on";
  let arguments = (ins Index:$offset);
  let results = (outs MemRefRankOf<[AnyType], [1]>:$result);
  let assemblyFormat = "$offset attr-dict `:` type($result)";
}

def Kernel_FailOp : Kernel_Op<"fail", [MemoryEffects<[MemWrite]>]> {
  let summary = "Makes the call return a status other than 0, after all its work is done";
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$status);
  let assemblyFormat = "$status attr-dict";
}

def Kernel_FenceOp : Kernel_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Other threads see the stores before it, non-temporal ones too, before any after it";
  let assemblyFormat = "attr-dict";
}

def Kernel_DotOp : Kernel_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Adds products of neighbouring integers to each lane of an accumulator";
  let description = [{
    With bytes, lane i of the result is `acc[i] + sum over j < 4 of lhs[4 * i + j] * rhs[4 * i + j]`, where the elements of
    `lhs` are unsigned and those of `rhs` signed; with 16-bit integers two products, both signed. Wraps, and never
    saturates.

    ```mlir
    %r = kernel.dot %acc, %rows, %columns : vector<64xi8> into vector<16xi32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [I32]>:$acc, VectorOfRankAndType<[1], [I8, I16]>:$lhs,
                       VectorOfRankAndType<[1], [I8, I16]>:$rhs);
  let results = (outs VectorOfRankAndType<[1], [I32]>:$result);
  let assemblyFormat = "$acc `,` $lhs `,` $rhs attr-dict `:` type($lhs) `into` type($acc)";
  let hasVerifier = 1;
}

#endif // HEDDLE_KERNEL_OPS
