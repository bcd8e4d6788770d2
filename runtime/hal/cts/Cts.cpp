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
  runners_.emplace_back(inlined());
  runners_.emplace_back(queue());
  std::string format = source({}).format;
  code_ = heddle::test::kernelCode(format == "spirv" ? HEDDLE_TEST_KERNELS_SPIRV
                                   : format == "ptx" ? HEDDLE_TEST_KERNELS_PTX
                                                     : HEDDLE_TEST_KERNELS);
}

std::unique_ptr<Queue> Cts::queue() {
  StatusOr<std::unique_ptr<Queue>> queue =
      GetParam().isShared ? device_->createSharedQueue(/*helped=*/false) : device_->createQueue();
  EXPECT_TRUE(queue.ok()) << queue.status().text();
  return std::move(*queue);
}

std::unique_ptr<Commands> Cts::inlined() {
  StatusOr<std::unique_ptr<Commands>> commands = device_->createInline();
  EXPECT_TRUE(commands.ok()) << commands.status().text();
  return std::move(*commands);
}

BufferRef Cts::buffer(uint64_t bytes) {
  StatusOr<BufferRef> buffer = device_->allocate(bytes);
  EXPECT_TRUE(buffer.ok()) << buffer.status().text();
  return *buffer;
}

BufferRef Cts::zeros(uint64_t bytes) {
  BufferRef out = buffer(bytes);
  EXPECT_TRUE(inlined()->fill(View::of(out), 0, 1).ok());
  return out;
}

ExecutableSource Cts::source(std::vector<std::string> symbols) {
  std::string format = device_->info().formats.empty() ? "any" : device_->info().formats[0];
  std::vector<contract::Launch> launches(symbols.size()); // workgroups of one invocation
  return {"kernels", format, code_, std::move(symbols), std::move(launches)};
}

namespace {

View host(const void *address, uint64_t bytes) { return View::ofHost(address, bytes); }

struct Timeline {
  std::shared_ptr<Semaphore> semaphore = std::make_shared<Semaphore>();
  Point at(uint64_t value) const { return {semaphore, value}; }
};

void submit(Queue &queue, const CommandBuffer *commands, std::vector<Point> waits, std::vector<Point> signals) {
  queue.submit(commands, waits, signals);
}

TEST_P(Cts, InfoNamesTheDevice) {
  EXPECT_TRUE(device_->info().available);
  EXPECT_EQ(device_->info().uri, GetParam().uri);
  EXPECT_GE(device_->info().cores, 1u);
}

TEST_P(Cts, BuffersAreAlignedAndCounted) {
  for (uint64_t bytes : {0, 1, 63, 64, 4096, 5 << 20}) {
    BufferRef one = buffer(bytes), two = one;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(one->address()) % kBufferAlignment, 0u);
    EXPECT_EQ(one->address() != nullptr, device_->hostAddressable());
    EXPECT_EQ(one->bytes(), bytes);
    one = {};
    if (bytes && device_->hostAddressable()) {
      std::memset(two->address(), 7, bytes);
      EXPECT_EQ(two->address()[bytes - 1], std::byte{7});
    }
  }
}

