// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers, streams, events and transient memory of a call, without a program that runs.
#include "ExecutorFixture.h"
#include "runtime/executor/call/CallMemory.h"
#include "runtime/executor/call/Transfers.h"

namespace heddle::test {
namespace {

// A function whose program uses two devices and one extra stream; it is never run.
fb::ModuleT twoDevices() {
  fb::ModuleT module = emptyModule();
  module.devices.push_back(contract::test::device("device_1", {"local"}));
  module.functions.push_back(contract::test::function(
      "main", "const s0 7\nconst s1 64\nstream t1 x1 0\nfill t1 b0 s0 s1 s0 1\nrecord e0 t1\nwait t0 e0\nreturn", 3, 2,
      2, 2));
  return module;
}

struct Nouns {
  explicit Nouns(std::vector<std::string> uris) : loaded(twoDevices(), std::move(uris)) {
    EXPECT_TRUE(loaded.status.ok()) << loaded.status.text();
    devices.emplace(loaded.module->devices(), function(), clock, statistics);
    memory.emplace(*devices, loaded.module->devices().size());
    Status made = devices->createStreams();
    EXPECT_TRUE(made.ok()) << made.text();
    begin();
  }
  const Function &function() const { return *loaded.module->entryPoints()[0]; }
  void begin() {
    clock.begin();
    statistics.begin();
    EXPECT_TRUE(devices->begin().ok());
    memory->begin();
  }
  Loaded loaded;
  Clock clock;
  CallStatistics statistics;
  std::optional<CallDevices> devices;
  std::optional<CallMemory> memory;
};

TEST(Frame, BeginsEachCallAsTheFunctionDoes) {
  Loaded loaded(twoDevices(), {"local://0", "local://0"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  const Function &function = *loaded.module->entryPoints()[0];
  Frame frame(function);
  frame.begin(function);
  EXPECT_EQ(frame.scalars, function.scalars);
  EXPECT_EQ(frame.scalars[0], 7);
  int word = 0;
  frame.scalars[0] = 8;
  frame.buffers[1] = {{reinterpret_cast<std::byte *>(&word), 4, kDefined | kHostMemory}, 3};
  frame.streams[1] = {nullptr, nullptr, 1, 2};
  frame.begin(function);
  EXPECT_EQ(frame.scalars[0], 7);
  EXPECT_EQ(frame.buffers[1].flags, 0u);
  EXPECT_EQ(frame.buffers[1].block, -1);
  EXPECT_FALSE(frame.streams[1].isSet());
  EXPECT_EQ(frame.streams[1].device, 0u);
}

TEST(CallDevices, OtherDevicesHaveQueuedStreams) {
  Nouns nouns({"local://0", "local://0?discrete=yes"});
  EXPECT_TRUE(nouns.devices->own().isSet());
  EXPECT_FALSE(nouns.devices->own().queued);
  EXPECT_TRUE(nouns.devices->stream(1, 1).queued);
  EXPECT_EQ(nouns.devices->stream(1, 1).device, 1u);
  EXPECT_FALSE(nouns.devices->stream(1, 7).isSet());
}

TEST(CallDevices, EventsAreRecordedInEachCall) {
  Nouns nouns({"local://0", "local://0?discrete=yes"});
  CallDevices &devices = *nouns.devices;
  EXPECT_TRUE(devices.overlaps());
  StreamRegister there = devices.stream(1, 1);
  ASSERT_TRUE(there.isSet());
  EXPECT_TRUE(there.queued);
  EXPECT_EQ(devices.wait(0, devices.own()).message(), "an event is waited for before it is recorded");
  EXPECT_EQ(devices.await(1).code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(devices.record(0, there).ok());
  EXPECT_TRUE(devices.wait(0, devices.own()).ok());
  EXPECT_TRUE(devices.await(0).ok());
  EXPECT_TRUE(devices.drain({}).ok());
  nouns.begin();
  EXPECT_EQ(devices.await(0).code(), StatusCode::InvalidArgument);
}

TEST(CallDevices, AMovedEventStaysWhatItWas) {
  Nouns nouns({"local://0", "local://0?discrete=yes"});
  CallDevices &devices = *nouns.devices;
  devices.moveEvent(1, 0);
  EXPECT_EQ(devices.await(1).message(), "an event is waited for before it is recorded");
  auto never = std::make_shared<hal::Semaphore>();
  ASSERT_TRUE(devices.record(0, devices.stream(1, 1)).ok());
  devices.moveEvent(1, 0);
  ASSERT_TRUE(devices.stream(1, 1).queued->waitFor({never, 1}).ok());
  ASSERT_TRUE(devices.record(0, devices.stream(1, 1)).ok()); // is not reached
  EXPECT_TRUE(devices.await(1).ok());
  never->signal(1);
  EXPECT_TRUE(devices.await(0).ok());
  EXPECT_TRUE(devices.drain({}).ok());
}

TEST(CallDevices, MarksWhatIsNotDone) {
  Nouns nouns({"local://0", "local://0?discrete=yes"});
  EXPECT_EQ(nouns.devices->mark(nouns.devices->own()).semaphore, nullptr); // it is inline
  StreamRegister there = nouns.devices->stream(1, 1);
  EXPECT_FALSE(nouns.devices->mark(there).isPending());
  uint64_t time = 0;
  EXPECT_TRUE(there.commands->stamp(&time).ok());
  hal::Point end = nouns.devices->mark(there);
  EXPECT_TRUE(end.isPending()) << "recorded, not handed over";
  EXPECT_TRUE(nouns.devices->waitFor(end).ok());
  EXPECT_GT(time, 0u);
}

TEST(CallDevices, AWaitEndsWithTheCall) {
  Nouns nouns({"local://0", "local://0?discrete=yes"});
  StreamRegister there = nouns.devices->stream(1, 1);
  auto never = std::make_shared<hal::Semaphore>();
  EXPECT_TRUE(there.queued->waitFor({never, 1}).ok());
  EXPECT_TRUE(nouns.devices->record(0, there).ok());
  nouns.clock.cancel();
  EXPECT_EQ(nouns.devices->await(0).code(), StatusCode::Cancelled);
  EXPECT_EQ(nouns.devices->finish(there).code(), StatusCode::Cancelled);
  never->signal(1);
  EXPECT_EQ(nouns.devices->drain(Status(StatusCode::Cancelled, "first")).message(), "first");
}

TEST(CommandStream, AFailedTimelineEndsWithItsCall) {
  Nouns nouns({"local://0", "local://0?discrete=yes"});
  StreamRegister there = nouns.devices->stream(1, 1);
  auto gate = std::make_shared<hal::Semaphore>();
  uint64_t left = 0, time = 0;
  EXPECT_TRUE(there.queued->waitFor({gate, 1}).ok());
  EXPECT_TRUE(there.commands->stamp(&left).ok());
  hal::Point old = there.queued->record();
  gate->fail(Status(StatusCode::KernelFailed, "first"));
  EXPECT_EQ(nouns.devices->drain({}).message(), "first");
  EXPECT_EQ(left, 0u);
  nouns.begin();
  EXPECT_TRUE(there.commands->stamp(&time).ok());
  EXPECT_TRUE(nouns.devices->drain({}).ok());
  EXPECT_GT(time, 0u);
  EXPECT_EQ(old.wait().message(), "first") << "who still waits for the old one gets its cause";
}

TEST(MemoryAccess, SaysWhoCanUseWhoseMemory) {
  Nouns nouns({"local://0", "local://0?discrete=yes"});
  const MemoryAccess &access = nouns.devices->access();
  EXPECT_EQ(access.flags(0), kHostMemory | 1);
  EXPECT_EQ(access.flags(1), kDeviceMemory | 2);
  EXPECT_EQ(MemoryAccess::owner(access.flags(1)), 1u);
  EXPECT_TRUE(access.canUse(0, kHostMemory));
  EXPECT_FALSE(access.canUse(1, kHostMemory));
  EXPECT_TRUE(access.canCopy(1, kHostMemory));
  EXPECT_FALSE(access.canUse(0, access.flags(1)));
  EXPECT_FALSE(access.canCopy(0, access.flags(1)));
  EXPECT_TRUE(access.canUse(1, access.flags(1)));
}

TEST(CallMemory, TheSlabOnlyGrows) {
  Nouns nouns({"local://0", "local://0"});
  BufferRegister first, second, third;
  EXPECT_TRUE(nouns.memory->slab(0, 1000, first).ok());
  EXPECT_TRUE(nouns.memory->slab(0, 500, second).ok());
  EXPECT_EQ(first.address, second.address);
  EXPECT_EQ(second.bytes, 500);
  EXPECT_TRUE(nouns.memory->slab(0, 5000, third).ok());
  std::fill(first.address, first.address + 1000, std::byte(1)); // lives until the next call
  EXPECT_EQ(nouns.statistics.allocations, 2u);
  EXPECT_EQ(nouns.memory->bytes(), 5000u);
  nouns.begin();
  EXPECT_TRUE(nouns.memory->slab(0, 5000, first).ok());
  EXPECT_EQ(first.address, third.address);
  EXPECT_EQ(nouns.statistics.allocations, 0u);
}

TEST(CallMemory, BlocksAreUsedAgain) {
  Nouns nouns({"local://0", "local://0"});
  BufferRegister first, second, copy;
  EXPECT_TRUE(nouns.memory->allocate(0, 1000, first).ok());
  EXPECT_TRUE(nouns.memory->allocate(0, 1000, second).ok());
  EXPECT_NE(first.address, second.address);
  copy = first;
  std::byte *address = first.address;
  EXPECT_TRUE(nouns.memory->free(first, nouns.devices->own()).ok());
  EXPECT_EQ(first.flags, 0u);
  EXPECT_EQ(nouns.memory->free(copy, nouns.devices->own()).message(),
            "a buffer is freed that is not allocated, or freed twice");
  EXPECT_EQ(nouns.memory->free(second, {}).message(), "a stream register is used before it is set");
  EXPECT_TRUE(nouns.memory->allocate(0, 400, first).ok()); // less than half: another one
  EXPECT_NE(first.address, address);
  EXPECT_TRUE(nouns.memory->allocate(0, 900, copy).ok());
  EXPECT_EQ(copy.address, address);
  EXPECT_EQ(nouns.statistics.allocations, 3u);
  std::vector<hal::BufferRef> all;
  nouns.memory->give(all);
  EXPECT_EQ(all.size(), 3u);
  EXPECT_EQ(nouns.memory->bytes(), 0u);
}

TEST(CallMemory, ABlockIsWaitedForRatherThanTakenAnew) {
  Nouns nouns({"local://0", "local://0?discrete=yes"});
  StreamRegister there = nouns.devices->stream(1, 1);
  auto gate = std::make_shared<hal::Semaphore>();
  EXPECT_TRUE(there.queued->waitFor({gate, 1}).ok());
  BufferRegister block;
  EXPECT_TRUE(nouns.memory->allocate(1, 1000, block).ok());
  hal::Buffer *buffer = block.buffer;
  EXPECT_TRUE(nouns.memory->free(block, there).ok());
  nouns.clock.cancel(); // the wait for the block ends
  EXPECT_EQ(nouns.memory->allocate(1, 1000, block).code(), StatusCode::Cancelled);
  nouns.clock.begin();
  gate->signal(1);
  EXPECT_TRUE(nouns.memory->allocate(1, 1000, block).ok());
  EXPECT_EQ(block.buffer, buffer);
  EXPECT_EQ(nouns.statistics.allocations, 1u);
}

TEST(Transfers, GoThroughWhoSeesBothEnds) {
  Nouns nouns({"local://0", "local://0?discrete=yes"});
  Transfers transfers(*nouns.devices);
  BufferRegister there;
  ASSERT_TRUE(nouns.memory->allocate(1, 8, there).ok());
  int64_t word = 0x1122334455667788;
  PlacedBuffer here{reinterpret_cast<std::byte *>(&word), 8, kDefined | kWritable | kHostMemory};
  StreamRegister own = nouns.devices->own(); // cannot see the device's memory
  EXPECT_TRUE(transfers.copy(own, there, here).ok());
  StatusOr<uint64_t> low = transfers.read(own, {there.address, 4, there.flags, there.buffer});
  ASSERT_TRUE(low.ok()) << low.status().text();
  EXPECT_EQ(*low, 0x55667788u);
  EXPECT_TRUE(nouns.devices->drain({}).ok());
}

} // namespace
} // namespace heddle::test
