// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/cts/Cts.h"

#include "runtime/hal/Registry.h"
#include "runtime/test/TestModules.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace heddle::hal {

std::string nameOf(const testing::TestParamInfo<CtsParameter> &info) {
  std::string name = info.param.uri;
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

void Cts::SetUp() {
  StatusOr<std::shared_ptr<Device>> device = openDevice(GetParam().uri);
  ASSERT_TRUE(device.ok()) << device.status().text();
  device_ = *device;
  std::string format = source({}).format;
  code_ = heddle::test::kernelCode(format == "spirv" ? HEDDLE_TEST_KERNELS_SPIRV
                                   : format == "ptx" ? HEDDLE_TEST_KERNELS_PTX
                                                     : HEDDLE_TEST_KERNELS);
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

BufferRef Cts::zeros(uint64_t bytes) {
  BufferRef out = buffer(bytes);
  EXPECT_TRUE(stream(StreamMode::Inline)->fill(out->address(), bytes, 0, 1).ok());
  return out;
}

ExecutableSource Cts::source(std::vector<std::string> symbols) {
  std::string format = device_->info().formats.empty() ? "any" : device_->info().formats[0];
  std::vector<contract::Launch> launches(symbols.size()); // workgroups of one invocation
  return {"kernels", format, code_, std::move(symbols), std::move(launches)};
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
    if (bytes && device_->hostAddressable()) {
      std::memset(two->address(), 7, bytes);
      EXPECT_EQ(two->address()[bytes - 1], std::byte{7});
    }
  }
}

TEST_P(Cts, AddressesAreUnique) {
  std::vector<BufferRef> buffers;
  for (uint64_t bytes : {0, 1, 0, 4096, 256, 20 << 20, 64})
    buffers.push_back(buffer(bytes));
  for (size_t i = 0; i < buffers.size(); ++i)
    for (size_t j = 0; j < buffers.size(); ++j)
      if (i != j) {
        const std::byte *first = buffers[i]->address(), *end = first + buffers[i]->bytes();
        EXPECT_FALSE(first <= buffers[j]->address() && buffers[j]->address() < end) << i << " " << j;
        EXPECT_NE(first, buffers[j]->address());
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
      std::vector<std::byte> out = read<std::byte>(b);
      for (uint32_t at = 0; at < 40; at += bytes)
        EXPECT_EQ(std::memcmp(out.data() + at, &pattern, bytes), 0) << bytes << " " << at;
    }
    EXPECT_TRUE(s->fill(a->address(), 0, 1, 8).ok());
    EXPECT_TRUE(s->copy(b->address(), a->address(), 0).ok());
    EXPECT_TRUE(s->synchronize().ok());
  }
}

