// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs on several streams of one device whose cores they share: values, failures, ends, forks.
#include "ExecutorFixture.h"
#include "TurnsModule.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace heddle;
using namespace heddle::test;
using contract::test::function;

namespace {

// Registers: s1 = 0, s2 = 1, s3 = 64, s4 = rounds of `work`; b1, b2 are 64 bytes; t1, t2 streams of device 0.
fb::ModuleT program(const std::string &code) {
  fb::ModuleT module = emptyModule();
  module.functions.push_back(function("main",
                                      ("const s1 0\nconst s2 1\nconst s3 64\nconst s4 1000000\nalloc b1 x0 s3\n"
                                       "alloc b2 x0 s3\nfill t0 b1 s1 s3 s1 8\nfill t0 b2 s1 s3 s1 8\n"
                                       "stream t1 x0 0\nstream t2 x0 1\nfollow t1 t0\nfollow t2 t0\n" +
                                       code + "\nfollow t0 t1\nfollow t0 t2\nfree t0 b1\nfree t0 b2\nreturn")
                                          .c_str(),
                                      8, 4, 5, 3));
  return module;
}

Status callTurns(Invocation &call, size_t n, float factor) {
  std::vector<float> x(n), y(n);
  for (size_t i = 0; i < n; ++i)
    x[i] = static_cast<float>(i % 1000) + 1;
  heddle_tensor in = tensorOf(x), out = tensorOf(y);
  HEDDLE_RETURN_IF_ERROR(call.call({&in, 1}, {&out, 1}));
  for (size_t i = 0; i < n; ++i)
    if (y[i] != factor * x[i])
      return Status(StatusCode::Internal, "y[" + std::to_string(i) + "] is " + std::to_string(y[i]));
  return {};
}

class Streams : public testing::TestWithParam<const char *> {};

TEST_P(Streams, TakeTurns) {
  Loaded loaded(turnsModule(7), {GetParam()});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  for (int round = 0; round < 20; ++round)
    for (size_t n : {1, 100, 50000}) {
      Status status = callTurns(*loaded.calls[0], n, 128);
      ASSERT_TRUE(status.ok()) << n << " " << status.text();
    }
}

TEST_P(Streams, SteadyStateAllocatesNothing) {
  Loaded loaded(turnsModule(6), {GetParam()});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(callTurns(*loaded.calls[0], 1000, 64).ok());
    EXPECT_TRUE(i < 2 || loaded.calls[0]->statistics().allocations == 0);
  }
}

TEST_P(Streams, ThreadsShareThem) {
  Loaded loaded(turnsModule(5), {GetParam()});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      auto call = std::move(*Invocation::create(loaded.module, *loaded.module->entryPoints()[0]));
      for (int i = 0; i < 50; ++i)
        EXPECT_TRUE(callTurns(*call, 1 + 997 * i % 5000, 32).ok());
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_P(Streams, TheFirstCauseOfAFailure) {
  const std::string named = "dispatch 'out_of_range': an index is out of range; check the indices given to the model\n"
                            "the dispatch comes from '/encoder/Gather_7'";
  for (const char *code : {"dispatch t1 3.0 s2 s1 [b1] [s1]",
                           "dispatch t1 3.0 s2 s1 [b1] [s1]\nrecord e0 t1\nwait t2 e0\ndispatch t2 1.0 s2 s1 [b2] []",
                           "dispatch t1 3.0 s2 s1 [b1] [s1]\nrecord e0 t1\nawait e0",
                           "dispatch t2 3.0 s2 s1 [b1] [s1]\nread s5 t2 b1 s1 5"}) {
    Loaded loaded(program(code), {GetParam()});
    ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(loaded.calls[0]->call({}, {}).text(), named) << code;
  }
}

TEST_P(Streams, DeadlinesAndCancellationEndThem) {
  std::string code;
  for (int i = 0; i < 4000; ++i)
    code += i % 2 ? "dispatch t1 4.0 s2 s1 [b1] [s4]\n" : "dispatch t2 4.0 s2 s1 [b2] [s4]\n"; // about 0.3 ms each
  Loaded loaded(program(code), {GetParam()});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  loaded.calls[0]->setTimeout(5'000'000);
  uint64_t start = nowNs();
  EXPECT_EQ(loaded.calls[0]->call({}, {}).code(), StatusCode::DeadlineExceeded);
  EXPECT_LT(nowNs() - start, 1'000'000'000u); // what all take on one idle core
  loaded.calls[0]->setTimeout(0);
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    loaded.calls[0]->cancel();
  });
  start = nowNs();
  EXPECT_EQ(loaded.calls[0]->call({}, {}).code(), StatusCode::Cancelled);
  EXPECT_LT(nowNs() - start, 1'000'000'000u); // what all take on one idle core
  canceller.join();
}

TEST_P(Streams, TheChildOfAForkBeginsAnew) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a forked child may not start threads under ThreadSanitizer";
#endif
#endif
  if (std::string(GetParam()).starts_with("sim"))
    GTEST_SKIP() << "virtual time is not that of a child";
  Loaded loaded(turnsModule(6), {GetParam()});
  ASSERT_TRUE(callTurns(*loaded.calls[0], 3000, 64).ok());
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> stop = false;
    std::thread busy([&] { // forks meet queues at work
      auto call = std::move(*Invocation::create(loaded.module, *loaded.module->entryPoints()[0]));
      while (!stop)
        EXPECT_TRUE(callTurns(*call, 3000, 64).ok());
    });
    std::this_thread::sleep_for(std::chrono::microseconds(300 * round));
    pid_t child = fork();
    if (!child) {
      alarm(20);
      auto fresh = std::move(*Invocation::create(loaded.module, *loaded.module->entryPoints()[0]));
      _exit(callTurns(*loaded.calls[0], 3000, 64).ok() && callTurns(*fresh, 100, 64).ok() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    stop = true;
    busy.join();
    EXPECT_TRUE(callTurns(*loaded.calls[0], 3000, 64).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Streams, testing::Values("local", "local://0", "local?discrete=yes", "sim?queues=2"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

} // namespace
