// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Suggest.h"

#include <algorithm>
#include <vector>

namespace heddle::contract {

static constexpr size_t kLongest = 200; // beyond, nobody mistyped a name

size_t countTypos(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  auto same = [&](char x, char y) { return lower(x) == lower(y); };
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

NearestName::NearestName(std::string_view word) : word(word), fewest((word.size() + 2) / 3 + 1) {}

void NearestName::consider(std::string_view name) {
  size_t longer = std::max(word.size(), name.size()), shorter = std::min(word.size(), name.size());
  if (shorter == 0 || longer > kLongest || longer - shorter >= fewest) // at least as many are inserted
    return;
  if (size_t typos = countTypos(word, name); typos < fewest && typos < longer) {
    fewest = typos;
    best = name;
  }
}

std::string NearestName::text() const { return best.empty() ? "" : "; did you mean '" + best + "'?"; }

} // namespace heddle::contract
