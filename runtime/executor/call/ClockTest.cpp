// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Clock.h"
#include "runtime/executor/call/Wait.h"

#include <gtest/gtest.h>

#include <thread>

namespace heddle::test {
namespace {

constexpr uint64_t kHour = 3'600'000'000'000;

TEST(Clock, SaysNothingWithoutALimit) {
  Clock clock;
  clock.begin();
  clock.start(1); // long ago
  EXPECT_FALSE(clock.rings());
  EXPECT_TRUE(clock.check().ok());
  clock.extend(5); // no limit comes of it
  EXPECT_TRUE(clock.check().ok());
}

TEST(Clock, RingsWhenTheTimeIsUp) {
  Clock clock;
  clock.setTimeout(2'000'000);
  clock.begin();
  clock.start(nowNs() + kHour);
  EXPECT_TRUE(clock.rings()); // who has a limit is asked
  EXPECT_TRUE(clock.check().ok());
  clock.start(nowNs() - 3'000'000);
  Status late = clock.check();
  EXPECT_EQ(late.code(), StatusCode::DeadlineExceeded);
  EXPECT_EQ(late.message(), "the call takes longer than its limit of 2000 us");
  clock.extend(kHour);
  EXPECT_TRUE(clock.check().ok());
}

TEST(Clock, IsCancelledUntilTheNextCall) {
  Clock clock;
  clock.begin();
  clock.cancel();
  clock.start(nowNs()); // a call that was cancelled before its turn
  EXPECT_TRUE(clock.rings());
  EXPECT_EQ(clock.check().code(), StatusCode::Cancelled);
  clock.begin();
  EXPECT_FALSE(clock.rings());
  EXPECT_TRUE(clock.check().ok());
}

TEST(Clock, WaitsInSlices) {
  Clock clock;
  clock.begin();
  std::vector<uint64_t> asked;
  EXPECT_TRUE(clock.waitUntil([&](uint64_t ns) { return asked.push_back(ns), asked.size() == 10; }).ok());
  EXPECT_EQ(asked, (std::vector<uint64_t>{0, 1'000'000, 2'000'000, 4'000'000, 8'000'000, 16'000'000, 32'000'000,
                                          64'000'000, 128'000'000, 128'000'000}));
  clock.setTimeout(1'000'000'000'000);
  clock.start(nowNs() - 1'000'000'000'000 + 50'000'000); // 50 ms are left
  asked.clear();
  EXPECT_TRUE(clock.waitUntil([&](uint64_t ns) { return asked.push_back(ns), asked.size() == 10; }).ok());
  EXPECT_LE(asked.back(), 50'000'000u);
  clock.cancel();
  EXPECT_TRUE(clock.waitUntil([](uint64_t) { return true; }).ok()); // what is reached is reached
  int times = 0;
  EXPECT_EQ(clock.waitUntil([&](uint64_t) { return ++times, false; }).code(), StatusCode::Cancelled);
  EXPECT_EQ(times, 1);
}

TEST(Clock, WaitsForPoints) {
  Clock clock;
  clock.begin();
  auto point = [] { return hal::Point{std::make_shared<hal::Semaphore>(), 1}; };
  hal::Point done = point(), failed = point(), late = point(), never = point();
  done.semaphore->signal(1);
  failed.semaphore->fail(Status(StatusCode::KernelFailed, "no luck"));
  EXPECT_TRUE(waitFor(done, clock).ok());
  EXPECT_EQ(waitFor(failed, clock).message(), "no luck");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    late.semaphore->signal(1);
  });
  EXPECT_TRUE(waitFor(late, clock).ok());
  other.join();
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    clock.cancel();
  });
  EXPECT_EQ(waitFor(never, clock).code(), StatusCode::Cancelled);
  EXPECT_TRUE(never.isPending());
  canceller.join();
}

} // namespace
} // namespace heddle::test
