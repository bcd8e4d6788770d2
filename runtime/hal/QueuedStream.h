// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queued stream made of an inline one: a thread that runs what is issued. For devices that compute on host threads.
#ifndef HEDDLE_RUNTIME_HAL_QUEUEDSTREAM_H
#define HEDDLE_RUNTIME_HAL_QUEUEDSTREAM_H

#include "runtime/hal/Stream.h"

namespace heddle::hal {

// Takes an inline stream, which from then on is used by the queue's thread only. `onStart` runs first on that thread
// (to pin it). The destructor waits for all work. Io when the system gives no thread.
StatusOr<std::unique_ptr<Stream>> createQueuedStream(std::unique_ptr<Stream> inlineStream,
                                                     std::function<void()> onStart = {});

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_QUEUEDSTREAM_H