// Places and sizes that are no words, against host memory.
TEST_P(Cts, FillsAndCopiesAtAnyByte) {
  for (StreamMode mode : kModes) {
    auto s = stream(mode);
    constexpr size_t kBytes = 200'000;
    std::vector<std::byte> expected(kBytes, std::byte{9});
    BufferRef a = buffer(kBytes), b = zeros(kBytes);
    EXPECT_TRUE(s->fill(a->address(), kBytes, 9, 1).ok());
    struct Fill {
      uint64_t at, bytes;
      uint32_t pattern;
    };
    uint64_t value = 0x8877665544332211;
    for (Fill f : {Fill{1, 3, 1}, Fill{7, 8, 8}, Fill{33, 66, 2}, Fill{101, 99, 1}, Fill{402, 12, 4},
                   Fill{1000, 100'000, 8}, Fill{110'001, 80'000, 4}}) {
      EXPECT_TRUE(s->fill(a->address() + f.at, f.bytes, value, f.pattern).ok());
      for (uint64_t i = 0; i < f.bytes; ++i)
        std::memcpy(&expected[f.at + i], reinterpret_cast<std::byte *>(&value) + i % f.pattern, 1);
    }
    for (uint64_t cut : {uint64_t{0}, uint64_t{1}, uint64_t{4}, uint64_t{70'003}}) {
      uint64_t rest = kBytes - cut;
      EXPECT_TRUE(s->copy(b->address(), a->address() + cut, rest).ok());
      EXPECT_TRUE(s->synchronize().ok());
      EXPECT_TRUE(std::equal(expected.begin() + cut, expected.end(), read<std::byte>(b->address(), rest).begin()));
    }
  }
}

TEST_P(Cts, CopiesFromAndToTheHost) {
  std::vector<uint32_t> in((9 << 20) / 4 + 5), out(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<uint32_t>(i * 2654435761u);
  for (StreamMode mode : kModes) {
    auto s = stream(mode);
    uint64_t bytes = in.size() * 4;
    BufferRef a = buffer(bytes), b = buffer(bytes);
    std::fill(out.begin(), out.end(), 0);
    EXPECT_TRUE(s->copy(a->address(), in.data(), bytes).ok());
    EXPECT_TRUE(s->copy(b->address(), a->address(), bytes).ok());
    EXPECT_TRUE(s->copy(out.data(), b->address(), bytes).ok());
    EXPECT_TRUE(s->synchronize().ok());
    EXPECT_TRUE(in == out);
    // What the host wrote in the stream's order.
    EXPECT_TRUE(s->execute([&] { out[0] = 77; }).ok());
    EXPECT_TRUE(s->copy(a->address() + 4, out.data(), 4).ok());
    EXPECT_TRUE(s->copy(out.data() + 1, a->address() + 4, 4).ok());
    EXPECT_TRUE(s->synchronize().ok());
    EXPECT_EQ(out[1], 77u);
  }
}

TEST_P(Cts, DispatchRunsEveryWorkgroupOnce) {
  StatusOr<std::unique_ptr<Executable>> executable = device_->load(source({"matmul4", "mark"}));
  ASSERT_TRUE(executable.ok()) << executable.status().text();
  ASSERT_EQ((*executable)->kernels().size(), 2u);
  for (StreamMode mode : kModes) {
    auto s = stream(mode);
    for (int64_t n : {0, 1, 2, 5, 64, 1001, 70'001}) {
      BufferRef out = zeros((n + 1) * 8);
      void *bindings[] = {out->address()};
      EXPECT_TRUE(s->dispatch({&(*executable)->kernels()[1], n, 0, bindings, {}}).ok());
      EXPECT_TRUE(s->synchronize().ok());
      std::vector<int64_t> got = read<int64_t>(out);
      for (int64_t w = 0; w <= n; ++w)
        ASSERT_EQ(got[w], GetParam().computes && w < n ? w + 1 : 0) << n;
    }
  }
}

TEST_P(Cts, BindingsMayBeViews) {
  auto executable = device_->load(source({"matmul4"}));
  ASSERT_TRUE(executable.ok()) << executable.status().text();
  std::vector<float> a(16), b(16), expected(16);
  for (int i = 0; i < 16; ++i)
    a[i] = static_cast<float>(i), b[i] = static_cast<float>(3 - i);
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 4; ++k)
      expected[i] += a[i / 4 * 4 + k] * b[4 * k + i % 4];
  BufferRef all = zeros(4096);
  for (uint64_t at : {uint64_t{0}, uint64_t{4}, uint64_t{252}, uint64_t{260}, uint64_t{1000}}) {
    auto s = stream(StreamMode::Queued);
    std::byte *first = all->address() + at;
    EXPECT_TRUE(s->fill(all->address(), 4096, 0, 1).ok());
    EXPECT_TRUE(s->copy(first, a.data(), 64).ok());
    EXPECT_TRUE(s->copy(first + 68, b.data(), 64).ok());
    void *bindings[] = {first, first + 68, first + 136};
    // As many workgroups as elements: the host's kernel does all in each.
    int64_t workgroups = source({}).format == "spirv" || source({}).format == "ptx" ? 16 : 1;
    EXPECT_TRUE(s->dispatch({&(*executable)->kernels()[0], workgroups, 0, bindings, {}}).ok());
    EXPECT_TRUE(s->synchronize().ok());
    std::vector<float> got = read<float>(first + 136, 17);
    for (int i = 0; i < 16; ++i)
      ASSERT_EQ(got[i], GetParam().computes ? expected[i] : 0) << at << " " << i;
    EXPECT_EQ(got[16], 0) << "written beyond the tensor";
  }
}

TEST_P(Cts, DependentDispatchesOfAQueue) {
  auto executable = device_->load(source({"mark"}));
  ASSERT_TRUE(executable.ok());
  auto s = stream(StreamMode::Queued);
  BufferRef a = zeros(64 * 8), b = buffer(64 * 8);
  void *bindings[] = {a->address()};
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE(s->dispatch({&(*executable)->kernels()[0], 64, 0, bindings, {}}).ok());
    if (i == 249)
      EXPECT_TRUE(s->copy(b->address(), a->address(), 64 * 8).ok());
  }
  EXPECT_TRUE(s->synchronize().ok());
  std::vector<int64_t> all = read<int64_t>(a), half = read<int64_t>(b);
  for (int64_t w = 0; w < 64 && GetParam().computes; ++w) {
    ASSERT_EQ(all[w], 500 * (w + 1));
    ASSERT_EQ(half[w], 250 * (w + 1));
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
  BufferRef a = zeros(8), b = zeros(8);
  EXPECT_TRUE(second->wait(passed).ok());
  EXPECT_TRUE(second->copy(b->address(), a->address(), 8).ok());
  EXPECT_TRUE(first->wait(gate).ok());
  EXPECT_TRUE(first->fill(a->address(), 8, 42, 8).ok());
  EXPECT_TRUE(first->record(passed).ok());
  EXPECT_EQ(passed->query(), EventState::Pending);
  EXPECT_TRUE(gate->signal());
  EXPECT_TRUE(second->synchronize().ok());
  EXPECT_EQ(read<int64_t>(b)[0], 42);
}

TEST_P(Cts, EventsAreReachedWithoutSynchronize) {
  auto s = stream(StreamMode::Queued);
  BufferRef a = zeros(8);
  for (int i = 0; i < 20; ++i) {
    auto passed = std::make_shared<Event>();
    EXPECT_TRUE(s->fill(a->address(), 8, i, 8).ok());
    EXPECT_TRUE(s->record(passed).ok());
    EXPECT_TRUE(passed->wait(10'000'000'000).ok());
    EXPECT_EQ(read<int64_t>(a)[0], i);
  }
}

TEST_P(Cts, FailureTravelsWithItsFirstCause) {
  auto first = stream(StreamMode::Queued), second = stream(StreamMode::Queued);
  auto gate = std::make_shared<Event>(), after = std::make_shared<Event>();
  BufferRef a = zeros(8);
  EXPECT_TRUE(first->wait(gate).ok());
  EXPECT_TRUE(first->record(after).ok());
  EXPECT_TRUE(second->wait(after).ok());
  EXPECT_TRUE(second->fill(a->address(), 8, 1, 8).ok());
  gate->signal(Status(StatusCode::KernelFailed, "the first cause"));
  EXPECT_EQ(second->synchronize().message(), "the first cause");
  EXPECT_EQ(read<int64_t>(a)[0], 0) << "work after a failure must not run";
  EXPECT_EQ(after->wait().message(), "the first cause");
  EXPECT_TRUE(second->synchronize().ok()) << "reported once";
  EXPECT_TRUE(second->fill(a->address(), 8, 1, 8).ok());
  EXPECT_TRUE(second->synchronize().ok());
  EXPECT_EQ(read<int64_t>(a)[0], 1);
  EXPECT_EQ(first->synchronize().message(), "the first cause");
}

TEST_P(Cts, KernelFailureIsReported) {
  if (!GetParam().computes)
    GTEST_SKIP() << "computes nothing";
  auto executable = device_->load(source({"out_of_range"}));
  ASSERT_TRUE(executable.ok());
  BufferRef out = zeros(8);
  int64_t at = 3;
  void *bindings[] = {out->address()};
  for (StreamMode mode : kModes) {
    auto s = stream(mode);
    Status status = s->dispatch({&(*executable)->kernels()[0], 8, 0, bindings, {&at, 1}});
    if (status.ok())
      status = s->synchronize();
    EXPECT_EQ(status.code(), StatusCode::KernelFailed);
    EXPECT_EQ(status.message(), "an index is out of range; check the indices given to the model");
    EXPECT_TRUE(s->synchronize().ok()) << "reported once";
    EXPECT_TRUE(s->fill(out->address(), 8, 5, 8).ok());
    EXPECT_TRUE(s->synchronize().ok());
    EXPECT_EQ(read<int64_t>(out)[0], 5);
  }
}

TEST_P(Cts, EventsBeforeAFailedKernelAreDone) {
  if (!GetParam().computes)
    GTEST_SKIP() << "computes nothing";
  auto executable = device_->load(source({"out_of_range"}));
  ASSERT_TRUE(executable.ok());
  BufferRef out = zeros(8);
  int64_t at = 0;
  void *bindings[] = {out->address()};
  auto before = std::make_shared<Event>(), after = std::make_shared<Event>(), gate = std::make_shared<Event>();
  auto s = stream(StreamMode::Queued);
  EXPECT_TRUE(s->wait(gate).ok());
  EXPECT_TRUE(s->fill(out->address(), 8, 1, 8).ok());
  EXPECT_TRUE(s->record(before).ok());
  EXPECT_TRUE(s->dispatch({&(*executable)->kernels()[0], 1, 0, bindings, {&at, 1}}).ok());
  EXPECT_TRUE(s->record(after).ok());
  gate->signal();
  EXPECT_EQ(s->synchronize().code(), StatusCode::KernelFailed);
  EXPECT_TRUE(before->wait().ok());
  EXPECT_EQ(after->wait().code(), StatusCode::KernelFailed);
}

TEST_P(Cts, BadCodeIsRefused) {
  if (!GetParam().computes)
    GTEST_SKIP() << "loads nothing";
  struct Words {
    const char *format, *other, *what, *missing, *start;
  };
  static constexpr Words known[] = {
      {"spirv", "ptx", "SPIR-V module", "it has no entry point", "it does not start as SPIR-V"},
      {"ptx", "spirv", "PTX module", "it has no entry", "it has no .version"},
      {"", "spirv", "loadable shared object", "it has no symbol", "it does not start as an ELF file"}};
  const Words &words = *std::find_if(std::begin(known), std::end(known),
                                     [&](const Words &w) { return !*w.format || source({}).format == w.format; });
  std::string must = std::string("the code of executable 'kernels' must be a ") + words.what + ": ";
  EXPECT_EQ(device_->load(source({"missing_symbol"})).status().message(),
            must + words.missing + " 'missing_symbol'; compile the model again");
  ExecutableSource other = source({"mark"});
  other.format = words.other;
  EXPECT_EQ(device_->load(other).status().code(), StatusCode::Unsupported);
  code_.resize(100);
  EXPECT_EQ(device_->load(source({"mark"})).status().code(), StatusCode::Malformed);
  code_.assign(100, std::byte{0});
  EXPECT_EQ(device_->load(source({"mark"})).status().message(), must + words.start + "; compile the model again");
}

TEST_P(Cts, StreamsFromManyThreads) {
  auto executable = device_->load(source({"mark"}));
  ASSERT_TRUE(executable.ok());
  const int rounds = device_->hasQueues() ? 100 : 3000;
  std::vector<std::thread> threads;
  std::vector<BufferRef> out;
  for (int i = 0; i < 4; ++i)
    out.push_back(zeros(64 * 8));
  std::atomic<int> waiting = 4;
  for (BufferRef &mine : out)
    threads.emplace_back([&] {
      auto s = stream(StreamMode::Inline);
      void *bindings[] = {mine->address()};
      for (--waiting; waiting > 0;) // all at once, or they would follow one another
        std::this_thread::yield();
      for (int i = 0; i < rounds; ++i)
        EXPECT_TRUE(s->dispatch({&(*executable)->kernels()[0], 64, 0, bindings, {}}).ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const BufferRef &mine : out) {
    std::vector<int64_t> got = read<int64_t>(mine);
    for (int64_t w = 0; w < 64; ++w)
      ASSERT_EQ(got[w], GetParam().computes ? rounds * (w + 1) : 0);
  }
}

} // namespace
} // namespace heddle::hal
