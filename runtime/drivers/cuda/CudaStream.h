// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CUDA stream for libraries (hal/NativeStream.h): NCCL takes its handle.
#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_CUDASTREAM_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_CUDASTREAM_H

#include "runtime/drivers/cuda/CudaContext.h"
#include "runtime/hal/NativeStream.h"

namespace heddle::cuda {

StatusOr<std::unique_ptr<hal::NativeStream>> createCudaStream(std::shared_ptr<CudaContext> context);

} // namespace heddle::cuda

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_CUDASTREAM_H
