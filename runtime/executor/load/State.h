// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a module's globals: what entry points read and write between calls (docs/design/state.md). A module has
// one of its own; others are independent of it and of each other.
//
// Thread-safe. Calls that use one state take turns, in the order in which they asked; enter() and leave() stand around
// each. Between them the call alone touches the values. Memory is the devices', taken at first use.
//
//   auto state = std::make_shared<State>(module);
//   HEDDLE_RETURN_IF_ERROR(state->reset());
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_STATE_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_STATE_H

#include "heddle/contract/Artifact_generated.h"
#include "heddle/heddle.h"
#include "runtime/base/Fork.h"
#include "runtime/hal/Buffer.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

namespace heddle {

class Module;

// One global. `buffer` holds the value, `spare` is where the next one is made; they change places when a call is done.
struct StateValue {
  hal::BufferRef buffer, spare;
  int64_t dims[HEDDLE_MAX_RANK] = {};
  uint64_t bytes = 0;
  bool set = false; // else it is as at the beginning
  std::string lost; // why there is no value: a call failed half way, the device was lost; "" for a good one
};

class State {
public:
  explicit State(const Module &module);

  // A place in the order of calls. Any number of threads.
  uint64_t ask();
  // Waits until it is the turn of `ticket`, for at most `ns`; false when it is not yet.
  bool enter(uint64_t ticket, uint64_t ns);
  // Ends the turn, or gives up the place. Of each ticket once.
  void leave(uint64_t ticket);
  // Held while a call asks for its turn and is put on a stream, so that streams and turns have one order.
  std::mutex &startMutex() { return startMutex_; }

  // All values as at the beginning, after the calls that asked before.
  void reset();

  // Between enter() and leave() only.
  StateValue &value(uint32_t global) { return values_[global]; }
  // The call is one of a module of this generation (Module::generation). Values in memory of an earlier one's devices,
  // which were lost, are lost with them. False: the values are a later one's.
  bool follow(uint32_t generation);

  // In the child of a fork turns of threads that are gone are given up.
  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  void afterForkInChild();

  // Of the memory that values take, spare memory included.
  uint64_t bytes();

private:
  uint32_t generation_; // whose devices the values are on
  std::mutex mutex_, startMutex_;
  std::condition_variable turn_;
  std::deque<uint64_t> order_; // tickets; the first one's call runs
  uint64_t next_ = 0;
  std::vector<StateValue> values_;
  ForkMember<State> fork_{this};
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_STATE_H
