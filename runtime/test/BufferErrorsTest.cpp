// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What heddle/buffers.h refuses, and what it promises beside calls: semaphores, threads, forks, devices that are lost.
#include "BufferFixture.h"

#include <sys/wait.h>
#include <thread>

using namespace heddle::test;
using heddle::Buffer;
using heddle::Invocation;
using heddle::Semaphore;
using heddle::View;

namespace {

class BufferErrors : public Buffers {};
INSTANTIATE_TEST_SUITE_P(Capi, BufferErrors, testing::Values("local://0", "local://0?discrete=yes", "vulkan"),
                         nameOfDevice);

TEST_P(BufferErrors, BuffersThatAreNot) {
  EXPECT_EQ(failure([&] { Buffer(module(), 3, 64); }), "the module has 1 devices, got index 3");
  EXPECT_EQ(failure([&] { Buffer(module(), 0, 64, 6); }), "the flags of a buffer are 0 or HEDDLE_BUFFER_SHARED, got 6");
  EXPECT_NE(failure([&] { Buffer(module(), 0, UINT64_MAX - 5); }).find("cannot allocate"), std::string::npos);
  Buffer buffer(module(), 0, 64);
  char bytes[8];
  EXPECT_EQ(failure([&] { buffer.read(60, bytes, 8); }), "8 bytes at 60 must lie in the buffer of 64 bytes");
  EXPECT_EQ(failure([&] { buffer.write(UINT64_MAX, bytes, 8); }),
            "8 bytes at 18446744073709551615 must lie in the buffer of 64 bytes");
  EXPECT_EQ(failure([&] { heddle::check(heddle_buffer_read(nullptr, 0, bytes, 8)); }), "there is no buffer");
  heddle_buffer_release(nullptr);
  heddle_view_reset(nullptr);
  heddle_memory memory{};
  EXPECT_EQ(failure([&] { memory.bytes = 4, Buffer(module(), 0, memory); }),
            "the memory to import has no pointer; set heddle_memory::pointer");
  memory.pointer = bytes;
  EXPECT_EQ(failure([&] { memory.kind = static_cast<heddle_memory_kind>(9), Buffer(module(), 0, memory); }),
            "there is no kind of memory 9");
  memory.kind = HEDDLE_MEMORY_DEVICE;
  EXPECT_NE(failure([&] { Buffer(module(), 0, memory); }).find("; "), std::string::npos) << "with a remedy";
  int32_t descriptor = -1;
  heddle_status *status = heddle_buffer_export(Buffer(module(), HEDDLE_HOST, 4).raw(), &descriptor);
  EXPECT_EQ(heddle_status_get_code(status), HEDDLE_UNSUPPORTED);
  heddle_status_release(status);
}

TEST_P(BufferErrors, ViewsThatDoNotFit) {
  Buffer a = filled(a_), b = filled(two_), c(module(), 0, 128);
  Invocation call(module(), "product");
  auto refused = [&](const View &first, const View &second, View &&result) {
    const heddle_view in[] = {first.raw(), second.raw()};
    return failure([&] { heddle::check(heddle_invocation_call_views(call.raw(), in, 2, &result.raw(), 1)); });
  };
  auto of = [](const Buffer &buffer, uint64_t offset = 0) { return View::of(buffer, HEDDLE_F32, {4, 4}, offset); };
  EXPECT_EQ(refused(of(a, 4), of(b), of(c)), "argument 0 'a': 64 bytes at 4 must lie in its buffer of 64 bytes");
  EXPECT_EQ(refused(of(a), of(b), of(c, 68)), "result 0 'c': 64 bytes at 68 must lie in its buffer of 128 bytes");
  EXPECT_EQ(refused(of(a), of(b), of(c, UINT64_MAX - 3)),
            "result 0 'c': 64 bytes at 18446744073709551612 must lie in its buffer of 128 bytes");
  EXPECT_EQ(refused(of(c, 2), of(b), of(c, 64)), "result 0 'c': its storage overlaps that of argument 0 'a'; give "
                                                 "other memory");
  EXPECT_EQ(refused(of(c, 2), of(b), View::on(0)), "argument 0 'a' must be aligned to its elements of 4 bytes");
  EXPECT_EQ(refused(of(a), of(b), of(c, 2)), "result 0 'c': its storage must be aligned to its elements of 4 bytes");
  EXPECT_EQ(refused(View::of(a, HEDDLE_I32, {4, 4}), of(b), of(c)),
            "argument 0 'a' has element type f32, got i32; convert it");
  EXPECT_EQ(refused(of(a), of(b), View::of(c, HEDDLE_F32, {2, 4})),
            "result 0 'c' needs 64 bytes, got storage of 32; give a larger buffer or none");
  EXPECT_EQ(refused(of(a), of(b), View::on(7)), "result 0 'c' must be on device 7, which the module does not have; "
                                                "give another index, or HEDDLE_HOST");
  EXPECT_EQ(refused(View(), of(b), of(c)), "argument 0 'a' is left out, and has no default; give it");
  EXPECT_EQ(failure([&] { heddle::callViews(call, {}, {}); }), "'product' takes 2 arguments, got 0");
  // And it works still.
  EXPECT_EQ(refused(of(a), of(b), of(c)), "ok");
  Invocation echo(module(), "echo");
  View in[] = {View::of(a, HEDDLE_F32, {4})}, out[] = {View::of(c, HEDDLE_F32, {4}), View::of(c, HEDDLE_F32, {4}, 12)};
  EXPECT_EQ(failure([&] { heddle::callViews(echo, in, out); }),
            "result 1 'z': its storage overlaps that of result 0 'y'; give other memory");
}

TEST_P(BufferErrors, SemaphoresRiseOrFail) {
  Semaphore semaphore(5);
  EXPECT_EQ(semaphore.value(), 5u);
  EXPECT_EQ(failure([&] { semaphore.signal(5); }), "a semaphore's value must rise, got 5 where it has reached 5");
  semaphore.signal(8);
  semaphore.wait(7);
  EXPECT_EQ(failure([&] { semaphore.wait(9, 1000); }), "the semaphore did not reach 9 in 1 us");
  Invocation call(module(), "product");
  Buffer a = filled(a_), b = filled(two_);
  View in[] = {View::of(a, HEDDLE_F32, {4, 4}), View::of(b, HEDDLE_F32, {4, 4})}, out[] = {View::on(0)};
  heddle_semaphore_point nothing{}, at = semaphore.at(9);
  EXPECT_EQ(failure([&] { heddle::startViews(call, in, out, {&nothing, 1}); }),
            "wait 0 of the call names no semaphore");
  EXPECT_EQ(failure([&] { heddle::startViews(call, in, out, {}, {&nothing, 1}); }),
            "signal 0 of the call names no semaphore");
  // A failure goes from one to the next, through a chain of calls.
  Invocation second(module(), "product");
  Semaphore later;
  heddle_semaphore_point signal = later.at(1), wait = later.at(1);
  View more[] = {View::on(0)};
  heddle::Event first = heddle::startViews(call, in, out, {&at, 1}, {&signal, 1});
  heddle::Event last = heddle::startViews(second, in, more, {&wait, 1});
  semaphore.fail(HEDDLE_IO, "no more input");
  EXPECT_EQ(failure([&] { first.wait(); }), "no more input");
  EXPECT_EQ(failure([&] { later.wait(1); }), "no more input");
  EXPECT_EQ(failure([&] { (void)later.value(); }), "no more input");
  EXPECT_EQ(failure([&] { last.wait(); }), "no more input");
  EXPECT_EQ(failure([&] { semaphore.signal(20); }), "no more input");
}

// A call that waits for ever is ended by cancel() and by its time limit, and fails what it would have signalled.
TEST_P(BufferErrors, WaitsEnd) {
  Invocation call(module(), "product");
  Buffer a = filled(a_);
  Semaphore never, done;
  heddle_semaphore_point wait = never.at(1), signal = done.at(1);
  View in[] = {View::of(a, HEDDLE_F32, {4, 4}), View::of(a, HEDDLE_F32, {4, 4})}, out[] = {View::on(0)};
  heddle::Event event = heddle::startViews(call, in, out, {&wait, 1}, {&signal, 1});
  call.cancel();
  EXPECT_NE(failure([&] { done.wait(1); }).find("cancelled"), std::string::npos);
  EXPECT_NE(failure([&] { event.wait(); }).find("cancelled"), std::string::npos);
  call.setTimeout(1'000'000);
  Semaphore again;
  signal = again.at(1);
  heddle::startViews(call, in, out, {&wait, 1}, {&signal, 1});
  EXPECT_NE(failure([&] { again.wait(1); }), "ok");
}

TEST_P(BufferErrors, ThreadsShareBuffersAndTakeTurns) {
  Buffer a = filled(a_), two = filled(two_);
  Semaphore turn;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  // Each thread doubles what the one before made: four links of a chain, started in any order.
  std::vector<Buffer> links = {a};
  for (int i = 0; i < 4; ++i)
    links.emplace_back(module(), 0, 64);
  for (int i = 3; i >= 0; --i)
    threads.emplace_back([&, i] {
      Invocation call(module(), "product");
      View in[] = {View::of(links[i], HEDDLE_F32, {4, 4}), View::of(two, HEDDLE_F32, {4, 4})},
           out[] = {View::of(links[i + 1], HEDDLE_F32, {4, 4})};
      heddle_semaphore_point wait = turn.at(i), signal = turn.at(i + 1);
      heddle::Stream stream(module());
      heddle::startViews(call, in, out, {&wait, 1}, {&signal, 1}, &stream).wait();
      wrong += call.statistics().boundary_bytes != 0;
    });
  for (std::thread &thread : threads)
    thread.join();
  turn.wait(4);
  std::vector<float> last(16);
  links[4].read(0, last.data(), 64);
  EXPECT_EQ(last[15], 256);
  EXPECT_EQ(wrong, 0);
}

// A short call that is started moves to who waits for it, and nothing else about it changes.
TEST_P(BufferErrors, StartedCallsInAnyOrder) {
  Buffer a = filled(a_), two = filled(two_);
  View in[] = {View::of(a, HEDDLE_F32, {4, 4}), View::of(two, HEDDLE_F32, {4, 4})};
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      Invocation first(module(), "product"), second(module(), "product");
      for (int i = 0; i < 200; ++i) {
        View x[] = {View::on(0)}, y[] = {View::on(HEDDLE_HOST)};
        heddle::Event one = heddle::startViews(first, in, x), two = heddle::startViews(second, in, y);
        (i % 2 ? one : two).wait();
        (i % 2 ? two : one).wait();
        wrong += read(x[0]) != twice_ || read(y[0]) != twice_;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

// The child of a fork can release what it inherited, and on devices that compute on the host use it.
TEST_P(BufferErrors, AfterAFork) {
  Buffer a = filled(a_), two = filled(two_);
  Invocation call(module(), "product");
  View in[] = {View::of(a, HEDDLE_F32, {4, 4}), View::of(two, HEDDLE_F32, {4, 4})}, out[] = {View::on(0)};
  heddle::callViews(call, in, out);
  bool computes = std::string_view(GetParam()) != "vulkan";
  pid_t child = fork();
  if (child == 0) {
    bool right = !computes;
    if (computes) {
      View again[] = {View::on(0)};
      heddle::callViews(call, in, again);
      right = read(again[0]) == twice_ && read(out[0]) == twice_;
    }
    out[0] = View();
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(read(out[0]), twice_);
}

TEST(BufferLoss, ABufferOfALostDeviceIsRefused) {
  std::string path = testing::TempDir() + "buffer_loss_" + std::to_string(getpid()) + ".heddle";
  heddle::fb::ModuleT source = bufferModule();
  source.devices[0]->alternatives[0]->driver = "null";
  source.devices[0]->alternatives[0]->formats.clear();
  std::vector<std::byte> bytes = buildForAll(source);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  heddle::Module module(path, {"null?lose=2"});
  std::remove(path.c_str());
  Buffer a(module, 0, 64), b(module, 0, 64);
  Invocation call(module, "product");
  View in[] = {View::of(a, HEDDLE_F32, {4, 4}), View::of(b, HEDDLE_F32, {4, 4})};
  std::vector<heddle_status_code> codes;
  std::string last;
  for (int i = 0; i < 3; ++i)
    try {
      View out[] = {View::on(0)};
      heddle::callViews(call, in, out);
      codes.push_back(HEDDLE_OK);
    } catch (const heddle::Error &error) {
      codes.push_back(error.code());
      last = error.what();
    }
  EXPECT_EQ(codes, (std::vector<heddle_status_code>{HEDDLE_OK, HEDDLE_DEVICE_LOST, HEDDLE_INVALID_ARGUMENT}));
  EXPECT_EQ(last, "argument 0 'a' lies in memory of the device 'null?lose=2', which was lost; give it anew");
  EXPECT_EQ(a.info().is_lost, 1);
  View anew[] = {View::of(Buffer(module, 0, 64), HEDDLE_F32, {4, 4}),
                 View::of(Buffer(module, 0, 64), HEDDLE_F32, {4, 4})},
       out[] = {View::on(0)};
  heddle::callViews(call, anew, out);
}

} // namespace
