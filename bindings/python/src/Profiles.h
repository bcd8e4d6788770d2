// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that are measured: what heddle/_profile.py makes tables of.
#ifndef HEDDLE_PYTHON_PROFILES_H
#define HEDDLE_PYTHON_PROFILES_H

#include "Calls.h"

namespace heddle::python {

// Makes the call (arguments as of Function::call) `warmup` times, then `calls` times more with a trace: (results of the
// last one, nanoseconds of each, slices of each). A slice is (kind, name, source, device, stream, begin, end, bytes).
// `stop`, if not None, is called every 20 ms meanwhile, on another thread; once it is true the call is cancelled.
nanobind::object traceCalls(Function &function, const nanobind::object &stop, uint32_t warmup, uint32_t calls,
                            const nanobind::args &arguments, const nanobind::kwargs &named);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_PROFILES_H
