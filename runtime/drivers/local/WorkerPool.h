// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs kernels over ranges of workgroups on a set of cores. The caller takes part; the workers spin for a while after
// each job, then sleep. Ranges are handed out dynamically, a few per core, so a slow or late worker holds nobody up:
// the caller can do all of the job alone.
//
// One job at a time: a second caller, on another thread, runs its job alone instead of waiting. Nothing is allocated by
// run() but a worker's scratch when it grows.
//
//   WorkerPool pool;
//   HEDDLE_RETURN_IF_ERROR(pool.start({0, 1}));           // one worker beside the caller
//   int32_t status = pool.run(kernel, state, 64, 0, nullptr);
#ifndef HEDDLE_RUNTIME_DRIVERS_LOCAL_WORKERPOOL_H
#define HEDDLE_RUNTIME_DRIVERS_LOCAL_WORKERPOOL_H

#include "heddle/contract/KernelAbi.h"
#include "runtime/base/Fork.h"
#include "runtime/base/Status.h"

#include <atomic>
#include <mutex>
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

class WorkerPool {
public:
  WorkerPool() = default;
  ~WorkerPool();
  // Starts cores.size() - 1 workers, each allowed on all of `cores`. Io when the system gives no thread.
  Status start(const std::vector<int> &cores);

  // Returns the first nonzero kernel status, kNoScratch, or 0. `scratch` is the caller's, as large as `scratchBytes`.
  int32_t run(HeddleKernel kernel, const HeddleKernelState &state, int64_t workgroups, int64_t scratchBytes,
              void *scratch);

  // The child of a fork has no workers; they are started again when there is work for several.
  void beforeFork() {}
  void afterForkInParent() {}
  void afterForkInChild();

private:
  struct Worker {
    WorkerPool *pool;
    pthread_t thread;
    ScratchArena arena;
  };

  // A job. Published by `ticket`: epoch in the high half, ranges not yet taken in the low one. A worker reads the other
  // fields before it takes a range by compare-exchange on the ticket: when that succeeds the job was still open, so the
  // fields were its own.
  struct Job {
    std::atomic<HeddleKernel> kernel{nullptr};
    std::atomic<const HeddleKernelState *> state{nullptr};
    std::atomic<int64_t> workgroups{0};
    std::atomic<int64_t> scratchBytes{0};
    std::atomic<uint32_t> ranges{0};
  };

  bool takeRange(HeddleKernel &kernel, const HeddleKernelState *&state, int64_t &begin, int64_t &end,
                 int64_t &scratchBytes);
  void work(Worker &worker);
  void sleepUntilWork();
  void finishRange(int32_t status);
  bool restart();

  std::vector<int> cores_;
  bool isAlone_ = true; // one core
  std::mutex busy_;
  std::vector<std::unique_ptr<Worker>> workers_; // from start() on guarded by busy_, as what follows
  bool forked_ = false;
  Job job_;
  alignas(64) std::atomic<uint64_t> ticket_{0};
  alignas(64) std::atomic<uint32_t> done_{0};
  std::atomic<int32_t> status_{0};
  alignas(64) std::atomic<uint32_t> sleepers_{0};
  std::atomic<uint32_t> wake_{0};
  std::atomic<bool> stop_{false};
  ForkMember<WorkerPool> fork_{this};
};

// Lets the calling thread run on these cores only; where the system forbids it, nothing.
void pinThread(const std::vector<int> &cores);

} // namespace heddle::local

#endif // HEDDLE_RUNTIME_DRIVERS_LOCAL_WORKERPOOL_H
