// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timelines signalled by the host, and by a device that is a flag.
#include "runtime/hal/Semaphore.h"

#include "gtest/gtest.h"

#include <thread>

using namespace heddle;
using hal::Point;
using hal::Semaphore;
using hal::SemaphoreState;

namespace {

TEST(Semaphore, RisesAndIsWaitedFor) {
  Semaphore semaphore(3);
  EXPECT_EQ(semaphore.value(), 3u);
  EXPECT_EQ(semaphore.query(3), SemaphoreState::Reached);
  EXPECT_EQ(semaphore.query(4), SemaphoreState::Pending);
  EXPECT_TRUE(semaphore.signal(7));
  EXPECT_FALSE(semaphore.signal(7));
  EXPECT_FALSE(semaphore.signal(5)) << "never falls";
  EXPECT_EQ(semaphore.value(), 7u);
  EXPECT_TRUE(semaphore.wait(6).ok());
  Status late = semaphore.wait(8, 2'000'000);
  EXPECT_EQ(late.code(), StatusCode::DeadlineExceeded);
  EXPECT_EQ(late.message(), "the semaphore did not reach 8 in 2000 us");
  EXPECT_EQ(semaphore.wait(8, 0).code(), StatusCode::DeadlineExceeded);
}

TEST(Semaphore, TheFirstFailureIsForGood) {
  Semaphore semaphore;
  EXPECT_TRUE(semaphore.signal(1));
  EXPECT_TRUE(semaphore.cause().ok());
  EXPECT_TRUE(semaphore.fail(Status(StatusCode::KernelFailed, "first")));
  EXPECT_FALSE(semaphore.fail(Status(StatusCode::Io, "second")));
  EXPECT_FALSE(semaphore.signal(2));
  EXPECT_EQ(semaphore.query(1), SemaphoreState::Reached) << "what was reached before stays";
  EXPECT_EQ(semaphore.query(2), SemaphoreState::Failed);
  EXPECT_TRUE(semaphore.wait(1).ok());
  EXPECT_EQ(semaphore.wait(2).message(), "first");
  EXPECT_EQ(semaphore.wait(9, 0).message(), "first");
  EXPECT_EQ(semaphore.cause().message(), "first");
}

TEST(Semaphore, WakesWhoWaits) {
  for (bool fails : {false, true}) {
    Semaphore semaphore;
    Status seen;
    std::thread waiter([&] { seen = semaphore.wait(2); });
    semaphore.signal(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (fails)
      semaphore.fail(Status(StatusCode::Io, "gone"));
    else
      semaphore.signal(2);
    waiter.join();
    EXPECT_EQ(seen.ok(), !fails);
  }
}

// Done when told so; asked how long it may take.
class Flag final : public hal::DeviceWork {
public:
  explicit Flag(Semaphore &signals) : signals_(signals) {}
  bool wait(uint64_t ticket, uint64_t timeoutNs) override {
    lastTimeout = timeoutNs;
    if (timeoutNs == UINT64_MAX)
      done = std::max(done, ticket);
    if (done < ticket)
      return false;
    if (fails)
      signals_.fail(Status(StatusCode::KernelFailed, "on the device"));
    else
      signals_.signal(10 * done);
    return true;
  }
  const void *family() const override { return this; }
  uint64_t done = 0, lastTimeout = 1;
  bool fails = false;

private:
  Semaphore &signals_;
};

TEST(Semaphore, APromisedValueIsTheDevices) {
  for (bool fails : {false, true}) {
    Semaphore semaphore;
    auto flag = std::make_shared<Flag>(semaphore);
    flag->fails = fails;
    semaphore.promise({10, flag, 1});
    semaphore.promise({20, flag, 2});
    EXPECT_EQ(semaphore.query(10), SemaphoreState::Pending);
    EXPECT_EQ(flag->lastTimeout, 0u);
    EXPECT_EQ(semaphore.wait(20, 0).code(), StatusCode::DeadlineExceeded);
    EXPECT_EQ(semaphore.waitForPromise(15).ticket, 2u);
    EXPECT_EQ(semaphore.waitForPromise(10).work.get(), flag.get());
    flag->done = 1;
    if (!fails) {
      EXPECT_EQ(semaphore.value(), 10u);
      EXPECT_EQ(semaphore.query(20), SemaphoreState::Pending);
    }
    EXPECT_EQ(semaphore.wait(20).ok(), !fails) << "waits for the device";
    EXPECT_EQ(semaphore.waitForPromise(20).work, nullptr) << "nobody has to do it any more";
    EXPECT_EQ(semaphore.query(20), fails ? SemaphoreState::Failed : SemaphoreState::Reached);
  }
}

TEST(Semaphore, APromiseWakesWhoWaits) {
  Semaphore semaphore;
  auto flag = std::make_shared<Flag>(semaphore);
  Status seen(StatusCode::Internal, "not waited");
  std::thread waiter([&] { seen = semaphore.wait(10); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  semaphore.promise({10, flag, 1});
  waiter.join();
  EXPECT_TRUE(seen.ok());
}

TEST(Semaphore, APointWithoutASemaphoreIsReached) {
  EXPECT_FALSE(Point().isPending());
  EXPECT_TRUE(Point().wait(0).ok());
  Point point{std::make_shared<Semaphore>(), 1};
  EXPECT_TRUE(point.isPending());
  point.semaphore->fail(Status(StatusCode::Io, "no"));
  EXPECT_FALSE(point.isPending());
  EXPECT_EQ(point.wait().message(), "no");
}

TEST(Semaphore, AfterAForkWhatIsPendingFails) {
  Semaphore semaphore(1);
  semaphore.failAfterFork(Status(StatusCode::Cancelled, "forked"));
  EXPECT_EQ(semaphore.wait(1).message(), "ok");
  EXPECT_EQ(semaphore.wait(2).message(), "forked");
}

// Counts its calls.
struct Counter final : hal::SemaphoreWatcher {
  void changed() override { ++calls; }
  std::atomic<int> calls{0};
};

TEST(Semaphore, TellsWatchersOnce) {
  Semaphore semaphore;
  auto first = std::make_shared<Counter>(), second = std::make_shared<Counter>();
  EXPECT_TRUE(semaphore.watch(2, first));
  EXPECT_TRUE(semaphore.watch(2, first)) << "the same again";
  EXPECT_TRUE(semaphore.watch(5, second));
  semaphore.signal(1);
  EXPECT_EQ(first->calls, 0);
  semaphore.signal(3);
  semaphore.signal(4);
  EXPECT_EQ(first->calls, 1);
  EXPECT_FALSE(semaphore.watch(4, first)) << "reached";
  EXPECT_EQ(second->calls, 0);
  semaphore.fail(Status(StatusCode::Io, "gone"));
  EXPECT_EQ(second->calls, 1);
  EXPECT_FALSE(semaphore.watch(9, second)) << "failed";
  EXPECT_EQ(first->calls, 1);
  EXPECT_EQ(first.use_count(), 1) << "nothing is kept";
}

} // namespace
