// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a launch from its first process to its last: starts mpiexec, which starts a watcher for each rank; prints what
// ranks print; and when one fails, lets the others speak for a moment and ends all.
#ifndef HEDDLE_TOOLS_LAUNCH_SUPERVISOR_H
#define HEDDLE_TOOLS_LAUNCH_SUPERVISOR_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::tools {

struct LaunchPlan {
  uint32_t ranks = 1;
  bool prefix = true;
  std::string self;                      // this program, which is its own watcher
  std::string mpiexec;                   // path
  std::vector<std::string> mpiArguments; // for mpiexec, besides -n
  std::vector<std::string> program;      // of a rank
};

// The first argument with which this program watches a rank.
inline constexpr const char *kWatchArgument = "@watch";

// Blocks until no process of the launch is left, at most some five seconds after the first failure or signal. Returns
// the exit status: 0, that of the rank that failed first (1 where a signal ended it), or 128 and the number of the
// signal (Ctrl-C: 130) that this process got. What failed is on standard error. Throws Failure: nothing could be
// started.
int superviseLaunch(const LaunchPlan &plan);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LAUNCH_SUPERVISOR_H
