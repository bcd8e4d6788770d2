// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle/buffers.h through the shared library: buffers of devices in and out of calls, and when they are copied.
#include "BufferFixture.h"

#include <atomic>
#include <cstddef>
#include <thread>

using namespace heddle::test;
using heddle::Buffer;
using heddle::Invocation;
using heddle::View;

namespace {

// Arrays of them are passed, so they never change.
static_assert(sizeof(heddle_tensor) == 160 && offsetof(heddle_tensor, dims) == 24 &&
              offsetof(heddle_tensor, owner) == 152);
static_assert(sizeof(heddle_view) == 176 && offsetof(heddle_view, dims) == 40 && offsetof(heddle_view, device) == 168);

INSTANTIATE_TEST_SUITE_P(Capi, Buffers, testing::Values("local://0", "local://0?discrete=yes", "vulkan", "cuda"),
                         nameOfDevice);

TEST_P(Buffers, ReadWhatWasWritten) {
  std::vector<float> got(4);
  Buffer buffer = filled(std::vector<float>{1, 2, 3, 4}, 12);
  buffer.read(16, got.data(), 12);
  EXPECT_EQ(got, (std::vector<float>{2, 3, 4, 0}));
  heddle_buffer_info info = buffer.info();
  EXPECT_EQ(info.bytes, 28u);
  EXPECT_STREQ(info.uri, GetParam());
  EXPECT_EQ(info.is_lost, 0);
  EXPECT_EQ(info.read_only, 0);
  if (info.host)
    EXPECT_EQ(static_cast<float *>(info.host)[3], 1);
  Buffer host(module(), HEDDLE_HOST, 8);
  EXPECT_STREQ(host.info().uri, "");
  host.write(4, got.data(), 4);
  EXPECT_EQ(static_cast<float *>(host.info().host)[1], 2);
  EXPECT_EQ(Buffer(module(), 0, 0).info().bytes, 0u);
}

// The device's own memory goes in and out and nothing is copied; the same values as by tensors of the host.
TEST_P(Buffers, NothingIsCopiedThatLiesWhereItIsNeeded) {
  Buffer a = filled(a_), b = filled(two_), c(module(), 0, 64 + 64);
  Invocation call(module(), "product");
  View in[] = {View::of(a, HEDDLE_F32, {4, 4}), View::of(b, HEDDLE_F32, {4, 4})};
  for (int round = 0; round < 3; ++round) {
    View out[] = {View::of(c, HEDDLE_F32, {4, 4}, 64)};
    heddle::callViews(call, in, out);
    EXPECT_EQ(out[0].raw().buffer, c.raw()) << "the same buffer";
    EXPECT_EQ(out[0].raw().offset, 64u);
    EXPECT_EQ(read(out[0]), twice_);
    EXPECT_EQ(call.statistics().boundary_bytes, 0u);
  }
  EXPECT_EQ(call.statistics().allocations, 0u);
  View stays[] = {View::on(0)};
  heddle::callViews(call, in, stays);
  EXPECT_EQ(call.statistics().boundary_bytes, 0u);
  EXPECT_STREQ(Buffer(module(), 0, 1).info().uri, GetParam());
  EXPECT_EQ(read(stays[0]), twice_);
  EXPECT_EQ(stays[0].dims().size(), 2u);
  // A result as an argument.
  View again[] = {View(std::exchange(stays[0].raw(), {})), View::of(b, HEDDLE_F32, {4, 4})}, four[] = {View::on(0)};
  heddle::callViews(call, again, four);
  EXPECT_EQ(call.statistics().boundary_bytes, 0u);
  EXPECT_EQ(read(four[0])[15], 64);
}

TEST_P(Buffers, HostAndDeviceInOneCall) {
  Buffer a = filled(a_);
  Invocation call(module(), "product");
  std::vector<float> c(16);
  View in[] = {View::of(a, HEDDLE_F32, {4, 4}), View::borrow(two_, {4, 4})}, out[] = {View::borrow(c, {4, 4})};
  heddle::callViews(call, in, out);
  EXPECT_EQ(c, twice_);
  EXPECT_EQ(out[0].raw().data, c.data());
  EXPECT_EQ(out[0].raw().buffer, nullptr);
  uint64_t copied = call.statistics().boundary_bytes;
  EXPECT_EQ(copied, isApart() ? 128u : 0u) << "b and c";
  View host[] = {View::on(HEDDLE_HOST)};
  heddle::callViews(call, in, host);
  EXPECT_EQ(read(host[0]), twice_);
  EXPECT_EQ(static_cast<float *>(host[0].raw().data)[1], 4);
  // And the interface without views on the same invocation.
  std::vector<heddle::Tensor> tensors =
      call({heddle::Tensor::borrow(a_, {4, 4}), heddle::Tensor::borrow(two_, {4, 4})});
  EXPECT_EQ(tensors[0].values<float>()[15], 32);
  EXPECT_EQ(call.statistics().boundary_bytes, isApart() ? 192u : 0u);
}

// What another device has is right all the same, and counted.
TEST_P(Buffers, MemoryOfAnotherDeviceIsCopied) {
  for (const char *other : {"local://0?discrete=yes", "local?discrete=yes", "local://0"}) {
    if (std::string_view(other) == GetParam())
      continue;
    heddle::Module foreign(artifact(), {other});
    Buffer a(foreign, 0, 64), b = filled(two_), c(foreign, 0, 64);
    a.write(0, a_.data(), 64);
    Invocation call(module(), "product");
    View in[] = {View::of(a, HEDDLE_F32, {4, 4}), View::of(b, HEDDLE_F32, {4, 4})},
         out[] = {View::of(c, HEDDLE_F32, {4, 4})};
    for (int round = 0; round < 2; ++round) {
      heddle::callViews(call, in, out);
      EXPECT_EQ(read(out[0]), twice_) << other;
      EXPECT_EQ(out[0].raw().buffer, c.raw());
    }
    bool discrete = std::string_view(other).ends_with("yes");
    EXPECT_EQ(call.statistics().boundary_bytes > 0, discrete || isApart()) << other;
  }
}

TEST_P(Buffers, DonatedMemoryIsTheResults) {
  std::vector<int64_t> values = {10, 20, 30, 40}, got(4);
  Buffer d = filled(values, 64);
  Invocation call(module(), "mark");
  View in[] = {View::of(d, HEDDLE_I64, {4}, 64)}, out[] = {View()};
  heddle::callViews(call, in, out);
  EXPECT_EQ(out[0].raw().buffer, d.raw());
  EXPECT_EQ(out[0].raw().offset, 64u);
  EXPECT_EQ(call.statistics().boundary_bytes, 0u);
  d.read(64, got.data(), 32);
  EXPECT_EQ(got, (std::vector<int64_t>{11, 22, 33, 44}));
  View own[] = {View::of(d, HEDDLE_I64, {4}, 64)};
  heddle::callViews(call, in, own);
  d.read(64, got.data(), 32);
  EXPECT_EQ(got[3], 48);
  // Both ways hold as many references as they are given back: the memory's owner gets it again.
  int released = 0;
  heddle_memory lent{};
  lent.pointer = values.data();
  lent.bytes = 32;
  lent.release = [](void *user) { ++*static_cast<int *>(user); };
  lent.user = &released;
  for (bool given : {false, true}) {
    Buffer memory(module(), HEDDLE_HOST, lent);
    View from[] = {View::of(memory, HEDDLE_I64, {4})}, to[] = {View()};
    if (given)
      to[0] = View::of(memory, HEDDLE_I64, {4});
    heddle::callViews(call, from, to);
    EXPECT_EQ(to[0].raw().buffer, memory.raw());
  }
  EXPECT_EQ(released, 2);
  EXPECT_EQ(values[0], 12);
  values = {10, 20, 30, 40};
  // From another device it goes there and back.
  heddle::Module foreign(artifact(), {"local?discrete=yes"});
  Buffer far(foreign, 0, 32);
  far.write(0, values.data(), 32);
  View from[] = {View::of(far, HEDDLE_I64, {4})}, back[] = {View()};
  heddle::callViews(call, from, back);
  far.read(0, got.data(), 32);
  EXPECT_EQ(got, (std::vector<int64_t>{11, 22, 33, 44}));
  EXPECT_EQ(back[0].raw().buffer, far.raw());
}

// A program that returns what it was given: copies to wherever results are wanted.
TEST_P(Buffers, AnArgumentReturned) {
  Buffer x = filled(a_), y(module(), 0, 64);
  Invocation call(module(), "echo");
  View in[] = {View::of(x, HEDDLE_F32, {16})}, out[] = {View::of(y, HEDDLE_F32, {16}), View::on(0)};
  heddle::callViews(call, in, out);
  EXPECT_EQ(read(out[0]), a_);
  EXPECT_EQ(read(out[1]), a_);
  EXPECT_EQ(call.statistics().boundary_bytes, 128u);
  View host[] = {View::on(HEDDLE_HOST), View::on(0)};
  heddle::callViews(call, in, host);
  EXPECT_EQ(read(host[0]), a_);
  View empty[] = {View::of(x, HEDDLE_F32, {0}, 64)};
  heddle::callViews(call, empty, host);
  EXPECT_EQ(host[1].bytes(), 0u);
}

// The call keeps what it uses.
// What is large enough to be pinned for the call. Devices behind a bus copy it, so that kernels do not read across.
TEST_P(Buffers, LargeArgumentsAndResults) {
  std::vector<float> x(1 << 20), y(x.size()), z(x.size());
  Invocation call(module(), "echo");
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i + round);
    View in[] = {View::borrow(x, {1 << 20})};
    View out[] = {View::borrow(y, {1 << 20}), View::borrow(z, {1 << 20})};
    heddle::callViews(call, in, out);
    EXPECT_TRUE(y == x && z == x) << round;
    if (std::string_view(GetParam()) == "cuda")
      EXPECT_EQ(call.statistics().boundary_bytes, 8u << 20);
  }
}

