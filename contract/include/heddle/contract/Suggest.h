// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "did you mean": the nearest of the names that exist. The one rule of compiler, runtime and tools; the Python package
// has it in heddle/_errors.py.
#ifndef HEDDLE_CONTRACT_SUGGEST_H
#define HEDDLE_CONTRACT_SUGGEST_H

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::contract {

// How many letters must be inserted, deleted or replaced, or swapped with their neighbour, to make `b` of `a` (optimal
// string alignment). Case of ASCII letters does not count.
inline size_t countTypos(std::string_view a, std::string_view b) {
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

// "; did you mean 'run'?" with the nearest of `names`, the first of several; "" when none is near. Near is what has at
// most a third as many typos as `word` has letters, rounded up, and something in common with it. `names` is a range of
// what converts to std::string_view.
template <typename Names> std::string didYouMean(std::string_view word, const Names &names) {
  constexpr size_t kLongest = 200; // beyond, nobody mistyped a name
  if (word.empty() || word.size() > kLongest)
    return "";
  std::string best;
  size_t fewest = (word.size() + 2) / 3 + 1;
  for (std::string_view name : names) {
    size_t longer = std::max(word.size(), name.size()), shorter = std::min(word.size(), name.size());
    if (longer > kLongest || longer - shorter >= fewest) // at least as many are inserted
      continue;
    if (size_t typos = countTypos(word, name); typos < fewest && typos < longer) {
      fewest = typos;
      best = name;
    }
  }
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_SUGGEST_H
