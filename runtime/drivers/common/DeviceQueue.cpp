// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks, in the order in which they are taken: `settling_` of a Work (held while outcomes are delivered, so that they
// come in order), its `mutex_` (the engine and the lists), a semaphore's own. Nobody asks for another queue's work
// under any of them.
#include "runtime/drivers/common/DeviceQueue.h"

#include "runtime/base/FloatEnvironment.h"
#include "runtime/base/Fork.h"
#include "runtime/base/Guarded.h"

#include <pthread.h>

namespace heddle::engines {
namespace {

using hal::Point;
using hal::Promise;
using hal::SemaphoreState;

// A driver's device belongs to the process that opened it: its threads, and often its mappings, are not the child's.
Status refuseForked() {
  return Status(StatusCode::DeviceLost,
                "the device was opened before the process forked, and works in the parent only; "
                "the next call opens it anew");
}

void failAll(std::span<const Point> signals, const Status &cause) {
  for (const Point &point : signals)
    point.semaphore->fail(cause.clone());
}

struct Submission {
  const hal::CommandBuffer *commands = nullptr;
  std::vector<Point> waits, signals;
  uint64_t ticket = 0; // all of it is done with this one
  Status cause;        // why it failed before the device had it
  // Whose work the device waits for: kept until the submission is done, as the device still names what it waits by.
  std::vector<std::shared_ptr<hal::DeviceWork>> waited;
};

void failAfterFork(const Submission &submission) {
  for (const Point &point : submission.signals)
    point.semaphore->failAfterFork(guarded([] { return refuseForked(); }));
}

// The engine, and what it was given. Outlives the queue while somebody waits.
class Work final : public hal::DeviceWork {
public:
  explicit Work(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  const void *family() const override { return engine_->family(); }
  bool wait(uint64_t ticket, uint64_t timeoutNs) override;
  Engine &engine() { return *engine_; }

  // Records and hands over. `native`: the waits that are the device's. Whatever fails is the submission's.
  void execute(std::shared_ptr<Submission> submission, std::span<const Promise> native,
               const std::shared_ptr<Work> &self);
  // Waits for all of it.
  void drain();

  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  void afterForkInChild() {
    makeAnew(mutex_);
    makeAnew(settling_);
    for (const std::shared_ptr<Submission> &submission : submissions_)
      failAfterFork(*submission);
  }

private:
  Status record(const Submission &submission, std::span<const Promise> native);
  bool settleOne(uint64_t ticket);

  std::unique_ptr<Engine> engine_;
  std::mutex settling_, mutex_;
  std::deque<std::shared_ptr<Submission>> submissions_; // not settled, the oldest first
  uint64_t last_ = 0;                                   // ticket
  ForkMember<Work> fork_{this};
};

Status Work::record(const Submission &submission, std::span<const Promise> native) {
  for (const Point &point : submission.signals)
    if (point.semaphore->failed())
      return point.semaphore->cause();
  const hal::CommandBuffer *commands = submission.commands;
  bool replays = commands && engine_->replay(*commands);
  for (const Promise &promise : native)
    HEDDLE_RETURN_IF_ERROR(engine_->waitFor(static_cast<Work &>(*promise.work).engine(), promise.ticket));
  if (replays)
    return {};
  for (auto *at = commands ? commands->begin() : nullptr; at; at = commands->next(at)) {
    if (at->kind == hal::CommandBuffer::Kind::Call)
      return Status(StatusCode::Unsupported, "a device does not call functions of the host");
    HEDDLE_RETURN_IF_ERROR(
        describeFailure(hal::CommandBuffer::labelOf(*at), hal::CommandBuffer::perform(*at, *engine_)));
  }
  return {};
}

void Work::execute(std::shared_ptr<Submission> submission, std::span<const Promise> native,
                   const std::shared_ptr<Work> &self) {
  std::lock_guard lock(mutex_);
  Status kept = guarded([&] {
    for (const Promise &promise : native)
      submission->waited.push_back(promise.work);
    submissions_.push_back(submission); // nothing may fail when the device has it
    return Status();
  });
  if (!kept.ok())
    return failAll(submission->signals, kept);
  if (submission->cause.ok())
    submission->cause = guarded([&] { return record(*submission, native); });
  StatusOr<uint64_t> ticket = guarded([&] { return engine_->handOver(submission->cause.ok()); });
  if (!ticket.ok()) {
    if (submission->cause.ok())
      submission->cause = ticket.takeStatus();
    ticket =
        guarded([&] { return engine_->handOver(false); }); // what was handed over before, also by the engine itself
  }
  last_ = submission->ticket = ticket.ok() ? *ticket : last_;
  Status promised = guarded([&] {
    for (const Point &point : submission->signals)
      point.semaphore->promise({point.value, self, submission->ticket, !submission->cause.ok()});
    return Status();
  });
  if (!promised.ok()) // somebody waits for ever else
    failAll(submission->signals, promised);
}

// Settles the oldest submission if it ends by this ticket, which is done. False: it does not.
bool Work::settleOne(uint64_t ticket) {
  std::shared_ptr<Submission> first;
  bool failed;
  {
    std::lock_guard lock(mutex_);
    if (submissions_.empty() || submissions_.front()->ticket > ticket)
      return false;
    first = submissions_.front();
    failed = !first->cause.ok();
  }
  // What it waited for is done, as it is done itself: that was settled, or is now.
  Status inherited;
  for (const Point &point : first->waits)
    if (inherited.ok() && !failed)
      inherited = point.wait();
  std::lock_guard settling(settling_);
  {
    std::lock_guard lock(mutex_);
    if (submissions_.empty() || submissions_.front() != first)
      return true; // another thread was faster
    engine_->retire(first->ticket);
    Status own = engine_->takeFailure(first->ticket);
    if (first->cause.ok())
      first->cause = inherited.ok() ? std::move(own) : std::move(inherited);
    submissions_.pop_front();
  }
  if (!first->cause.ok())
    failAll(first->signals, first->cause);
  else
    for (const Point &point : first->signals)
      point.semaphore->signal(point.value);
  return true;
}

bool Work::wait(uint64_t ticket, uint64_t timeoutNs) {
  if (engine_->isForeign())
    return false;
  StatusOr<bool> done = guarded([&] { return engine_->awaitTicket(ticket, timeoutNs); });
  if (done.ok() && !*done)
    return false;
  if (!done.ok()) {
    std::lock_guard lock(mutex_);
    for (const std::shared_ptr<Submission> &submission : submissions_)
      if (submission->ticket <= ticket && submission->cause.ok())
        submission->cause = done.status().clone();
  }
  while (settleOne(ticket)) {
  }
  std::lock_guard delivered(settling_); // by another thread, perhaps
  return true;
}

void Work::drain() {
  uint64_t last;
  {
    std::lock_guard lock(mutex_);
    last = last_;
  }
  (void)wait(last, UINT64_MAX);
}

class DeviceQueue final : public hal::Queue {
public:
  explicit DeviceQueue(std::unique_ptr<Engine> engine) : work_(std::make_shared<Work>(std::move(engine))) {}

