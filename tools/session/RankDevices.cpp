// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/session/RankDevices.h"

#include <algorithm>
#include <sched.h>
#include <unistd.h>

namespace heddle::tools {
namespace {

std::string coresOfRank(RankPosition rank, std::span<const uint32_t> cores) {
  size_t total = cores.size(), begin = rank.index % total, end = begin + 1;
  if (rank.count <= total) {
    begin = total * rank.index / rank.count;
    end = total * (rank.index + 1) / rank.count;
  }
  std::string out;
  for (size_t i = begin; i < end; ++i)
    out += (i == begin ? "" : ",") + std::to_string(cores[i]);
  return out;
}

} // namespace

std::vector<std::string> devicesOfRank(std::span<const std::string> devices, uint32_t perRank, RankPosition rank,
                                       std::span<const uint32_t> cores) {
  if (rank.count <= 1 || devices.empty())
    return {devices.begin(), devices.end()};
  std::vector<std::string> out;
  size_t wanted = std::min<size_t>(std::max(perRank, 1u), devices.size());
  for (size_t i = 0; i < wanted; ++i) {
    std::string uri = devices[(size_t{rank.index} * wanted + i) % devices.size()];
    for (std::string_view name : {"local", "cpu"})
      if (std::string_view(uri).substr(0, uri.find('?')) == name && !cores.empty()) {
        uri.insert(name.size(), "://" + coresOfRank(rank, cores));
        break;
      }
    out.push_back(std::move(uri));
  }
  return out;
}

std::vector<uint32_t> localCores() {
  cpu_set_t set;
  std::vector<uint32_t> out;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (uint32_t core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        out.push_back(core);
  return out;
}

bool hasAllCores() { return localCores().size() >= static_cast<size_t>(sysconf(_SC_NPROCESSORS_ONLN)); }

} // namespace heddle::tools
