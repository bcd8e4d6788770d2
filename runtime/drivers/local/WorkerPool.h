// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a set of cores. They run kernels over ranges of workgroups (run), and tasks (post), which are streams
// that have something to do (SharedQueue.h). Who waits for tasks works on them, too (Helper), so that there are no more
// threads at work than cores. The workers spin for a while after each piece of work, then sleep.
//
// Jobs. The caller of run() takes part. Ranges are handed out dynamically, a few per core, so a slow or late worker
// holds nobody up: the caller can do all of the job alone. Several threads may have a job at once; idle workers take
// ranges of any. Nothing is allocated by run() but a worker's scratch when it grows.
//
// Tasks come first, in the order of post(): independent work side by side costs less than shared work. A worker without
// a task takes ranges, so a large job gets all cores that have nothing else to do.
//
//   WorkerPool pool;
//   HEDDLE_RETURN_IF_ERROR(pool.start({0, 1}));           // one worker beside the caller
//   int32_t status = pool.run(kernel, state, 64, 0, nullptr);
#ifndef HEDDLE_RUNTIME_DRIVERS_LOCAL_WORKERPOOL_H
#define HEDDLE_RUNTIME_DRIVERS_LOCAL_WORKERPOOL_H

#include "heddle/contract/KernelAbi.h"
#include "runtime/base/Fork.h"
#include "runtime/hal/Semaphore.h"

#include <pthread.h>

namespace heddle::local {

// 64-byte aligned memory that only grows. One user at a time.
class ScratchArena {
public:
  ScratchArena() = default;
  ScratchArena(const ScratchArena &) = delete;
  ~ScratchArena();
  // Null when there is no memory.
  void *get(int64_t bytes) { return bytes <= capacity_ ? memory_ : grow(bytes); }

private:
  void *grow(int64_t bytes);
  void *memory_ = nullptr;
  int64_t capacity_ = 0;
};

// Beside HeddleKernelStatus: a worker found no memory for its scratch.
inline constexpr int32_t kNoScratch = -1;

// Whether who works on a task is to stop: asked between two of its commands.
class Leave {
public:
  virtual ~Leave() = default;
  virtual bool operator()() = 0;
};

// What one thread at a time is at, whichever it is. Lives until it was run for the last time.
class Task {
public:
  virtual ~Task() = default;
  // Does what can be done now. What is left posts itself again.
  virtual void run(Leave &leave) = 0;

private:
  friend class WorkerPool;
  Task *behind_ = nullptr;
};

// A thread that waits for a point and works meanwhile. One thread at a time; kept, as it has memory.
class Helper {
public:
  Helper() : alarm_(std::make_shared<Alarm>()) {}
  // In the child of a fork.
  void afterFork() {
    makeAnew(alarm_->mutex);
    makeAnew(alarm_->wake);
    listed_ = false;
  }

private:
  friend class WorkerPool;
  // Wakes the thread. Semaphores keep it beyond their wait.
  struct Alarm final : hal::SemaphoreWatcher {
    void changed() override { ring(); }
    void reset() {
      std::lock_guard lock(mutex);
      rung = false;
    }
    void ring();
    void sleepUntil(uint64_t ns);
    std::mutex mutex;
    std::condition_variable wake;
    bool rung = false;
  };
  std::shared_ptr<Alarm> alarm_;
  Helper *behind_ = nullptr; // of those that sleep
  bool listed_ = false;
  ScratchArena scratch_;
};

class WorkerPool {
public:
  WorkerPool() = default;
  // No task is left, and no thread in run() or wait().
  ~WorkerPool();
  // `threads` take part in a job, the caller among them; 0: one a core. Starts one worker less, each allowed on all of
  // `cores`. Io when the system gives no thread.
  Status start(const std::vector<int> &cores, uint32_t threads = 0);
  // One more, for tasks that nobody waits for who works himself. Once, whoever asks.
  Status startStandIn();
  // One thread: run() does all itself, and nobody but helpers does tasks.
  bool isAlone() const { return isAlone_; }

