// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in flight on the two halves of a program overlap like a pipeline: in virtual time to the nanosecond, whatever
// the threads really do. `heddle bench --in-flight` measures the same on cores.
#include "ExecutorFixture.h"
#include "runtime/drivers/sim/SimTimeline.h"

#include <thread>

using namespace heddle;
using namespace heddle::test;
using sim::SimReport;
using sim::SimTimeline;

namespace {

constexpr uint64_t kMiB = 1 << 20;

// A kernel on device 0, its result's way to device 1, a kernel there.
fb::ModuleT twoHalves() {
  fb::ModuleT module = emptyModule();
  module.devices.push_back(contract::test::device("device_1", {"local"}));
  module.functions.push_back(contract::test::function("main", R"(
      const s0 1048576
      const s1 1
      const s2 0
      slab b0 x0 s0
      slab b1 x1 s0
      stream t1 x1 0
      dispatch t0 6.0 s1 s2 [b0] []
      record e0 t0
      wait t1 e0
      copy t1 b1 s2 b0 s2 s0
      dispatch t1 6.0 s1 s2 [b1] []
      return)",
                                                      3, 2, 2, 1));
  return module;
}

// Invocations in turn, each with a queue of its own; a call begins when the one `inFlight` before it is done.
class InFlight {
public:
  InFlight(const std::shared_ptr<Module> &module, size_t inFlight) : done_(inFlight) {
    for (size_t i = 0; i < inFlight; ++i) {
      calls_.push_back(std::move(*Invocation::create(module, *module->entryPoints()[0])));
      queues_.push_back(std::move(*module->createQueue(0)));
    }
  }
  void run(size_t calls) {
    for (size_t i = 0; i < calls; ++i)
      start(i % calls_.size());
    for (size_t i = 0; i < done_.size(); ++i)
      finish((calls + i) % done_.size());
  }

private:
  void start(size_t slot) {
    finish(slot);
    auto started = calls_[slot]->start({}, {}, {}, queues_[slot].get());
    ASSERT_TRUE(started.ok()) << started.status().text();
    done_[slot] = std::move(*started);
  }
  void finish(size_t slot) {
    if (!done_[slot])
      return;
    Status status = done_[slot]->wait(1);
    ASSERT_TRUE(status.ok()) << status.text();
    hal::HostTime::waited(*done_[slot], 1);
    done_[slot] = nullptr;
  }
  std::vector<std::unique_ptr<Invocation>> calls_;
  std::vector<std::unique_ptr<hal::Queue>> queues_; // go first, after all calls
  std::vector<std::shared_ptr<hal::Semaphore>> done_;
};

// The times of the first half, the link and the second half.
struct Times {
  uint64_t first, link, second;
};

uint64_t makespanNs(const Times &times, size_t calls, size_t inFlight) {
  std::vector<uint64_t> done;
  uint64_t first = 0, link = 0, second = 0; // until when each is busy
  for (size_t i = 0; i < calls; ++i) {
    first = std::max(first, i < inFlight ? 0 : done[i - inFlight]) + times.first;
    link = std::max(first, link) + times.link;
    second = std::max(link, second) + times.second;
    done.push_back(second);
  }
  return done.back();
}

void expectPipeline(const Times &times, const std::vector<std::string> &uris) {
  Loaded loaded(twoHalves(), uris);
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  for (size_t inFlight : {1, 2, 3})
    for (size_t calls : {1, 2, 5, 16}) {
      InFlight calling(loaded.module, inFlight);
      SimTimeline::process().reset();
      calling.run(calls);
      SimReport report = SimTimeline::process().report();
      EXPECT_EQ(report.makespanNs, makespanNs(times, calls, inFlight)) << calls << " calls, " << inFlight;
      EXPECT_EQ(report.operations.size(), 3 * calls);
    }
}

TEST(Pipeline, ToTheNanosecond) {
  // A megabyte at 1 byte a nanosecond, and 2 us of each move.
  const std::string link = "&link_gbps=1&link_us=2";
  const uint64_t linkNs = kMiB + 2'000;
  expectPipeline({2'000'000, linkNs, 3'000'000},
                 {"sim://a?launch_us=1&workgroup_us=1999", "sim://b?launch_us=1&workgroup_us=2999" + link});
  expectPipeline({3'000'000, linkNs, 2'000'000},
                 {"sim://a?launch_us=1&workgroup_us=2999", "sim://b?launch_us=1&workgroup_us=1999" + link});
  expectPipeline({10'000, linkNs, 20'000},
                 {"sim://a?launch_us=1&workgroup_us=9", "sim://b?launch_us=1&workgroup_us=19" + link});
}

// With enough in flight all but the slowest part is hidden.
TEST(Pipeline, TheSlowestPartIsTheRate) {
  EXPECT_EQ(makespanNs({20, 0, 30}, 1, 2), 50u);
  EXPECT_EQ(makespanNs({20, 0, 30}, 10, 1), 500u);
  EXPECT_EQ(makespanNs({20, 0, 30}, 10, 2), 50u + 9 * 30);
}

// Callers that are threads: each makes its calls one after the other.
TEST(Pipeline, CallersOnThreads) {
  Loaded loaded(twoHalves(),
                {"sim://a?launch_us=1&workgroup_us=9", "sim://b?launch_us=1&workgroup_us=9&link_gbps=1000&link_us=1"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  uint64_t first = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<Invocation>> calls;
    for (int t = 0; t < 3; ++t)
      calls.push_back(std::move(*Invocation::create(loaded.module, *loaded.module->entryPoints()[0])));
    SimTimeline::process().reset();
    std::vector<std::thread> callers;
    for (auto &call : calls)
      callers.emplace_back([&, t = callers.size()] {
        pthread_setname_np(pthread_self(), ("caller " + std::to_string(t)).c_str());
        for (int i = 0; i < 7; ++i)
          EXPECT_TRUE(call->call({}, {}).ok());
      });
    for (std::thread &caller : callers)
      caller.join();
    SimReport report = SimTimeline::process().report();
    first = first ? first : report.makespanNs;
    EXPECT_EQ(report.makespanNs, first);
    EXPECT_EQ(report.operations.size(), 3u * 3 * 7);
  }
  EXPECT_LT(first, 3u * 7 * 20'000) << "they overlap";
}

} // namespace
