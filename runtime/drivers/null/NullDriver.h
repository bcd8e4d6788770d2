// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver that accepts every program and computes nothing: dispatches return at once, copies and fills are done.
// For tests, for the host time of a program, and as the skeleton of a new driver (copy this folder, run hal/cts).
// Options: `null?memory=64m` limits what it allocates; `null?lose=3` loses the device at the third dispatch that this
// process issues to such a device; opened anew it works; `null?discrete=yes` has memory that the host cannot address.
#ifndef HEDDLE_RUNTIME_DRIVERS_NULL_NULLDRIVER_H
#define HEDDLE_RUNTIME_DRIVERS_NULL_NULLDRIVER_H

#include "runtime/hal/Driver.h"

namespace heddle {

const hal::Driver &nullDriver();

} // namespace heddle

#endif // HEDDLE_RUNTIME_DRIVERS_NULL_NULLDRIVER_H
