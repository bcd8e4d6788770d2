// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks that run one program together, as this process sees them: its own members, each with its side of the group
// of all ranks (collectives/Group.h). How they reach the others is the groups' business.
//
// A failure is the whole world's, and for good: abort() ends what all members wait for, here and elsewhere, and every
// later load and call fails with the first cause.
//
// Thread-safe, but for group(): a member's group is used by one thread at a time, its loads and calls in turn.
//
//   auto world = std::make_shared<World>(std::move(groups), "local", timeoutNs);
//   world->abort(member, status);
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_WORLD_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_WORLD_H

#include "runtime/base/Fork.h"
#include "runtime/collectives/Group.h"

#include <mutex>
#include <vector>

namespace heddle {

class World {
public:
  // At least one group. `timeoutNs`: how long a wait for other ranks may take, 0: without end. `atOnce`: collectives of
  // a rank in flight, equal on all ranks; 0: as many as the groups gain by.
  World(std::vector<std::unique_ptr<collectives::Group>> members, std::string transport, uint64_t timeoutNs,
        uint32_t atOnce = 0);

  uint32_t size() const { return members_[0].group->size(); }
  uint32_t localCount() const { return static_cast<uint32_t>(members_.size()); }
  // In the world.
  uint32_t rankOf(uint32_t member) const { return members_[member].group->rank(); }
  const std::string &transport() const { return transport_; }
  uint32_t atOnce() const { return atOnce_ ? atOnce_ : members_[0].group->atOnce(); }
  collectives::Group &group(uint32_t member) { return *members_[member].group; }

  // The member fails with this cause; the others with RankFailed, which says whose it is. The first one counts.
  void abort(uint32_t member, const Status &cause);
  // Why the world is of no use any more, as `member` sees it; ok: it is.
  Status failure(uint32_t member) const;
  // What a group of the member said, as the member tells it: RankFailed for what another rank did and the world ended
  // of.
  Status attribute(uint32_t member, Status failure) const;

  // When a wait that begins now is over: the world's limit, or `callDeadlineNs` (of the monotonic clock; 0: none).
  collectives::Group::Clock::time_point deadline(uint64_t callDeadlineNs = 0) const;
  // Before each wait of a group: it ends at deadline().
  void limit(collectives::Group &group, uint64_t callDeadlineNs = 0) const {
    group.setDeadline(deadline(callDeadlineNs));
  }
  // Numbers for `count` groups of a load of the member: the first; equal on all members, as they load alike.
  uint64_t takeMeetings(uint32_t member, uint64_t count);

  // Is called by abort() while it is set: who runs a member's program and may not be waiting. Null: nobody.
  void setInterrupt(uint32_t member, void (*interrupt)(void *), void *user);

  // Ranks that are threads are the parent's, and so is a process's place among processes.
  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  void afterForkInChild() {
    makeAnew(mutex_);
    forked_ = true;
  }

private:
  struct Member {
    std::unique_ptr<collectives::Group> group;
    void (*interrupt)(void *) = nullptr;
    void *user = nullptr;
    uint64_t meetings = 0; // whose numbers are taken
  };
  std::vector<Member> members_;
  std::string transport_;
  uint64_t timeoutNs_;
  uint32_t atOnce_;
  uint64_t number_; // no other world of the process has it
  bool forked_ = false;
  std::mutex mutex_; // of interrupts
  ForkMember<World> fork_{this};
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_WORLD_H