  ~DeviceQueue() override {
    if (work_->engine().isForeign())
      return;
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    if (started_)
      pthread_join(thread_, nullptr);
    work_->drain();
  }

  void submit(const hal::CommandBuffer *commands, std::span<const Point> waits,
              std::span<const Point> signals) override {
    if (forked_ || work_->engine().isForeign()) [[unlikely]]
      return failAll(signals, refuseForked());
    Status status = guarded([&] { return take(commands, waits, signals); });
    if (!status.ok())
      failAll(signals, status);
  }

  void drain() override {
    if (forked_ || work_->engine().isForeign()) [[unlikely]]
      return;
    {
      std::unique_lock lock(mutex_);
      settled_.wait(lock, [&] { return deferred_.empty(); });
    }
    work_->drain();
  }

  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  void afterForkInChild() {
    makeAnew(mutex_);
    makeAnew(changed_);
    makeAnew(settled_);
    for (const std::shared_ptr<Submission> &submission : deferred_)
      failAfterFork(*submission);
    started_ = false;
    forked_ = true;
  }

private:
  Status take(const hal::CommandBuffer *commands, std::span<const Point> waits, std::span<const Point> signals) {
    auto submission = std::make_shared<Submission>();
    submission->commands = commands;
    submission->signals.assign(signals.begin(), signals.end());
    std::vector<Promise> native;
    bool now = sort(waits, *submission, native);
    std::unique_lock lock(mutex_);
    if (now && deferred_.empty()) {
      lock.unlock(); // nobody else submits
      work_->execute(std::move(submission), native, work_);
      return {};
    }
    submission->waits.assign(waits.begin(), waits.end());
    if (!started_)
      HEDDLE_RETURN_IF_ERROR(start());
    deferred_.push_back(std::move(submission));
    lock.unlock();
    changed_.notify_one();
    return {};
  }

