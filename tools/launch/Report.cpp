// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/launch/Report.h"

#include "heddle/contract/Text.h"
#include "tools/lib/Error.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <sys/wait.h>

namespace heddle::tools {
namespace {

std::string ordinal(uint64_t n) {
  bool isTeen = n % 100 >= 11 && n % 100 <= 13;
  const char *suffix = isTeen || n % 10 > 3 || n % 10 == 0 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : "rd";
  return std::to_string(n) + suffix;
}

std::string ranksAre(const std::vector<uint32_t> &ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + formatRanks(ranks);
}

std::string verbOf(const RankEnd &end, bool isMany) {
  if (WIFSIGNALED(end.status)) {
    const char *name = strsignal(WTERMSIG(end.status));
    return std::string(isMany ? "were" : "was") + " ended by signal " + std::to_string(WTERMSIG(end.status)) + " (" +
           (name ? name : "unknown") + ")";
  }
  return "ended with status " + std::to_string(WEXITSTATUS(end.status));
}

std::string seconds(uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f s", static_cast<double>(ns) / 1e9);
  return text;
}

// Ranks that did not end by themselves, by where they were.
std::string others(const std::vector<RankEnd> &ends, const std::vector<RankPlace> &places, uint64_t nowNs) {
  std::map<std::string, std::vector<uint32_t>> groups;
  std::map<std::string, uint64_t> since; // the one that was there longest
  for (uint32_t rank = 0; rank < places.size(); ++rank) {
    if (std::any_of(ends.begin(), ends.end(), [&](const RankEnd &end) { return end.rank == rank; }))
      continue;
    const RankPlace &place = places[rank];
    std::string text = formatPlace(place);
    groups[text].push_back(rank);
    if (place.sinceNs)
      since[text] = std::min(since.try_emplace(text, UINT64_MAX).first->second, place.sinceNs);
  }
  std::vector<std::pair<std::vector<uint32_t>, std::string>> lines;
  for (auto &[text, ranks] : groups) {
    std::string line = "\n" + ranksAre(ranks) + (ranks.size() == 1 ? " was " : " were ") + text;
    if (auto found = since.find(text); found != since.end() && nowNs > found->second)
      line += ", for " + seconds(nowNs - found->second);
    lines.emplace_back(ranks, line);
  }
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (auto &[ranks, line] : lines)
    out += line;
  return out;
}

} // namespace

std::string formatRanks(const std::vector<uint32_t> &ranks, const char *last) {
  std::vector<std::string> pieces;
  for (size_t i = 0; i < ranks.size();) {
    size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
      ++end;
    if (end - i > 2)
      pieces.push_back(std::to_string(ranks[i]) + "-" + std::to_string(ranks[end - 1]));
    else
      for (size_t k = i; k < end; ++k)
        pieces.push_back(std::to_string(ranks[k]));
    i = end;
  }
  std::string out;
  for (size_t i = 0; i < pieces.size(); ++i)
    out += (i == 0 ? "" : i + 1 == pieces.size() ? last : ", ") + pieces[i];
  return out;
}

std::string formatPlace(const RankPlace &place) {
  if (place.sequence == 0)
    return "before its first collective";
  std::string name = contract::showText(place.name, contract::Lines::One);
  std::string location = contract::showText(place.location, contract::Lines::One);
  return std::string(place.isInside ? "in " : "after ") + name + ", its " + ordinal(place.sequence) + " collective" +
         (location.empty() ? "" : " (" + location + ")");
}

std::string describeFailure(const std::vector<RankEnd> &ends, const std::vector<RankPlace> &places, uint64_t nowNs) {
  bool hasPlaces = std::any_of(places.begin(), places.end(), [](const RankPlace &place) { return place.sequence > 0; });
  const RankEnd &first = ends.front();
  std::vector<uint32_t> same;
  for (const RankEnd &end : ends)
    if (end.status == first.status)
      same.push_back(end.rank);
  std::sort(same.begin(), same.end());
  std::string out;
  if (same.size() == 1 || WIFSIGNALED(first.status)) {
    out = "rank " + std::to_string(first.rank) + " of " + std::to_string(places.size()) + " " + verbOf(first, false);
    if (hasPlaces)
      out += " " + formatPlace(places[first.rank]);
  } else {
    out = ranksAre(same) + " of " + std::to_string(places.size()) + " " + verbOf(first, true);
  }
  return hasPlaces ? out + others(ends, places, nowNs) : out;
}

int statusOf(const std::vector<RankEnd> &ends) {
  return WIFEXITED(ends.front().status) ? WEXITSTATUS(ends.front().status) : kFailed;
}

} // namespace heddle::tools
