// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/match/Assignment.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr size_t kNobody = SIZE_MAX;

// A matching that only grows: a taker that has something keeps something, though it may be another thing.
class Assigner {
public:
  Assigner(std::span<const Wish> wishes, size_t things)
      : wishes_(wishes), allowed_(wishes.size()), got_(wishes.size()), owner_(things, kNobody) {
    for (size_t w = 0; w < wishes.size(); ++w)
      for (size_t c = 0; c < wishes[w].choices.size(); ++c)
        allowed_[w].push_back(c);
  }

  std::vector<std::optional<size_t>> run() {
    for (bool needed : {true, false}) {
      for (size_t w = 0; w < wishes_.size(); ++w)
        if (wishes_[w].needed == needed)
          find(w);
      for (size_t w = 0; w < wishes_.size(); ++w)
        if (wishes_[w].needed == needed && got_[w])
          restrict(w, /*toLevel=*/true);
    }
    for (size_t w = 0; w < wishes_.size(); ++w)
      if (got_[w])
        restrict(w, /*toLevel=*/false);
    return got_;
  }

private:
  const Choice &choice(size_t wish, size_t index) const { return wishes_[wish].choices[index]; }
  size_t thingOf(size_t wish) const { return got_[wish] ? choice(wish, *got_[wish]).thing : kNobody; }

  void give(size_t wish, size_t index) {
    if (got_[wish] && owner_[thingOf(wish)] == wish)
      owner_[thingOf(wish)] = kNobody;
    got_[wish] = index;
    owner_[choice(wish, index).thing] = wish;
  }

  // Gives the taker a thing, its owner another one, and so on along the shortest way; nothing where there is none.
  void find(size_t wish) {
    std::vector<size_t> queue = {wish}, via(owner_.size(), kNobody), index(owner_.size());
    for (size_t at = 0; at < queue.size(); ++at) {
      for (size_t c : allowed_[queue[at]]) {
        size_t thing = choice(queue[at], c).thing;
        if (via[thing] != kNobody || thing == thingOf(queue[at]))
          continue;
        via[thing] = queue[at];
        index[thing] = c;
        if (owner_[thing] != kNobody) {
          queue.push_back(owner_[thing]);
          continue;
        }
        for (size_t next = thing; next != kNobody;) {
          size_t taker = via[next], before = thingOf(taker);
          give(taker, index[next]);
          next = taker == wish ? kNobody : before;
        }
        return;
      }
    }
  }

  // By thing: whether it is the taker's, or free, or can be made free while all others keep something.
  std::vector<bool> vacant(size_t wish) const {
    std::vector<bool> out(owner_.size());
    for (size_t t = 0; t < owner_.size(); ++t)
      out[t] = owner_[t] == kNobody || owner_[t] == wish;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t w = 0; w < wishes_.size(); ++w) {
        if (!got_[w] || out[thingOf(w)])
          continue;
        bool moves = std::any_of(allowed_[w].begin(), allowed_[w].end(),
                                 [&, w = w](size_t c) { return out[choice(w, c).thing]; });
        if (moves)
          out[thingOf(w)] = changed = true;
      }
    }
    return out;
  }

  // Moves the taker to the first of its choices that it can have, and leaves it that one, or those of that level.
  void restrict(size_t wish, bool toLevel) {
    std::vector<size_t> &allowed = allowed_[wish];
    if (!isFirst(wish)) {
      std::vector<bool> free = vacant(wish);
      size_t best =
          *std::find_if(allowed.begin(), allowed.end(), [&](size_t c) { return free[choice(wish, c).thing]; });
      size_t displaced = owner_[choice(wish, best).thing];
      allowed = {best}; // nobody takes it back on the way
      give(wish, best);
      if (displaced != kNobody && displaced != wish) {
        got_[displaced].reset();
        find(displaced);
      }
    }
    uint32_t level = choice(wish, *got_[wish]).level;
    allowed.clear();
    for (size_t c = 0; c < wishes_[wish].choices.size(); ++c)
      if (toLevel ? choice(wish, c).level == level : c == *got_[wish])
        allowed.push_back(c);
  }

  bool isFirst(size_t wish) const { return *got_[wish] == allowed_[wish].front(); }

  std::span<const Wish> wishes_;
  std::vector<std::vector<size_t>> allowed_; // by wish: the choices that it may still get
  std::vector<std::optional<size_t>> got_;
  std::vector<size_t> owner_; // by thing
};

} // namespace

std::vector<std::optional<size_t>> assign(std::span<const Wish> wishes, size_t things) {
  return Assigner(wishes, things).run();
}

} // namespace heddle
