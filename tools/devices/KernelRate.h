// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast a device computes what this compiler makes for it: products of matrices, compiled to an artifact and run as
// any program is. For devices whose arithmetic the host cannot measure by itself (PeakRate.h).
#ifndef HEDDLE_TOOLS_DEVICES_KERNELRATE_H
#define HEDDLE_TOOLS_DEVICES_KERNELRATE_H

#include <optional>
#include <string>

namespace heddle::tools {

struct KernelRate {
  std::optional<double> gflops; // 10^9 f32 additions and multiplications a second
  std::string reason;           // why there is none
};

// Runs the programs heddle-compile and heddle-bench beside this one; takes some seconds. `target` is the driver's name
// in
// --target-device. What arguments, results and the launch of a call cost is not counted: it is the difference of two
// chains of products.
KernelRate measureKernelRate(const std::string &target, const std::string &uri);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_DEVICES_KERNELRATE_H
