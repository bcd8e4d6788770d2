// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launcher's side of contract/RankStatus.h: makes the file that ranks write into, and reads where they are.
#ifndef HEDDLE_TOOLS_LAUNCH_RANKPAGE_H
#define HEDDLE_TOOLS_LAUNCH_RANKPAGE_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::contract {
struct RankRecord;
}

namespace heddle::tools {

// Where a rank was last seen.
struct RankPlace {
  uint64_t sequence = 0; // of the collective, by 1; 0: before its first
  bool isInside = false; // in it; else after it
  uint64_t sinceNs = 0;  // CLOCK_MONOTONIC
  uint64_t failedNs = 0; // when its program failed; 0: it did not
  std::string name, location;
};

// Owns the file and removes it.
class RankPage {
public:
  // Throws Failure.
  RankPage(const std::string &path, uint32_t ranks);
  ~RankPage();
  RankPage(const RankPage &) = delete;
  RankPage &operator=(const RankPage &) = delete;

  const std::string &path() const { return path_; }
  RankPlace read(uint32_t rank) const;
  uint64_t failedNs(uint32_t rank) const;
  std::vector<RankPlace> readAll() const;

private:
  const contract::RankRecord &record(uint32_t rank) const;

  std::string path_;
  uint32_t ranks_;
  void *memory_ = nullptr;
  size_t bytes_ = 0;
};

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LAUNCH_RANKPAGE_H
