// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What would be loaded where: the artifact's requirements, the devices to choose from, and the matcher's plan.
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_LOADPLAN_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_LOADPLAN_H

#include "heddle/contract/Artifact_generated.h"
#include "runtime/match/Match.h"

namespace heddle {

struct LoadPlan {
  std::vector<DeviceRequirement> requirements;
  std::vector<ExecutableRequirement> executables;
  std::vector<DeviceInfo> available;
  std::vector<DeviceMatch> matches;
};

// `uris` in order; empty: the default devices of this machine, in the order of enumerateDevices(). Devices in `lost`
// are listed as not available, with that reason. Opens nothing.
StatusOr<LoadPlan> planLoad(const fb::Module &module, std::span<const std::string> uris,
                            std::span<const std::string> lost = {});

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_LOADPLAN_H
