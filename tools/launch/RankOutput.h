// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output of many ranks as one: whole lines, each with the rank that printed it. What several ranks say on standard
// error within a moment, word for word, is said once, with all of their numbers: "[0-3] heddle run: …". Pure but for
// the sink; times are given.
#ifndef HEDDLE_TOOLS_LAUNCH_RANKOUTPUT_H
#define HEDDLE_TOOLS_LAUNCH_RANKOUTPUT_H

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tools {

class RankOutput {
public:
  static constexpr uint64_t kMomentNs = 150'000'000;
  static constexpr size_t kLongestLine = 1 << 20; // what is longer is printed in pieces

  // `sink(isError, text)` gets text that ends with a line break. Without `prefix` lines are as the rank printed them.
  RankOutput(bool prefix, std::function<void(bool, const std::string &)> sink)
      : prefix_(prefix), sink_(std::move(sink)) {}

  void add(uint32_t rank, bool isError, std::string_view text, uint64_t nowNs);
  // Prints what has waited for a moment. Returns the time at which there is something again; UINT64_MAX: nothing waits.
  uint64_t flush(uint64_t nowNs);
  // Prints all, unfinished lines too.
  void finish();

private:
  struct Line {
    std::string text;
    std::vector<uint32_t> ranks;
    uint64_t sinceNs;
  };
  void emit(uint32_t rank, bool isError, std::string text, uint64_t nowNs);
  void print(bool isError, const Line &line);

  bool prefix_;
  std::function<void(bool, const std::string &)> sink_;
  std::map<std::pair<uint32_t, bool>, std::string> partial_;
  std::deque<Line> waiting_; // on standard error, in the order of arrival
};

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LAUNCH_RANKOUTPUT_H
