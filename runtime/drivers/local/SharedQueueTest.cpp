// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a device that work on several jobs and streams at once. Kernels meet one another: each waits until as many
// as should run side by side do. Runs under ThreadSanitizer.
#include "runtime/drivers/local/SharedQueue.h"
#include "runtime/drivers/local/LocalDriver.h"
#include "runtime/drivers/local/WorkerPool.h"
#include "runtime/hal/Registry.h"

#include "gtest/gtest.h"

#include <random>
#include <thread>

using namespace heddle;
using namespace heddle::local;

namespace {

// As many threads as are asked for, on the cores that there are.
std::vector<int> coresFor(size_t threads) {
  std::vector<int> allowed = allowedCores(), cores;
  for (size_t i = 0; i < threads; ++i)
    cores.push_back(allowed[i % allowed.size()]);
  return cores;
}

std::shared_ptr<WorkerPool> poolOf(size_t threads) {
  auto pool = std::make_shared<WorkerPool>();
  EXPECT_TRUE(pool->start(coresFor(threads)).ok());
  return pool;
}

// Where kernels meet: waits until `all` are there, or so long that they never will be. bindings: {Meeting}
struct Meeting {
  std::atomic<int> there{0}, alone{0};
  int all;
  void meet() {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (++there; there < all;) {
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() > end) {
        ++alone;
        return;
      }
    }
  }
};
int32_t meet(const HeddleKernelState *state, int64_t begin, int64_t end, void *) {
  for (int64_t w = begin; w < end; ++w)
    static_cast<Meeting *>(state->bindings[0])->meet();
  return 0;
}

// How many run at once. bindings: {Crowd}
struct Crowd {
  std::atomic<int> now{0}, most{0}, runs{0};
};
int32_t crowd(const HeddleKernelState *state, int64_t begin, int64_t end, void *) {
  auto &here = *static_cast<Crowd *>(state->bindings[0]);
  int now = ++here.now, most = here.most;
  while (most < now && !here.most.compare_exchange_weak(most, now))
    ;
  for (int i = 0; i < 20; ++i)
    std::this_thread::yield();
  here.runs += static_cast<int>(end - begin);
  --here.now;
  return 0;
}

// n = (3 n + constant) mod a prime, not atomic: what is not ordered is a race. bindings: {int64_t}
constexpr int64_t kPrime = 1'000'000'007;
int32_t next(const HeddleKernelState *state, int64_t, int64_t, void *) {
  auto &n = *static_cast<int64_t *>(state->bindings[0]);
  n = (3 * n + state->constants[0]) % kPrime;
  return 0;
}
int32_t fails(const HeddleKernelState *, int64_t, int64_t, void *) { return HEDDLE_KERNEL_INDEX_OUT_OF_RANGE; }

// Commands of kernels that are functions of this test.
struct Local final : hal::Commands {
  explicit Local(WorkerPool &pool) : pool(pool) {}
  Status dispatch(const hal::Dispatch &d) override {
    HeddleKernelState state{d.bindings.data(), d.constants.data()};
    int32_t status = pool.run(reinterpret_cast<HeddleKernel>(d.kernel->native), state, d.workgroups, 0, nullptr);
    return status ? Status(StatusCode::KernelFailed, "status " + std::to_string(status)) : Status();
  }
  Status copy(const hal::View &, const hal::View &) override { return {}; }
  Status fill(const hal::View &, uint64_t, uint32_t) override { return {}; }
  Status stamp(uint64_t *) override { return {}; }
  WorkerPool &pool;
};

// A stream of such a queue: each submission signals the next value.
struct Stream {
  explicit Stream(std::shared_ptr<WorkerPool> pool)
      : queue(createSharedQueue(std::make_unique<Local>(*pool), pool)), timeline(std::make_shared<hal::Semaphore>()) {}

