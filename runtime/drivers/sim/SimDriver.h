// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that compute like `local` and take the time that a declared model says: `sim://NAME?gflops=2000&…`
// (SimModel.h). For schedules, overlap and placement without the machine. It runs programs compiled for `local`.
//
// What a kernel costs is in its DispatchLabel. Times come from SimTimeline::process(); `heddle trace` shows them.
#ifndef HEDDLE_RUNTIME_DRIVERS_SIM_SIMDRIVER_H
#define HEDDLE_RUNTIME_DRIVERS_SIM_SIMDRIVER_H

#include "runtime/hal/Driver.h"

namespace heddle {

const hal::Driver &simDriver();

} // namespace heddle

#endif // HEDDLE_RUNTIME_DRIVERS_SIM_SIMDRIVER_H
