// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conformance suite on simulated devices, and their time.
#include "runtime/drivers/sim/SimModel.h"
#include "runtime/drivers/sim/SimTimeline.h"
#include "runtime/hal/Registry.h"
#include "runtime/hal/cts/Cts.h"
#include "runtime/match/Match.h"
#include "runtime/test/TestModules.h"

#include <random>
#include <thread>

using namespace heddle;
using hal::Cts;
using hal::CtsParameter;
using sim::SimModel;
using sim::SimReport;
using sim::SimTimeline;

namespace heddle::hal {

INSTANTIATE_TEST_SUITE_P(Sim, Cts,
                         testing::Values(CtsParameter{"sim", true}, CtsParameter{"sim://b?gflops=1000&units=8", true}),
                         nameOf);

} // namespace heddle::hal

namespace {

// A queue, with a timeline that counts what it was given.
struct SimulatedQueue {
  std::unique_ptr<hal::Queue> queue;
  std::shared_ptr<hal::Semaphore> timeline = std::make_shared<hal::Semaphore>();
  std::vector<std::unique_ptr<hal::CommandBuffer>> commands;

  // What was submitted is done at this point.
  hal::Point end() const { return {timeline, commands.size()}; }
  template <typename Record> void submit(Record &&record, std::vector<hal::Point> waits = {}) {
    commands.push_back(std::make_unique<hal::CommandBuffer>());
    EXPECT_TRUE(record(*commands.back()).ok());
    hal::Point signal = end();
    queue->submit(commands.back().get(), waits, {&signal, 1});
  }
};

// A device of a small machine, with one kernel that does nothing.
struct Simulated {
  std::shared_ptr<hal::Device> device;
  std::unique_ptr<hal::Executable> executable;
  std::vector<SimulatedQueue> queues;

