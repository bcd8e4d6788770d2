// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a module's globals: what entry points read and write between calls (docs/design/state.md). A module has
// one of its own; others are independent of it and of each other.
//
// Thread-safe. Calls that use one state take turns (CallOrder.h); in its turn a call alone touches the values. Memory
// is the devices', taken at first use.
//
//   auto state = std::make_shared<State>(module);
//   HEDDLE_RETURN_IF_ERROR(state->reset());
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_STATE_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_STATE_H

#include "heddle/contract/Artifact_generated.h"
#include "heddle/heddle.h"
#include "runtime/executor/load/CallOrder.h"
#include "runtime/hal/Buffer.h"

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

  // Whose turn it is.
  CallOrder &order() { return order_; }

  // All values as at the beginning, after the calls that asked before.
  void reset();

  // In the call's turn only.
  StateValue &value(uint32_t global) { return values_[global]; }
  // The call is one of a module of this generation (Module::generation). Values in memory of an earlier one's devices,
  // which were lost, are lost with them. False: the values are a later one's.
  bool follow(uint32_t generation);

  // Of the memory that values take, spare memory included.
  uint64_t bytes();

private:
  uint32_t generation_; // whose devices the values are on
  CallOrder order_;
  std::vector<StateValue> values_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_STATE_H
