// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/launch/RankOutput.h"

#include "tools/launch/Report.h"

#include <algorithm>
#include <utility>

namespace heddle::tools {

void RankOutput::add(uint32_t rank, bool isError, std::string_view text, uint64_t nowNs) {
  std::string &partial = partial_[{rank, isError}];
  while (!text.empty()) {
    size_t end = text.find('\n');
    partial.append(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (end == text.npos && partial.size() < kLongestLine)
      return;
    emit(rank, isError, std::exchange(partial, {}), nowNs);
  }
}

void RankOutput::emit(uint32_t rank, bool isError, std::string text, uint64_t nowNs) {
  if (!isError || !prefix_) {
    print(isError, {std::move(text), {rank}, nowNs});
    return;
  }
  // A line joins its like, but not in front of another one of its rank.
  auto after = std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const Line &line) {
                 return std::find(line.ranks.begin(), line.ranks.end(), rank) != line.ranks.end();
               }).base();
  auto same = std::find_if(after, waiting_.end(), [&](const Line &line) { return line.text == text; });
  if (same != waiting_.end())
    same->ranks.insert(std::upper_bound(same->ranks.begin(), same->ranks.end(), rank), rank);
  else
    waiting_.push_back({std::move(text), {rank}, nowNs});
  constexpr size_t kMostWaiting = 1000;
  if (waiting_.size() > kMostWaiting) {
    print(true, waiting_.front());
    waiting_.pop_front();
  }
}

void RankOutput::print(bool isError, const Line &line) {
  sink_(isError, (prefix_ ? "[" + formatRanks(line.ranks, ", ") + "] " : "") + line.text + "\n");
}

uint64_t RankOutput::flush(uint64_t nowNs) {
  for (; !waiting_.empty() && waiting_.front().sinceNs + kMomentNs <= nowNs; waiting_.pop_front())
    print(true, waiting_.front());
  return waiting_.empty() ? UINT64_MAX : waiting_.front().sinceNs + kMomentNs;
}

void RankOutput::finish() {
  for (auto &[key, text] : partial_)
    if (!text.empty())
      emit(key.first, key.second, std::exchange(text, {}), 0);
  flush(UINT64_MAX - kMomentNs);
  for (; !waiting_.empty(); waiting_.pop_front())
    print(true, waiting_.front());
}

} // namespace heddle::tools