TEST_P(Buffers, ReleasedWhileTheCallRuns) {
  Invocation call(module(), "product");
  heddle::Semaphore gate, done;
  std::vector<float> c(16);
  View out[] = {View::borrow(c, {4, 4})};
  heddle_semaphore_point wait = gate.at(1), signal = done.at(7);
  {
    Buffer a = filled(a_), b = filled(two_);
    View in[] = {View::of(a, HEDDLE_F32, {4, 4}), View::of(b, HEDDLE_F32, {4, 4})};
    heddle::Event event = heddle::startViews(call, in, out, {&wait, 1}, {&signal, 1});
    EXPECT_FALSE(event.reached());
  }
  EXPECT_EQ(done.value(), 0u);
  gate.signal(1);
  done.wait(7);
  EXPECT_EQ(c, twice_);
}

TEST_P(Buffers, ImportedMemoryOfTheHost) {
  static std::atomic<int> released;
  released = 0;
  alignas(4096) static float memory[2048]; // whole pages
  std::copy(a_.begin(), a_.end(), memory);
  auto import = [&](uint32_t device) {
    heddle_memory of{};
    of.kind = HEDDLE_MEMORY_HOST;
    of.pointer = memory;
    of.bytes = sizeof(memory);
    of.read_only = 1;
    of.release = [](void *user) { *static_cast<std::atomic<int> *>(user) += 1; };
    of.user = &released;
    return Buffer(module(), device, of);
  };
  Invocation call(module(), "product");
  Buffer b = filled(two_);
  int made = 0;
  for (uint32_t device : {HEDDLE_HOST, 0u}) {
    std::string refused = failure([&] {
      Buffer a = import(device);
      ++made;
      View in[] = {View::of(a, HEDDLE_F32, {4, 4}), View::of(b, HEDDLE_F32, {4, 4})}, out[] = {View::on(0)};
      heddle::callViews(call, in, out);
      EXPECT_EQ(read(out[0]), twice_);
      EXPECT_EQ(call.statistics().boundary_bytes, device == HEDDLE_HOST && isApart() ? 64u : 0u);
      EXPECT_EQ(failure([&] { a.write(0, memory, 4); }), "the buffer is only read");
      View given[] = {View::of(a, HEDDLE_F32, {4, 4})};
      EXPECT_EQ(failure([&] { heddle::callViews(call, in, given); }),
                "result 0 'c' has storage in a buffer that is only read; give other memory");
    });
    EXPECT_TRUE(refused == "ok" || (device == 0 && refused.find("cannot") != std::string::npos)) << refused;
  }
  EXPECT_EQ(released, made);
  EXPECT_GE(made, 1);
}