TEST_P(Cts, BuffersAreApart) {
  std::vector<BufferRef> buffers;
  for (uint64_t bytes : {0, 8, 0, 4096, 256, 20 << 20, 64})
    buffers.push_back(buffer(bytes));
  std::unique_ptr<Commands> device = inlined();
  for (size_t i = 0; i < buffers.size(); ++i)
    EXPECT_TRUE(device->fill(View::of(buffers[i]), i, 8).ok());
  for (size_t i = 0; i < buffers.size(); ++i) {
    std::vector<uint64_t> got = read<uint64_t>(buffers[i]);
    EXPECT_EQ(std::count(got.begin(), got.end(), i), static_cast<ptrdiff_t>(got.size())) << i;
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
  EXPECT_EQ((*imported)->bytes(), sizeof(memory));
  CommandBuffer commands;
  EXPECT_TRUE(commands.fill(View::of(*imported), 42, 8).ok());
  EXPECT_TRUE(runToEnd(*queue(), commands).ok());
  EXPECT_EQ(memory[0], 42);
  EXPECT_EQ(memory[511], 42);
}

TEST_P(Cts, HugeAllocationFails) {
  EXPECT_EQ(device_->allocate(UINT64_MAX).status().code(), StatusCode::OutOfMemory);
  EXPECT_EQ(device_->allocate(INT64_MAX).status().code(), StatusCode::OutOfMemory);
}

TEST_P(Cts, FillAndCopy) {
  for (Runner &r : runners_) {
    BufferRef a = buffer(40), b = buffer(40);
    for (uint32_t bytes : {1, 2, 4, 8}) {
      uint64_t pattern = 0x1122334455667788;
      EXPECT_TRUE(r.run([&](Commands &c) {
                     HEDDLE_RETURN_IF_ERROR(c.fill(View::of(a), pattern, bytes));
                     return c.copy(View::of(b), View::of(a));
                   }).ok());
      std::vector<std::byte> out = read<std::byte>(b);
      for (uint32_t at = 0; at < 40; at += bytes)
        EXPECT_EQ(std::memcmp(out.data() + at, &pattern, bytes), 0) << bytes << " " << at;
    }
    EXPECT_TRUE(r.run([&](Commands &c) {
                   HEDDLE_RETURN_IF_ERROR(c.fill(View::of(a, 0, 0), 1, 8));
                   return c.copy(View::of(b, 40, 0), View::of(a, 0, 0));
                 }).ok());
  }
}

// Places and sizes that are no words, against host memory.
TEST_P(Cts, FillsAndCopiesAtAnyByte) {
  for (Runner &r : runners_) {
    constexpr size_t kBytes = 200'000;
    std::vector<std::byte> expected(kBytes, std::byte{9});
    BufferRef a = buffer(kBytes), b = zeros(kBytes);
    struct Fill {
      uint64_t at, bytes;
      uint32_t pattern;
    };
    const Fill fills[] = {Fill{1, 3, 1},    Fill{7, 8, 8},          Fill{33, 66, 2},         Fill{101, 99, 1},
                          Fill{402, 12, 4}, Fill{1000, 100'000, 8}, Fill{110'001, 80'000, 4}};
    uint64_t value = 0x8877665544332211;
    EXPECT_TRUE(r.run([&](Commands &c) {
                   HEDDLE_RETURN_IF_ERROR(c.fill(View::of(a), 9, 1));
                   for (const Fill &f : fills)
                     HEDDLE_RETURN_IF_ERROR(c.fill(View::of(a, f.at, f.bytes), value, f.pattern));
                   return Status();
                 }).ok());
    for (const Fill &f : fills)
      for (uint64_t i = 0; i < f.bytes; ++i)
        std::memcpy(&expected[f.at + i], reinterpret_cast<std::byte *>(&value) + i % f.pattern, 1);
    for (uint64_t cut : {uint64_t{0}, uint64_t{1}, uint64_t{4}, uint64_t{70'003}}) {
      uint64_t rest = kBytes - cut;
      EXPECT_TRUE(r.run([&](Commands &c) { return c.copy(View::of(b, 0, rest), View::of(a, cut, rest)); }).ok());
      EXPECT_TRUE(std::equal(expected.begin() + cut, expected.end(), read<std::byte>(View::of(b, 0, rest)).begin()));
    }
  }
}

TEST_P(Cts, CopiesFromAndToTheHost) {
  std::vector<uint32_t> in((9 << 20) / 4 + 5), out(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<uint32_t>(i * 2654435761u);
  for (Runner &r : runners_) {
    uint64_t bytes = in.size() * 4;
    BufferRef a = buffer(bytes), b = buffer(bytes);
    std::fill(out.begin(), out.end(), 0);
    EXPECT_TRUE(r.run([&](Commands &c) {
                   HEDDLE_RETURN_IF_ERROR(c.copy(View::of(a), host(in.data(), bytes)));
                   HEDDLE_RETURN_IF_ERROR(c.copy(View::of(b), View::of(a)));
                   return c.copy(host(out.data(), bytes), View::of(b));
                 }).ok());
    EXPECT_TRUE(in == out);
    // What was brought to the host goes back in the same submission.
    out[0] = 77;
    EXPECT_TRUE(r.run([&](Commands &c) {
                   HEDDLE_RETURN_IF_ERROR(c.copy(View::of(a, 4, 4), host(&out[0], 4)));
                   HEDDLE_RETURN_IF_ERROR(c.copy(host(&out[1], 4), View::of(a, 4, 4)));
                   HEDDLE_RETURN_IF_ERROR(c.copy(View::of(b, 8, 4), host(&out[1], 4)));
                   return c.copy(host(&out[2], 4), View::of(b, 8, 4));
                 }).ok());
    EXPECT_EQ(out[1], 77u);
    EXPECT_EQ(out[2], 77u);
  }
}

// A copy from host memory reads it when what it waits for is done, not before.
TEST_P(Cts, CopiesFromTheHostWait) {
  auto first = queue(), second = queue();
  BufferRef a = zeros(8), b = zeros(8);
  int64_t word = 0;
  Timeline t, u;
  CommandBuffer bring, take;
  EXPECT_TRUE(bring.fill(View::of(a), 42, 8).ok());
  EXPECT_TRUE(bring.copy(host(&word, 8), View::of(a)).ok());
  EXPECT_TRUE(take.copy(View::of(b), host(&word, 8)).ok());
  submit(*first, &bring, {}, {t.at(1)});
  submit(*second, &take, {t.at(1)}, {u.at(1)});
  EXPECT_TRUE(u.semaphore->wait(1).ok());
  EXPECT_EQ(read<int64_t>(b)[0], 42);
}

TEST_P(Cts, DispatchRunsEveryWorkgroupOnce) {
  StatusOr<std::unique_ptr<Executable>> executable = device_->load(source({"matmul4", "mark"}));
  ASSERT_TRUE(executable.ok()) << executable.status().text();
  ASSERT_EQ((*executable)->kernels().size(), 2u);
  for (Runner &r : runners_)
    for (int64_t n : {0, 1, 2, 5, 64, 1001, 70'001}) {
      BufferRef out = zeros((n + 1) * 8);
      ViewDispatch mark((*executable)->kernels()[1], n, {View::of(out)});
      EXPECT_TRUE(r.run([&](Commands &c) { return c.dispatch(mark); }).ok());
      std::vector<int64_t> got = read<int64_t>(out);
      for (int64_t w = 0; w <= n; ++w)
        ASSERT_EQ(got[w], GetParam().computes && w < n ? w + 1 : 0) << n;
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
    View x = View::of(all, at, 64), y = View::of(all, at + 68, 64), z = View::of(all, at + 136, 64);
    // As many workgroups as elements: the host's kernel does all in each.
    int64_t workgroups = source({}).format == "spirv" || source({}).format == "ptx" ? 16 : 1;
    CommandBuffer c;
    EXPECT_TRUE(c.fill(View::of(all), 0, 1).ok());
    EXPECT_TRUE(c.copy(x, host(a.data(), 64)).ok());
    EXPECT_TRUE(c.copy(y, host(b.data(), 64)).ok());
    EXPECT_TRUE(c.dispatch(ViewDispatch((*executable)->kernels()[0], workgroups, {x, y, z})).ok());
    EXPECT_TRUE(runToEnd(*queue(), c).ok());
    std::vector<float> got = read<float>(View::of(all, at + 136, 68));
    for (int i = 0; i < 16; ++i)
      ASSERT_EQ(got[i], GetParam().computes ? expected[i] : 0) << at << " " << i;
    EXPECT_EQ(got[16], 0) << "written beyond the tensor";
  }
}

TEST_P(Cts, DependentDispatchesOfAQueue) {
  auto executable = device_->load(source({"mark"}));
  ASSERT_TRUE(executable.ok());
  BufferRef a = zeros(64 * 8), b = buffer(64 * 8);
  ViewDispatch mark((*executable)->kernels()[0], 64, {View::of(a)});
  CommandBuffer c;
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE(c.dispatch(mark).ok());
    if (i == 249)
      EXPECT_TRUE(c.copy(View::of(b), View::of(a)).ok());
  }
  EXPECT_TRUE(runToEnd(*queue(), c).ok());
  std::vector<int64_t> all = read<int64_t>(a), half = read<int64_t>(b);
  for (int64_t w = 0; w < 64 && GetParam().computes; ++w) {
    ASSERT_EQ(all[w], 500 * (w + 1));
    ASSERT_EQ(half[w], 250 * (w + 1));
  }
}

TEST_P(Cts, WorkgroupsOutOfRangeAreRefused) {
  auto executable = device_->load(source({"nothing"}));
  ASSERT_TRUE(executable.ok());
  for (int64_t n : {int64_t{-1}, kMaxWorkgroups + 1, INT64_MIN, INT64_MAX})
    EXPECT_EQ(inlined()->dispatch({&(*executable)->kernels()[0], n, 0, {}, {}}).code(), StatusCode::InvalidArgument);
}

TEST_P(Cts, SubmissionsAreInOrder) {
  auto q = queue();
  BufferRef a = zeros(8), log = zeros(100 * 8);
  std::vector<CommandBuffer> all(100);
  Timeline t;
  for (uint64_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(all[i].copy(View::of(log, 8 * i, 8), View::of(a)).ok());
    EXPECT_TRUE(all[i].fill(View::of(a), i + 1, 8).ok());
    submit(*q, &all[i], {}, {t.at(i + 1)});
  }
  EXPECT_TRUE(t.semaphore->wait(100).ok());
  std::vector<uint64_t> got = read<uint64_t>(log);
  for (uint64_t i = 0; i < 100; ++i)
    EXPECT_EQ(got[i], i);
}

TEST_P(Cts, SemaphoresOrderQueues) {
  auto first = queue(), second = queue();
  BufferRef a = zeros(8), b = zeros(8);
  Timeline gate, passed, end;
  CommandBuffer copy, fill;
  EXPECT_TRUE(copy.copy(View::of(b), View::of(a)).ok());
  EXPECT_TRUE(fill.fill(View::of(a), 42, 8).ok());
  submit(*second, &copy, {passed.at(1)}, {end.at(1)});
  submit(*first, &fill, {gate.at(1)}, {passed.at(1)});
  EXPECT_EQ(passed.semaphore->query(1), SemaphoreState::Pending);
  EXPECT_TRUE(gate.semaphore->signal(1));
  EXPECT_TRUE(end.semaphore->wait(1).ok());
  EXPECT_EQ(read<int64_t>(b)[0], 42);
}

// Two queues of a device in turn, all submitted ahead.
TEST_P(Cts, QueuesHandWorkToOneAnother) {
  auto executable = device_->load(source({"mark"}));
  ASSERT_TRUE(executable.ok());
  auto one = queue(), two = queue();
  BufferRef a = zeros(16 * 8), b = zeros(16 * 8);
  Timeline there, back;
  CommandBuffer forward, backward;
  EXPECT_TRUE(forward.dispatch(ViewDispatch((*executable)->kernels()[0], 16, {View::of(a)})).ok());
  EXPECT_TRUE(forward.copy(View::of(b), View::of(a)).ok());
  EXPECT_TRUE(backward.dispatch(ViewDispatch((*executable)->kernels()[0], 16, {View::of(b)})).ok());
  EXPECT_TRUE(backward.copy(View::of(a), View::of(b)).ok());
  for (uint64_t i = 0; i < 20; ++i) {
    submit(*one, &forward, {back.at(i)}, {there.at(i + 1)});
    submit(*two, &backward, {there.at(i + 1)}, {back.at(i + 1)});
  }
  EXPECT_TRUE(back.semaphore->wait(20).ok());
  std::vector<int64_t> got = read<int64_t>(a);
  for (int64_t w = 0; w < 16 && GetParam().computes; ++w)
    EXPECT_EQ(got[w], 40 * (w + 1));
}

TEST_P(Cts, PointsAreReachedWithoutDrain) {
  auto q = queue();
  BufferRef a = zeros(8);
  Timeline t;
  for (uint64_t i = 1; i <= 20; ++i) {
    CommandBuffer c;
    EXPECT_TRUE(c.fill(View::of(a), i, 8).ok());
    submit(*q, &c, {}, {t.at(i)});
    EXPECT_TRUE(t.semaphore->wait(i, 10'000'000'000).ok());
    EXPECT_EQ(read<uint64_t>(a)[0], i);
  }
}

TEST_P(Cts, FailureTravelsWithItsFirstCause) {
  auto first = queue(), second = queue();
  Timeline gate, after, end, fresh;
  BufferRef a = zeros(8);
  CommandBuffer fill;
  EXPECT_TRUE(fill.fill(View::of(a), 1, 8).ok());
  submit(*first, nullptr, {gate.at(1)}, {after.at(1)});
  submit(*second, &fill, {after.at(1)}, {end.at(1)});
  gate.semaphore->fail(Status(StatusCode::KernelFailed, "the first cause"));
  EXPECT_EQ(end.semaphore->wait(1).message(), "the first cause");
  EXPECT_EQ(read<int64_t>(a)[0], 0) << "work after a failure must not run";
  EXPECT_EQ(after.semaphore->wait(1).message(), "the first cause");
  submit(*second, &fill, {}, {end.at(2)});
  second->drain();
  EXPECT_EQ(read<int64_t>(a)[0], 0) << "what signals a failed timeline is left out";
  submit(*second, &fill, {}, {fresh.at(1)});
  EXPECT_TRUE(fresh.semaphore->wait(1).ok());
  EXPECT_EQ(read<int64_t>(a)[0], 1);
}

TEST_P(Cts, KernelFailureIsReported) {
  if (!GetParam().computes)
    GTEST_SKIP() << "computes nothing";
  auto executable = device_->load(source({"out_of_range"}));
  ASSERT_TRUE(executable.ok());
  BufferRef out = zeros(8);
  for (Runner &r : runners_) {
    ViewDispatch bad((*executable)->kernels()[0], 8, {View::of(out)}, {3});
    Status status = r.run([&](Commands &c) { return c.dispatch(bad); });
    EXPECT_EQ(status.code(), StatusCode::KernelFailed);
    EXPECT_EQ(status.message(), "an index is out of range; check the indices given to the model");
    EXPECT_TRUE(r.run([&](Commands &c) { return c.fill(View::of(out), 5, 8); }).ok()) << "reported once";
    EXPECT_EQ(read<int64_t>(out)[0], 5);
  }
}

TEST_P(Cts, PointsBeforeAFailedKernelAreReached) {
  if (!GetParam().computes)
    GTEST_SKIP() << "computes nothing";
  auto executable = device_->load(source({"out_of_range"}));
  ASSERT_TRUE(executable.ok());
  BufferRef out = zeros(8);
  Timeline gate, t, other;
  CommandBuffer good, bad;
  EXPECT_TRUE(good.fill(View::of(out), 1, 8).ok());
  EXPECT_TRUE(bad.dispatch(ViewDispatch((*executable)->kernels()[0], 1, {View::of(out)}, {0})).ok());
  auto q = queue(), waiting = queue();
  submit(*q, &good, {gate.at(1)}, {t.at(1)});
  submit(*q, &bad, {}, {t.at(2)});
  submit(*waiting, &good, {t.at(2)}, {other.at(1)});
  gate.semaphore->signal(1);
  EXPECT_EQ(other.semaphore->wait(1).code(), StatusCode::KernelFailed);
  EXPECT_TRUE(t.semaphore->wait(1).ok());
  EXPECT_EQ(t.semaphore->wait(2).code(), StatusCode::KernelFailed);
}

TEST_P(Cts, StampsRise) {
  auto executable = device_->load(source({"mark"}));
  ASSERT_TRUE(executable.ok());
  BufferRef a = zeros(64 * 8);
  ViewDispatch mark((*executable)->kernels()[0], 64, {View::of(a)});
  uint64_t times[200] = {};
  CommandBuffer c;
  for (uint64_t &time : times) {
    EXPECT_TRUE(c.dispatch(mark).ok());
    EXPECT_TRUE(c.stamp(&time).ok());
  }
  EXPECT_TRUE(runToEnd(*queue(), c).ok());
  EXPECT_TRUE(std::is_sorted(std::begin(times), std::end(times)));
  EXPECT_LT(times[0], times[199]);
}

// What is recorded once is submitted again and again.
TEST_P(Cts, CommandsAreReplayed) {
  auto executable = device_->load(source({"mark"}));
  ASSERT_TRUE(executable.ok());
  BufferRef a = zeros(64 * 8);
  CommandBuffer c;
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(c.dispatch(ViewDispatch((*executable)->kernels()[0], 64, {View::of(a)})).ok());
  auto q = queue();
  Timeline t;
  for (uint64_t i = 1; i <= 5; ++i)
    submit(*q, &c, {}, {t.at(i)});
  EXPECT_TRUE(t.semaphore->wait(5).ok());
  EXPECT_EQ(read<int64_t>(a)[63], GetParam().computes ? 500 * 64 : 0);
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

TEST_P(Cts, QueuesFromManyThreads) {
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
      auto device = inlined();
      ViewDispatch mark((*executable)->kernels()[0], 64, {View::of(mine)});
      for (--waiting; waiting > 0;) // all at once, or they would follow one another
        std::this_thread::yield();
      for (int i = 0; i < rounds; ++i)
        EXPECT_TRUE(device->dispatch(mark).ok());
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
