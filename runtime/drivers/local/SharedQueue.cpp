// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks: the queue's is held for moments, and nothing else is locked under it. Who posts the queue to the pool, or has
// a semaphore watched for it, touches it no more: another thread may be at it, or it may be gone.
#include "runtime/drivers/local/SharedQueue.h"

#include "runtime/base/Guarded.h"
#include "runtime/drivers/local/WorkerPool.h"
#include "runtime/hal/Submissions.h"

namespace heddle::local {
namespace {

class SharedQueue final : public hal::Queue, Task {
public:
  SharedQueue(std::unique_ptr<hal::Commands> device, std::shared_ptr<WorkerPool> pool)
      : device_(std::move(device)), pool_(std::move(pool)), watcher_(std::make_shared<Watcher>(this)) {}
  ~SharedQueue() override { SharedQueue::drain(); }

  void submit(const hal::CommandBuffer *commands, std::span<const hal::Point> waits,
              std::span<const hal::Point> signals) override {
    Status status = guarded([&] { return accept(commands, waits, signals); });
    if (!status.ok()) [[unlikely]]
      for (const hal::Point &point : signals)
        point.semaphore->fail(status.clone());
  }

  void drain() override {
    LeaveWhenIdle leave(*this);
    while (!isIdle() && pool_->runTask(leave))
      ;
    std::unique_lock lock(mutex_);
    ++drainers_;
    while (!isIdle()) {
      if (idle_.wait_for(lock, kSlice) == std::cv_status::no_timeout)
        continue;
      lock.unlock(); // there may be no workers in the child of a fork
      (void)pool_->runTask(leave);
      lock.lock();
    }
    --drainers_;
  }

  Status wait(const hal::Point &point, uint64_t timeoutNs) override {
    if (point.isPending())
      pool_->wait(helper_, point, timeoutNs);
    return point.wait(0);
  }

  void run(Leave &leave) override;

  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  void afterForkInChild() {
    makeAnew(mutex_);
    makeAnew(idle_);
    helper_.afterFork();
    watcher_->queue = nullptr; // a semaphore may have it
    isNew_ = true;
    drainers_ = 0;
    state_ = State::Idle;
    submissions_.dropAfterFork(std::exchange(current_, nullptr));
  }

private:
  static constexpr std::chrono::milliseconds kSlice{1};

  // Posted: in the pool's list. Watching: a semaphore has the watcher.
  enum class State : uint8_t { Idle, Posted, Running, Watching };
  // How far a submission came.
  enum class Progress : uint8_t { Done, Left, Watching };

  struct Watcher final : hal::SemaphoreWatcher {
    explicit Watcher(SharedQueue *queue) : queue(queue) {}
    void changed() override {
      if (queue)
        queue->resume();
    }
    SharedQueue *queue;
  };
  class LeaveWhenIdle final : public Leave {
  public:
    explicit LeaveWhenIdle(const SharedQueue &queue) : queue_(queue) {}
    bool operator()() override { return queue_.isIdle(); }

  private:
    const SharedQueue &queue_;
  };

  bool isIdle() const { return state_.load(std::memory_order_acquire) == State::Idle; }
  void set(State state) {
    std::lock_guard lock(mutex_);
    state_ = state;
  }

  Status accept(const hal::CommandBuffer *commands, std::span<const hal::Point> waits,
                std::span<const hal::Point> signals) {
    if (isNew_) [[unlikely]] {
      watcher_ = std::make_shared<Watcher>(this);
      isNew_ = false;
    }
    {
      std::lock_guard lock(mutex_);
      submissions_.push(commands, waits, signals);
      if (!isIdle())
        return {};
      state_ = State::Posted;
    }
    pool_->post(*this);
    return {};
  }

  // The semaphore that was watched has changed.
  void resume() {
    set(State::Posted);
    pool_->post(*this);
  }

  // Below: by the thread that is at it.
  Status waitForAll(Progress &progress);
  Status advance(Leave &leave, Progress &progress);

  std::unique_ptr<hal::Commands> device_;
  std::shared_ptr<WorkerPool> pool_;
  std::shared_ptr<Watcher> watcher_;
  std::mutex mutex_;
  std::condition_variable idle_;
  hal::Submissions submissions_;
  std::atomic<State> state_{State::Idle}; // written under the lock
  uint32_t drainers_ = 0;
  hal::Submission *current_ = nullptr;
  size_t reached_ = 0; // of its waits
  bool isNew_ = false; // since a fork
  Helper helper_;
  ForkMember<SharedQueue> fork_{this};
};

void SharedQueue::run(Leave &leave) {
  std::unique_lock lock(mutex_);
  state_ = State::Running;
  for (;;) {
    if (!current_) {
      current_ = submissions_.pop();
      reached_ = 0;
    }
    if (!current_) {
      state_ = State::Idle;
      if (drainers_)
        idle_.notify_all();
      return;
    }
    lock.unlock();
    Progress progress = Progress::Done;
    Status status = guarded([&] { return advance(leave, progress); });
    if (progress == Progress::Watching && status.ok())
      return;
    if (progress == Progress::Left && status.ok()) {
      set(State::Posted);
      pool_->post(*this);
      return;
    }
    hal::settle(*current_, std::move(status));
    lock.lock();
    state_ = State::Running;
    submissions_.recycle(*std::exchange(current_, nullptr));
  }
}

Status SharedQueue::waitForAll(Progress &progress) {
  for (; reached_ < current_->waits.size(); ++reached_) {
    const hal::Point &point = current_->waits[reached_];
    while (point.isPending()) {
      // A device that was given the work needs nobody for it, so a worker that waits holds up nothing but itself.
      if (point.semaphore->promiseOf(point.value).work) {
        constexpr uint64_t kSliceNs = 200'000;
        (void)point.wait(kSliceNs);
        if (!point.isPending())
          break;
        progress = Progress::Left;
        return {};
      }
      progress = Progress::Watching;
      set(State::Watching);
      if (point.semaphore->watch(point.value, watcher_))
        return {};
      set(State::Running);
      progress = Progress::Done;
    }
    HEDDLE_RETURN_IF_ERROR(point.wait());
  }
  return {};
}

Status SharedQueue::advance(Leave &leave, Progress &progress) {
  HEDDLE_RETURN_IF_ERROR(waitForAll(progress));
  if (progress != Progress::Done)
    return {};
  return hal::perform(*current_, *device_, [&] {
    if (!leave())
      return false;
    progress = Progress::Left;
    return true;
  });
}

} // namespace

std::unique_ptr<hal::Queue> createSharedQueue(std::unique_ptr<hal::Commands> device, std::shared_ptr<WorkerPool> pool) {
  return std::make_unique<SharedQueue>(std::move(device), std::move(pool));
}

} // namespace heddle::local
