// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue of the host that has several submissions in flight, each done by a thread of its own: for work that mostly
// waits for others, as messages between ranks do.
//
// Submissions begin in the order in which they were given, each when its waits are reached. One begins while those
// before it still run, unless one of them writes bytes that it reads or writes, or reads bytes that it writes, or says
// nothing of its bytes; and unless the one `atOnce` places before it still runs. Signals are reached in order, each
// when all submissions up to its own are done: to the others it is a queue like any.
//
// Commands are dispatches with views, and stamps. A submission of stamps alone holds up nobody. Threads are made when
// they are first needed, the first at once. In the child of a fork it begins anew, as ThreadQueue.h does.
//
//   StatusOr<std::unique_ptr<Queue>> queue = createHostQueue({[&] { return std::make_unique<Worker>(…); }, 4});
#ifndef HEDDLE_RUNTIME_HAL_OVERLAPQUEUE_H
#define HEDDLE_RUNTIME_HAL_OVERLAPQUEUE_H

#include "runtime/hal/Queue.h"

#include <functional>

namespace heddle::hal {

struct HostWork {
  std::function<std::unique_ptr<Commands>()> make; // what does the commands, for each thread its own
  uint32_t atOnce = 1;                             // submissions in flight; of one it is a ThreadQueue
};

// Io when the system gives no thread. Later ones that it does not give are done without.
StatusOr<std::unique_ptr<Queue>> createHostQueue(HostWork work);

// Whether the one must wait for the other: one of them writes what the other one reads or writes.
bool conflict(std::span<const BoundView> one, std::span<const BoundView> other);

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_OVERLAPQUEUE_H
