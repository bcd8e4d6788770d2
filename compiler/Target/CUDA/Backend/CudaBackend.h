// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's GPUs as a registered target (compiler/Target/TargetRegistry.h): format "ptx", alias "cuda".
#ifndef HEDDLE_COMPILER_TARGET_CUDA_BACKEND_CUDABACKEND_H
#define HEDDLE_COMPILER_TARGET_CUDA_BACKEND_CUDABACKEND_H

namespace mlir::heddle::cuda {

// Once in a process; compiler/Pipelines/Registration.cpp does it.
void registerBackend();

} // namespace mlir::heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_BACKEND_CUDABACKEND_H
