// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotas from the texts that systems have, and from those that they should not.
#include "runtime/drivers/local/CpuQuota.h"

#include <gtest/gtest.h>

#include <map>

using namespace heddle::local;

namespace {

using Files = std::map<std::string, std::string>;

std::optional<double> quota(std::string_view cgroup, std::string_view mountinfo, const Files &files) {
  return leastQuota(findQuotaFolders(cgroup, mountinfo), [&](const std::string &path) {
    auto found = files.find(path);
    return found == files.end() ? std::string() : found->second;
  });
}

constexpr const char *kVersion2 = "25 30 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char *kVersion1 =
    "32 24 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:11 - cgroup cgroup rw,cpu,cpuacct\n"
    "33 24 0:30 /docker/abc /sys/fs/cgroup/memory ro,nosuid master:12 - cgroup cgroup rw,memory\n";

TEST(CpuQuota, Version2TakesTheLeastOnTheWayUp) {
  Files files = {{"/sys/fs/cgroup/a.slice/b.scope/cpu.max", "max 100000\n"},
                 {"/sys/fs/cgroup/a.slice/cpu.max", "150000 100000\n"},
                 {"/sys/fs/cgroup/cpu.max", "400000 100000\n"}};
  EXPECT_EQ(quota("0::/a.slice/b.scope\n", kVersion2, files), 1.5);
  EXPECT_EQ(quota("0::/\n", kVersion2, files), 4.0);
  EXPECT_EQ(quota("0::/elsewhere\n", kVersion2, files), 4.0);
}

TEST(CpuQuota, Version1) {
  Files files = {{"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n"},
                 {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}};
  EXPECT_EQ(quota("5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n", kVersion1, files), 0.5);
  // A container that sees the host's name of its group.
  EXPECT_EQ(quota("4:cpu,cpuacct:/kubepods/pod1/x\n", kVersion1, files), 0.5);
  files["/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us"] = "-1\n";
  EXPECT_EQ(quota("4:cpu,cpuacct:/docker/abc\n", kVersion1, files), std::nullopt);
}

TEST(CpuQuota, WhatIsNotUnderstoodLimitsNothing) {
  EXPECT_EQ(quota("", "", {}), std::nullopt);
  EXPECT_EQ(quota("0::/a", kVersion2, {}), std::nullopt);
  EXPECT_EQ(quota("nonsense\n0:\n::", "a b c\n- - -\n1 2 3 4 5 6 - cgroup2\n", {}), std::nullopt);
  for (const char *text : {"", "max", "0 100000", "50000 0", "-5 100000", "x y", "50000"})
    EXPECT_EQ(quota("0::/\n", kVersion2, {{"/sys/fs/cgroup/cpu.max", text}}), std::nullopt) << text;
  // No way out of the mount.
  EXPECT_EQ(quota("0::/../../etc\n", kVersion2, {{"/sys/fs/cgroup/cpu.max", "20000 100000"}}), 0.2);
}

TEST(CpuQuota, OfThisProcessIsNoneOrPositive) {
  std::optional<double> quota = cpuQuota();
  EXPECT_TRUE(!quota || *quota > 0) << *quota;
}

} // namespace
