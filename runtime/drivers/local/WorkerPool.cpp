// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/local/WorkerPool.h"

#include "runtime/base/FloatEnvironment.h"
#include "runtime/base/Guarded.h"

#include <algorithm>
#include <chrono>
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

uint64_t nowNs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

class NeverLeave final : public Leave {
public:
  bool operator()() override { return false; }
};

// When the point is settled, or about when the time is over.
class LeaveForPoint final : public Leave {
public:
  LeaveForPoint(const hal::Point &point, uint64_t untilNs) : point_(point), untilNs_(untilNs) {}
  bool operator()() override {
    constexpr uint32_t kCommandsPerLook = 4; // at the time
    return !point_.isPending() || (++commands_ % kCommandsPerLook == 0 && nowNs() >= untilNs_);
  }

private:
  const hal::Point &point_;
  uint64_t untilNs_;
  uint32_t commands_ = 0;
};

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

void Helper::Alarm::ring() {
  std::lock_guard lock(mutex);
  rung = true;
  wake.notify_one();
}

void Helper::Alarm::sleepUntil(uint64_t ns) {
  std::unique_lock lock(mutex);
  auto until = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(ns));
  wake.wait_until(lock, until, [&] { return rung; });
}

// The next one, allowed on all cores.
Status WorkerPool::startWorker() {
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
  workers_.reserve(wanted_); // a thread that runs is kept
  auto worker = std::make_unique<Worker>();
  worker->pool = this;
  worker->index = static_cast<uint32_t>(workers_.size()) + 1;
  auto start = std::make_unique<Start>(Start{worker.get(), cores_});
  if (pthread_create(&worker->thread, nullptr, main, start.get()) != 0)
    return Status(StatusCode::Io, "the system gives no thread for worker " + std::to_string(worker->index) +
                                      " of a device of " + std::to_string(wanted_) + " threads; use fewer (?threads=)");
  (void)start.release();
  workers_.push_back(std::move(worker));
  threads_.fetch_add(1, std::memory_order_relaxed);
  return {};
}

Status WorkerPool::start(const std::vector<int> &cores, uint32_t threads) {
  cores_ = cores;
  wanted_ = threads ? threads : static_cast<uint32_t>(cores.size());
  isAlone_ = wanted_ <= 1;
  if (!jobs_) {
    mostJobs_ = std::min(wanted_, kMostJobs);
    jobs_ = std::make_unique<Job[]>(mostJobs_);
  }
  for (uint32_t i = hasStandIn_ ? 0 : 1; i < wanted_; ++i)
    HEDDLE_RETURN_IF_ERROR(startWorker());
  return {};
}

Status WorkerPool::startStandIn() {
  std::lock_guard lock(restart_);
  if (hasStandIn_)
    return {};
  if (!forked_.load(std::memory_order_relaxed)) // else it is started with the others
    HEDDLE_RETURN_IF_ERROR(startWorker());
  hasStandIn_ = true;
  return {};
}

void WorkerPool::afterForkInChild() {
  makeAnew(restart_);
  makeAnew(tasksMutex_);
  for (auto &worker : workers_)
    (void)worker.release(); // its thread is the parent's, as what lies on its stack
  workers_.clear();
  threads_ = 1;
  for (uint32_t i = 0; i < mostJobs_; ++i) { // of threads that are gone
    jobs_[i].ticket.store(jobs_[i].ticket.load() >> 32 << 32);
    jobs_[i].busy = false;
  }
  firstTask_ = lastTask_ = nullptr; // their queues begin anew
  sleepingHelpers_ = nullptr;
  tasks_ = posting_ = sleepers_ = 0;
  forked_ = true;
}

// As many workers as the system gives.
void WorkerPool::restart() {
  std::lock_guard lock(restart_);
  if (!forked_.load(std::memory_order_relaxed))
    return;
  (void)guarded([&] { return start(std::vector<int>(cores_), wanted_); });
  forked_.store(false, std::memory_order_release);
}

WorkerPool::~WorkerPool() {
  while (posting_.load(std::memory_order_acquire))
    pause();
  stop_ = true;
  wake_.fetch_add(1);
  wake_.notify_all();
  for (auto &worker : workers_)
    pthread_join(worker->thread, nullptr);
}

