// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/KernelStatus.h"

#include "heddle/contract/KernelAbi.h"

namespace heddle::hal {

Status kernelFailure(int32_t status) {
  if (status == HEDDLE_KERNEL_INDEX_OUT_OF_RANGE)
    return Status(StatusCode::KernelFailed, "an index is out of range; check the indices given to the model");
  return Status(StatusCode::KernelFailed, "the kernel returned status " + std::to_string(status));
}

} // namespace heddle::hal
