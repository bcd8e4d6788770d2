// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/OverlapQueue.h"

#include "runtime/base/FloatEnvironment.h"
#include "runtime/base/Fork.h"
#include "runtime/base/Guarded.h"
#include "runtime/hal/Submissions.h"
#include "runtime/hal/ThreadQueue.h"

#include <pthread.h>

namespace heddle::hal {
namespace {

bool meet(const View &a, const View &b) {
  if (!a.bytes || !b.bytes)
    return false;
  const std::byte *x = a.address(), *y = b.address();
  if (x && y)
    return x < y + b.bytes && y < x + a.bytes;
  return !x && !y && a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

using Kind = CommandBuffer::Kind;

bool isStamps(const Submission &submission) {
  if (!submission.commands || submission.commands->empty())
    return false;
  for (auto *at = submission.commands->begin(); at; at = submission.commands->next(at))
    if (at->kind != Kind::Stamp)
      return false;
  return true;
}

bool conflict(const Submission &one, const Submission &other) {
  auto each = [](const Submission &submission, auto &&visit) {
    if (submission.commands)
      for (auto *at = submission.commands->begin(); at; at = submission.commands->next(at))
        if (at->kind != Kind::Stamp && visit(*at))
          return true;
    return false;
  };
  auto views = [](const CommandBuffer::Command &command) {
    return command.kind == Kind::Dispatch ? CommandBuffer::dispatchOf(command).views : std::span<const BoundView>();
  };
  return each(one, [&](const CommandBuffer::Command &a) {
    return each(other, [&](const CommandBuffer::Command &b) {
      return views(a).empty() || views(b).empty() || hal::conflict(views(a), views(b));
    });
  });
}

class OverlapQueue final : public Queue {
public:
  explicit OverlapQueue(HostWork work) : work_(std::move(work)), threads_(work_.atOnce), flights_(4 * work_.atOnce) {}

  ~OverlapQueue() override {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (uint32_t i = 0; i < started_; ++i)
      pthread_join(threads_[i].thread, nullptr);
  }

  void submit(const CommandBuffer *commands, std::span<const Point> waits, std::span<const Point> signals) override {
    Status status = guarded([&] { return post(commands, waits, signals); });
    if (!status.ok()) [[unlikely]]
      for (const Point &point : signals)
        point.semaphore->fail(status.clone());
  }

  void drain() override {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return (submissions_.empty() && !inFlight_) || !started_; });
  }

  // One more thread; false where there is none to be had. With the lock held.
  bool start() {
    if (started_ == threads_.size())
      return false;
    Thread &thread = threads_[started_];
    thread.queue = this;
    if (!thread.device)
      thread.device = work_.make();
    auto main = [](void *given) -> void * {
      auto *self = static_cast<Thread *>(given);
      self->queue->run(*self->device);
      return nullptr;
    };
    bool isStarted = pthread_create(&thread.thread, nullptr, main, &thread) == 0;
    started_ += isStarted;
    return isStarted;
  }

  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  void afterForkInChild() {
    makeAnew(mutex_);
    makeAnew(changed_);
    makeAnew(idle_);
    submissions_.dropAfterFork(nullptr);
    for (; inFlight_; --inFlight_)
      submissions_.dropAfterFork(std::exchange(at(inFlight_ - 1).submission, nullptr));
    started_ = waiting_ = 0;
    isBeginning_ = false;
  }

private:
  struct Thread {
    OverlapQueue *queue = nullptr;
    std::unique_ptr<Commands> device;
    pthread_t thread{};
  };
  // A submission that was taken and whose signals are not settled.
  struct Flight {
    Submission *submission = nullptr;
    bool isStamps = false, isDone = false;
    Status status;
  };
  Flight &at(size_t i) { return flights_[(first_ + i) % flights_.size()]; }

  Status post(const CommandBuffer *commands, std::span<const Point> waits, std::span<const Point> signals) {
    std::unique_lock lock(mutex_);
    if (!started_ && !start()) [[unlikely]] // in the child of a fork
      return Status(StatusCode::Io, "the system gives no thread for a queue in the child of a fork");
    submissions_.push(commands, waits, signals);
    lock.unlock();
    changed_.notify_all();
    return {};
  }