void WorkerPool::Job::open(HeddleKernel theKernel, const HeddleKernelState &theState, int64_t theWorkgroups,
                           int64_t theScratchBytes, uint32_t theRanges) {
  kernel.store(theKernel, std::memory_order_relaxed);
  state.store(&theState, std::memory_order_relaxed);
  workgroups.store(theWorkgroups, std::memory_order_relaxed);
  scratchBytes.store(theScratchBytes, std::memory_order_relaxed);
  ranges.store(theRanges, std::memory_order_relaxed);
  status.store(0, std::memory_order_relaxed);
  done.store(0, std::memory_order_relaxed);
  uint64_t epoch = (ticket.load(std::memory_order_relaxed) >> 32) + 1;
  ticket.store(epoch << 32 | theRanges, std::memory_order_seq_cst);
}

void WorkerPool::Job::finishRange(int32_t result) {
  int32_t none = 0;
  if (result)
    status.compare_exchange_strong(none, result, std::memory_order_relaxed);
  done.fetch_add(1, std::memory_order_acq_rel);
  done.notify_one();
}

void WorkerPool::Job::waitForRanges(uint32_t all) {
  for (int spin = 0;; ++spin) {
    uint32_t count = done.load(std::memory_order_acquire);
    if (count == all)
      return;
    if (spin < kSpins)
      pause();
    else
      done.wait(count, std::memory_order_acquire);
  }
}

void WorkerPool::Range::run(ScratchArena &arena) const {
  void *scratch = arena.get(scratchBytes);
  job->finishRange(scratch || scratchBytes == 0 ? kernel(state, begin, end, scratch) : kNoScratch);
}

bool WorkerPool::take(Job &job, Range &range) {
  uint64_t ticket = job.ticket.load(std::memory_order_acquire);
  while (remaining(ticket) > 0) {
    range.kernel = job.kernel.load(std::memory_order_relaxed);
    range.state = job.state.load(std::memory_order_relaxed);
    range.scratchBytes = job.scratchBytes.load(std::memory_order_relaxed);
    int64_t workgroups = job.workgroups.load(std::memory_order_relaxed);
    uint32_t ranges = job.ranges.load(std::memory_order_relaxed);
    if (job.ticket.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
      uint32_t index = ranges - remaining(ticket);
      range.begin = partBegin(workgroups, index, ranges);
      range.end = partBegin(workgroups, index + 1, ranges);
      range.job = &job;
      return true;
    }
  }
  return false;
}

bool WorkerPool::takeAny(uint32_t first, Range &range) {
  uint32_t used = usedJobs_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < used; ++i)
    if (take(jobs_[(first + i) % used], range))
      return true;
  return false;
}

WorkerPool::Job *WorkerPool::claimJob() {
  for (uint32_t i = 0; i < mostJobs_; ++i) {
    if (jobs_[i].busy.load(std::memory_order_relaxed) || jobs_[i].busy.exchange(true, std::memory_order_acquire))
      continue;
    for (uint32_t used = usedJobs_.load(std::memory_order_relaxed); used <= i;)
      if (usedJobs_.compare_exchange_weak(used, i + 1, std::memory_order_seq_cst))
        break;
    return &jobs_[i];
  }
  return nullptr;
}

int32_t WorkerPool::run(HeddleKernel kernel, const HeddleKernelState &state, int64_t workgroups, int64_t scratchBytes,
                        void *scratch) {
  if (workgroups <= 1 || isAlone_)
    return kernel(&state, 0, workgroups, scratch);
  if (forked_.load(std::memory_order_acquire)) [[unlikely]]
    restart();
  uint32_t threads = threads_.load(std::memory_order_relaxed);
  Job *job = threads > 1 ? claimJob() : nullptr;
  if (!job)
    return kernel(&state, 0, workgroups, scratch);
  uint32_t ranges = static_cast<uint32_t>(std::min<int64_t>(workgroups, threads * kRangesPerCore));
  job->open(kernel, state, workgroups, scratchBytes, ranges);
  wakeFor(/*one=*/false);
  Range range;
  while (take(*job, range))
    job->finishRange(kernel(range.state, range.begin, range.end, scratch));
  job->waitForRanges(ranges);
  int32_t status = job->status.load(std::memory_order_relaxed);
  job->busy.store(false, std::memory_order_release);
  return status;
}

// Until the task was done and its queue is gone, the pool may be gone, too, but for those who are counted here.
void WorkerPool::post(Task &task) {
  posting_.fetch_add(1, std::memory_order_relaxed);
  if (forked_.load(std::memory_order_acquire)) [[unlikely]]
    restart();
  {
    std::lock_guard lock(tasksMutex_);
    task.behind_ = nullptr;
    (lastTask_ ? lastTask_->behind_ : firstTask_) = &task;
    lastTask_ = &task;
    tasks_.fetch_add(1, std::memory_order_seq_cst);
  }
  wakeFor(/*one=*/true);
  posting_.fetch_sub(1, std::memory_order_release);
}

