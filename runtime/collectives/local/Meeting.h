// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the members of a local group meet: what each has posted, and the rounds in which they wait for each other. The
// world of all meetings of a process's ranks holds the first failure.
//
//   meeting.posted(member, operation).request = request;
//   HEDDLE_RETURN_IF_ERROR(meeting.meet(member, deadline, what)); // now every member has posted
//   { Meeting::Access access(meeting); if (access.allowed()) …read the sources of others… }
//   HEDDLE_RETURN_IF_ERROR(meeting.meet(member, deadline, what)); // now nobody reads
#ifndef HEDDLE_RUNTIME_COLLECTIVES_LOCAL_MEETING_H
#define HEDDLE_RUNTIME_COLLECTIVES_LOCAL_MEETING_H

#include "runtime/collectives/Group.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace heddle::collectives {

class Meeting;

// Thread safe.
class LocalWorld {
public:
  explicit LocalWorld(uint32_t ranks);
  // Keeps the first cause, and wakes all that wait.
  void fail(Status cause);
  bool failed() const { return failed_.load(std::memory_order_seq_cst); }
  Status failure() const;
  // Whether a wait looks for a while before it sleeps: where every rank can have a core.
  bool spins() const { return spins_; }

private:
  friend class Meeting;
  void enter(Meeting *meeting);
  void leave(Meeting *meeting);

  std::atomic<bool> failed_{false};
  const bool spins_;
  mutable std::mutex mutex_; // before the meetings' own
  Status cause_;
  std::vector<Meeting *> meetings_;
};

// What a member says when it comes to an operation. Others read it when they have met, until the operation after the
// next one.
struct Posted {
  static constexpr uint64_t kInlineBytes = 2048;

  Request request;
  // The request's, of members that compare all: where they lie may be gone when others read it.
  contract::Cut cuts[contract::kMostCuts];
  std::span<const uint64_t> words;           // of agree()
  int64_t color = 0, key = 0;                // of split()
  std::shared_ptr<Meeting> child;            // of split(), by the first member of each colour
  alignas(64) std::byte bytes[kInlineBytes]; // a small source
};

class Meeting {
public:
  // So few members look at each other's seats, and not at one counter of all: a line that one writes and others read
  // changes hands once in a round.
  static constexpr uint32_t kMostSeats = 4;

  Meeting(std::shared_ptr<LocalWorld> world, std::vector<uint32_t> worldRanks);
  ~Meeting();
  Meeting(const Meeting &) = delete;

  uint32_t size() const { return static_cast<uint32_t>(worldRanks.size()); }
  // Of a member's operation of that number; the member alone writes it, before it meets.
  Posted &posted(uint32_t member, uint64_t operation) { return seats_[member].posted[operation % 2]; }

  // The member comes to its next round and waits for the others. Fails when the world has, or fails it: at the
  // deadline, or because a member that has not come is gone. `what` names the operation.
  Status meet(uint32_t member, Group::Clock::time_point deadline, const std::function<std::string()> &what);
  // Waits until nobody holds an Access. After the world has failed: then nobody will again.
  void settle() const;
  // The member will not come again.
  void depart(uint32_t member);

  // Members that are few enough compare all postings when they have met, and need no yardstick.
  bool comparesAll() const { return looksAtSeats(); }
  // The member whose posting all others compare theirs with: the first that asks for this operation.
  uint32_t yardstick(uint32_t member, uint64_t operation);
  // That some member's posting differs, said before it meets; asked when all have met.
  void reportDifference(uint64_t operation) { different_[operation % 2].store(operation, std::memory_order_relaxed); }
  bool differs(uint64_t operation) const {
    return different_[operation % 2].load(std::memory_order_relaxed) == operation;
  }

  // Reading and writing memory of others, between two rounds: only while this is held and the world has not failed.
  // Who leaves a round with a failure waits until nobody holds one, so that its memory is its own again.
  class Access {
  public:
    explicit Access(Meeting &meeting) : meeting_(meeting) {
      meeting_.accesses_.fetch_add(1, std::memory_order_seq_cst);
    }
    ~Access() { meeting_.accesses_.fetch_sub(1, std::memory_order_release); }
    Access(const Access &) = delete;
    bool allowed() const { return !meeting_.world->failed(); }

  private:
    Meeting &meeting_;
  };

  const std::shared_ptr<LocalWorld> world;
  const std::vector<uint32_t> worldRanks; // of the members

private:
  friend class LocalWorld;
  struct alignas(64) Seat {
    std::atomic<uint64_t> rounds{0}; // that the member came to
    std::atomic<bool> gone{false};
    Posted posted[2];
  };

  bool sleepUntilMet(uint64_t round, Group::Clock::time_point deadline);
  bool someoneIsGone(uint64_t round) const;
  std::string absent(uint64_t round, bool gone) const;
  bool looksAtSeats() const { return size() <= kMostSeats; }
  // All members have come to the round.
  bool haveMet(uint64_t round, std::memory_order order) const {
    if (!looksAtSeats())
      return arrivals_.load(order) >= round * size();
    for (const Seat &seat : seats_)
      if (seat.rounds.load(order) < round)
        return false;
    return true;
  }
  void wakeAll();

  std::vector<Seat> seats_;
  alignas(64) std::atomic<uint64_t> arrivals_{0}; // of all members at all rounds
  alignas(64) std::atomic<uint32_t> sleepers_{0};
  std::atomic<uint32_t> accesses_{0}, gone_{0};
  std::atomic<uint64_t> yardsticks_[2] = {0, 0};
  std::atomic<uint64_t> different_[2] = {~uint64_t{0}, ~uint64_t{0}};
  std::mutex mutex_;
  std::condition_variable wake_;
};

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_LOCAL_MEETING_H
