// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor time that control groups (of containers, of systemd) grant this process: `cpu.max` of version 2,
// `cpu.cfs_quota_us` and `cpu.cfs_period_us` of version 1. Affinity is something else: a process with a quota of one
// core may well run on each of a large machine's, and be stopped for most of the time.
//
// cgroups(7), proc_pid_mountinfo(5).
#ifndef HEDDLE_RUNTIME_DRIVERS_LOCAL_CPUQUOTA_H
#define HEDDLE_RUNTIME_DRIVERS_LOCAL_CPUQUOTA_H

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::local {

// A folder of a control group's files, and which version's they are.
struct QuotaFolder {
  std::string path;
  int version;
};

// Where limits of a process may stand: the folders of its groups, and those above them, from the texts of its `cgroup`
// and `mountinfo` in /proc. A group outside of what is mounted (a container without a name space of its own for them)
// is taken for the root of the mount.
std::vector<QuotaFolder> findQuotaFolders(std::string_view cgroup, std::string_view mountinfo);

// The least quota among them in cores (0.5: half of one's time); none: nothing limits. `read` gives a file's contents,
// "" where there is none; what is not understood limits nothing.
std::optional<double> leastQuota(const std::vector<QuotaFolder> &folders,
                                 const std::function<std::string(const std::string &)> &read);

// Of this process; reads /proc and /sys once a call.
std::optional<double> cpuQuota();

} // namespace heddle::local

#endif // HEDDLE_RUNTIME_DRIVERS_LOCAL_CPUQUOTA_H
