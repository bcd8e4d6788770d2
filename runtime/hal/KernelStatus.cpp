// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/KernelStatus.h"

#include "heddle/contract/KernelAbi.h"

namespace heddle::hal {

Status kernelFailure(int32_t status) {
  if (status == HEDDLE_KERNEL_INDEX_OUT_OF_RANGE)
    return Status(StatusCode::KernelFailed, "an index is out of range; check the indices given to the model");
  if (status == HEDDLE_KERNEL_LOOP_ENDED)
    return Status(StatusCode::KernelFailed,
                  "the device's driver ended a long loop early (llvmpipe: after 65,535 rounds); compute the op on "
                  "another device (--place-file)");
  return Status(StatusCode::KernelFailed, "the kernel returned status " + std::to_string(status));
}

} // namespace heddle::hal
