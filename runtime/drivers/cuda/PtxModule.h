// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX code loaded on a device. Its text is the driver's alone: what a launch needs is in the launch record.
#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_PTXMODULE_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_PTXMODULE_H

#include "runtime/drivers/cuda/CudaContext.h"
#include "runtime/hal/Executable.h"

namespace heddle::cuda {

// What a hal::Kernel of this driver points to.
struct CudaKernel {
  CUfunction function = nullptr;
  contract::Launch launch;
};

// Malformed with the driver's own words when it does not take the text, or without launch records; Unsupported for
// another format, and where the device's workgroups are too small.
StatusOr<std::unique_ptr<hal::Executable>> loadPtx(std::shared_ptr<CudaContext> context,
                                                   const hal::ExecutableSource &source);

} // namespace heddle::cuda

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_PTXMODULE_H
