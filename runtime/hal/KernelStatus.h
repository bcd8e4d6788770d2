// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel's status (contract/KernelAbi.h) means to the user. The same words whatever device computed it.
#ifndef HEDDLE_RUNTIME_HAL_KERNELSTATUS_H
#define HEDDLE_RUNTIME_HAL_KERNELSTATUS_H

#include "runtime/base/Status.h"

namespace heddle::hal {

// KernelFailed. `status` is not HEDDLE_KERNEL_OK.
Status kernelFailure(int32_t status);

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_KERNELSTATUS_H
