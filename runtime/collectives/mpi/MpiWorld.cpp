// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/mpi/MpiWorld.h"

#include "runtime/base/Guarded.h"
#include "runtime/base/LaunchedRank.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

namespace heddle::collectives {

using namespace std::chrono_literals;
using Clock = Group::Clock;
using Channel = Messages::Channel;

namespace {

constexpr int kNoticeTag = 1;
constexpr auto kGrace = 5s;        // for others, to notice a failure
constexpr auto kAfterLeaving = 1s; // what a rank sent before it left may still be on its way
constexpr auto kAbandoning = 1s;   // for messages that nobody wants, to end
constexpr auto kRollCall = 300ms;  // for an answer
constexpr auto kAround = 5ms;      // between looks for what ends a wait
constexpr uint32_t kMostFarewells = 256;
constexpr Clock::time_point kNever = Clock::time_point::max();

MpiWorld *theWorld = nullptr;

} // namespace

struct MpiWorld::Notice {
  enum class Kind : uint32_t { Failed, Left, Asks, Waits };
  static constexpr size_t kTextBytes = 1000; // small enough to be sent before the receiver asks
  Kind kind;
  uint32_t rank, code;
  char text[kTextBytes];
};

MpiWorld::MpiWorld(MpiLibrary &library, uint32_t ranksHere)
    : library_(library), isCrowded_(ranksHere > std::max(1u, std::thread::hardware_concurrency())),
      incoming_(library.messages()), outgoing_(library.messages()), received_(sizeof(Notice)),
      left_(size_t(library.size()), kNever) {}

StatusOr<MpiWorld *> MpiWorld::get(const std::string &path) {
  static std::mutex mutex;
  static std::string opened;
  std::lock_guard lock(mutex);
  if (theWorld && !path.empty() && path != opened)
    return Status(StatusCode::Unsupported,
                  "the process uses " + theWorld->library().name() + "; it cannot use " + path + " besides");
  if (theWorld)
    return theWorld;
  return guarded([&]() -> StatusOr<MpiWorld *> {
    StatusOr<MpiLibrary *> library = MpiLibrary::open(path);
    if (!library.ok())
      return library.takeStatus();
    const StatusOr<std::optional<LaunchedRank>> launched = launchedRank();
    const uint32_t ranksHere = launched.ok() && *launched ? (*launched)->localSize : 1;
    std::unique_ptr<MpiWorld> world(new MpiWorld(**library, ranksHere));
    world->incoming_->receive(world->received_.data(), sizeof(Notice), Messages::kAnyRank, kNoticeTag,
                              Channel::Control);
    opened = path;
    theWorld = world.release();
    std::atexit([] { theWorld->leave(); });
    return theWorld;
  });
}

// To one rank, or to all others. Few in the life of a process, since each goes with its end.
void MpiWorld::send(const Notice &notice, uint32_t to) {
  sent_.push_back(std::make_unique<std::vector<std::byte>>(sizeof(Notice)));
  std::memcpy(sent_.back()->data(), &notice, sizeof(Notice));
  for (uint32_t other = 0; other < size(); ++other)
    if (other != rank() && (to == kAll || other == to))
      outgoing_->send(sent_.back()->data(), sizeof(Notice), int(other), kNoticeTag, Channel::Control);
}

void MpiWorld::fail(const Status &cause) {
  std::lock_guard lock(mutex_);
  if (failed_.load(std::memory_order_relaxed))
    return;
  cause_ = cause.clone();
  Notice notice = {Notice::Kind::Failed, rank(), uint32_t(cause.code()), {}};
  std::snprintf(notice.text, sizeof(notice.text), "%s", cause_.message().c_str());
  send(notice);
  failed_.store(true, std::memory_order_release);
}

Status MpiWorld::failure() const {
  std::lock_guard lock(mutex_);
  return cause_.clone();
}

Status MpiWorld::failureNow() {
  listen();
  return failure();
}

void MpiWorld::note(const Notice &notice) {
  std::lock_guard lock(mutex_);
  if (notice.rank >= left_.size())
    return;
  if (notice.kind == Notice::Kind::Asks && waits_.load(std::memory_order_relaxed))
    send(Notice{Notice::Kind::Waits, rank(), 0, {}}, notice.rank);
  if (notice.kind == Notice::Kind::Waits)
    answered_[notice.rank] = true;
  if (notice.kind == Notice::Kind::Left)
    left_[notice.rank] = Clock::now(), isClean_ = isClean_ && notice.code == 0;
  if (notice.kind != Notice::Kind::Failed || failed_.load(std::memory_order_relaxed))
    return;
  cause_ = Status(StatusCode(notice.code), std::string(notice.text, strnlen(notice.text, sizeof(notice.text))));
  failed_.store(true, std::memory_order_release);
}

void MpiWorld::listen() {
  std::unique_lock lock(listening_, std::try_to_lock);
  if (!lock.owns_lock())
    return;
  for (bool done = false; incoming_->test(done) == 0 && done; done = false) {
    Notice notice;
    std::memcpy(&notice, received_.data(), sizeof(Notice));
    note(notice);
    incoming_->clear();
    incoming_->receive(received_.data(), sizeof(Notice), Messages::kAnyRank, kNoticeTag, Channel::Control);
  }
  std::lock_guard outgoing(mutex_);
  if (bool done = false; outgoing_->size() != 0)
    outgoing_->test(done);
}

// Who keeps the others waiting: the ranks that do not say that they wait, too. Those whose messages are missing may
// themselves wait for others.
std::vector<uint32_t> MpiWorld::callTheRoll() {
  {
    std::lock_guard lock(mutex_);
    answered_.assign(size(), false);
    answered_[rank()] = true;
    send(Notice{Notice::Kind::Asks, rank(), 0, {}});
  }
  std::vector<uint32_t> silent;
  for (const Clock::time_point end = Clock::now() + kRollCall; Clock::now() < end && !failed();) {
    listen();
    std::lock_guard lock(mutex_);
    silent.clear();
    for (uint32_t other = 0; other < size(); ++other)
      if (!answered_[other])
        silent.push_back(other);
    if (silent.empty())
      break;
  }
  return silent;
}

// What may end a wait other than its messages.
Status MpiWorld::lookAround(const Waiting &waiting, Clock::time_point now) {
  listen();
  if (failed())
    return failure();
  const auto names = [](const std::vector<uint32_t> &ranks) {
    std::string text;
    for (uint32_t one : ranks)
      text += (text.empty() ? "rank " : ", rank ") + std::to_string(one);
    return text.empty() ? "its messages to be taken" : text;
  };
  const std::string mine = "rank " + std::to_string(rank()) + ": ";
  std::vector<uint32_t> gone;
  {
    std::lock_guard lock(mutex_);
    if (std::any_of(left_.begin(), left_.end(), [&](Clock::time_point when) { return when != kNever; }))
      for (uint32_t absent : waiting.absent())
        if (left_[absent] != kNever && now - left_[absent] > kAfterLeaving)
          gone.push_back(absent);
  }
  if (const std::string misfit = waiting.misfit(); !misfit.empty()) {
    fail(Status(StatusCode::InvalidArgument, mine + misfit));
  } else if (!gone.empty()) {
    fail(Status(StatusCode::Cancelled, mine + waiting.what() + " cannot go on: " + names(gone) + " left without it"));
  } else if (now >= waiting.deadline) {
    std::vector<uint32_t> silent;
    if (size() <= kMostFarewells)
      silent = callTheRoll();
    fail(Status(StatusCode::DeadlineExceeded, mine + waiting.what() + " waited beyond its deadline for " +
                                                  names(silent.empty() ? waiting.absent() : silent)));
  }
  return failure();
}

void MpiWorld::abandon(std::unique_ptr<Messages> &messages) {
  messages->cancelReceives();
  bool done = false;
  for (const Clock::time_point end = Clock::now() + kAbandoning; !done && Clock::now() < end;) {
    if (messages->test(done) != 0)
      break;
    std::this_thread::yield();
  }
  if (done) {
    messages->clear();
    return;
  }
  std::unique_ptr<Messages> fresh = library_.messages();
  std::lock_guard lock(mutex_);
  abandoned_.push_back(std::move(messages));
  messages = std::move(fresh);
}

// Lets the others go on for so long. Who does not lead begins to as soon as the one that does has ended.
void MpiWorld::rest(Pace::Duration pause, bool leads) {
  if (leads)
    return std::this_thread::sleep_for(pause);
  std::unique_lock lock(following_);
  leaderLeft_.wait_for(lock, pause, [&] { return !someoneLeads_.load(std::memory_order_relaxed); });
}

Status MpiWorld::wait(std::unique_ptr<Messages> &messages, const Waiting &waiting) {
  constexpr uint32_t kLookEvery = 256, kAtFirst = 64;
  // MPI goes on with all messages whoever tests: of the threads that wait for long, one looks without a pause.
  bool leads = false;
  Status status;
  std::optional<Pace> pace; // of a wait that is long
  Clock::time_point begin, around;
  for (uint32_t i = 1;; ++i) {
    bool done = false;
    int error = messages->test(done);
    if (!error && waiting.goOn)
      done = waiting.goOn(error) && done;
    if (done && !error)
      break;
    if (!error && i < kAtFirst) {
      if (isCrowded_)
        std::this_thread::yield();
      continue;
    }
    const Clock::time_point end = Clock::now();
    if (!pace) {
      waits_.fetch_add(1, std::memory_order_relaxed);
      pace.emplace(begin = around = end);
    }
    if (error) {
      const std::string misfit = waiting.misfit(), mine = "rank " + std::to_string(rank()) + ": ";
      fail(misfit.empty() ? Status(StatusCode::Io, mine + waiting.what() + ": MPI says " + library_.describe(error))
                          : Status(StatusCode::InvalidArgument, mine + misfit));
      status = failure();
    } else if (i % kLookEvery == 0 || end - around > kAround) {
      status = lookAround(waiting, around = end);
    }
    if (!status.ok())
      break;
    leads = leads || !someoneLeads_.exchange(true, std::memory_order_relaxed);
    const Pace::Duration pause = pace->pause(begin, end, leads);
    begin = end;
    if (pause == Pace::Duration::zero() && !isCrowded_)
      continue;
    if (pause == Pace::Duration::zero())
      std::this_thread::yield();
    else
      rest(pause, leads);
    begin = Clock::now();
  }
  if (leads) {
    { // so that nobody who follows has looked for a leader and not begun to wait
      std::lock_guard lock(following_);
      someoneLeads_.store(false, std::memory_order_relaxed);
    }
    leaderLeft_.notify_one();
  }
  if (pace)
    waits_.fetch_sub(1, std::memory_order_relaxed);
  if (status.ok())
    messages->clear();
  else
    abandon(messages);
  return status;
}

bool MpiWorld::everyoneHasLeft() const {
  std::lock_guard lock(mutex_);
  for (uint32_t other = 0; other < left_.size(); ++other)
    if (other != rank() && left_[other] == kNever)
      return false;
  return true;
}

void MpiWorld::leave() {
  if (size() > 1 && (failed() || size() <= kMostFarewells)) {
    std::fflush(nullptr); // what follows may end the process
    {
      std::lock_guard lock(mutex_);
      isClean_ = isClean_ && abandoned_.empty();
      send(Notice{Notice::Kind::Left, rank(), !abandoned_.empty(), {}});
    }
    // After a failure all get the time to say it; else none goes before the others, as in MPI_Finalize().
    Clock::time_point end = kNever;
    while (!everyoneHasLeft() && Clock::now() < end) {
      listen();
      if (failed() && end == kNever)
        end = Clock::now() + kGrace;
      std::this_thread::sleep_for(100us);
    }
  }
  if (!library_.isOwner())
    return;
  if (failed() && !(everyoneHasLeft() && isClean_)) { // messages that nobody takes would keep MPI_Finalize() waiting
    std::fflush(nullptr);
    library_.abort(1);
  }
  incoming_->cancelReceives();
  library_.finish();
}

} // namespace heddle::collectives
