// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_CODEGEN_PASSES
#define HEDDLE_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def CreatePrograms : Pass<"codegen-create-programs", "::mlir::ModuleOp"> {
  let summary = "Makes a kernel.program of each executable for each executable target of the module's devices";
  let description = [{
    From here to `codegen-create-variants` the programs stand beside their executables, so that passes on
    `kernel.program` run on all of them at the same time. An executable that has a variant for the target keeps it. Targets
    that say more of a device, and for which code may be better (`Target::getRefinements`), get programs with `kernel.refinement`.
  }];
  let dependentDialects = ["::mlir::heddle::kernel::KernelDialect"];
}

def CompilePrograms : Pass<"codegen-compile-programs", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Compiles each program with the pipeline of its target";
  let description = [{
    Runs what the program's target registered (compiler/Target/TargetRegistry.h); for a CPU those are the passes below, in their order.
    Afterwards the program has `object`, `@workgroups` and `@scratch`. Between lowering and emission stands codegen-share-code, if it runs.
  }];
  let options = [Option<"optLevel", "opt-level", "unsigned", "2", "LLVM's optimisation level, 0 to 3">,
                 Option<"lower", "lower", "bool", "true", "Run the target's passes up to code that can be shared">,
                 Option<"emit", "emit", "bool", "true", "Run the target's passes after that">];
}

def MarkCold : Pass<"codegen-mark-cold", "::mlir::ModuleOp"> {
  let summary = "Marks the programs that take little of a call's time";
  let description = [{
    A network has hundreds of small kernels, each of which takes LLVM tens of milliseconds and a call microseconds. Where a target has `least` programs
    and more, those that take the least time, together at most `percent` of what a call is estimated to take, get `kernel.cold`: codegen-share-code lets
    them share code with others that differ in sizes, too, and codegen-emit-object takes a short pipeline. The estimate counts numbers and bytes (flow::estimateWork), free sizes
    as expected or guessed; what is dispatched in a loop is never cold.

    ```mlir
    kernel.program @bias_7 of @bias … attributes {kernel.cold} { … }
    ```
  }];
  let options = [Option<"least", "least", "unsigned", "48", "Programs of a target from which on compiling takes seconds">,
                 Option<"percent", "percent", "unsigned", "10", "Of the estimate: what the cold ones take together">];
}

