// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/OverlapQueue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace heddle;
using namespace heddle::hal;

namespace {

using namespace std::chrono_literals;

// What dispatches do: the number is the dispatch's.
struct Work {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int64_t> begun, ended;
  std::set<int64_t> held, failing; // numbers that stay in their dispatch; that fail
  uint32_t threads = 0;

  void release(int64_t number) {
    std::lock_guard lock(mutex);
    held.erase(number);
    changed.notify_all();
  }
  bool hasBegun(int64_t number, std::chrono::milliseconds within = 2000ms) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, within, [&] { return std::count(begun.begin(), begun.end(), number) != 0; });
  }
};

class Worker final : public Commands {
public:
  explicit Worker(Work &work) : work_(work) { ++work.threads; }
  Status dispatch(const Dispatch &dispatch) override {
    std::unique_lock lock(work_.mutex);
    work_.begun.push_back(dispatch.workgroups);
    work_.changed.notify_all();
    work_.changed.wait(lock, [&] { return !work_.held.contains(dispatch.workgroups); });
    work_.ended.push_back(dispatch.workgroups);
    if (work_.failing.contains(dispatch.workgroups))
      return Status(StatusCode::Io, "dispatch " + std::to_string(dispatch.workgroups));
    for (const BoundView &view : dispatch.views)
      if (view.writes)
        std::fill_n(view.view.address(), view.view.bytes, static_cast<std::byte>(dispatch.workgroups));
    return {};
  }
  Status copy(const View &, const View &) override { return {}; }
  Status fill(const View &, uint64_t, uint32_t) override { return {}; }
  Status stamp(uint64_t *ns) override {
    *ns = work_.ended.size();
    return {};
  }

private:
  Work &work_;
};

class OverlapQueueTest : public testing::Test {
protected:
  void open(uint32_t atOnce) {
    queue = std::move(*createHostQueue({[this] { return std::make_unique<Worker>(work); }, atOnce}));
  }
  // One that reads and writes these bytes of `memory`; its number is also its place in the timeline.
  void submit(std::pair<size_t, size_t> reads, std::pair<size_t, size_t> writes, std::span<const Point> waits = {}) {
    BoundView views[] = {{View::ofHost(memory + reads.first, reads.second), false},
                         {View::ofHost(memory + writes.first, writes.second), true}};
    Dispatch dispatch;
    dispatch.workgroups = static_cast<int64_t>(buffers.size()) + 1;
    dispatch.views = views;
    give([&](CommandBuffer &commands) { return commands.dispatch(dispatch); }, waits);
  }
  template <typename Record> void give(Record &&record, std::span<const Point> waits = {}) {
    auto &commands = *buffers.emplace_back(std::make_unique<CommandBuffer>());
    ASSERT_TRUE(record(commands).ok());
    Point end{timeline, buffers.size()};
    queue->submit(&commands, waits, {&end, 1});
  }

  Work work;
  std::byte memory[1024]{};
  std::vector<std::unique_ptr<CommandBuffer>> buffers;
  std::shared_ptr<Semaphore> timeline = std::make_shared<Semaphore>();
  std::unique_ptr<Queue> queue;
};

