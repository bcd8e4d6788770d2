// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue that is a thread of the host: for devices that compute there, and for functions of the host that are to run
// in order (CommandBuffer::call).
//
// In the child of a fork it begins anew, with a thread of its own: what was submitted before is the parent's, and fails
// here.
#ifndef HEDDLE_RUNTIME_HAL_THREADQUEUE_H
#define HEDDLE_RUNTIME_HAL_THREADQUEUE_H

#include "runtime/hal/Queue.h"

#include <functional>

namespace heddle::hal {

// Takes what does the commands, which from then on is used by the queue's thread only. `onStart` runs first on that
// thread (to pin it). Io when the system gives no thread.
StatusOr<std::unique_ptr<Queue>> createThreadQueue(std::unique_ptr<Commands> device,
                                                   std::function<void()> onStart = {});

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_THREADQUEUE_H
