// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/local/WorkerPool.h"

#include "runtime/base/FloatEnvironment.h"
#include "runtime/base/Guarded.h"

#include <algorithm>
#include <cstdlib>
#include <sched.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heddle::local {
namespace {

// About 20 µs of looking before a thread sleeps: longer than the gaps between a model's dispatches.
constexpr int kSpins = 1000;
constexpr uint32_t kRangesPerCore = 4;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

uint32_t remaining(uint64_t ticket) { return static_cast<uint32_t>(ticket); }

// The i-th of n nearly equal parts of [0, total) begins here. No overflow: total < 2^33, n < 2^20.
int64_t partBegin(int64_t total, uint32_t i, uint32_t n) { return total * static_cast<int64_t>(i) / n; }

} // namespace

ScratchArena::~ScratchArena() { std::free(memory_); }

void *ScratchArena::grow(int64_t bytes) {
  if (bytes < 0 || bytes > INT64_MAX / 2)
    return nullptr;
  void *memory = std::aligned_alloc(64, (static_cast<size_t>(bytes) + 63) / 64 * 64);
  if (!memory)
    return nullptr;
  std::free(memory_);
  memory_ = memory;
  capacity_ = bytes;
  return memory_;
}

void pinThread(const std::vector<int> &cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core : cores)
    CPU_SET(core, &set);
  (void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

Status WorkerPool::start(const std::vector<int> &cores) {
  struct Start {
    Worker *worker;
    std::vector<int> cores;
  };
  auto main = [](void *argument) -> void * {
    std::unique_ptr<Start> start(static_cast<Start *>(argument));
    pinThread(start->cores);
    start->worker->pool->work(*start->worker);
    return nullptr;
  };
  cores_ = cores;
  isAlone_ = cores.size() <= 1;
  workers_.reserve(cores.size()); // a thread that runs is kept
  for (size_t i = 1; i < cores.size(); ++i) {
    auto worker = std::make_unique<Worker>();
    worker->pool = this;
    auto start = std::make_unique<Start>(Start{worker.get(), cores});
    if (pthread_create(&worker->thread, nullptr, main, start.get()) != 0)
      return Status(StatusCode::Io, "the system gives no thread for worker " + std::to_string(i) + " of " +
                                        std::to_string(cores.size()) + "; use fewer cores");
    (void)start.release();
    workers_.push_back(std::move(worker));
  }
  return {};
}

void WorkerPool::afterForkInChild() {
  for (auto &worker : workers_)
    (void)worker.release(); // its thread is the parent's, as what lies on its stack
  workers_.clear();
  makeAnew(busy_); // of a job that another thread was at
  ticket_.store(ticket_.load() >> 32 << 32);
  sleepers_ = 0;
  forked_ = true;
}

// As many workers as the system gives; whether there are any.
bool WorkerPool::restart() {
  forked_ = false;
  (void)guarded([&] { return start(std::vector<int>(cores_)); });
  return !workers_.empty();
}

WorkerPool::~WorkerPool() {
  stop_ = true;
  wake_.fetch_add(1);
  wake_.notify_all();
  for (auto &worker : workers_)
    pthread_join(worker->thread, nullptr);
}

bool WorkerPool::takeRange(HeddleKernel &kernel, const HeddleKernelState *&state, int64_t &begin, int64_t &end,
                           int64_t &scratchBytes) {
  uint64_t ticket = ticket_.load(std::memory_order_acquire);
  while (remaining(ticket) > 0) {
    kernel = job_.kernel.load(std::memory_order_relaxed);
    state = job_.state.load(std::memory_order_relaxed);
    scratchBytes = job_.scratchBytes.load(std::memory_order_relaxed);
    int64_t workgroups = job_.workgroups.load(std::memory_order_relaxed);
    uint32_t ranges = job_.ranges.load(std::memory_order_relaxed);
    if (ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
      uint32_t index = ranges - remaining(ticket);
      begin = partBegin(workgroups, index, ranges);
      end = partBegin(workgroups, index + 1, ranges);
      return true;
    }
  }
  return false;
}

void WorkerPool::finishRange(int32_t status) {
  int32_t none = 0;
  if (status)
    status_.compare_exchange_strong(none, status, std::memory_order_relaxed);
  done_.fetch_add(1, std::memory_order_acq_rel);
  done_.notify_one();
}

int32_t WorkerPool::run(HeddleKernel kernel, const HeddleKernelState &state, int64_t workgroups, int64_t scratchBytes,
                        void *scratch) {
  std::unique_lock lock(busy_, std::defer_lock);
  if (workgroups <= 1 || isAlone_ || !lock.try_lock())
    return kernel(&state, 0, workgroups, scratch);
  if (forked_ && !restart()) [[unlikely]]
    return kernel(&state, 0, workgroups, scratch);

  uint32_t cores = static_cast<uint32_t>(workers_.size()) + 1;
  uint32_t ranges = static_cast<uint32_t>(std::min<int64_t>(workgroups, cores * kRangesPerCore));
  job_.kernel.store(kernel, std::memory_order_relaxed);
  job_.state.store(&state, std::memory_order_relaxed);
  job_.workgroups.store(workgroups, std::memory_order_relaxed);
  job_.scratchBytes.store(scratchBytes, std::memory_order_relaxed);
  job_.ranges.store(ranges, std::memory_order_relaxed);
  status_.store(0, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  uint64_t epoch = (ticket_.load(std::memory_order_relaxed) >> 32) + 1;
  ticket_.store(epoch << 32 | ranges, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst)) {
    wake_.fetch_add(1, std::memory_order_seq_cst);
    wake_.notify_all();
  }

  const HeddleKernelState *own;
  int64_t begin, end;
  while (takeRange(kernel, own, begin, end, scratchBytes))
    finishRange(kernel(own, begin, end, scratch));
  for (int spin = 0;; ++spin) {
    uint32_t done = done_.load(std::memory_order_acquire);
    if (done == ranges)
      break;
    if (spin < kSpins)
      pause();
    else
      done_.wait(done, std::memory_order_acquire);
  }
  return status_.load(std::memory_order_relaxed);
}

void WorkerPool::sleepUntilWork() {
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  uint32_t wake = wake_.load(std::memory_order_seq_cst);
  if (!remaining(ticket_.load(std::memory_order_seq_cst)) && !stop_)
    wake_.wait(wake);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

void WorkerPool::work(Worker &worker) {
  DefaultFloatEnvironment::setForThread();
  int spins = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    HeddleKernel kernel;
    const HeddleKernelState *state;
    int64_t begin, end, scratchBytes;
    if (takeRange(kernel, state, begin, end, scratchBytes)) {
      void *scratch = worker.arena.get(scratchBytes);
      finishRange(scratch || scratchBytes == 0 ? kernel(state, begin, end, scratch) : kNoScratch);
      spins = 0;
    } else if (++spins < kSpins) {
      pause();
    } else {
      sleepUntilWork();
      spins = 0;
    }
  }
}

} // namespace heddle::local
