// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who gets which thing when each may have one and nobody shares: a bipartite matching with preferences.
//
// Pure. What is decided, the first before the second:
//   1. of the takers that are needed as many as possible get something; where not all can, those given first do;
//   2. in the order given, each of them gets the least level that 1 leaves it;
//   3. the same for the takers that are not needed, without a change of 1 and 2;
//   4. in the order given, each taker gets the first of its choices that 1 to 3 leave it.
// So takers whose choices are alike get them in the order given.
//
//   assign({{{{0, 0}, {1, 0}}}, {{{0, 0}}}}, 2) is {1, 0}: the first takes thing 1, as the second has only thing 0.
#ifndef HEDDLE_RUNTIME_MATCH_ASSIGNMENT_H
#define HEDDLE_RUNTIME_MATCH_ASSIGNMENT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace heddle {

struct Choice {
  uint32_t thing;
  uint32_t level; // choices of the same level are as good as one another, but for their order
};

struct Wish {
  std::vector<Choice> choices; // in order of preference, levels ascending; each thing at most once a level
  bool needed = true;
};

// For each wish the index of the choice it got, if any. Every thing is below `things`. Takers that are alike, however
// many, cost time linear in the number of all choices; at worst it is the number of takers times that.
std::vector<std::optional<size_t>> assign(std::span<const Wish> wishes, size_t things);

} // namespace heddle

#endif // HEDDLE_RUNTIME_MATCH_ASSIGNMENT_H