TEST_F(OverlapQueueTest, IndependentOnesAreInFlightAndEndInOrder) {
  open(3);
  work.held = {1, 2, 3};
  for (size_t i : {0u, 1u, 2u, 3u})
    submit({100 * i, 50}, {100 * i + 50, 50});
  EXPECT_TRUE(work.hasBegun(3));
  EXPECT_FALSE(work.hasBegun(4, 20ms)); // the first, three places before, is not done
  work.release(2);
  work.release(3);
  EXPECT_FALSE(work.hasBegun(4, 20ms));
  EXPECT_EQ(timeline->value(), 0u);
  work.release(1);
  EXPECT_TRUE(timeline->wait(4).ok());
  ASSERT_EQ(work.begun.size(), 4u);
  EXPECT_EQ(work.begun[3], 4);
  std::sort(work.begun.begin(), work.begun.begin() + 3); // on threads of their own: whichever is quicker
  EXPECT_EQ(work.begun, (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(work.threads, 3u);
}

TEST_F(OverlapQueueTest, ThoseOfTheSameBytesWait) {
  open(4);
  work.held = {1};
  submit({0, 10}, {10, 10});
  submit({19, 5}, {100, 10}); // reads what the first writes
  EXPECT_FALSE(work.hasBegun(2, 20ms));
  work.release(1);
  EXPECT_TRUE(timeline->wait(2).ok());
  work.held = {3, 4};
  submit({0, 10}, {200, 10});
  submit({0, 10}, {300, 10}); // reads alike
  EXPECT_TRUE(work.hasBegun(4));
  submit({400, 1}, {9, 5}); // writes what they read
  EXPECT_FALSE(work.hasBegun(5, 20ms));
  work.release(4);
  EXPECT_FALSE(work.hasBegun(5, 20ms));
  work.release(3);
  EXPECT_TRUE(timeline->wait(5).ok());
}

TEST_F(OverlapQueueTest, OneWithoutBytesIsAlone) {
  open(4);
  work.held = {1, 2};
  submit({0, 1}, {1, 1});
  Dispatch agreement;
  agreement.workgroups = 2;
  give([&](CommandBuffer &commands) { return commands.dispatch(agreement); });
  submit({2, 1}, {3, 1});
  EXPECT_FALSE(work.hasBegun(2, 20ms));
  work.release(1);
  EXPECT_TRUE(work.hasBegun(2));
  EXPECT_FALSE(work.hasBegun(3, 20ms));
  work.release(2);
  EXPECT_TRUE(timeline->wait(3).ok());
}

TEST_F(OverlapQueueTest, WaitsHoldThoseBehind) {
  open(4);
  Point ready{std::make_shared<Semaphore>(), 1};
  submit({0, 1}, {1, 1}, {&ready, 1});
  submit({2, 1}, {3, 1});
  EXPECT_FALSE(work.hasBegun(2, 20ms));
  ready.semaphore->signal(1);
  EXPECT_TRUE(timeline->wait(2).ok());
  EXPECT_EQ(work.begun, (std::vector<int64_t>{1, 2}));
}

TEST_F(OverlapQueueTest, StampsHoldUpNobody) {
  open(2);
  work.held = {1};
  submit({0, 1}, {1, 1});
  uint64_t stamped = 99;
  for (int i = 0; i < 5; ++i)
    give([&](CommandBuffer &commands) { return commands.stamp(&stamped); });
  submit({2, 1}, {3, 1}); // the seventh
  EXPECT_TRUE(work.hasBegun(7));
  EXPECT_EQ(stamped, 99u);
  work.release(1);
  EXPECT_TRUE(timeline->wait(7).ok());
  EXPECT_GE(stamped, 1u);
}

TEST_F(OverlapQueueTest, TheFirstFailureEndsTheTimeline) {
  open(4);
  work.held = {1, 3};
  work.failing = {2, 3};
  for (size_t i : {0u, 1u, 2u, 3u})
    submit({10 * i, 1}, {10 * i + 1, 1});
  EXPECT_TRUE(work.hasBegun(4));
  EXPECT_EQ(timeline->query(2), SemaphoreState::Pending); // the first may still fail
  work.release(3);
  work.release(1);
  EXPECT_NE(timeline->wait(4).text().find("dispatch 2"), std::string::npos);
  EXPECT_EQ(timeline->value(), 1u);
  queue->drain();
  submit({0, 1}, {1, 1}); // left out
  queue->drain();
  EXPECT_FALSE(work.hasBegun(5, 1ms));
}

// Any of them in any order ends with the bytes of one after the other.
TEST_F(OverlapQueueTest, RandomBytes) {
  auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  open(4);
  std::vector<std::byte> expected(sizeof(memory));
  for (int i = 0; i < 2000; ++i) {
    size_t from = random() % 900, size = random() % 120, to = random() % 900;
    submit({from, size}, {to, size});
    std::fill_n(expected.data() + to, size, static_cast<std::byte>(i + 1));
  }
  EXPECT_TRUE(timeline->wait(2000).ok());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), memory));
  std::vector<int64_t> sorted = work.ended;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t i = 0; i < 2000; ++i)
    ASSERT_EQ(sorted[static_cast<size_t>(i)], i + 1);
}

TEST_F(OverlapQueueTest, TheChildOfAForkBeginsAnew) {
  open(2);
  submit({0, 1}, {1, 1});
  EXPECT_TRUE(timeline->wait(1).ok());
  pid_t child = fork();
  if (child == 0) {
    submit({2, 1}, {3, 1});
    _exit(timeline->wait(2, 5'000'000'000).ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(HostQueue, OneAtOnceIsAPlainQueue) {
  Work work;
  std::unique_ptr<Queue> queue = std::move(*createHostQueue({[&] { return std::make_unique<Worker>(work); }, 1}));
  EXPECT_EQ(work.threads, 1u);
}

} // namespace
