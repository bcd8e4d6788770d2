// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of programs on many ranks: their order, started ones, state, several entry points, memory, traces.
#include "RanksFixture.h"
#include "ResidentMemory.h"

#include <random>

using namespace heddle;
using namespace heddle::test;
using contract::test::device;
using contract::test::function;
using contract::test::value;

namespace {

// Nothing that a call or a collective takes stays: 10^5 collectives, of calls that are made and of calls that are
// started.
TEST(RankCalls, MemoryStaysFlat) {
  for (const char *uri : {"local://0", "local://0?discrete=yes"}) {
    RankModules loaded(loopModule(), 2, {uri});
    ASSERT_TRUE(loaded.ok());
    std::unique_ptr<Invocation> invocations[] = {loaded.invocation(0), loaded.invocation(1)};
    auto calls = [&](int count) {
      loaded.threads.forEach([&](uint32_t r) {
        std::vector<float> x(77, 1), y(77);
        heddle_tensor in = tensorOf(x), out = tensorOf(y);
        for (int i = 0; i < count; i += 2) {
          ASSERT_TRUE(invocations[r]->call({&in, 1}, {&out, 1}).ok());
          ASSERT_TRUE((*invocations[r]->start({&in, 1}, {&out, 1}, {}, nullptr))->wait(1).ok());
        }
      });
    };
    calls(1000);
    long before = residentBytes();
    calls(kSanitized || std::string_view(uri).ends_with("yes") ? 1000 : 9000);
    if (!kSanitized)
      EXPECT_LT(residentBytes() - before, 1 << 20) << uri;
  }
}

// Calls that are started, from two invocations: the ranks' collectives of one come before those of the next.
TEST(RankCalls, StartedCallsMeetInTheirOrder) {
  RankModules loaded(loopModule(), 2);
  ASSERT_TRUE(loaded.ok());
  loaded.threads.forEach([&](uint32_t r) {
    std::unique_ptr<Invocation> calls[] = {loaded.invocation(r), loaded.invocation(r)};
    std::vector<float> x[2] = {std::vector<float>(8, 1), std::vector<float>(8, 2)}, y[2];
    for (int round = 0; round < 50; ++round) {
      std::shared_ptr<hal::Semaphore> done[2];
      heddle_tensor in[2], out[2];
      for (int c : {0, 1}) {
        y[c].assign(8, 0);
        in[c] = tensorOf(x[c]);
        out[c] = tensorOf(y[c]);
        done[c] = std::move(*calls[c]->start({&in[c], 1}, {&out[c], 1}, {}, nullptr));
      }
      for (int c : {0, 1}) {
        EXPECT_EQ(done[c]->wait(1).text(), "ok");
        EXPECT_EQ(y[c], std::vector<float>(8, static_cast<float>((c + 1) * 1024 * 1024)));
      }
    }
  });
}

// Two threads of each rank call one invocation each; they take turns, whichever is first.
TEST(RankCalls, CallsOfOneRankTakeTurns) {
  RankModules loaded(loopModule(), 1);
  ASSERT_TRUE(loaded.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      std::unique_ptr<Invocation> call = loaded.invocation(0);
      for (int i = 0; i < 50; ++i) {
        std::vector<float> x(8, 1), y;
        EXPECT_EQ(callVector(*call, x, y).text(), "ok");
        EXPECT_EQ(y, std::vector<float>(8, 1024));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

// A global that each call doubles beside a collective of another entry point.
TEST(RankCalls, SeveralEntryPointsAndState) {
  fb::ModuleT source = loopModule();
  addDoubledGlobal(source);
  RankModules loaded(std::move(source), 2);
  ASSERT_TRUE(loaded.ok());
  loaded.threads.forEach([&](uint32_t r) {
    std::unique_ptr<Invocation> call = loaded.invocation(r), twice = loaded.invocation(r, 1);
    auto state = std::make_shared<State>(*loaded.modules[r]);
    ASSERT_TRUE(twice->setState(state).ok());
    for (int i = 0; i < 3; ++i) {
      std::vector<float> x(8, 1), y, out(1);
      EXPECT_EQ(callVector(*call, x, y).text(), "ok");
      if (r == 1)
        continue; // it meets nobody
      heddle_tensor result = tensorOf(out);
      EXPECT_EQ(twice->call({}, {&result, 1}).text(), "ok");
      EXPECT_EQ(out[0], static_cast<float>(4 << i));
    }
  });
}

// Every rank waits for a random time before each collective: no order of arrival hangs, and all give the same bits.
// HEDDLE_RANK_RUNS runs, each on an own number of ranks.
TEST(RankCalls, AnyOrderOfArrival) {
  const char *given = std::getenv("HEDDLE_RANK_RUNS");
  int runs = given ? std::atoi(given) : 200;
  auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (uint32_t ranks : {2u, 3u, 4u}) {
    RankModules loaded(loopModule(), ranks);
    ASSERT_TRUE(loaded.ok());
    uint32_t seeds = random();
    std::vector<std::vector<float>> bits(ranks);
    loaded.threads.forEach([&](uint32_t r) {
      std::mt19937 own(seeds + r);
      std::unique_ptr<Invocation> call = loaded.invocation(r);
      for (int i = 0; i < runs / 3; ++i) {
        std::vector<float> x(3, 0.1f * static_cast<float>(r + 1)), y;
        std::this_thread::sleep_for(std::chrono::microseconds(own() % 300));
        ASSERT_EQ(callVector(*call, x, y).text(), "ok");
        if (i == 0)
          bits[r] = y;
        ASSERT_EQ(y, bits[r]);
      }
    });
    for (const std::vector<float> &one : bits)
      EXPECT_EQ(one, bits[0]);
  }
}

TEST(RankCalls, TracesHaveCollectives) {
  RankModules loaded(loopModule(), 2);
  ASSERT_TRUE(loaded.ok());
  loaded.threads.forEach([&](uint32_t r) {
    std::unique_ptr<Invocation> call = loaded.invocation(r);
    std::vector<TraceSlice> slices;
    call->setTrace([&](const TraceSlice &slice) {
      if (slice.kind == TraceKind::Collective)
        slices.push_back(slice);
    });
    std::vector<float> x(8, 1), y;
    EXPECT_EQ(callVector(*call, x, y).text(), "ok");
    ASSERT_EQ(slices.size(), 11u);
    EXPECT_STREQ(slices[0].name, "agreement");
    for (uint32_t i = 1; i < slices.size(); ++i) {
      const TraceSlice &slice = slices[i];
      EXPECT_STREQ(slice.name, "all_reduce 'meet'");
      EXPECT_EQ(slice.device, TraceSlice::kHost);
      EXPECT_EQ(slice.stream, 1u);
      EXPECT_EQ(slice.bytes, 64u);
      EXPECT_EQ(slice.groupSize, 2u);
      EXPECT_EQ(slice.groupFirst, 0u);
      EXPECT_EQ(slice.sequence, i - 1);
      EXPECT_LE(slice.beginNs, slice.endNs);
      EXPECT_GE(slice.beginNs, slices[i - 1].endNs);
    }
  });
}

} // namespace