  // The device can wait for it. What is going to fail is waited for here, so that nothing runs behind it.
  bool isNative(const Promise &promise) const {
    return promise.work && promise.work->family() == work_->family() && !promise.fails;
  }
  // Whether the submission can be handed over at once: what it waits for is settled, or the device can wait for it.
  bool sort(std::span<const Point> waits, Submission &submission, std::vector<Promise> &native) const {
    bool readsHost = submission.commands && submission.commands->readsHost();
    for (const Point &point : waits) {
      if (!point.semaphore)
        continue;
      Promise promise = point.semaphore->promiseOf(point.value);
      switch (point.semaphore->query(point.value)) {
      case SemaphoreState::Reached: break;
      case SemaphoreState::Failed:
        if (submission.cause.ok())
          submission.cause = point.semaphore->cause();
        break;
      case SemaphoreState::Pending:
        if (readsHost || !isNative(promise))
          return false;
        if (promise.work != work_)
          native.push_back(std::move(promise));
        submission.waits.push_back(point);
      }
    }
    return true;
  }

  Status start() {
    auto main = [](void *self) -> void * {
      static_cast<DeviceQueue *>(self)->run();
      return nullptr;
    };
    started_ = pthread_create(&thread_, nullptr, main, this) == 0;
    return started_ ? Status()
                    : Status(StatusCode::Io,
                             "the system gives no thread for a stream; lower the number of streams or threads");
  }

  // On the queue's thread: hands over what was put off, in order.
  void run() {
    DefaultFloatEnvironment::setForThread();
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stop_ || !deferred_.empty(); });
      if (deferred_.empty())
        return;
      std::shared_ptr<Submission> next = deferred_.front();
      lock.unlock();
      std::vector<Promise> native;
      Status waited = guarded([&] {
        await(*next, native);
        return Status();
      });
      if (!waited.ok() && next->cause.ok())
        next->cause = std::move(waited);
      work_->execute(std::move(next), native, work_);
      lock.lock();
      deferred_.pop_front();
      if (deferred_.empty())
        settled_.notify_all();
    }
  }

  void await(Submission &submission, std::vector<Promise> &native) const {
    bool readsHost = submission.commands && submission.commands->readsHost();
    for (const Point &point : submission.waits) {
      if (!point.semaphore)
        continue;
      Promise promise = readsHost ? Promise() : point.semaphore->waitForPromise(point.value);
      if (isNative(promise)) {
        if (promise.work != work_)
          native.push_back(std::move(promise));
        continue;
      }
      Status status = point.wait();
      if (!status.ok() && submission.cause.ok())
        submission.cause = std::move(status);
    }
  }

  std::shared_ptr<Work> work_;
  std::mutex mutex_;
  std::condition_variable changed_, settled_;
  std::deque<std::shared_ptr<Submission>> deferred_; // the first one is being waited for
  bool stop_ = false;
  bool started_ = false;
  pthread_t thread_{};
  bool forked_ = false;
  ForkMember<DeviceQueue> fork_{this};
};

} // namespace

std::unique_ptr<hal::Queue> createDeviceQueue(std::unique_ptr<Engine> engine) {
  return std::make_unique<DeviceQueue>(std::move(engine));
}

} // namespace heddle::engines
