// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only way to have a device work while the host goes on. A queue does what it is given in the order of submission;
// several queues of a device overlap where the device can. Order between queues is made by semaphores, and by nothing
// else.
//
// A submission begins when its waits are reached. When it is done its signals are reached; when something failed they
// fail, with the first cause: a wait that failed, a command that failed (with its dispatch's label), a command that the
// driver refuses. It is left out, and its signals fail with the cause, when a signal had failed before it began: who
// fails the timeline that a stream signals abandons what the stream has not begun. A submission is as independent of
// those before it as its waits are; kernels that a device was handed before a failure was seen still run.
//
//   queue->submit(&commands, {{ready, 3}}, {{done, 1}});
//   HEDDLE_RETURN_IF_ERROR(done->wait(1));
#ifndef HEDDLE_RUNTIME_HAL_QUEUE_H
#define HEDDLE_RUNTIME_HAL_QUEUE_H

#include "runtime/hal/Commands.h"
#include "runtime/hal/Semaphore.h"

namespace heddle::hal {

class Queue {
public:
  // Waits for all that was submitted.
  virtual ~Queue() = default;
  // `commands` (null: none) must stay as they are until the signals are reached or drain() has returned. A failure is
  // the signals', also that there is no memory: without signals it is nobody's. One thread at a time.
  virtual void submit(const CommandBuffer *commands, std::span<const Point> waits, std::span<const Point> signals) = 0;
  // Returns when nothing of what was submitted runs or will run, whether it succeeded or not. Needs no memory.
  virtual void drain() = 0;
  // As point.wait(). Meanwhile the thread may do work of the device, where that is done by threads of the host
  // (Device::createSharedQueue); it may be late then by a command. One thread at a time.
  virtual Status wait(const Point &point, uint64_t timeoutNs) { return point.wait(timeoutNs); }
};

// Submits and waits for the end. The commands' failure. OutOfMemory.
Status runToEnd(Queue &queue, const CommandBuffer &commands);

// Does each command to its end before it returns. Failures have no labels.
std::unique_ptr<Commands> createBlockingCommands(std::unique_ptr<Queue> queue);

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_QUEUE_H
