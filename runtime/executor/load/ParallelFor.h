// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Independent pieces of work of a load on all cores that this process may use. No pool: threads live as long as the
// call.
//
//   forEachInParallel(parameters.size(), [&](size_t i) { results[i] = pack(parameters[i]); });
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_PARALLELFOR_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_PARALLELFOR_H

#include <cstddef>
#include <functional>

namespace heddle {

// Calls body(i) once for each i below `count`, in any order, on the calling thread and others; returns when all are
// done. Where the system gives no thread, the caller does all. `body` is called by several threads at a time; one that
// finds no memory ends there, and the others go on.
void forEachInParallel(size_t count, const std::function<void(size_t)> &body);

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_PARALLELFOR_H
