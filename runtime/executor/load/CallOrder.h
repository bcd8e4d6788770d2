// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of calls that must not run side by side: each asks for a place, and waits until those before it have left.
// Any number of threads.
//
//   uint64_t ticket = order.ask();
//   while (!order.enter(ticket, ns)) …;
//   order.leave(ticket);
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_CALLORDER_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_CALLORDER_H

#include "runtime/base/Fork.h"

#include <condition_variable>
#include <deque>
#include <mutex>

namespace heddle {

class CallOrder {
public:
  // A place in the order. leave() is owed.
  uint64_t ask();
  // Waits until it is the turn of `ticket`, for at most `ns`; false when it is not yet.
  bool enter(uint64_t ticket, uint64_t ns);
  // Ends the turn, or gives up the place. Of each ticket once.
  void leave(uint64_t ticket);
  // Held while a call asks for its turn and is put on a stream, so that streams and turns have one order.
  std::mutex &startMutex() { return startMutex_; }

  // In the child of a fork turns of threads that are gone are given up.
  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  void afterForkInChild();

private:
  std::mutex mutex_, startMutex_;
  std::condition_variable turn_;
  std::deque<uint64_t> order_; // tickets; the first one's call runs
  uint64_t next_ = 0;
  ForkMember<CallOrder> fork_{this};
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_CALLORDER_H
