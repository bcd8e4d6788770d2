// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues over an engine that is a log.
#include "runtime/drivers/common/DeviceQueue.h"

#include "gtest/gtest.h"

#include <thread>

using namespace heddle;
using hal::Point;
using hal::Semaphore;
using hal::SemaphoreState;
using hal::View;

namespace {

int theDevice;

struct Log {
  std::atomic<uint64_t> handedOver = 0, done = UINT64_MAX, waitedFor = 0;
  std::string text;
  bool refuses = false;
  Status lost;
  const void *family = &theDevice;
};

// A copy hands over its first half by itself, then records the rest or fails. Work is done when the log says so, or
// somebody waits for ever.
class LoggedEngine final : public engines::Engine {
public:
  explicit LoggedEngine(Log &log) : log_(log) {}
  Status dispatch(const hal::Dispatch &dispatch) override {
    open_ = true;
    failures_.add(log_.handedOver + 1, dispatch.workgroups < 0 ? Status(StatusCode::KernelFailed, "index") : Status());
    return {};
  }
  Status copy(const View &to, const View &) override {
    ++log_.handedOver;
    open_ = true;
    return to.bytes > 100 ? Status(StatusCode::OutOfMemory, "no staging memory") : Status();
  }
  Status fill(const View &, uint64_t pattern, uint32_t) override {
    log_.text += "fill " + std::to_string(pattern) + "; ";
    open_ = true;
    return {};
  }
  Status stamp(uint64_t *) override { return {}; }
  Status waitFor(Engine &, uint64_t ticket) override {
    log_.text += "wait " + std::to_string(ticket) + "; ";
    open_ = true;
    return {};
  }
  StatusOr<uint64_t> handOver(bool) override {
    if (std::exchange(open_, false)) {
      if (log_.refuses)
        return Status(StatusCode::Internal, "cannot submit");
      ++log_.handedOver;
    }
    return log_.handedOver.load();
  }
  StatusOr<bool> awaitTicket(uint64_t ticket, uint64_t timeoutNs) override {
    if (!log_.lost.ok())
      return log_.lost.clone();
    log_.waitedFor = std::max(log_.waitedFor.load(), ticket);
    return ticket <= log_.done || timeoutNs == UINT64_MAX;
  }
  void retire(uint64_t) override {}
  Status takeFailure(uint64_t ticket) override { return failures_.take(ticket); }
  const void *family() const override { return log_.family; }

private:
  Log &log_;
  engines::Failures failures_;
  bool open_ = false;
};

std::unique_ptr<hal::Queue> queueOn(Log &log) {
  return engines::createDeviceQueue(std::make_unique<LoggedEngine>(log));
}

std::unique_ptr<hal::CommandBuffer> fill(uint64_t pattern) {
  auto commands = std::make_unique<hal::CommandBuffer>();
  EXPECT_TRUE(commands->fill({}, pattern, 1).ok());
  return commands;
}

struct Timeline {
  std::shared_ptr<Semaphore> semaphore = std::make_shared<Semaphore>();
  Point at(uint64_t value) const { return {semaphore, value}; }
};

void submit(hal::Queue &queue, const hal::CommandBuffer *commands, std::vector<Point> waits,
            std::vector<Point> signals) {
  queue.submit(commands, waits, signals);
}

// The caller may free the memory as soon as it has the failure.
TEST(DeviceQueue, AFailureWaitsForWhatWasRecorded) {
  for (bool refuses : {false, true})
    for (uint64_t bytes : {50, 200}) {
      Log log;
      log.refuses = refuses;
      std::unique_ptr<hal::Queue> queue = queueOn(log);
      hal::CommandBuffer commands;
      EXPECT_TRUE(commands.copy({nullptr, 1, bytes}, {nullptr, 1, bytes}).ok());
      EXPECT_EQ(hal::runToEnd(*queue, commands).message(), bytes > 100 ? "no staging memory"
                                                           : refuses   ? "cannot submit"
                                                                       : "ok");
      EXPECT_EQ(log.handedOver, refuses ? 1u : 2u);
      EXPECT_EQ(log.waitedFor, log.handedOver) << refuses << bytes;
    }
}

TEST(DeviceQueue, WaitsOfAFamilyAreTheDevices) {
  Log one, two;
  one.done = two.done = 0;
  std::unique_ptr<hal::Queue> first = queueOn(one), second = queueOn(two);
  Timeline a, b;
  auto commands = fill(1), more = fill(2);
  submit(*first, commands.get(), {}, {a.at(5)});
  submit(*second, more.get(), {a.at(5)}, {b.at(1)});
  EXPECT_EQ(two.text, "wait 1; fill 2; ") << "handed over at once";
  EXPECT_EQ(b.semaphore->query(1), SemaphoreState::Pending);
  EXPECT_EQ(a.semaphore->query(5), SemaphoreState::Pending);
  one.done = two.done = 1;
  EXPECT_EQ(b.semaphore->query(1), SemaphoreState::Reached);
  EXPECT_EQ(a.semaphore->query(5), SemaphoreState::Reached) << "settled, too";
}

TEST(DeviceQueue, WhatTheDeviceCannotWaitForIsPutOffInOrder) {
  Log one, two;
  one.done = 0;
  one.family = &one; // another driver's
  std::unique_ptr<hal::Queue> first = queueOn(one), second = queueOn(two);
  Timeline gate, foreign, b;
  auto commands = fill(1), more = fill(2), last = fill(3);
  submit(*first, commands.get(), {}, {foreign.at(1)});
  submit(*second, commands.get(), {gate.at(1)}, {b.at(1)});
  submit(*second, more.get(), {foreign.at(1)}, {b.at(2)});
  submit(*second, last.get(), {}, {b.at(3)});
  EXPECT_EQ(two.text, "");
  EXPECT_EQ(b.semaphore->query(3), SemaphoreState::Pending);
  gate.semaphore->signal(1);
  EXPECT_TRUE(b.semaphore->wait(3).ok());
  EXPECT_EQ(two.text, "fill 1; fill 2; fill 3; ");
  EXPECT_EQ(foreign.semaphore->query(1), SemaphoreState::Reached);
}

TEST(DeviceQueue, FailuresTravelWithTheirFirstCause) {
  Log one, two;
  std::unique_ptr<hal::Queue> first = queueOn(one), second = queueOn(two);
  Timeline a, b, c;
  hal::DispatchLabel label{"bad", ""};
  hal::CommandBuffer bad;
  EXPECT_TRUE(bad.dispatch({nullptr, -1, 0, {}, {}, &label}).ok());
  auto commands = fill(1);
  one.done = two.done = 0;
  submit(*first, commands.get(), {}, {a.at(1)});
  submit(*first, &bad, {}, {a.at(2)});
  submit(*second, commands.get(), {a.at(2)}, {b.at(1)});
  one.done = two.done = 2;
  EXPECT_EQ(b.semaphore->wait(1).message(), "index") << "the device ran it all the same";
  EXPECT_EQ(a.semaphore->query(1), SemaphoreState::Reached);
  EXPECT_EQ(a.semaphore->wait(2).message(), "index");
  two.text.clear();
  submit(*second, commands.get(), {b.at(1)}, {c.at(1)});
  EXPECT_EQ(c.semaphore->wait(1).message(), "index");
  submit(*second, commands.get(), {}, {b.at(7)});
  EXPECT_EQ(two.text, "") << "what is known to fail is not handed over";
  Timeline fresh;
  submit(*second, commands.get(), {}, {fresh.at(1)});
  EXPECT_TRUE(fresh.semaphore->wait(1).ok()) << "the next call is another one";
}

TEST(DeviceQueue, ALostDeviceFailsAllOfIt) {
  Log log;
  log.done = 0;
  std::unique_ptr<hal::Queue> queue = queueOn(log);
  Timeline a, b;
  auto commands = fill(1);
  submit(*queue, commands.get(), {}, {a.at(1)});
  submit(*queue, commands.get(), {}, {b.at(1)});
  log.lost = Status(StatusCode::DeviceLost, "lost");
  EXPECT_EQ(b.semaphore->wait(1).code(), StatusCode::DeviceLost);
  EXPECT_EQ(a.semaphore->wait(1).code(), StatusCode::DeviceLost);
}

TEST(DeviceQueue, DrainWaitsForWhatWasPutOff) {
  Log log;
  std::unique_ptr<hal::Queue> queue = queueOn(log);
  Timeline gate, a;
  auto commands = fill(4);
  submit(*queue, commands.get(), {gate.at(1)}, {a.at(1)});
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    gate.semaphore->fail(Status(StatusCode::Io, "no"));
  });
  queue->drain();
  opener.join();
  EXPECT_EQ(a.semaphore->query(1), SemaphoreState::Failed);
  EXPECT_EQ(log.text, "");
}

} // namespace