def ShareCode : Pass<"codegen-share-code", "::mlir::ModuleOp"> {
  let summary = "Lets programs that differ in numbers only share one compilation";
  let description = [{
    Of programs in the LLVM dialect for one target that are equal but for numbers that they calculate with (scales and zero points of equal
    layers), the first stands for all. What differs it reads from the global `@numbers`; its attribute `kernel.numbers` has a list for each of them, in order.
    The others lose their code and say `kernel.code_of` whose they have. Addresses, sizes and what an instruction is chosen by are such numbers only where
    programs are `kernel.cold`, of which two share, or so large that LLVM takes long, or call microkernels for their tiles, of which three do. A mask
    of the first lanes of a vector is then a number, too: how many they are.
    Numbers from memory cost a kernel of small layers some percent (ResNet-50 in integers 2), so only what `least` programs and more have is shared.

    ```mlir
    kernel.program @a … { llvm.func @kernel … llvm.mlir.constant(0.5 : f32) … }
    kernel.program @b … { llvm.func @kernel … llvm.mlir.constant(0.3 : f32) … }
    // becomes
    kernel.program @a … attributes {kernel.numbers = [array<i32: 1056964608>, array<i32: 1050253722>]} {
      llvm.mlir.global weak hidden constant @numbers(dense<1056964608> : tensor<1xi32>)
      llvm.func @kernel … llvm.load %numbers … }
    kernel.program @b … attributes {kernel.code_of = @a} {}
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let options = [Option<"least", "least", "unsigned", "6", "Programs that must be alike for their code to be shared">];
}

def MaterializeEncodings : Pass<"codegen-materialize-encodings", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Makes bindings with a layout plain tensors in the order of memory";
  let description = [{
    Arguments get their physical type; maps read them with floordiv and mod. Results with a layout are written in it, padded with
    zeros. Inside, encodings say nothing: sets and unsets vanish. An encoded type that is left is an error.

    ```mlir
    #tiles = #encoding.layout<perm = [0, 1], inner_dims = [0, 1], inner_tiles = [8, 16], swizzle = []>
    kernel.program @same of @same for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
      func.func @kernel(%x: tensor<3x3xf32, #tiles>) -> tensor<3x3xf32, #tiles> {
        return %x : tensor<3x3xf32, #tiles>
      }
    }
    // becomes
    kernel.program @same of @same for <"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
      func.func @kernel(%arg0: tensor<1x1x8x16xf32> {encoding.layout = #encoding.layout<perm = [0, 1],
          inner_dims = [0, 1], inner_tiles = [8, 16], swizzle = []>}) -> tensor<1x1x8x16xf32> {
        return %arg0 : tensor<1x1x8x16xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::heddle::encoding::EncodingDialect"];
}

def GeneralizeOps : Pass<"codegen-generalize-ops", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Turns every structured op of a program into linalg.generic";
  let description = [{ The passes after it know one kind of structured op. }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect"];
}

def LowerToLoops : Pass<"codegen-lower-to-loops", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Turns a program's tensors into loops over vectors and memory";
  let description = [{
    Plans the kernel (compiler/Codegen/Plan/Configure.h), then emits it: a loop over the call's workgroups, vector code inside,
    no allocation. Adds `@workgroups` and `@scratch`. The attribute `kernel.strategy`, a line for each nest of loops, says how
    it is computed; "scalar" there means that no vectors are used.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::math::MathDialect"];
}

def ExpandMath : Pass<"codegen-expand-math", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Replaces math functions by polynomials and arithmetic: a kernel calls no library";
  let description = [{
    Errors of the approximations, in units in the last place: docs/design/codegen-numbers.md. f16 and bf16 go through f32. Floating-point
    ops get the flag `contract`, maxima and minima also `nsz`: the maximum of -0 and 0 is either. Where x86 multiplies by powers
    of two in one instruction, exp is a call of LLVM's intrinsic for it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LowerToInvocations : Pass<"codegen-lower-to-invocations", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Turns a program's tensors into the code of one invocation of a GPU";
  let description = [{
    Plans the kernel (compiler/Codegen/GPU/GpuNest.h), then emits it: `@kernel` without arguments, whose memory, sizes and place among the
    invocations are ops of the dialect `kernel`. Adds `@workgroups` and `@scratch`. The attribute `kernel.strategy` says how each result is
    computed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::math::MathDialect"];
}

def ExpandGpuMath : Pass<"codegen-expand-gpu-math", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Replaces math functions by polynomials and arithmetic, for a GPU";
  let description = [{ As `codegen-expand-math`, without fused multiply-add, so that results are those of a CPU that has none. }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertToLLVM : Pass<"codegen-convert-to-llvm", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Turns @kernel into the LLVM dialect, with the calling convention of KernelAbi.h";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def MoveAsIntegers : Pass<"codegen-move-as-integers", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Moves 16-bit floats as integers of the same bits";
  let description = [{
    A 16-bit float that nothing computes with, since arithmetic on bits took the place of its conversions, becomes an
    integer wherever it stands, so that LLVM meets no type that the processor has no instructions for: it would call
    `__extendhfsf2` and `__truncsfbf2`. Where conversions of bf16 stay, what only moves it is on integers.

    On a processor without instructions for bf16, LLVM 22 takes vectors of it apart by way of f32 where they are masked or
    chosen from, and without optimisation every bf16 that lives from one block to the next, and calls `__truncsfbf2` to come back: a kernel
    calls no library. Conversions to and from f32 stay.

    ```mlir
    llvm.intr.masked.store %x, %p, %mask : vector<16xbf16> …
    %bits = llvm.bitcast %x : vector<16xbf16> to vector<16xi16>
    llvm.intr.masked.store %bits, %p, %mask : vector<16xi16> …
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def EmitMicrokernels : Pass<"codegen-emit-microkernels", "::mlir::ModuleOp"> {
  let summary = "Compiles the functions that programs share, each once for a target";
  let description = [{
    Programs declare what they call (kernel.microkernel): sums of products of a register tile, which depend on the tile and on element types alone. Each program
    that calls some gets their relocatable objects as `kernel.microkernels`, and codegen-emit-object links it to them.

    ```mlir
    kernel.program @a … attributes {kernel.microkernels = [dense_resource<microkernel_f32_f32_f32_6x4x16_p16_l1> : tensor<…xi8>]} {
      llvm.func hidden @microkernel_f32_f32_f32_6x4x16_p16_l1(i64, !llvm.ptr) attributes {kernel.microkernel = {…}, …}
      llvm.func @kernel … }
    ```
  }];
  let options = [Option<"optLevel", "opt-level", "unsigned", "2", "LLVM's optimisation level, 0 to 3">];
}

def EmitObject : Pass<"codegen-emit-object", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Compiles and links @kernel into the shared object `object`";
  let description = [{
    LLVM's pipeline of the given level without library calls, code emission and lld, in process, with the objects of `kernel.microkernels`. Fails when
    the object needs a symbol from outside. The bytes depend on the program alone. With `kernel.numbers` the machine code is made once, and `kernel.objects` has an object for each list.
  }];
  let options = [Option<"optLevel", "opt-level", "unsigned", "2", "LLVM's optimisation level, 0 to 3">];
}

def CreateVariants : Pass<"codegen-create-variants", "::mlir::ModuleOp"> {
  let summary = "Moves compiled programs into their executables as flow.variant";
  let description = [{
    `object`, `@workgroups`, `@scratch` and the attribute `kernel.strategy` move; the program is gone after it. One with `kernel.code_of` takes its object
    from `kernel.objects` of the program that it names, and its variant keeps the attribute, as the other executable's name. One with
    `kernel.refinement` whose pipeline erased `@kernel` has nothing to gain and gets no variant.
  }];
}

def VerifyCodegen : Pass<"codegen-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that every executable has a variant for every executable target of the module's devices";
}

#endif // HEDDLE_CODEGEN_PASSES