  // Returns the first nonzero kernel status, kNoScratch, or 0. `scratch` is the caller's, as large as `scratchBytes`.
  int32_t run(HeddleKernel kernel, const HeddleKernelState &state, int64_t workgroups, int64_t scratchBytes,
              void *scratch);

  // The task is run soon, once. Not while it waits for that.
  void post(Task &task);
  // Works until the point is not pending or the time is over, whatever there is to do in the pool; sleeps where there
  // is nothing. May come back late by a command of a task. bad_alloc.
  void wait(Helper &helper, const hal::Point &point, uint64_t timeoutNs);
  // Runs one task, if there is one.
  bool runTask(Leave &leave);

  // The child of a fork has no workers; they are started again when there is work for several.
  void beforeFork() { tasksMutex_.lock(); }
  void afterForkInParent() { tasksMutex_.unlock(); }
  void afterForkInChild();

private:
  struct Worker {
    WorkerPool *pool;
    pthread_t thread;
    uint32_t index;
    ScratchArena arena;
  };

  // A place for a job, of who has set `busy`. Published by `ticket`: epoch in the high half, ranges not yet taken in
  // the low one. A worker reads the other fields before it takes a range by compare-exchange on the ticket: when that
  // succeeds the job was still open, so the fields were its own.
  struct Job {
    alignas(64) std::atomic<uint64_t> ticket{0};
    std::atomic<HeddleKernel> kernel{nullptr};
    std::atomic<const HeddleKernelState *> state{nullptr};
    std::atomic<int64_t> workgroups{0};
    std::atomic<int64_t> scratchBytes{0};
    std::atomic<uint32_t> ranges{0};
    alignas(64) std::atomic<uint32_t> done{0};
    std::atomic<int32_t> status{0};
    std::atomic<bool> busy{false};

    void open(HeddleKernel kernel, const HeddleKernelState &state, int64_t workgroups, int64_t scratchBytes,
              uint32_t ranges);
    void finishRange(int32_t status);
    void waitForRanges(uint32_t ranges);
  };
  // A range that was taken, of a job that cannot end before it is finished.
  struct Range {
    Job *job;
    HeddleKernel kernel;
    const HeddleKernelState *state;
    int64_t begin, end, scratchBytes;
    void run(ScratchArena &arena) const;
  };

  static bool take(Job &job, Range &range);
  // A range of any job; `first` is where the search begins.
  bool takeAny(uint32_t first, Range &range);
  Job *claimJob();
  bool hasWork() const;
  Task *takeTask();
  // Work was added. `one`: for one thread.
  void wakeFor(bool one);
  void work(Worker &worker);
  void sleepUntilWork();
  void sleep(Helper &helper, const hal::Point &point, uint64_t untilNs);
  void restart();
  Status startWorker();

  static constexpr uint32_t kMostJobs = 64;
  static constexpr uint32_t kHelper = 1 << 16; // one in `sleepers_`, beside workers

  std::vector<int> cores_;
  uint32_t wanted_ = 1; // threads, without a stand-in
  bool isAlone_ = true; // one thread
  std::mutex restart_;  // from start() on of what follows
  bool hasStandIn_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<uint32_t> threads_{1}; // workers and a caller
  std::atomic<bool> forked_{false};
  std::unique_ptr<Job[]> jobs_;
  uint32_t mostJobs_ = 0;
  alignas(64) std::atomic<uint32_t> usedJobs_{0}; // those behind were never used
  std::atomic<uint32_t> posting_{0};              // threads in post()
  alignas(64) std::atomic<uint32_t> tasks_{0};
  std::mutex tasksMutex_; // of what follows
  Task *firstTask_ = nullptr, *lastTask_ = nullptr;
  Helper *sleepingHelpers_ = nullptr;
  alignas(64) std::atomic<uint32_t> sleepers_{0};
  std::atomic<uint32_t> wake_{0};
  std::atomic<bool> stop_{false};
  ForkMember<WorkerPool> fork_{this};
};

// Lets the calling thread run on these cores only; where the system forbids it, nothing.
void pinThread(const std::vector<int> &cores);

} // namespace heddle::local

#endif // HEDDLE_RUNTIME_DRIVERS_LOCAL_WORKERPOOL_H