  hal::Point submit(HeddleKernel kernel, void *argument, std::vector<hal::Point> waits = {}, int64_t workgroups = 1,
                    int64_t constant = 0, int times = 1) {
    auto &recorded = commands.emplace_back(std::make_unique<hal::CommandBuffer>());
    kernels.push_back(std::make_unique<hal::Kernel>(hal::Kernel{reinterpret_cast<void *>(kernel)}));
    static const hal::DispatchLabel label{"k", ""};
    for (int i = 0; i < times; ++i)
      EXPECT_TRUE(
          recorded->dispatch({kernels.back().get(), workgroups, 0, {&argument, 1}, {&constant, 1}, &label}).ok());
    hal::Point end{timeline, commands.size()};
    queue->submit(recorded.get(), waits, {&end, 1});
    return end;
  }
  Status finish() { return queue->wait({timeline, commands.size()}, 20'000'000'000); }

  std::vector<std::unique_ptr<hal::CommandBuffer>> commands;
  std::vector<std::unique_ptr<hal::Kernel>> kernels;
  std::unique_ptr<hal::Queue> queue; // goes first
  std::shared_ptr<hal::Semaphore> timeline;
};

TEST(WorkerPool, SeveralJobsAreShared) {
  constexpr int kJobs = 4;
  auto pool = poolOf(2 * kJobs); // a worker for each caller
  Meeting meetings[kJobs];
  std::vector<std::thread> callers;
  for (Meeting &meeting : meetings) {
    meeting.all = 2; // the caller's range, and another thread's
    callers.emplace_back([&] {
      void *argument = &meeting;
      HeddleKernelState state{&argument, nullptr};
      EXPECT_EQ(pool->run(meet, state, 2, 0, nullptr), 0);
    });
  }
  for (std::thread &caller : callers)
    caller.join();
  for (Meeting &meeting : meetings)
    EXPECT_EQ(meeting.alone, 0);
}

TEST(SharedQueue, SmallDispatchesOfStreamsRunSideBySide) {
  for (size_t threads : {2, 4}) {
    auto pool = poolOf(threads);
    Meeting meeting;
    meeting.all = static_cast<int>(threads);
    std::vector<std::unique_ptr<Stream>> streams;
    for (size_t i = 0; i < threads; ++i) // the last one is done by who waits
      (streams.emplace_back(std::make_unique<Stream>(pool)))->submit(meet, &meeting);
    for (auto &stream : streams)
      EXPECT_TRUE(stream->finish().ok());
    EXPECT_EQ(meeting.alone, 0) << threads;
  }
}

TEST(SharedQueue, ALargeDispatchGetsTheIdleCores) {
  auto pool = poolOf(4);
  Meeting meeting;
  meeting.all = 4;
  Stream stream(pool);
  stream.submit(meet, &meeting, {}, 4);
  EXPECT_TRUE(stream.finish().ok());
  EXPECT_EQ(meeting.alone, 0);
}

// Nobody helps: the device has as many threads of its own as cores.
TEST(SharedQueue, AStandInWorksForWhoOnlyWaits) {
  for (size_t threads : {1, 3}) {
    auto pool = poolOf(threads);
    EXPECT_TRUE(pool->startStandIn().ok());
    EXPECT_TRUE(pool->startStandIn().ok()) << "there is one";
    Meeting meeting;
    meeting.all = static_cast<int>(threads);
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<hal::Point> ends;
    for (size_t i = 0; i < threads; ++i)
      ends.push_back((streams.emplace_back(std::make_unique<Stream>(pool)))->submit(meet, &meeting));
    for (hal::Point &end : ends)
      EXPECT_TRUE(end.wait(20'000'000'000).ok());
    EXPECT_EQ(meeting.alone, 0) << threads;
  }
}

TEST(SharedQueue, NoMoreThreadsThanCores) {
  constexpr size_t kCores = 3;
  auto pool = poolOf(kCores);
  Crowd here;
  std::vector<std::unique_ptr<Stream>> streams;
  int runs = 0;
  for (int s = 0; s < 9; ++s) {
    streams.push_back(std::make_unique<Stream>(pool));
    for (int i = 0; i < 40; ++i) {
      int64_t workgroups = i % 3 ? 5 : 1;
      streams.back()->submit(crowd, &here, {}, workgroups);
      runs += static_cast<int>(workgroups);
    }
  }
  for (auto &stream : streams)
    EXPECT_TRUE(stream->finish().ok());
  EXPECT_EQ(here.runs, runs);
  EXPECT_LE(here.most, static_cast<int>(kCores));
  EXPECT_GT(here.most, 1);
}

// Numbers that follow from the order that events ask for, and from no other.
TEST(SharedQueue, RandomGraphsKeepTheirOrder) {
  uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (size_t threads : {2, 3, 5}) {
    auto pool = poolOf(threads);
    constexpr int kCells = 5;
    int64_t got[kCells] = {}, want[kCells] = {};
    hal::Point last[kCells]; // who wrote the cell
    {
      std::vector<std::unique_ptr<Stream>> streams;
      for (int s = 0; s < 7; ++s)
        streams.push_back(std::make_unique<Stream>(pool));
      for (int i = 0; i < 2000; ++i) {
        int cell = static_cast<int>(random() % kCells);
        int64_t constant = static_cast<int64_t>(random() % 100);
        last[cell] = streams[random() % streams.size()]->submit(next, &got[cell], {last[cell]}, 1, constant);
        want[cell] = (3 * want[cell] + constant) % kPrime;
      }
      for (auto &stream : streams)
        EXPECT_TRUE(stream->finish().ok());
    }
    for (int c = 0; c < kCells; ++c)
      EXPECT_EQ(got[c], want[c]);
  }
}

TEST(SharedQueue, WaitsForTheHostWithoutAThread) {
  auto pool = poolOf(2);
  auto gate = std::make_shared<hal::Semaphore>();
  std::vector<std::unique_ptr<Stream>> held;
  int64_t numbers[5] = {}, free = 0;
  for (int64_t &number : numbers) // more than there are threads
    (held.emplace_back(std::make_unique<Stream>(pool)))->submit(next, &number, {{gate, 1}}, 1, 7);
  Stream other(pool);
  other.submit(next, &free, {}, 1, 3);
  EXPECT_TRUE(other.finish().ok());
  EXPECT_EQ(free, 3);
  EXPECT_EQ(held[0]->queue->wait({held[0]->timeline, 1}, 3'000'000).code(), StatusCode::DeadlineExceeded);
  gate->signal(1);
  for (auto &stream : held)
    EXPECT_TRUE(stream->finish().ok());
  for (int64_t number : numbers)
    EXPECT_EQ(number, 7);
}

TEST(SharedQueue, FailuresKeepTheirFirstCause) {
  auto pool = poolOf(2);
  int64_t number = 0;
  Stream a(pool), b(pool), c(pool);
  hal::Point first = a.submit(next, &number, {}, 1, 1), failed = a.submit(fails, &number);
  hal::Point behind = b.submit(next, &number, {failed}, 1, 1);
  c.submit(next, &number, {behind}, 1, 1);
  EXPECT_EQ(c.finish().message(), "dispatch 'k': status 1");
  EXPECT_EQ(b.finish().message(), "dispatch 'k': status 1");
  EXPECT_TRUE(first.wait().ok());
  for (Stream *stream : {&a, &b, &c})
    stream->queue->drain();
  EXPECT_EQ(number, 1);
}

TEST(SharedQueue, WhatIsAbandonedIsLeftOut) {
  auto pool = poolOf(2);
  auto gate = std::make_shared<hal::Semaphore>();
  int64_t number = 0;
  Stream a(pool);
  a.submit(next, &number, {{gate, 1}}, 1, 1, 50);
  a.submit(next, &number, {}, 1, 1, 50);
  a.timeline->fail(Status(StatusCode::Cancelled, "enough"));
  gate->signal(1);
  a.queue->drain();
  EXPECT_EQ(number, 0);
  EXPECT_EQ(a.finish().message(), "enough");
}

// Queues come and go while threads of all kinds touch them.
TEST(SharedQueue, QueuesEndAtOnce) {
  for (int round = 0; round < 300; ++round) {
    auto pool = round % 10 ? nullptr : poolOf(3);
    static std::shared_ptr<WorkerPool> kept;
    kept = pool ? pool : kept;
    auto gate = std::make_shared<hal::Semaphore>();
    int64_t a = 0, b = 0;
    Stream first(kept), second(kept);
    std::thread signaller([gate] { gate->signal(1); });
    hal::Point half = first.submit(next, &a, {{gate, 1}}, 1, 1, 3);
    second.submit(next, &b, {half}, 1, 1, 2);
    if (round % 2)
      EXPECT_TRUE(second.finish().ok());
    signaller.join();
  }
}

TEST(SharedQueue, SeveralThreadsHelp) {
  auto pool = poolOf(2);
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum = 0;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&, t] {
      for (int round = 0; round < 30; ++round) {
        Stream a(pool), b(pool);
        int64_t x = 0, y = 0;
        hal::Point half = a.submit(next, &x, {}, 1, t, 20);
        b.submit(next, &y, {half}, 1, 1, 1);
        EXPECT_TRUE(b.finish().ok());
        sum += y;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(sum, 120);
}

TEST(SharedQueue, ADeviceOfOneCoreHasNothingToShare) {
  EXPECT_FALSE((*openDevice("local://" + std::to_string(allowedCores()[0])))->overlapsQueues());
  if (allowedCores().size() > 1) {
    EXPECT_TRUE((*openDevice("local"))->overlapsQueues());
  }
}

} // namespace
