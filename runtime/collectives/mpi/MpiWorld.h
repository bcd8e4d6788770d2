// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all groups of a process have in common: the library, the first failure, and the notices with which ranks tell
// each other that they failed or have left. Notices are looked for in every wait; nobody listens between two.
#ifndef HEDDLE_RUNTIME_COLLECTIVES_MPI_MPIWORLD_H
#define HEDDLE_RUNTIME_COLLECTIVES_MPI_MPIWORLD_H

#include "runtime/collectives/Group.h"
#include "runtime/collectives/mpi/MpiLibrary.h"
#include "runtime/collectives/mpi/Pace.h"
#include "runtime/collectives/mpi/Turns.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace heddle::collectives {

// Thread safe.
class MpiWorld {
public:
  // Of this process, made at the first call. A second library is refused.
  static StatusOr<MpiWorld *> get(const std::string &path);

  MpiLibrary &library() const { return library_; }
  uint32_t rank() const { return static_cast<uint32_t>(library_.rank()); }
  uint32_t size() const { return static_cast<uint32_t>(library_.size()); }

  // Keeps the first cause and tells the other ranks. `text` names the rank.
  void fail(const Status &cause);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  Status failure() const;
  // The same, having looked for notices.
  Status failureNow();

  // The tag of the next group's messages. Groups that share two ranks have different ones: a new group takes the
  // greatest of its parent's members, and all of these go on from there.
  int nextTag() const { return nextTag_.load(std::memory_order_relaxed); }
  void setNextTag(int tag) { nextTag_.store(tag, std::memory_order_relaxed); }

  // What a wait waits for, for its messages.
  struct Waiting {
    std::function<std::string()> what;             // "all_reduce psum"
    std::function<std::vector<uint32_t>()> absent; // world ranks that have not sent yet
    std::function<std::string()> misfit;           // what is wrong with that which has come; "" for nothing
    Group::Clock::time_point deadline;
    // Sends what is next, if it may; false: there is more, or `error` is MPI's. Null: all is on its way.
    std::function<bool(int &error)> goOn;
  };
  Turns &turns() { return turns_; }
  // Until the messages are done. Else the world has failed, here or elsewhere; then nothing is received any more, and
  // the messages that cannot be ended are the world's.
  Status wait(std::unique_ptr<Messages> &messages, const Waiting &waiting);

private:
  MpiWorld(MpiLibrary &library, uint32_t ranksHere);
  struct Notice;
  static constexpr uint32_t kAll = ~0u;
  void send(const Notice &notice, uint32_t to = kAll);
  void listen();
  void note(const Notice &notice);
  bool everyoneHasLeft() const;
  std::vector<uint32_t> callTheRoll();
  Status lookAround(const Waiting &waiting, Group::Clock::time_point now);
  void abandon(std::unique_ptr<Messages> &messages);
  void rest(Pace::Duration pause, bool leads);
  // At the end of the process.
  void leave();

  MpiLibrary &library_;
  const bool isCrowded_; // more ranks on this machine than cores
  std::atomic<bool> failed_{false};
  std::atomic<int> nextTag_{1};
  std::atomic<uint32_t> waits_{0}; // threads in wait() that have looked around
  std::atomic<bool> someoneLeads_{false};
  Turns turns_;
  std::mutex following_; // for leaderLeft_ alone
  std::condition_variable leaderLeft_;
  mutable std::mutex mutex_;
  Status cause_;
  std::mutex listening_; // one thread at a time
  std::unique_ptr<Messages> incoming_, outgoing_;
  std::vector<std::byte> received_;
  std::vector<std::unique_ptr<std::vector<std::byte>>> sent_;
  std::vector<std::unique_ptr<Messages>> abandoned_;
  std::vector<bool> answered_;                 // who waits, as it says
  bool isClean_ = true;                        // no rank that has left has messages on their way
  std::vector<Group::Clock::time_point> left_; // when a rank said that it leaves; max: it has not
};

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_MPI_MPIWORLD_H