Task *WorkerPool::takeTask() {
  if (!tasks_.load(std::memory_order_acquire))
    return nullptr;
  std::lock_guard lock(tasksMutex_);
  Task *task = firstTask_;
  if (!task)
    return nullptr;
  firstTask_ = task->behind_;
  if (!firstTask_)
    lastTask_ = nullptr;
  tasks_.fetch_sub(1, std::memory_order_relaxed);
  return task;
}

bool WorkerPool::runTask(Leave &leave) {
  Task *task = takeTask();
  if (task)
    task->run(leave);
  return task;
}

// Who goes to sleep is counted first and then looks for work; who adds work adds it first and then looks here.
void WorkerPool::wakeFor(bool one) {
  uint32_t sleepers = sleepers_.load(std::memory_order_seq_cst);
  if (!sleepers)
    return;
  if (sleepers % kHelper) {
    wake_.fetch_add(1, std::memory_order_seq_cst);
    if (one)
      return wake_.notify_one();
    wake_.notify_all();
  }
  if (sleepers < kHelper)
    return;
  std::lock_guard lock(tasksMutex_);
  while (Helper *helper = sleepingHelpers_) {
    sleepingHelpers_ = helper->behind_;
    helper->listed_ = false;
    helper->alarm_->ring();
    if (one)
      return;
  }
}

bool WorkerPool::hasWork() const {
  if (tasks_.load(std::memory_order_seq_cst))
    return true;
  uint32_t used = usedJobs_.load(std::memory_order_seq_cst);
  for (uint32_t i = 0; i < used; ++i)
    if (remaining(jobs_[i].ticket.load(std::memory_order_seq_cst)))
      return true;
  return false;
}

void WorkerPool::sleepUntilWork() {
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  uint32_t wake = wake_.load(std::memory_order_seq_cst);
  if (!hasWork() && !stop_)
    wake_.wait(wake);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

void WorkerPool::work(Worker &worker) {
  DefaultFloatEnvironment::setForThread();
  NeverLeave leave;
  Range range;
  int spins = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    if (runTask(leave)) {
      spins = 0;
    } else if (takeAny(worker.index, range)) {
      range.run(worker.arena);
      spins = 0;
    } else if (++spins < kSpins) {
      pause();
    } else {
      sleepUntilWork();
      spins = 0;
    }
  }
}

void WorkerPool::wait(Helper &helper, const hal::Point &point, uint64_t timeoutNs) {
  uint64_t now = nowNs(), until = now + std::min(timeoutNs, UINT64_MAX / 4);
  LeaveForPoint leave(point, until);
  Range range;
  for (int spins = 0; point.isPending();) {
    if (runTask(leave)) {
      spins = 0;
    } else if (takeAny(0, range)) {
      range.run(helper.scratch_);
      spins = 0;
    } else if (++spins < kSpins) {
      pause();
      continue;
    } else {
      sleep(helper, point, until);
      spins = 0;
    }
    if (nowNs() >= until)
      return;
  }
}

void WorkerPool::sleep(Helper &helper, const hal::Point &point, uint64_t untilNs) {
  constexpr uint64_t kLookNs = 100'000; // of who waits for a device, for work here
  helper.alarm_->reset();
  if (!point.semaphore->watch(point.value, helper.alarm_)) {
    uint64_t now = nowNs();
    if (now < untilNs)
      (void)point.wait(std::min(untilNs - now, kLookNs));
    return;
  }
  {
    std::lock_guard lock(tasksMutex_);
    helper.behind_ = sleepingHelpers_;
    helper.listed_ = true;
    sleepingHelpers_ = &helper;
  }
  sleepers_.fetch_add(kHelper, std::memory_order_seq_cst);
  if (!hasWork())
    helper.alarm_->sleepUntil(untilNs);
  sleepers_.fetch_sub(kHelper, std::memory_order_seq_cst);
  std::lock_guard lock(tasksMutex_);
  if (!helper.listed_)
    return;
  Helper **at = &sleepingHelpers_;
  while (*at != &helper)
    at = &(*at)->behind_;
  *at = helper.behind_;
  helper.listed_ = false;
}

} // namespace heddle::local
