// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/local/Meeting.h"

#include <algorithm>
#include <thread>

#include <sched.h>

namespace heddle::collectives {
namespace {

// How long a wait looks before it sleeps: about as long as waking a thread takes. It gives its core away now and then:
// whom it waits for may stand in line for the same one.
constexpr std::chrono::microseconds kLooking(20);
constexpr int kLooksBetweenYields = 64;
constexpr size_t kNamed = 8; // members that a message lists

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// That this process may use.
uint32_t cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return static_cast<uint32_t>(std::max(1, CPU_COUNT(&set)));
  return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace

LocalWorld::LocalWorld(uint32_t ranks) : spins_(ranks <= cores()) {}

void LocalWorld::fail(Status cause) {
  std::lock_guard lock(mutex_);
  if (failed_.load(std::memory_order_relaxed))
    return;
  cause_ = std::move(cause);
  failed_.store(true, std::memory_order_seq_cst);
  for (Meeting *meeting : meetings_)
    meeting->wakeAll();
}

Status LocalWorld::failure() const {
  std::lock_guard lock(mutex_);
  return cause_.clone();
}

void LocalWorld::enter(Meeting *meeting) {
  std::lock_guard lock(mutex_);
  meetings_.push_back(meeting);
}

void LocalWorld::leave(Meeting *meeting) {
  std::lock_guard lock(mutex_);
  meetings_.erase(std::find(meetings_.begin(), meetings_.end(), meeting));
}

Meeting::Meeting(std::shared_ptr<LocalWorld> world, std::vector<uint32_t> worldRanks)
    : world(std::move(world)), worldRanks(std::move(worldRanks)), seats_(this->worldRanks.size()) {
  this->world->enter(this);
}

Meeting::~Meeting() { world->leave(this); }

void Meeting::wakeAll() {
  {
    std::lock_guard lock(mutex_);
  } // who has looked and not slept yet sleeps before this, or looks again
  wake_.notify_all();
}

void Meeting::depart(uint32_t member) {
  seats_[member].gone.store(true, std::memory_order_release);
  gone_.fetch_add(1, std::memory_order_seq_cst);
  wakeAll();
}

uint32_t Meeting::yardstick(uint32_t member, uint64_t operation) {
  constexpr int kMemberBits = 24;
  std::atomic<uint64_t> &first = yardsticks_[operation % 2];
  uint64_t seen = first.load(std::memory_order_acquire);
  while (seen >> kMemberBits != operation + 1) {
    const uint64_t mine = (operation + 1) << kMemberBits | member;
    if (first.compare_exchange_weak(seen, mine, std::memory_order_acq_rel, std::memory_order_acquire))
      return member;
  }
  return static_cast<uint32_t>(seen & ((1u << kMemberBits) - 1));
}

// Whether a member that has not come to the round never will.
bool Meeting::someoneIsGone(uint64_t round) const {
  return gone_.load(std::memory_order_seq_cst) && std::any_of(seats_.begin(), seats_.end(), [&](const Seat &seat) {
           return seat.gone.load(std::memory_order_acquire) && seat.rounds.load(std::memory_order_acquire) < round;
         });
}

// "rank 1, rank 3": who has not come to the round, or of these who is gone.
std::string Meeting::absent(uint64_t round, bool gone) const {
  std::string text;
  size_t count = 0;
  for (size_t i = 0; i < seats_.size(); ++i) {
    if (seats_[i].rounds.load(std::memory_order_acquire) >= round || (gone && !seats_[i].gone.load()))
      continue;
    if (++count <= kNamed)
      text += (text.empty() ? "rank " : ", rank ") + std::to_string(worldRanks[i]);
  }
  return count > kNamed ? text + " and " + std::to_string(count - kNamed) + " more" : text;
}

// False: the deadline has passed, or someone will not come.
bool Meeting::sleepUntilMet(uint64_t round, Group::Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  const auto over = [&] { return haveMet(round, std::memory_order_seq_cst) || world->failed(); };
  bool inTime = true;
  while (!over() && inTime && !someoneIsGone(round)) {
    if (deadline == Group::kNoDeadline)
      wake_.wait(lock);
    else
      inTime = wake_.wait_until(lock, deadline) == std::cv_status::no_timeout;
  }
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  return over();
}

Status Meeting::meet(uint32_t member, Group::Clock::time_point deadline, const std::function<std::string()> &what) {
  const uint64_t round = seats_[member].rounds.load(std::memory_order_relaxed) + 1;
  if (looksAtSeats()) {
    seats_[member].rounds.store(round, std::memory_order_seq_cst); // before it is known who sleeps
    if (sleepers_.load(std::memory_order_seq_cst) != 0 && haveMet(round, std::memory_order_seq_cst))
      wakeAll();
  } else {
    seats_[member].rounds.store(round, std::memory_order_release);
    if (arrivals_.fetch_add(1, std::memory_order_seq_cst) + 1 == round * size() &&
        sleepers_.load(std::memory_order_seq_cst) != 0)
      wakeAll();
  }
  const auto met = [&] { return haveMet(round, std::memory_order_acquire); };
  Group::Clock::time_point end; // set when the first looks have seen nothing
  for (int look = 1; world->spins() && !met(); ++look) {
    pause();
    if (look % kLooksBetweenYields != 0)
      continue;
    const Group::Clock::time_point now = Group::Clock::now();
    if (look == kLooksBetweenYields)
      end = now + kLooking;
    if (now >= end)
      break;
    std::this_thread::yield();
  }
  if (!met() && !sleepUntilMet(round, deadline)) {
    const std::string mine = "rank " + std::to_string(worldRanks[member]) + ": " + what();
    world->fail(
        someoneIsGone(round)
            ? Status(StatusCode::Cancelled, mine + " cannot go on: " + absent(round, true) + " left without it")
            : Status(StatusCode::DeadlineExceeded, mine + " waited beyond its deadline for " + absent(round, false)));
  }
  if (!world->failed()) [[likely]]
    return {};
  settle();
  return world->failure();
}

void Meeting::settle() const {
  while (accesses_.load(std::memory_order_seq_cst) != 0)
    std::this_thread::yield();
}

} // namespace heddle::collectives
