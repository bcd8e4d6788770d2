// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/Executable.h"

#include "runtime/match/DeviceInfo.h"

#include <tuple>

namespace heddle::hal {

Status checkLaunches(const ExecutableSource &source, const DeviceInfo &info, std::string_view invocations,
                     std::string_view sharedBytes) {
  for (const contract::Launch &launch : source.launches)
    for (auto [name, needed, what] :
         {std::tuple(invocations, launch.invocations(), " invocations in a workgroup, and "),
          std::tuple(sharedBytes, uint64_t{launch.sharedBytes}, " bytes shared by a workgroup, and ")})
      for (const auto &[limit, most] : info.limits)
        if (limit == name && needed > most)
          return Status(StatusCode::Unsupported, "executable '" + source.name + "' has " + std::to_string(needed) +
                                                     what + info.uri + " takes " + std::to_string(most) +
                                                     "; compile for smaller ones, or use another device");
  return {};
}

} // namespace heddle::hal
