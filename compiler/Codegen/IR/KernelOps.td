// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
    Row-major and contiguous, seen as one dimension. Booleans take a byte. A written binding overlaps no other, but one
    that it may lie over (`flow.overwrites`).
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

// Of GPUs: a workgroup is a number of invocations that run the same code side by side and share memory.

def Kernel_WorkgroupOp : Kernel_Op<"workgroup", [Pure]> {
  let summary = "The number of this workgroup; may be past the last one";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Kernel_InvocationOp : Kernel_Op<"invocation", [Pure]> {
  let summary = "The number of this invocation in its workgroup";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Kernel_SharedOp : Kernel_Op<"shared", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Memory of a fixed size that a workgroup's invocations share; contents undefined";
  let results = (outs MemRefRankOf<[AnyType], [1]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Kernel_BarrierOp : Kernel_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for all invocations of the workgroup; they see each other's stores to shared memory";
  let assemblyFormat = "attr-dict";
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

// Instructions that LLVM has no portable op for; Codegen/ISA says what they are on each processor.

def Kernel_DotOp : Kernel_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Adds products of neighbouring elements to each lane of an accumulator";
  let description = [{
    With groups of G elements, lane i of the result is `acc[i] + sum over j < G of lhs[G * i + j] * rhs[G * i + j]`. A
    group is as long as a lane: 4 bytes or 2 integers of 16 bits, summed to i32, or 2 of bf16, summed to f32. Integers
    are unsigned unless said otherwise; their sums wrap, and never saturate. Of bf16 an operand that is subnormal may
    count as zero, and in which order the products are added is the processor's.

    `through_words`: the unsigned operand's bytes are below 16, so that two products may be added in 16 bits, by what
    processors without an instruction for four have.

    ```mlir
    %r = kernel.dot %acc, %rows, %columns rhs_signed : vector<64xi8> into vector<16xi32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [I32, F32]>:$acc, VectorOfRankAndType<[1], [I8, I16, BF16]>:$lhs,
                       VectorOfRankAndType<[1], [I8, I16, BF16]>:$rhs, UnitAttr:$lhs_signed, UnitAttr:$rhs_signed,
                       UnitAttr:$through_words);
  let results = (outs VectorOfRankAndType<[1], [I32, F32]>:$result);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs (`lhs_signed` $lhs_signed^)? (`rhs_signed` $rhs_signed^)? (`through_words` $through_words^)?
    attr-dict
    `:` type($lhs) `into` type($acc)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // Elements that a lane sums.
    int64_t getGroup() { return 32 / getLhs().getType().getElementTypeBitWidth(); }
  }];
}

def Kernel_PermuteOp : Kernel_Op<"permute", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "Puts the lanes of a vector in an order that the kernel computes";
  let description = [{
    Lane i of the result is lane `places[i]` of the source. Each place is a lane of the source where anything reads lane i.

    ```mlir
    %r = kernel.permute %row, %places : vector<16xf32>, vector<16xi32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32, I32]>:$source, VectorOfRankAndType<[1], [I32]>:$places);
  let results = (outs VectorOfRankAndType<[1], [F32, I32]>:$result);
  let assemblyFormat = "$source `,` $places attr-dict `:` type($source) `,` type($places)";
  let hasVerifier = 1;
}

def Kernel_ScaleOp : Kernel_Op<"scale", [Pure, AllTypesMatch<["value", "exponent", "result"]>]> {
  let summary = "Multiplies by powers of two";
  let description = [{
    `value * 2^exponent`, rounded once, also where it is subnormal; exponents are whole numbers from -252 to 254.

    ```mlir
    %r = kernel.scale %mantissa, %n : vector<16xf32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32]>:$value, VectorOfRankAndType<[1], [F32]>:$exponent);
  let results = (outs VectorOfRankAndType<[1], [F32]>:$result);
  let assemblyFormat = "$value `,` $exponent attr-dict `:` type($value)";
}

def Kernel_MicrokernelOp : Kernel_Op<"microkernel", [AttrSizedOperandSegments]> {
  let summary = "Products of rows and a tile of columns, by a function that kernels share";
  let description = [{
    Each of `count` rows of the result becomes, in `vectors` vectors of `width` columns, the sum over all `steps` (loops, outermost
    first) of an element of the row times a vector of columns. The function computes up to `tile_rows` rows at a time.

    Strides are elements from row to row. Along the innermost loop a row's neighbours are neighbours in memory, `strides` are
    those of the other loops. Columns lie in panels of `panel`, `panel_stride` apart, in which each step, in the order of the loops, is `panel`
    elements further. Of bytes a step is a group of four neighbours of the row and of each column, which a dot product adds
    to 32 bits: the row's groups are neighbours, and each step is `panel` groups further. One of the operands is signed then.
    `next` (offset, stride): in each step the second-level cache is asked for an element of columns, from
    `offset` on, `stride` apart. `first`: what the sums of every row begin with, in memory, 0 without it. `last`: lanes of the last vector that are stored, at least one; without it all.

    `epilogue` is a function on vectors: of the sums and of the `operands` (memory, whose rows are `operand_strides` apart)
    it makes what is stored. `rest`: `count` is a multiple of `tile_rows` and as many rows; without it any number.

    ```mlir
    kernel.microkernel %m rows %a[%r] by %k columns %b[%c] by %p steps(%k) into %t[%o] by %n
        {panel = 16 : i64, tile_rows = 6 : i64, vectors = 4 : i64, width = 16 : i64} : memref<?xf32>, memref<?xf32>, memref<?xf32>
    ```
  }];
  let arguments = (ins Index:$count, MemRefRankOf<[AnyFloat, I8], [1]>:$rows, Index:$row_offset, Index:$row_stride,
                       MemRefRankOf<[AnyFloat, I8], [1]>:$columns, Index:$column_offset, Index:$panel_stride,
                       Variadic<Index>:$steps, Variadic<Index>:$strides, Variadic<Index>:$next,
                       Optional<MemRefRankOf<[I32], [1]>>:$first,
                       MemRefRankOf<[AnyFloat, I32], [1]>:$result, Index:$result_offset, Index:$result_stride,
                       Optional<Index>:$last, Variadic<MemRefRankOf<[AnyFloat], [1]>>:$operand_memory,
                       Variadic<Index>:$operand_offsets, Variadic<Index>:$operand_strides,
                       OptionalAttr<FlatSymbolRefAttr>:$epilogue, UnitAttr:$row_signed, UnitAttr:$column_signed,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$rest,
                       ConfinedAttr<I64Attr, [IntPositive]>:$tile_rows,
                       ConfinedAttr<I64Attr, [IntPositive]>:$vectors, ConfinedAttr<I64Attr, [IntPositive]>:$width,
                       ConfinedAttr<I64Attr, [IntPositive]>:$panel);
  let assemblyFormat = [{
    $count `rows` $rows `[` $row_offset `]` `by` $row_stride `columns` $columns `[` $column_offset `]` `by` $panel_stride
    `steps` `(` $steps `)` (`strides` `(` $strides^ `)`)? (`next` `(` $next^ `)`)? (`first` $first^ `:` type($first))?
    `into` $result `[` $result_offset `]` `by` $result_stride (`last` $last^)?
    (`epilogue` $epilogue^)? (`operands` $operand_memory^ `[` $operand_offsets `]` `by` `(` $operand_strides `)` `:` type($operand_memory))?
    attr-dict `:` type($rows) `,` type($columns) `,` type($result)
  }];
  let hasVerifier = 1;
}

// Registers that hold a matrix each (AMX): eight, named by number. Their ops have no known effects and so stay in order.

def Kernel_TileNumber : ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<7>]>;

def Kernel_TileConfigureOp : Kernel_Op<"tile_configure"> {
  let summary = "Gives each tile register its rows and the bytes of a row";
  let description = [{
    Up to 16 rows of up to 64 bytes. Zeroes the registers. Whoever configures tiles releases them.

    ```mlir
    kernel.tile_configure rows [16, 16, 16, 16, 16, 16, 16, 16] bytes [64, 64, 64, 64, 64, 64, 64, 64]
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$rows, DenseI64ArrayAttr:$bytes);
  let assemblyFormat = "`rows` $rows `bytes` $bytes attr-dict";
  let hasVerifier = 1;
}

def Kernel_TileReleaseOp : Kernel_Op<"tile_release"> {
  let summary = "Gives the tile registers up: their state need not be saved any more";
  let assemblyFormat = "attr-dict";
}

def Kernel_TileZeroOp : Kernel_Op<"tile_zero"> {
  let summary = "Zeroes a tile register";
  let arguments = (ins Kernel_TileNumber:$tile);
  let assemblyFormat = "$tile attr-dict";
}

class Kernel_TileMemoryOp<string mnemonic> : Kernel_Op<mnemonic> {
  let arguments = (ins Kernel_TileNumber:$tile, MemRefRankOf<[AnyType], [1]>:$memory, Index:$offset, Index:$stride);
  let assemblyFormat = "$tile `,` $memory `[` $offset `]` `stride` $stride attr-dict `:` type($memory)";
}

def Kernel_TileLoadOp : Kernel_TileMemoryOp<"tile_load"> {
  let summary = "Loads a tile register's rows, `stride` elements apart";
}

def Kernel_TileStoreOp : Kernel_TileMemoryOp<"tile_store"> {
  let summary = "Stores a tile register's rows, `stride` elements apart";
}

def Kernel_TileDotOp : Kernel_Op<"tile_dot"> {
  let summary = "Adds the product of two matrices of bytes to one of 32-bit integers";
  let description = [{
    Row m and column n of `acc` grow by the sum over groups g and j < 4 of byte 4g + j of row m of `lhs` times byte 4n + j
    of row g of `rhs`. Bytes are unsigned unless said otherwise. Wraps.

    ```mlir
    kernel.tile_dot 0, 4, 6 rhs_signed
    ```
  }];
  let arguments = (ins Kernel_TileNumber:$acc, Kernel_TileNumber:$lhs, Kernel_TileNumber:$rhs, UnitAttr:$lhs_signed,
                       UnitAttr:$rhs_signed);
  let assemblyFormat = "$acc `,` $lhs `,` $rhs (`lhs_signed` $lhs_signed^)? (`rhs_signed` $rhs_signed^)? attr-dict";
}

#endif // HEDDLE_KERNEL_OPS