  explicit Simulated(const std::string &uri, int count = 1) : queues(count) {
    device = *openDevice(uri);
    static const std::vector<std::byte> code = test::kernelCode();
    executable = std::move(*device->load({"kernels", device->info().formats[0], code, {"nothing"}}));
    for (SimulatedQueue &queue : queues)
      queue.queue = std::move(*device->createQueue());
  }
  hal::Dispatch dispatch(const hal::DispatchLabel &label, int64_t workgroups = 1) const {
    return {executable->kernels().data(), workgroups, 0, {}, {}, &label};
  }
  void run(const hal::DispatchLabel &label, int queue = 0, int64_t workgroups = 1) {
    queues[queue].submit([&](hal::Commands &c) { return c.dispatch(dispatch(label, workgroups)); });
  }
  void finish() {
    for (SimulatedQueue &queue : queues) {
      queue.queue->drain();
      EXPECT_TRUE(queue.timeline->cause().ok());
    }
  }
};

// 100 operations a nanosecond and 1 us of launch: 1'000'000 operations take 11 us.
const hal::DispatchLabel kTen{"ten", "", 1'000'000, 0}, kThirty{"thirty", "", 3'000'000, 0}, kUnknown{"unknown", ""},
    kMemory{"memory", "", 1'000'000, 1'000'000};

TEST(Sim, OneStreamIsASum) {
  Simulated a("sim://a?gflops=100&launch_us=1");
  SimTimeline::process().reset();
  a.run(kTen);
  a.run(kThirty);
  a.finish();
  SimReport report = SimTimeline::process().report();
  EXPECT_EQ(report.makespanNs, 42'000u);
  EXPECT_EQ(report.text(), "makespan 42.0 us; critical path: a ten 11.0 us, a thirty 31.0 us");
}

TEST(Sim, AKernelTakesWhatItIsShortOf) {
  Simulated a("sim://a?gflops=100&memory_gbps=20&launch_us=1&units=4&workgroup_us=3");
  SimTimeline::process().reset();
  a.run(kMemory); // a megabyte at 20 bytes a nanosecond
  a.finish();
  EXPECT_EQ(SimTimeline::process().report().makespanNs, 51'000u);
  SimTimeline::process().reset();
  a.run(kUnknown, 0, 9); // three rounds of four units
  a.run(kUnknown, 0, 0);
  a.finish();
  EXPECT_EQ(SimTimeline::process().report().makespanNs, 10'000u);
}

TEST(Sim, DevicesOverlapAndLinksCost) {
  Simulated a("sim://a?gflops=100&launch_us=1"), b("sim://b?gflops=100&launch_us=1&link_gbps=10&link_us=20");
  auto from = *a.device->allocate(1'000'000), to = *b.device->allocate(1'000'000);
  SimTimeline::process().reset();
  a.run(kTen);
  hal::Point ready = a.queues[0].end();
  a.run(kThirty); // while the bytes travel
  b.run(kTen);
  b.queues[0].submit([&](hal::Commands &c) { return c.copy(hal::View::of(to), hal::View::of(from)); }, {ready});
  b.run(kThirty);
  a.finish();
  b.finish();
  SimReport report = SimTimeline::process().report();
  EXPECT_EQ(report.makespanNs, 11'000u + 120'000u + 31'000u);
  EXPECT_EQ(report.criticalPath.size(), 3u);
  EXPECT_EQ(report.operations[report.criticalPath[1]].name, "a -> b");
  EXPECT_EQ(report.operations[report.criticalPath[2]].beginNs, 131'000u);
}

TEST(Sim, StreamsOfADeviceShareIt) {
  Simulated a("sim://a?gflops=100&launch_us=1", 2);
  SimTimeline::process().reset();
  a.run(kTen, 0);
  a.run(kThirty, 1);
  a.run(kTen, 0);
  a.finish();
  SimReport report = SimTimeline::process().report();
  EXPECT_EQ(report.makespanNs, 53'000u);
  EXPECT_EQ(report.criticalPath, (std::vector<size_t>{0, 1, 2}));
}

TEST(Sim, QueuesOfADeviceOverlap) {
  Simulated a("sim://a?gflops=100&launch_us=1&queues=2", 3);
  SimTimeline::process().reset();
  a.run(kTen, 0);
  a.run(kThirty, 1);
  a.run(kTen, 2); // on the first one's queue again
  a.finish();
  EXPECT_EQ(SimTimeline::process().report().makespanNs, 31'000u);
  EXPECT_EQ(queryDevice("sim?queues=65").status().message(), "queues= takes a whole number up to 64, got '65'");
  EXPECT_EQ(queryDevice("sim?queues=0").status().message(), "queues= takes a number above 0, got '0'");
}

TEST(Sim, TheHostWaits) {
  Simulated a("sim://a?gflops=100&launch_us=1"), b("sim://b?gflops=100&launch_us=1");
  SimTimeline::process().reset();
  a.run(kTen);
  b.run(kThirty);
  a.finish();
  b.run(kTen); // b is still busy then
  a.run(kTen); // a is not
  b.finish();
  a.run(kTen);
  a.finish();
  SimReport report = SimTimeline::process().report();
  EXPECT_EQ(report.makespanNs, 42'000u + 11'000u);
  EXPECT_EQ(report.operations[3].beginNs, 11'000u);
}

TEST(Sim, InlineCommandsAreTheHosts) {
  Simulated a("sim://a?gflops=100&launch_us=1", 0), b("sim://b?gflops=100&launch_us=1", 0);
  SimTimeline::process().reset();
  EXPECT_TRUE((*a.device->createInline())->dispatch(a.dispatch(kTen)).ok());
  EXPECT_TRUE((*b.device->createInline())->dispatch(b.dispatch(kTen)).ok());
  EXPECT_EQ(SimTimeline::process().report().makespanNs, 22'000u);
}

TEST(Sim, StampsAreVirtual) {
  Simulated a("sim://a?gflops=100&launch_us=1");
  SimTimeline::process().reset();
  uint64_t before = 1, after = 1;
  a.queues[0].submit([&](hal::Commands &c) {
    HEDDLE_RETURN_IF_ERROR(c.stamp(&before));
    HEDDLE_RETURN_IF_ERROR(c.dispatch(a.dispatch(kTen)));
    return c.stamp(&after);
  });
  a.finish();
  EXPECT_EQ(before, 0u);
  EXPECT_EQ(after, 11'000u);
}

// What is placed does not depend on when it was recorded.
TEST(Sim, OperationsAreInTheOrderOfTime) {
  sim::SimGraph graph;
  uint32_t busy = graph.text("device"), other = graph.text("other");
  auto operation = [&](uint64_t ns, uint32_t resource, std::vector<uint32_t> after, const char *name) {
    sim::SimNode node{.ns = ns, .resource = resource, .kind = sim::SimNode::Operation};
    std::copy(after.begin(), after.end(), node.after);
    node.name = graph.text(name);
    return graph.add(node);
  };
  uint32_t ahead = graph.add({});                                            // known later
  uint32_t late = operation(10, busy, {ahead}, "late");                      // arrives at 7
  uint32_t z = operation(5, busy, {}, "z"), a = operation(4, busy, {}, "a"); // both at 0
  uint32_t seven = operation(7, other, {}, "seven");
  graph.link(ahead, seven);
  uint32_t behind = operation(1, other, {late, z}, "behind");
  uint32_t never = graph.add({});
  graph.link(never, operation(1, other, {never}, "comes after itself"));
  std::vector<sim::SimPlace> places = graph.place();
  EXPECT_EQ(places[a].end.ns, 4u) << "of what arrives together the name decides";
  EXPECT_EQ(places[z].end.ns, 9u);
  EXPECT_EQ(places[late].begin.ns, 9u);
  EXPECT_EQ(places[behind].end.ns, 20u);
  EXPECT_FALSE(places[never].isPlaced);
}

// Threads that share a device and its links, each in its own real time: one timeline.
TEST(Sim, ThreadsHaveOneTimeline) {
  constexpr int kThreads = 4, kSteps = 12;
  const hal::DispatchLabel labels[] = {kTen, kThirty, {"five", "", 400'000, 0}};
  std::string first;
  std::mt19937 random(std::random_device{}());
  for (int round = 0; round < 30; ++round) {
    Simulated shared("sim://shared?gflops=100&launch_us=1&queues=2", 2 * kThreads);
    std::vector<std::unique_ptr<Simulated>> own;
    for (int t = 0; t < kThreads; ++t)
      own.push_back(std::make_unique<Simulated>("sim://own" + std::to_string(t) + "?launch_us=1"));
    SimTimeline::process().reset();
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t, pause = random() % 300] {
        pthread_setname_np(pthread_self(), ("thread " + std::to_string(t)).c_str());
        std::this_thread::sleep_for(std::chrono::microseconds(pause));
        for (int i = 0; i < kSteps; ++i) {
          shared.run(labels[(t + i) % 3], 2 * t + i % 2);
          own[t]->queues[0].submit([&](hal::Commands &c) { return c.dispatch(own[t]->dispatch(labels[i % 2])); },
                                   {shared.queues[2 * t + i % 2].end()});
          if (i % 4 == 3)
            own[t]->queues[0].queue->drain(); // the thread waits
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    SimReport report = SimTimeline::process().report();
    std::string text = report.text();
    for (const sim::SimOperation &operation : report.operations)
      text += "\n" + operation.device + " " + operation.name + " " + std::to_string(operation.beginNs);
    first = first.empty() ? text : first;
    ASSERT_EQ(text, first);
  }
}

// A ring of threads, as ranks are: each hands on what it got, through semaphores that devices signal.
TEST(Sim, ARingOfThreads) {
  constexpr int kRanks = 32;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Simulated>> ranks;
    for (int r = 0; r < kRanks; ++r)
      ranks.push_back(std::make_unique<Simulated>("sim://rank" + std::to_string(r) + "?gflops=100&launch_us=1"));
    std::vector<std::shared_ptr<hal::Semaphore>> ready(kRanks + 1);
    for (auto &semaphore : ready)
      semaphore = std::make_shared<hal::Semaphore>();
    ready[0]->signal(1);
    SimTimeline::process().reset();
    std::vector<std::thread> threads;
    for (int r = 0; r < kRanks; ++r)
      threads.emplace_back([&, r] {
        hal::CommandBuffer commands;
        EXPECT_TRUE(commands.dispatch(ranks[r]->dispatch(kTen)).ok());
        hal::Point before{ready[r], 1}, behind{ready[r + 1], 1};
        ranks[r]->queues[0].queue->submit(&commands, {&before, 1}, {&behind, 1});
        ranks[r]->queues[0].queue->drain();
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(SimTimeline::process().report().makespanNs, kRanks * 11'000u);
  }
}

// What a thread issues comes after what it waited for, whoever did that.
TEST(Sim, ThreadsWaitForOneAnother) {
  Simulated a("sim://a?gflops=100&launch_us=1"), b("sim://b?gflops=100&launch_us=1");
  hal::Semaphore handed;
  SimTimeline::process().reset();
  std::thread first([&] {
    a.run(kThirty);
    a.finish();
    hal::HostTime::signals(handed, 1);
    handed.signal(1);
  });
  std::thread second([&] {
    b.run(kTen);
    EXPECT_TRUE(handed.wait(1).ok());
    hal::HostTime::waited(handed, 1);
    b.run(kTen);
    b.finish();
  });
  first.join();
  second.join();
  SimReport report = SimTimeline::process().report();
  EXPECT_EQ(report.makespanNs, 42'000u);
  EXPECT_EQ(report.operations.size(), 3u);
}

constexpr std::string_view kMachine = "# a machine\n"
                                      "device cpu gflops=50\n"
                                      "device gpu gflops=2000 launch_us=5 memory=1m   # small\n"
                                      "link cpu gpu gbps=12 us=10\n"
                                      "link gpu cpu gbps=6 us=10\n";

TEST(Sim, MachineFile) {
  StatusOr<SimModel> gpu = SimModel::parse(kMachine, "gpu", "m.sim"), cpu = SimModel::parse(kMachine, "cpu", "m.sim");
  ASSERT_TRUE(gpu.ok()) << gpu.status().text();
  ASSERT_TRUE(cpu.ok());
  EXPECT_EQ(gpu->moveNs("cpu", 12'000), 11'000u);
  EXPECT_EQ(cpu->moveNs("gpu", 12'000), 12'000u);
  EXPECT_EQ(gpu->moveNs("host", 10'000), 21'000u) << "not stated";
  EXPECT_EQ(gpu->dispatchNs(1, 2'000'000, 0), 6'000u);
  EXPECT_EQ(gpu->memoryBytes, 1u << 20);
  EXPECT_EQ(cpu->memoryBytes, 0u);
}

TEST(Sim, WrongModels) {
  auto message = [](std::string_view text) { return SimModel::parse(text, "gpu", "m.sim").status().message(); };
  EXPECT_EQ(message("device cpu\n"), "the model m.sim must declare the device, got no 'device gpu'");
  EXPECT_EQ(message("\ndevce gpu\n"),
            "m.sim:2: a line is 'device NAME key=value…' or 'link FROM TO gbps=… us=…', got 'devce'");
  EXPECT_EQ(message("device gpu gflop=3"),
            "m.sim:1: what can be said is gflops=, memory_gbps=, launch_us=, workgroup_us=, units=, queues=, memory=, "
            "link_gbps=, link_us=, host_gbps=, host_us=, got 'gflop=3'; did you mean 'gflops'?");
  EXPECT_EQ(message("link cpu gpu gbps=0"), "m.sim:1: gbps= takes a number above 0, got '0'");
  EXPECT_EQ(queryDevice("sim?units=1.5").status().message(), "units= takes a whole number up to 1000000, got '1.5'");
  EXPECT_EQ(queryDevice("sim?model=nowhere.sim").status().code(), StatusCode::NotFound);
}

TEST(Sim, MemoryIsLimited) {
  auto device = openDevice("sim://small?memory=1m");
  ASSERT_TRUE(device.ok());
  EXPECT_EQ((*device)->allocate(2 << 20).status().code(), StatusCode::OutOfMemory);
}

TEST(Sim, RunsProgramsOfLocal) {
  DeviceInfo info = *queryDevice("sim://a");
  std::vector<DeviceRequirement> program{{"cpu", {{"local", -1, -1, info.formats, {}, 0, 0, ""}}}};
  auto plan = matchDevices(program, {}, {&info, 1});
  EXPECT_TRUE(plan.ok()) << plan.status().text();
  std::vector<DeviceRequirement> other{{"gpu", {{"vulkan", -1, -1, {"spirv"}, {}, 0, 0, ""}}}};
  EXPECT_FALSE(matchDevices(other, {}, {&info, 1}).ok());
}

} // namespace
