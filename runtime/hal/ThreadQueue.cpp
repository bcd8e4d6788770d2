// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/ThreadQueue.h"

#include "runtime/base/FloatEnvironment.h"
#include "runtime/base/Fork.h"
#include "runtime/base/Guarded.h"
#include "runtime/hal/Submissions.h"

#include <pthread.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heddle::hal {
namespace {

// A few microseconds of looking before the thread sleeps: what follows at once needs no system call.
constexpr int kSpins = 200;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class ThreadQueue final : public Queue {
public:
  ThreadQueue(std::unique_ptr<Commands> device, std::function<void()> onStart)
      : device_(std::move(device)), onStart_(std::move(onStart)) {}

  ~ThreadQueue() override {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      posted_.fetch_add(1, std::memory_order_release);
    }
    changed_.notify_all();
    if (started_)
      pthread_join(thread_, nullptr);
  }

  bool start() {
    auto main = [](void *self) -> void * {
      static_cast<ThreadQueue *>(self)->run();
      return nullptr;
    };
    started_ = pthread_create(&thread_, nullptr, main, this) == 0;
    return started_;
  }

  void submit(const CommandBuffer *commands, std::span<const Point> waits, std::span<const Point> signals) override {
    Status status = guarded([&] { return post(commands, waits, signals); });
    if (!status.ok()) [[unlikely]]
      for (const Point &point : signals)
        point.semaphore->fail(status.clone());
  }

  void drain() override {
    std::unique_lock lock(mutex_);
    ++drainers_;
    idle_.wait(lock, [&] { return (submissions_.empty() && !running_) || !started_; });
    --drainers_;
  }

  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  void afterForkInChild() {
    makeAnew(mutex_);
    makeAnew(changed_);
    makeAnew(idle_);
    submissions_.dropAfterFork(std::exchange(running_, nullptr));
    posted_ = 0;
    drainers_ = 0;
    sleeps_ = started_ = false;
    forked_ = true;
  }

private:
  Status post(const CommandBuffer *commands, std::span<const Point> waits, std::span<const Point> signals) {
    std::unique_lock lock(mutex_);
    if (forked_) [[unlikely]] {
      forked_ = !start();
      if (forked_)
        return Status(StatusCode::Io, "the system gives no thread for a queue in the child of a fork");
    }
    submissions_.push(commands, waits, signals);
    posted_.fetch_add(1, std::memory_order_release);
    bool sleeps = sleeps_;
    lock.unlock();
    if (sleeps)
      changed_.notify_one();
    return {};
  }

  // Below: on the queue's thread.

  // Waits for a submission; null at the end.
  Submission *take(uint64_t taken) {
    for (int spin = 0; spin < kSpins && posted_.load(std::memory_order_acquire) == taken; ++spin)
      pause();
    std::unique_lock lock(mutex_);
    sleeps_ = true;
    changed_.wait(lock, [&] { return stop_ || !submissions_.empty(); });
    sleeps_ = false;
    return running_ = submissions_.pop();
  }

  Status work(Submission &submission) {
    for (const Point &point : submission.waits)
      HEDDLE_RETURN_IF_ERROR(point.wait());
    return perform(submission, *device_, [] { return false; });
  }

  void run() {
    DefaultFloatEnvironment::setForThread();
    if (onStart_)
      onStart_();
    for (uint64_t taken = 0; Submission *submission = take(taken); ++taken) {
      settle(*submission, guarded([&] { return work(*submission); }));
      std::lock_guard lock(mutex_);
      running_ = nullptr;
      submissions_.recycle(*submission);
      if (drainers_ && submissions_.empty())
        idle_.notify_all();
    }
  }

  std::unique_ptr<Commands> device_;
  std::function<void()> onStart_;
  std::mutex mutex_;
  std::condition_variable changed_, idle_;
  Submissions submissions_;
  Submission *running_ = nullptr;
  std::atomic<uint64_t> posted_{0};
  uint32_t drainers_ = 0;
  bool sleeps_ = false;
  bool stop_ = false;
  bool started_ = false;
  pthread_t thread_{};
  bool forked_ = false;
  ForkMember<ThreadQueue> fork_{this};
};

} // namespace

StatusOr<std::unique_ptr<Queue>> createThreadQueue(std::unique_ptr<Commands> device, std::function<void()> onStart) {
  auto queue = std::make_unique<ThreadQueue>(std::move(device), std::move(onStart));
  if (!queue->start())
    return Status(StatusCode::Io, "the system gives no thread for a stream; lower the number of streams or threads");
  return std::unique_ptr<Queue>(std::move(queue));
}

} // namespace heddle::hal
