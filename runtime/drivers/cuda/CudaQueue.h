// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work for a CUDA stream. What one ticket stands for has an event, status words and staging in pinned memory of its
// own, all used again when the event is reached. Used by one thread at a time.
#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAQUEUE_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAQUEUE_H

#include "runtime/drivers/common/DeviceQueue.h"
#include "runtime/drivers/cuda/PtxModule.h"

namespace heddle::cuda {

StatusOr<std::unique_ptr<engines::Engine>> createCudaEngine(std::shared_ptr<CudaContext> context);

} // namespace heddle::cuda

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAQUEUE_H
