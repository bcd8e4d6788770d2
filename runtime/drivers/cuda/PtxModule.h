// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX code loaded on a device, and what the runtime reads in its text.
#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_PTXMODULE_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_PTXMODULE_H

#include "runtime/drivers/cuda/CudaContext.h"
#include "runtime/hal/Executable.h"

#include <string_view>

namespace heddle::cuda {

struct Block {
  uint32_t x = 1, y = 1, z = 1;
};
// The workgroup's size of an entry, from its `.reqntid`; none when the text has no such entry or no size.
std::optional<Block> blockOf(std::string_view text, std::string_view entry);

// What a hal::Kernel of this driver points to.
struct CudaKernel {
  CUfunction function = nullptr;
  Block block;
};

// Malformed with the driver's own words when it does not take the text; Unsupported for another format.
StatusOr<std::unique_ptr<hal::Executable>> loadPtx(std::shared_ptr<CudaContext> context,
                                                   const hal::ExecutableSource &source);

} // namespace heddle::cuda

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_PTXMODULE_H
