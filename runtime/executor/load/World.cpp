// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/World.h"

#include "runtime/base/Guarded.h"

#include <algorithm>
#include <atomic>

namespace heddle {

using collectives::Group;

World::World(std::vector<std::unique_ptr<Group>> members, std::string transport, uint64_t timeoutNs, uint32_t atOnce)
    : transport_(std::move(transport)), timeoutNs_(timeoutNs), atOnce_(atOnce) {
  static std::atomic<uint64_t> worlds{0};
  number_ = worlds++;
  for (std::unique_ptr<Group> &group : members)
    members_.push_back({std::move(group)});
}

// What travels to other ranks is one line.
void World::abort(uint32_t member, const Status &cause) {
  if (forked_)
    return;
  (void)guarded([&] {
    std::string text = cause.message();
    for (const std::string &note : cause.notes())
      text += (&note == &cause.notes().front() ? " (" : "; ") + note;
    members_[member].group->abort(Status(cause.code(), cause.notes().empty() ? text : text + ")"));
    return Status();
  });
  if (members_[member].group->failure().ok()) // for want of memory
    members_[member].group->abort(cause.clone());
  std::lock_guard lock(mutex_);
  for (const Member &other : members_)
    if (other.interrupt)
      other.interrupt(other.user);
}

Status World::failure(uint32_t member) const {
  if (forked_)
    return Status(StatusCode::RankFailed, "the process was forked; its ranks are the parent's, and a child creates a "
                                          "world of its own");
  Status failure = members_[member].group->failure();
  return failure.ok() ? std::move(failure)
                      : attribute(member, std::move(failure))
                            .prefix("the world is of no use since a rank failed; create another one. The cause was: ");
}

Status World::attribute(uint32_t member, Status failure) const {
  std::string own = "rank " + std::to_string(rankOf(member)) + ": ";
  bool isEverybodys = failure.code() == StatusCode::DeadlineExceeded || failure.code() == StatusCode::OutOfMemory;
  if (failure.ok() || isEverybodys || members_[member].group->failure().ok() || failure.message().starts_with(own))
    return failure;
  Status told(StatusCode::RankFailed, failure.message());
  for (const std::string &note : failure.notes())
    told = std::move(told).note(note);
  return told;
}

Group::Clock::time_point World::deadline(uint64_t callDeadlineNs) const {
  Group::Clock::time_point deadline = Group::kNoDeadline;
  if (timeoutNs_)
    deadline = Group::Clock::now() + std::chrono::nanoseconds(std::min<uint64_t>(timeoutNs_, INT64_MAX / 4));
  if (callDeadlineNs)
    deadline = std::min(deadline, Group::Clock::time_point(std::chrono::nanoseconds(callDeadlineNs)));
  return deadline;
}

uint64_t World::takeMeetings(uint32_t member, uint64_t count) {
  constexpr int kBitsOfWorld = 40; // for the groups of one world
  return (number_ << kBitsOfWorld) + std::exchange(members_[member].meetings, members_[member].meetings + count);
}

void World::setInterrupt(uint32_t member, void (*interrupt)(void *), void *user) {
  std::lock_guard lock(mutex_);
  members_[member].interrupt = interrupt;
  members_[member].user = user;
}

} // namespace heddle
