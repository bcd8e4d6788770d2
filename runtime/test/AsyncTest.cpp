// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous calls, cancelling, deadlines, and one module used by several threads. Runs under ThreadSanitizer.
#include "TestModules.h"
#include "runtime/executor/call/Invocation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

using namespace heddle;
using namespace heddle::test;

namespace {

// main as in quadrupleModule(); forever() works until it is stopped.
class Async : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    fb::ModuleT module = quadrupleModule();
    module.functions.push_back(
        contract::test::function("forever",
                                 "const s0 8\nconst s1 1\nconst s2 0\nconst s3 1000\nalloc b0 x0 s0\n"
                                 "@loop dispatch t0 4.0 s1 s2 [b0] [s3]\nbr @loop",
                                 4, 1));
    module.functions.push_back(contract::test::function("spin", "@loop br @loop", 0, 0));
    bytes_ = std::make_unique<AlignedBytes>(build(module));
    auto loaded = Module::load(*Artifact::openMemory(*bytes_), std::vector<std::string>{GetParam()}, runBindFunction);
    ASSERT_TRUE(loaded.ok()) << loaded.status().text();
    module_ = *loaded;
  }
  std::unique_ptr<Invocation> invocation(const char *name) {
    return std::move(*Invocation::create(module_, *module_->entryPoints()[*module_->findEntryPoint(name)]));
  }
  static heddle_tensor tensor(std::vector<float> &values) {
    return {values.data(), values.size() * 4, HEDDLE_F32, 1, {static_cast<int64_t>(values.size())}, nullptr};
  }
  std::unique_ptr<AlignedBytes> bytes_;
  std::shared_ptr<Module> module_;
};

TEST_P(Async, ResultsAndEvent) {
  auto call = invocation("main");
  std::vector<float> x(100, 3), y(100);
  heddle_tensor in = tensor(x), out = tensor(y);
  auto done = call->start({&in, 1}, {&out, 1}, {}, nullptr);
  ASSERT_TRUE(done.ok()) << done.status().text();
  EXPECT_TRUE((*done)->wait(1).ok());
  EXPECT_EQ(y, std::vector<float>(100, 12));
}

TEST_P(Async, WaitsForEventsAndChains) {
  auto first = invocation("main"), second = invocation("main");
  std::vector<float> x(100, 3), y(100), z(100);
  heddle_tensor a = tensor(x), b = tensor(y), c = tensor(z);
  auto stream = std::move(*module_->createQueue(0));
  auto gate = std::make_shared<hal::Semaphore>();
  auto one = first->start({&a, 1}, {&b, 1}, {{gate, 1}}, nullptr);
  ASSERT_TRUE(one.ok());
  auto two = second->start({&b, 1}, {&c, 1}, {{*one, 1}}, stream.get());
  ASSERT_TRUE(two.ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ((*two)->query(1), hal::SemaphoreState::Pending);
  EXPECT_EQ(first->call({&a, 1}, {&c, 1}).message(), "an invocation runs one call at a time, got a second one; create "
                                                     "another invocation of the module");
  gate->signal(1);
  EXPECT_TRUE((*two)->wait(1).ok());
  EXPECT_EQ(z, std::vector<float>(100, 48));
}

TEST_P(Async, FailedWaitFailsTheCallWithItsCause) {
  auto first = invocation("main"), second = invocation("main");
  std::vector<float> x(4, 3), y(4), z(4);
  heddle_tensor a = tensor(x), b = tensor(y), c = tensor(z);
  auto gate = std::make_shared<hal::Semaphore>();
  auto one = first->start({&a, 1}, {&b, 1}, {{gate, 1}}, nullptr);
  auto two = second->start({&b, 1}, {&c, 1}, {{*one, 1}}, nullptr);
  gate->fail(Status(StatusCode::KernelFailed, "the first cause"));
  EXPECT_EQ((*two)->wait(1).message(), "the first cause");
  EXPECT_TRUE(second->call({&a, 1}, {&c, 1}).ok()); // the next call works
  EXPECT_EQ(z[3], 12);
}

TEST_P(Async, ErrorsBeforeTheStartAreReturned) {
  auto call = invocation("main");
  EXPECT_EQ(call->start({}, {}, {}, nullptr).status().message(), "'main' takes 1 arguments, got 0");
  std::vector<float> x(4, 3), y(4);
  heddle_tensor a = tensor(x), b = tensor(y);
  EXPECT_TRUE(call->call({&a, 1}, {&b, 1}).ok());
}

TEST_P(Async, CancelEndsTheCall) {
  for (const char *name : {"forever", "spin"}) {
    auto call = invocation(name);
    auto done = call->start({}, {}, {}, nullptr);
    ASSERT_TRUE(done.ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ((*done)->query(1), hal::SemaphoreState::Pending);
    call->cancel();
    EXPECT_EQ((*done)->wait(1).code(), StatusCode::Cancelled);
  }
}

TEST_P(Async, CancelEndsAWait) {
  auto call = invocation("spin");
  auto done = call->start({}, {}, {{std::make_shared<hal::Semaphore>(), 1}}, nullptr);
  call->cancel();
  EXPECT_EQ((*done)->wait(1).message(), "the call was cancelled");
}

TEST_P(Async, CancelWithoutACallDoesNothing) {
  auto call = invocation("main");
  call->cancel();
  std::vector<float> x(4, 3), y(4);
  heddle_tensor a = tensor(x), b = tensor(y);
  EXPECT_TRUE(call->call({&a, 1}, {&b, 1}).ok());
}

TEST_P(Async, DeadlineEndsTheCall) {
  for (const char *name : {"forever", "spin"}) {
    auto call = invocation(name);
    call->setTimeout(2'000'000);
    Status status = call->call({}, {});
    EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
    EXPECT_EQ(status.message(), "the call takes longer than its limit of 2000 us");
  }
  auto quick = invocation("main");
  quick->setTimeout(60'000'000'000);
  std::vector<float> x(4, 3), y(4);
  heddle_tensor a = tensor(x), b = tensor(y);
  EXPECT_TRUE(quick->call({&a, 1}, {&b, 1}).ok());
}

TEST_P(Async, ReleaseCancelsARunningCall) {
  auto call = invocation("forever");
  auto done = call->start({}, {}, {}, nullptr);
  call.reset();
  EXPECT_EQ((*done)->wait(1).code(), StatusCode::Cancelled);
}

TEST_P(Async, ThreadsShareAModule) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      auto call = invocation("main");
      for (int round = 0; round < 100; ++round) {
        size_t n = 1 + (t * 131 + round * 17) % 900;
        std::vector<float> x(n, static_cast<float>(t + 1)), y(n);
        heddle_tensor in = tensor(x), out = tensor(y);
        if (round % 3 == 0) {
          auto done = call->start({&in, 1}, {&out, 1}, {}, nullptr);
          ASSERT_TRUE(done.ok() && (*done)->wait(1).ok());
        } else {
          ASSERT_TRUE(call->call({&in, 1}, {&out, 1}).ok());
        }
        ASSERT_EQ(y, std::vector<float>(n, 4.0f * (t + 1)));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

INSTANTIATE_TEST_SUITE_P(Devices, Async, testing::Values("local://0", "local"),
                         [](const auto &info) { return std::string(info.param) == "local" ? "all" : "one"; });

} // namespace
