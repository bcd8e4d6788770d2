#include "runtime/hal/cts/Cts.h"

#include "runtime/hal/Registry.h"
#include "runtime/test/TestModules.h"

#include <cstring>
#include <thread>

namespace heddle::hal {

void Cts::SetUp() {
  StatusOr<std::shared_ptr<Device>> device = openDevice(GetParam().uri);
  ASSERT_TRUE(device.ok()) << device.status().text();
  device_ = *device;
  code_ = heddle::test::kernelCode();
}

std::unique_ptr<Stream> Cts::stream(StreamMode mode) {
  StatusOr<std::unique_ptr<Stream>> stream = device_->createStream(mode);
  EXPECT_TRUE(stream.ok()) << stream.status().text();
  return std::move(*stream);
}

BufferRef Cts::buffer(uint64_t bytes) {
  StatusOr<BufferRef> buffer = device_->allocate(bytes);
  EXPECT_TRUE(buffer.ok()) << buffer.status().text();
  return *buffer;
}

ExecutableSource Cts::source(std::vector<std::string> symbols) {
  std::string format = device_->info().formats.empty() ? "any" : device_->info().formats[0];
  return {"kernels", format, code_, std::move(symbols)};
}

namespace {

constexpr StreamMode kModes[] = {StreamMode::Inline, StreamMode::Queued};

TEST_P(Cts, InfoNamesTheDevice) {
  EXPECT_TRUE(device_->info().available);
  EXPECT_EQ(device_->info().uri, GetParam().uri);
  EXPECT_GE(device_->info().cores, 1u);
}

TEST_P(Cts, BuffersAreAlignedAndCounted) {
  for (uint64_t bytes : {0, 1, 63, 64, 4096, 5 << 20}) {
    BufferRef one = buffer(bytes), two = one;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(one->address()) % kBufferAlignment, 0u);
    EXPECT_NE(one->address(), nullptr);
    EXPECT_EQ(one->bytes(), bytes);
    one = {};
    if (bytes) {
      std::memset(two->address(), 7, bytes);
      EXPECT_EQ(two->address()[bytes - 1], std::byte{7});
    }
  }
}

TEST_P(Cts, ImportedMemoryIsTheHosts) {
  alignas(4096) static int64_t memory[512] = {};
  StatusOr<BufferRef> imported = device_->importHost(memory, sizeof(memory));
  if (!imported.ok()) {
    EXPECT_FALSE(device_->readsHostMemory());
    EXPECT_EQ(imported.status().code(), StatusCode::Unsupported);
    return;
  }
  auto s = stream(StreamMode::Queued);
  EXPECT_EQ((*imported)->bytes(), sizeof(memory));
  EXPECT_TRUE(s->fill((*imported)->address(), sizeof(memory), 42, 8).ok());
  EXPECT_TRUE(s->synchronize().ok());
  EXPECT_EQ(memory[0], 42);
  EXPECT_EQ(memory[511], 42);
}

TEST_P(Cts, HugeAllocationFails) {
  EXPECT_EQ(device_->allocate(UINT64_MAX).status().code(), StatusCode::OutOfMemory);
  EXPECT_EQ(device_->allocate(INT64_MAX).status().code(), StatusCode::OutOfMemory);
}

TEST_P(Cts, FillAndCopy) {
  for (StreamMode mode : kModes) {
    auto s = stream(mode);
    BufferRef a = buffer(40), b = buffer(40);
    for (uint32_t bytes : {1, 2, 4, 8}) {
      uint64_t pattern = 0x1122334455667788;
      EXPECT_TRUE(s->fill(a->address(), 40, pattern, bytes).ok());
      EXPECT_TRUE(s->copy(b->address(), a->address(), 40).ok());
      EXPECT_TRUE(s->synchronize().ok());
      for (uint32_t at = 0; at < 40; at += bytes)
        EXPECT_EQ(std::memcmp(b->address() + at, &pattern, bytes), 0) << bytes << " " << at;
    }
    EXPECT_TRUE(s->fill(a->address(), 0, 1, 8).ok());
    EXPECT_TRUE(s->copy(b->address(), a->address(), 0).ok());
    EXPECT_TRUE(s->synchronize().ok());
  }
}

TEST_P(Cts, DispatchRunsEveryWorkgroupOnce) {
  StatusOr<std::unique_ptr<Executable>> executable = device_->load(source({"matmul4", "mark"}));
  ASSERT_TRUE(executable.ok()) << executable.status().text();
  ASSERT_EQ((*executable)->kernels().size(), 2u);
  for (StreamMode mode : kModes) {
    auto s = stream(mode);
    for (int64_t n : {0, 1, 2, 5, 64, 1001}) {
      std::vector<int64_t> out(n + 1);
      void *bindings[] = {out.data()};
      EXPECT_TRUE(s->dispatch({&(*executable)->kernels()[1], n, 0, bindings, {}}).ok());
      EXPECT_TRUE(s->synchronize().ok());
      for (int64_t w = 0; w <= n; ++w)
        ASSERT_EQ(out[w], GetParam().computes && w < n ? w + 1 : 0) << n;
    }
  }
}

TEST_P(Cts, WorkgroupsOutOfRangeAreRefused) {
  auto executable = device_->load(source({"nothing"}));
  ASSERT_TRUE(executable.ok());
  auto s = stream(StreamMode::Inline);
  for (int64_t n : {int64_t{-1}, kMaxWorkgroups + 1, INT64_MIN, INT64_MAX})
    EXPECT_EQ(s->dispatch({&(*executable)->kernels()[0], n, 0, {}, {}}).code(), StatusCode::InvalidArgument);
}

TEST_P(Cts, StreamsAreInOrder) {
  auto s = stream(StreamMode::Queued);
  std::vector<int> order;
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(s->execute([&order, i] { order.push_back(i); }).ok());
  EXPECT_TRUE(s->synchronize().ok());
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(Cts, EventsOrderStreams) {
  auto first = stream(StreamMode::Queued), second = stream(StreamMode::Queued);
  auto gate = std::make_shared<Event>(), passed = std::make_shared<Event>();
  BufferRef a = buffer(8), b = buffer(8);
  EXPECT_TRUE(second->wait(passed).ok());
  EXPECT_TRUE(second->copy(b->address(), a->address(), 8).ok());
  EXPECT_TRUE(first->wait(gate).ok());
  EXPECT_TRUE(first->fill(a->address(), 8, 42, 8).ok());
  EXPECT_TRUE(first->record(passed).ok());
  EXPECT_EQ(passed->query(), EventState::Pending);
  EXPECT_TRUE(gate->signal());
  EXPECT_TRUE(second->synchronize().ok());
  EXPECT_EQ(*reinterpret_cast<int64_t *>(b->address()), 42);
}

TEST_P(Cts, FailureTravelsWithItsFirstCause) {
  auto first = stream(StreamMode::Queued), second = stream(StreamMode::Queued);
  auto gate = std::make_shared<Event>(), after = std::make_shared<Event>();
  BufferRef a = buffer(8);
  std::memset(a->address(), 0, 8);
  EXPECT_TRUE(first->wait(gate).ok());
  EXPECT_TRUE(first->record(after).ok());
  EXPECT_TRUE(second->wait(after).ok());
  EXPECT_TRUE(second->fill(a->address(), 8, 1, 8).ok());
  gate->signal(Status(StatusCode::KernelFailed, "the first cause"));
  EXPECT_EQ(second->synchronize().message(), "the first cause");
  EXPECT_EQ(*reinterpret_cast<int64_t *>(a->address()), 0) << "work after a failure must not run";
  EXPECT_EQ(after->wait().message(), "the first cause");
  EXPECT_TRUE(second->synchronize().ok()) << "reported once";
  EXPECT_TRUE(second->fill(a->address(), 8, 1, 8).ok());
  EXPECT_TRUE(second->synchronize().ok());
  EXPECT_EQ(*reinterpret_cast<int64_t *>(a->address()), 1);
  EXPECT_EQ(first->synchronize().message(), "the first cause");
}

TEST_P(Cts, KernelFailureIsReported) {
  if (!GetParam().computes)
    GTEST_SKIP() << "computes nothing";
  auto executable = device_->load(source({"out_of_range"}));
  ASSERT_TRUE(executable.ok());
  int64_t out = 0, at = 3;
  void *bindings[] = {&out};
  for (StreamMode mode : kModes) {
    auto s = stream(mode);
    Status status = s->dispatch({&(*executable)->kernels()[0], 8, 0, bindings, {&at, 1}});
    if (status.ok())
      status = s->synchronize();
    EXPECT_EQ(status.code(), StatusCode::KernelFailed);
    EXPECT_EQ(status.message(), "an index is out of range; check the indices given to the model");
  }
}

TEST_P(Cts, BadCodeIsRefused) {
  if (!GetParam().computes)
    GTEST_SKIP() << "loads nothing";
  EXPECT_EQ(device_->load(source({"missing_symbol"})).status().message(),
            "the code of executable 'kernels' must be a loadable shared object: it has no symbol 'missing_symbol'; "
            "compile the model again");
  ExecutableSource other = source({"mark"});
  other.format = "spirv";
  EXPECT_EQ(device_->load(other).status().code(), StatusCode::Unsupported);
  code_.resize(100);
  EXPECT_EQ(device_->load(source({"mark"})).status().code(), StatusCode::Malformed);
  code_[0] = std::byte{0};
  EXPECT_EQ(device_->load(source({"mark"})).status().message(),
            "the code of executable 'kernels' must be a loadable shared object: it does not start as an ELF file; "
            "compile the model again");
}

TEST_P(Cts, StreamsFromManyThreads) {
  auto executable = device_->load(source({"mark"}));
  ASSERT_TRUE(executable.ok());
  std::vector<std::thread> threads;
  std::vector<std::vector<int64_t>> out(4, std::vector<int64_t>(64));
  std::atomic<int> waiting = 4;
  for (auto &mine : out)
    threads.emplace_back([&] {
      auto s = stream(StreamMode::Inline);
      void *bindings[] = {mine.data()};
      for (--waiting; waiting > 0;) // all at once, or they would follow one another
        std::this_thread::yield();
      for (int i = 0; i < 3000; ++i)
        EXPECT_TRUE(s->dispatch({&(*executable)->kernels()[0], 64, 0, bindings, {}}).ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &mine : out)
    for (int64_t w = 0; w < 64; ++w)
      ASSERT_EQ(mine[w], GetParam().computes ? 3000 * (w + 1) : 0);
}

} // namespace
} // namespace heddle::hal