// Memory that two devices have, as two processes would: what one writes the other reads.
TEST_P(Buffers, SharedByAFileDescriptor) {
  std::optional<Buffer> mine;
  std::string refused = failure([&] { mine.emplace(module(), 0, 64, HEDDLE_BUFFER_SHARED); });
  if (std::string_view(GetParam()) != "vulkan") {
    EXPECT_NE(refused.find("shares no memory by file descriptors; those of Vulkan do"), std::string::npos) << refused;
    return;
  }
  if (!mine)
    GTEST_SKIP() << refused;
  mine->write(0, a_.data(), 64);
  int descriptor = mine->exportDescriptor();
  ASSERT_GE(descriptor, 0);
  EXPECT_EQ(failure([&] { Buffer(module(), 0, 64).exportDescriptor(); }),
            "the buffer was not allocated to be shared; allocate one that is");
  heddle::Module other(artifact(), {"vulkan://0"});
  heddle_memory memory{};
  memory.kind = HEDDLE_MEMORY_DESCRIPTOR;
  memory.descriptor = descriptor;
  memory.bytes = 64;
  Buffer theirs(other, 0, memory);
  ASSERT_EQ(close(descriptor), 0) << "it stayed ours";
  Invocation call(other, "product");
  Buffer two(other, 0, 64);
  two.write(0, two_.data(), 64);
  View in[] = {View::of(theirs, HEDDLE_F32, {4, 4}), View::of(two, HEDDLE_F32, {4, 4})}, out[] = {View::on(0)};
  heddle::callViews(call, in, out);
  EXPECT_EQ(read(out[0]), twice_);
  EXPECT_EQ(call.statistics().boundary_bytes, 0u);
  theirs.write(0, twice_.data(), 64);
  std::vector<float> got(16);
  mine->read(0, got.data(), 64);
  EXPECT_EQ(got, twice_);
  memory.descriptor = -1;
  EXPECT_NE(failure([&] { Buffer(other, 0, memory); }).find("it is not open"), std::string::npos);
}

} // namespace
