#include "runtime/hal/AsyncQueue.h"

#include "runtime/base/FloatEnvironment.h"
#include "runtime/base/Fork.h"
#include "runtime/base/Guarded.h"

#include <deque>
#include <pthread.h>

namespace heddle::hal {
namespace {

// A driver's device belongs to the process that opened it: its threads, and often its mappings, are not the child's.
Status refuseForked() {
  return Status(StatusCode::DeviceLost,
                "the device was opened before the process forked, and works in the parent only; "
                "the next call opens it anew");
}

// Waits for everything the queue was given; the first failure.
Status drain(AsyncQueue &queue) {
  StatusOr<uint64_t> ticket = queue.submit();
  Status refused;
  if (!ticket.ok()) {
    refused = ticket.takeStatus();
    ticket = queue.submit(); // what was handed over before
    if (!ticket.ok())
      return refused;
  }
  Status status = queue.wait(*ticket, UINT64_MAX).takeStatus();
  return refused.ok() ? std::move(status) : std::move(refused);
}

class InlineAsyncStream final : public Stream {
public:
  explicit InlineAsyncStream(std::unique_ptr<AsyncQueue> queue) : queue_(std::move(queue)) {}

  Status dispatch(const Dispatch &dispatch) override {
    Dispatch unnamed = dispatch;
    unnamed.label = nullptr;
    return finish([&] { return queue_->dispatch(unnamed); });
  }
  Status copy(void *to, const void *from, uint64_t bytes) override {
    return finish([&] { return queue_->copy(to, from, bytes); });
  }
  Status fill(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) override {
    return finish([&] { return queue_->fill(to, bytes, pattern, patternBytes); });
  }
  Status record(std::shared_ptr<Event> event) override {
    event->signal();
    return {};
  }
  Status wait(std::shared_ptr<Event> event) override { return event->wait(); }
  Status execute(std::function<void()> function) override {
    function();
    return {};
  }
  Status synchronize() override { return {}; }

private:
  // An operation that failed half way has recorded a part of it, on memory that its caller may now free.
  template <typename Operation> Status finish(Operation &&operation) {
    if (forkCount() != forks_) [[unlikely]]
      return refuseForked();
    Status status = guarded(operation);
    Status drained = guarded([&] { return drain(*queue_); });
    queue_->forget();
    return status.ok() ? std::move(drained) : std::move(status);
  }
  std::unique_ptr<AsyncQueue> queue_;
  uint32_t forks_ = forkCount();
};

class QueuedAsyncStream final : public Stream {
public:
  explicit QueuedAsyncStream(std::unique_ptr<AsyncQueue> queue) : queue_(std::move(queue)) {}

  ~QueuedAsyncStream() override {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    if (started_)
      pthread_join(thread_, nullptr);
  }

  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  void afterForkInChild() {
    makeAnew(mutex_);
    makeAnew(changed_);
    makeAnew(synchronizing_);
    started_ = false;
    forked_ = true;
  }

  bool start() {
    auto main = [](void *self) -> void * {
      static_cast<QueuedAsyncStream *>(self)->run();
      return nullptr;
    };
    started_ = pthread_create(&thread_, nullptr, main, this) == 0;
    return started_;
  }

  Status dispatch(const Dispatch &dispatch) override {
    std::vector<void *> bindings(dispatch.bindings.begin(), dispatch.bindings.end());
    std::vector<int64_t> constants(dispatch.constants.begin(), dispatch.constants.end());
    std::vector<BindingAccess> accesses(dispatch.accesses.begin(), dispatch.accesses.end());
    return post([this, dispatch, bindings = std::move(bindings), constants = std::move(constants),
                 accesses = std::move(accesses)] {
      Dispatch copy = dispatch;
      copy.bindings = bindings;
      copy.constants = constants;
      copy.accesses = accesses;
      attempt([&] { return queue_->dispatch(copy); });
    });
  }
  Status copy(void *to, const void *from, uint64_t bytes) override {
    return post([=, this] { attempt([&] { return queue_->copy(to, from, bytes); }); });
  }
  Status fill(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) override {
    return post([=, this] { attempt([&] { return queue_->fill(to, bytes, pattern, patternBytes); }); });
  }
  Status record(std::shared_ptr<Event> event) override {
    return post([this, event = std::move(event)]() mutable { mark(std::move(event)); });
  }
  Status wait(std::shared_ptr<Event> event) override {
    return post([this, event = std::move(event)] {
      if (event->query() == EventState::Done || !failure_.ok())
        return;
      settle();
      fail(event->wait());
    });
  }
  Status execute(std::function<void()> function) override {
    return post([this, function = std::move(function)] {
      settle();
      function();
    });
  }

