// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_CUDA_PASSES
#define HEDDLE_CUDA_PASSES

include "mlir/Pass/PassBase.td"

def ConvertToNvvm : Pass<"cuda-convert-to-nvvm", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Turns @kernel, the code of one invocation, into the LLVM dialect with the calling convention of PtxAbi.h";
  let description = [{ Shared memory becomes globals of address space 3, what the dialect `kernel` says intrinsics of NVPTX. }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def EmitPtx : Pass<"cuda-emit-ptx", "::mlir::heddle::kernel::ProgramOp"> {
  let summary = "Compiles @kernel to PTX, the program's `object`";
  let description = [{
    For the architecture `arch` and the version `ptx` of the executable target; sm_80 and ptx80 where it does not say. Nothing assembles
    the text here: that is the driver's part.
  }];
  let options = [Option<"optLevel", "opt-level", "unsigned", "2", "LLVM's optimisation level, 0 to 3">];
}

#endif // HEDDLE_CUDA_PASSES