  // Below: on the queue's threads, with the lock held where nothing else is said.

  bool mayBegin(size_t flight) {
    uint32_t before = 0;
    for (size_t i = 0; i < flight; ++i) {
      if (at(i).isStamps)
        continue;
      if (++before == work_.atOnce || (!at(i).isDone && conflict(*at(i).submission, *at(flight).submission)))
        return false;
    }
    return true;
  }

  // Settles what is done and has nothing before it that is not.
  void settleDone(Commands &device) {
    for (; inFlight_; --inFlight_, first_ = (first_ + 1) % flights_.size()) {
      Flight &oldest = at(0);
      if (!oldest.isDone)
        break;
      if (oldest.isStamps && oldest.status.ok())
        oldest.status = perform(*oldest.submission, device, [] { return false; });
      settle(*oldest.submission, std::move(oldest.status));
      submissions_.recycle(*oldest.submission);
      oldest = Flight();
    }
    if (!inFlight_ && submissions_.empty())
      idle_.notify_all();
    changed_.notify_all();
  }

  static Status waitFor(const Submission &submission) {
    for (const Point &point : submission.waits)
      HEDDLE_RETURN_IF_ERROR(point.wait());
    return {};
  }

  // Takes the next submission and does it; others are begun meanwhile. One thread at a time is beginning one, so the
  // order is that of submission.
  void doNext(std::unique_lock<std::mutex> &lock, Commands &device) {
    isBeginning_ = true;
    changed_.wait(lock, [&] { return inFlight_ < flights_.size(); });
    Submission *submission = submissions_.pop();
    // Where it lies in flights_ until it is settled; its distance from the oldest changes.
    Flight &flight = at(inFlight_);
    flight.submission = submission;
    flight.isStamps = isStamps(*submission);
    ++inFlight_;
    lock.unlock();
    Status status = guarded([&] { return waitFor(*submission); });
    lock.lock();
    if (!flight.isStamps)
      changed_.wait(lock, [&] { return mayBegin(inFlight_ - 1); });
    isBeginning_ = false;
    if (!submissions_.empty() && !waiting_)
      (void)guarded([&] {
        start();
        return Status();
      });
    changed_.notify_all();
    if (!flight.isStamps && status.ok()) {
      lock.unlock();
      status = guarded([&] { return perform(*submission, device, [] { return false; }); });
      lock.lock();
    }
    flight.status = std::move(status);
    flight.isDone = true;
    settleDone(device);
  }

  void run(Commands &device) {
    DefaultFloatEnvironment::setForThread();
    std::unique_lock lock(mutex_);
    for (;;) {
      ++waiting_;
      changed_.wait(lock, [&] { return submissions_.empty() ? stop_ : !isBeginning_; });
      --waiting_;
      if (submissions_.empty())
        return;
      doNext(lock, device);
    }
  }

  const HostWork work_;
  std::vector<Thread> threads_;
  uint32_t started_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_, idle_;
  Submissions submissions_; // that nobody has taken
  std::vector<Flight> flights_;
  size_t first_ = 0, inFlight_ = 0; // of flights_, around its end
  uint32_t waiting_ = 0;            // threads without work
  bool isBeginning_ = false, stop_ = false;
  ForkMember<OverlapQueue> fork_{this};
};

} // namespace

bool conflict(std::span<const BoundView> one, std::span<const BoundView> other) {
  for (const BoundView &a : one)
    for (const BoundView &b : other)
      if ((a.writes || b.writes) && meet(a.view, b.view))
        return true;
  return false;
}

StatusOr<std::unique_ptr<Queue>> createHostQueue(HostWork work) {
  if (work.atOnce <= 1)
    return createThreadQueue(work.make());
  auto queue = std::make_unique<OverlapQueue>(std::move(work));
  if (!queue->start())
    return Status(StatusCode::Io, "the system gives no thread for a stream; lower the number of streams or threads");
  return std::unique_ptr<Queue>(std::move(queue));
}

} // namespace heddle::hal
