// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Suggest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace heddle::tools {
namespace {

bool same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Optimal string alignment distance: insert, delete, replace, swap neighbours.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + !same(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

} // namespace

std::string didYouMean(std::string_view word, std::span<const std::string> candidates) {
  constexpr size_t kLongest = 200; // beyond, nobody mistyped a name
  if (word.empty() || word.size() > kLongest)
    return "";
  std::string_view best;
  size_t bestDistance = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string &candidate : candidates) {
    if (candidate.size() > kLongest)
      continue;
    if (size_t d = distance(word, candidate); d < bestDistance) {
      best = candidate;
      bestDistance = d;
    }
  }
  return best.empty() ? "" : "; did you mean '" + std::string(best) + "'?";
}

std::string quotedList(std::span<const std::string> names, size_t limit) {
  if (names.empty())
    return "none";
  std::string out;
  for (size_t i = 0; i < names.size() && i < limit; ++i)
    out += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > limit)
    out += ", … (" + std::to_string(names.size() - limit) + " more)";
  return out;
}

} // namespace heddle::tools
