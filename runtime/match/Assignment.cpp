// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/match/Assignment.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr size_t kNobody = SIZE_MAX;

// A matching that only grows: a taker that has something keeps something, though it may be another thing.
//
// A search that finds nothing has seen a closed set: things that are all taken, by takers whose choices are all in the
// set. What a taker may choose only shrinks, so the set stays closed, and who is not in it looks into it no more. Sets
// are numbered as they are found, and who is in several has the number of the last: a thing of another number than its
// seeker's is out of reach, for that set has the thing and not the seeker.
class Assigner {
public:
  Assigner(std::span<const Wish> wishes, size_t things)
      : wishes_(wishes), got_(wishes.size()), takerSet_(wishes.size()), owner_(things, kNobody), thingSet_(things),
        via_(things, kNobody), index_(things) {
    for (const Wish &wish : wishes)
      allowed_.push_back({0, wish.choices.size()});
  }

  std::vector<std::optional<size_t>> run() {
    for (bool needed : {true, false}) {
      for (size_t w = 0; w < wishes_.size(); ++w)
        if (wishes_[w].needed == needed)
          find(w);
      for (size_t w = 0; w < wishes_.size(); ++w)
        if (wishes_[w].needed == needed && got_[w])
          restrictToLevel(w);
    }
    for (size_t w = 0; w < wishes_.size(); ++w)
      if (got_[w])
        restrictToFirst(w);
    return got_;
  }

private:
  // Indices of the choices that a wish may still get.
  struct Range {
    size_t begin, end;
  };

  const Choice &choice(size_t wish, size_t index) const { return wishes_[wish].choices[index]; }
  size_t thingOf(size_t wish) const { return got_[wish] ? choice(wish, *got_[wish]).thing : kNobody; }
  bool isOutOfReach(size_t wish, size_t thing) const { return thingSet_[thing] && thingSet_[thing] != takerSet_[wish]; }

  void give(size_t wish, size_t index) {
    if (got_[wish] && owner_[thingOf(wish)] == wish)
      owner_[thingOf(wish)] = kNobody;
    got_[wish] = index;
    owner_[choice(wish, index).thing] = wish;
  }

  // The nearest thing that is free, or `vacant`, along what takers may choose, from `wish` on; kNobody when there is
  // none, and then what was seen is closed. Leaves in `seen_`, `via_` and `index_` how each thing was reached.
  size_t search(size_t wish, size_t vacant) {
    for (size_t thing : seen_)
      via_[thing] = kNobody;
    seen_.clear();
    std::vector<size_t> queue = {wish};
    for (size_t at = 0; at < queue.size(); ++at)
      for (size_t c = allowed_[queue[at]].begin; c < allowed_[queue[at]].end; ++c) {
        size_t thing = choice(queue[at], c).thing;
        if (via_[thing] != kNobody || thing == thingOf(queue[at]) || isOutOfReach(queue[at], thing))
          continue;
        via_[thing] = queue[at];
        index_[thing] = c;
        seen_.push_back(thing);
        if (owner_[thing] == kNobody || thing == vacant)
          return thing;
        if (owner_[thing] != wish)
          queue.push_back(owner_[thing]);
      }
    close(queue);
    return kNobody;
  }

  // Of the takers that were searched all but one without a thing have theirs in the set.
  void close(std::span<const size_t> takers) {
    ++sets_;
    for (size_t taker : takers)
      if (got_[taker])
        takerSet_[taker] = thingSet_[thingOf(taker)] = sets_;
  }

  // Gives the taker a thing, its owner another one, and so on along the shortest way; nothing where there is none.
  void find(size_t wish) { giveAlong(wish, search(wish, kNobody)); }

  // Each taker on the way that a search from `wish` found gets the next thing.
  void giveAlong(size_t wish, size_t thing) {
    while (thing != kNobody) {
      size_t taker = via_[thing], before = thingOf(taker);
      give(taker, index_[thing]);
      thing = taker == wish ? kNobody : before;
    }
  }

  // Moves the taker to the first of its choices that it can have, while all others keep something.
  void moveToFirst(size_t wish) {
    for (size_t c = allowed_[wish].begin; c < *got_[wish]; ++c) {
      size_t thing = choice(wish, c).thing, left = thingOf(wish);
      if (isOutOfReach(wish, thing))
        continue;
      size_t displaced = owner_[thing];
      // The owner may take what is left behind.
      size_t end = displaced == kNobody || thing == left ? kNobody : search(displaced, left);
      if (displaced != kNobody && thing != left && end == kNobody)
        continue;
      if (end != kNobody)
        giveAlong(displaced, end);
      give(wish, c);
      return;
    }
  }

  void restrictToLevel(size_t wish) {
    const std::vector<Choice> &choices = wishes_[wish].choices;
    if (choice(wish, *got_[wish]).level != choice(wish, allowed_[wish].begin).level)
      moveToFirst(wish);
    uint32_t level = choice(wish, *got_[wish]).level;
    auto isBefore = [](const Choice &a, uint32_t level) { return a.level < level; };
    auto begin = std::lower_bound(choices.begin(), choices.end(), level, isBefore);
    auto end = std::lower_bound(begin, choices.end(), level + 1, isBefore);
    allowed_[wish] = {static_cast<size_t>(begin - choices.begin()), static_cast<size_t>(end - choices.begin())};
  }

  void restrictToFirst(size_t wish) {
    moveToFirst(wish);
    allowed_[wish] = {*got_[wish], *got_[wish] + 1};
  }

  std::span<const Wish> wishes_;
  std::vector<Range> allowed_;
  std::vector<std::optional<size_t>> got_;
  std::vector<uint32_t> takerSet_; // the last closed set that the taker is in; 0: none
  std::vector<size_t> owner_;      // by thing, as all below
  std::vector<uint32_t> thingSet_;
  std::vector<size_t> via_, index_; // of the search at work: who reached the thing, by which choice
  std::vector<size_t> seen_;        // the things that it reached
  uint32_t sets_ = 0;
};

} // namespace

std::vector<std::optional<size_t>> assign(std::span<const Wish> wishes, size_t things) {
  return Assigner(wishes, things).run();
}

} // namespace heddle
