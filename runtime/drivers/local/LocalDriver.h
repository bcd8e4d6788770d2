// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU. A device is a set of cores: `local` (all this process may use), `local://0-1`, `local://0,2`; so many
// threads take part in a dispatch, the calling one among them, so several devices share a machine without
// oversubscribing it; devices of as many threads on the same cores share their workers. Where no cores are named, there
// are not more threads than control groups grant time for (CpuQuota.h). Options: `threads=4`: as many threads, on any
// of the cores. `cpu=x86-64-v3` hides features above a level, `memory=64m` limits what it allocates, `discrete=yes`
// gives it memory that the host cannot address (for tests).
//
// Code is a position-independent shared object in the artifact; it is given to the system's loader from memory.
#ifndef HEDDLE_RUNTIME_DRIVERS_LOCAL_LOCALDRIVER_H
#define HEDDLE_RUNTIME_DRIVERS_LOCAL_LOCALDRIVER_H

#include "runtime/hal/Driver.h"

namespace heddle {

const hal::Driver &localDriver();

namespace local {

// "0-1,4" → {0, 1, 4}, sorted; InvalidArgument for a malformed list.
StatusOr<std::vector<int>> parseCores(std::string_view text);
// The cores this process may use, ascending.
std::vector<int> allowedCores();

// Loads a shared object from memory and finds its kernels. Malformed with the loader's message when it is none.
StatusOr<std::unique_ptr<hal::Executable>> loadSharedObject(const hal::ExecutableSource &source);

} // namespace local
} // namespace heddle

#endif // HEDDLE_RUNTIME_DRIVERS_LOCAL_LOCALDRIVER_H
