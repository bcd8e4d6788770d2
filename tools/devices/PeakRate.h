// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a processor can compute at most.
#ifndef HEDDLE_TOOLS_DEVICES_PEAKRATE_H
#define HEDDLE_TOOLS_DEVICES_PEAKRATE_H

#include "runtime/match/DeviceInfo.h"

#include <optional>

namespace heddle::tools {

// 10^9 f32 additions and multiplications a second of fused multiply-adds in registers, on as many threads as the device
// has cores, with the widest vectors among its features. None for devices that do not compute on the host.
std::optional<double> measurePeakGflops(const DeviceInfo &info);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_DEVICES_PEAKRATE_H
