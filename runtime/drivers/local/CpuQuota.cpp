// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/local/CpuQuota.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>

namespace heddle::local {
namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  while (!text.empty()) {
    out.emplace_back(text.substr(0, text.find(at)));
    text.remove_prefix(std::min(out.back().size() + 1, text.size()));
  }
  return out;
}

bool contains(const std::vector<std::string> &list, std::string_view what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

struct Mount {
  std::string root, point; // what of the hierarchy is mounted, and where
  int version;
};

// Of control groups that have the controller `cpu`.
std::vector<Mount> parseMounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (const std::string &line : split(mountinfo, '\n')) {
    std::vector<std::string> words = split(line, ' ');
    auto dash = std::find(words.begin(), words.end(), "-"); // then type, source, options of the file system
    if (words.size() < 6 || words.end() - dash < 4)
      continue;
    if (dash[1] == "cgroup2")
      mounts.push_back({words[3], words[4], 2});
    else if (dash[1] == "cgroup" && contains(split(dash[3], ','), "cpu"))
      mounts.push_back({words[3], words[4], 1});
  }
  return mounts;
}

// "4:cpu,cpuacct:/a/b" and "0::/a/b": the process's group in the hierarchy of a version.
std::optional<std::string> groupOf(std::string_view cgroup, int version) {
  for (const std::string &line : split(cgroup, '\n')) {
    size_t first = line.find(':'), second = line.find(':', first == line.npos ? first : first + 1);
    if (second == line.npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    if (version == 2 ? controllers.empty() : contains(split(controllers, ','), "cpu"))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

// From a group up to the root of what is mounted.
void addFolders(const Mount &mount, std::string group, std::vector<QuotaFolder> &out) {
  std::string root = mount.root == "/" ? "" : mount.root;
  bool inside = group.starts_with(root) && (group.size() == root.size() || group[root.size()] == '/');
  std::string rest = inside ? group.substr(root.size()) : "";
  while (!rest.empty() && rest != "/" && rest.find("/..") == rest.npos) {
    out.push_back({mount.point + rest, mount.version});
    rest.resize(rest.rfind('/'));
  }
  out.push_back({mount.point, mount.version});
}

std::optional<double> number(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data())
    return std::nullopt;
  return static_cast<double>(value);
}

std::optional<double> quotaIn(const QuotaFolder &folder, const std::function<std::string(const std::string &)> &read) {
  std::optional<double> quota, period;
  if (folder.version == 2) {
    std::vector<std::string> words = split(read(folder.path + "/cpu.max"), ' '); // "max 100000", "50000 100000"
    if (words.size() < 2)
      return std::nullopt;
    quota = number(words[0]);
    period = number(words[1]);
  } else {
    quota = number(read(folder.path + "/cpu.cfs_quota_us")); // -1: none
    period = number(read(folder.path + "/cpu.cfs_period_us"));
  }
  if (!quota || !period || !(*quota > 0) || !(*period > 0))
    return std::nullopt;
  return *quota / *period;
}

std::string readFile(const std::string &path) {
  std::string text;
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "r"), &std::fclose);
  char part[4096];
  for (size_t count; file && (count = std::fread(part, 1, sizeof(part), file.get())) > 0;)
    text.append(part, count);
  return text;
}

} // namespace

std::vector<QuotaFolder> findQuotaFolders(std::string_view cgroup, std::string_view mountinfo) {
  std::vector<QuotaFolder> folders;
  for (const Mount &mount : parseMounts(mountinfo))
    if (std::optional<std::string> group = groupOf(cgroup, mount.version))
      addFolders(mount, std::move(*group), folders);
  return folders;
}

std::optional<double> leastQuota(const std::vector<QuotaFolder> &folders,
                                 const std::function<std::string(const std::string &)> &read) {
  std::optional<double> least;
  for (const QuotaFolder &folder : folders)
    if (std::optional<double> quota = quotaIn(folder, read); quota && (!least || *quota < *least))
      least = quota;
  return least;
}

std::optional<double> cpuQuota() {
  return leastQuota(findQuotaFolders(readFile("/proc/self/cgroup"), readFile("/proc/self/mountinfo")), readFile);
}

} // namespace heddle::local
