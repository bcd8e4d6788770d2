// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "did you mean": the nearest of the names that exist. The one rule of compiler, runtime and tools; the Python package
// has it in heddle/_errors.py.
#ifndef HEDDLE_CONTRACT_SUGGEST_H
#define HEDDLE_CONTRACT_SUGGEST_H

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::contract {

// How many letters must be inserted, deleted or replaced, or swapped with their neighbour, to make `b` of `a` (optimal
// string alignment). Case of ASCII letters does not count.
size_t countTypos(std::string_view a, std::string_view b);

// Looks for the name that is meant by a word. Near is what has at most a third as many typos as the word has letters,
// rounded up, and something in common with it.
class NearestName {
public:
  explicit NearestName(std::string_view word);
  void consider(std::string_view name);
  // "; did you mean 'run'?" with the nearest of those considered, the first of several; "" when none is near.
  std::string text() const;

private:
  std::string_view word;
  std::string best;
  size_t fewest; // typos: a nearer name has less
};

// NearestName's text for `names`, a range of what converts to std::string_view.
template <typename Names> std::string didYouMean(std::string_view word, const Names &names) {
  NearestName nearest(word);
  for (std::string_view name : names)
    nearest.consider(name);
  return nearest.text();
}

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_SUGGEST_H
