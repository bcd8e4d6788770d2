// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the runtime's exceptions end. Containers of the standard library throw when they find no memory; nothing else
// in the runtime throws. What is between such a throw and its guarded() must leave everything usable: owners release,
// and changes in several steps are made so that each step alone is right, or are taken back.
//
// guarded() stands at each function of the C interface, at the work of each thread, and where something has to be done
// after a failure (a lock of another kind is given back, streams are waited for).
//
//   Status status = guarded([&] { return run(); });
//   giveBack(); // also after a failed allocation
#ifndef HEDDLE_RUNTIME_BASE_GUARDED_H
#define HEDDLE_RUNTIME_BASE_GUARDED_H

#include "runtime/base/Status.h"

#include <new>
#include <stdexcept>

namespace heddle {

// What the function returns (a Status, or a StatusOr), or OutOfMemory when it throws for want of memory.
template <typename Function> auto guarded(Function &&function) -> decltype(function()) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory();
  } catch (const std::length_error &) { // more than a container can ever hold
    return Status::outOfMemory();
  }
}

} // namespace heddle

#endif // HEDDLE_RUNTIME_BASE_GUARDED_H
