// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/trace/RankClocks.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>

namespace heddle::tools {

std::vector<int64_t> clockOffsets(const std::vector<ClockSamples> &ranks) {
  std::vector<int64_t> out;
  for (const ClockSamples &rank : ranks) {
    if (rank.machine == ranks.front().machine) {
      out.push_back(0);
      continue;
    }
    std::vector<int64_t> differences;
    for (int i = 0; i < ClockSamples::kBarriers; ++i)
      differences.push_back(rank.leftNs[i] - ranks.front().leftNs[i]);
    std::nth_element(differences.begin(), differences.begin() + ClockSamples::kBarriers / 2, differences.end());
    out.push_back(differences[ClockSamples::kBarriers / 2]);
  }
  return out;
}

uint64_t thisMachine() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return std::hash<std::string>()(text);
}

} // namespace heddle::tools
