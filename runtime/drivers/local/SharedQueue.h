// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue without a thread of its own: its device's workers do the work, and who waits for it (hal::Queue::wait). As
// many queues as are wanted share the cores: each is done by one thread at a time, in order, and goes on where the next
// thread finds it.
//
// A queue that waits for a value that nobody has promised holds no thread: the semaphore tells it (Semaphore::watch).
// One that waits for a device that was given the work holds a worker for a moment at a time.
//
// In the child of a fork it begins anew: what was submitted before is the parent's, and fails here.
#ifndef HEDDLE_RUNTIME_DRIVERS_LOCAL_SHAREDQUEUE_H
#define HEDDLE_RUNTIME_DRIVERS_LOCAL_SHAREDQUEUE_H

#include "runtime/hal/Queue.h"

namespace heddle::local {

class WorkerPool;

// `device` does the commands, on whatever thread is at it. Functions of the host (CommandBuffer::call) are not for such
// a queue: they would hold a worker for as long as they wait.
std::unique_ptr<hal::Queue> createSharedQueue(std::unique_ptr<hal::Commands> device, std::shared_ptr<WorkerPool> pool);

} // namespace heddle::local

#endif // HEDDLE_RUNTIME_DRIVERS_LOCAL_SHAREDQUEUE_H