  Status synchronize() override {
    std::lock_guard one(synchronizing_);
    if (forked_) [[unlikely]]
      return refuseForked();
    settled_->reset();
    {
      std::lock_guard lock(mutex_);
      settles_ = true;
    }
    changed_.notify_one();
    return settled_->wait();
  }
  void abandon() override { abandoned_ = true; }

private:
  struct Mark {
    uint64_t ticket;
    std::shared_ptr<Event> event;
  };
  // How long the thread waits for the device before it looks whether more was issued.
  static constexpr uint64_t kSliceNs = 100'000;

  Status post(std::function<void()> task) {
    {
      std::lock_guard lock(mutex_);
      if (forked_) [[unlikely]]
        return refuseForked();
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return {};
  }

  // Below: on the stream's thread.

  void fail(Status status) {
    if (failure_.ok())
      failure_ = std::move(status);
  }

  template <typename Operation> void attempt(Operation &&operation) {
    if (abandoned_.load(std::memory_order_relaxed))
      fail(Status(StatusCode::Cancelled, "the work was abandoned"));
    if (!failure_.ok())
      return;
    unsubmitted_ = true;
    fail(guarded(operation));
  }

  uint64_t submit() {
    unsubmitted_ = false;
    StatusOr<uint64_t> ticket = guarded([&] { return queue_->submit(); });
    if (ticket.ok())
      return *ticket;
    fail(ticket.takeStatus());
    ticket = guarded([&] { return queue_->submit(); }); // what was handed over before, also by the queue itself
    return ticket.ok() ? *ticket : 0;
  }

  void mark(std::shared_ptr<Event> event) {
    if (failure_.ok())
      fail(guarded([&] {
        uint64_t ticket = submit();
        if (failure_.ok())
          marks_.push_back({ticket, event});
        return Status();
      }));
    if (!failure_.ok())
      event->signal(failure_.clone());
  }

  // Signals the events whose batches are done, waiting for the first one.
  void reachMarks(uint64_t timeoutNs) {
    for (; !marks_.empty(); marks_.pop_front(), timeoutNs = timeoutNs == UINT64_MAX ? timeoutNs : 0) {
      StatusOr<bool> done = guarded([&] { return queue_->wait(marks_.front().ticket, timeoutNs); });
      if (done.ok() && !*done)
        return;
      Status cause = done.takeStatus();
      marks_.front().event->signal(cause.clone());
      fail(std::move(cause));
    }
  }

  // The end of synchronize(), which needs no memory: a call that found none has to wait for what it issued.
  void settleAll() {
    settle();
    queue_->forget();
    abandoned_ = false;
    settled_->signal(std::exchange(failure_, {}));
  }

  // Everything issued is done or has failed.
  void settle() {
    uint64_t last = submit();
    reachMarks(UINT64_MAX);
    fail(guarded([&] { return queue_->wait(last, UINT64_MAX); }).takeStatus());
  }

  // The next task; while there is none, the device works and events are signalled. Null: the end.
  std::function<void()> next() {
    std::unique_lock lock(mutex_);
    while (tasks_.empty()) {
      if (std::exchange(settles_, false))
        return [this] { settleAll(); };
      if (unsubmitted_ || !marks_.empty()) {
        lock.unlock();
        if (unsubmitted_)
          submit();
        reachMarks(kSliceNs);
        lock.lock();
      } else if (stop_) {
        return nullptr;
      } else {
        changed_.wait(lock);
      }
    }
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }

  void run() {
    DefaultFloatEnvironment::setForThread();
    while (std::function<void()> task = next())
      fail(guarded([&] {
        task();
        return Status();
      }));
    settle();
  }

  std::unique_ptr<AsyncQueue> queue_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::mutex synchronizing_; // one thread at a time
  std::shared_ptr<Event> settled_ = std::make_shared<Event>();
  bool settles_ = false;
  bool stop_ = false;
  std::atomic<bool> abandoned_{false};
  bool started_ = false;
  pthread_t thread_{};
  std::deque<Mark> marks_;
  bool unsubmitted_ = false;
  Status failure_;
  bool forked_ = false;
  ForkMember<QueuedAsyncStream> fork_{this};
};

} // namespace

std::unique_ptr<Stream> createInlineStream(std::unique_ptr<AsyncQueue> queue) {
  return std::make_unique<InlineAsyncStream>(std::move(queue));
}

StatusOr<std::unique_ptr<Stream>> createQueuedStream(std::unique_ptr<AsyncQueue> queue) {
  auto stream = std::make_unique<QueuedAsyncStream>(std::move(queue));
  if (!stream->start())
    return Status(StatusCode::Io, "the system gives no thread for a stream; lower the number of streams or threads");
  return std::unique_ptr<Stream>(std::move(stream));
}

} // namespace heddle::hal
