// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a host program does around calls: forks, another floating-point state, a file that is overwritten.
#include "TestModules.h"
#include "heddle/heddle.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace heddle::test;

namespace {

#if defined(__has_feature)
constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool kThreadSanitizer = false;
#endif

class HostProcess : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (kThreadSanitizer)
      GTEST_SKIP() << "a forked child may not start threads under ThreadSanitizer";
    path_ = testing::TempDir() + "host_process_" + std::to_string(getpid()) + ".heddle";
    writeArtifact();
  }
  void TearDown() override { std::remove(path_.c_str()); }
  void writeArtifact() {
    heddle::fb::ModuleT module = quadrupleModule();
    write(heddle::contract::test::build(module, kernelCode()));
  }
  void write(std::span<const std::byte> bytes) {
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  static bool computes(heddle::Invocation &call) {
    std::vector<float> x(1000, 3.0f);
    std::vector<heddle::Tensor> out = call({heddle::Tensor::borrow(x, {1000})});
    return out[0].values<float>()[999] == 12;
  }
  // heddle_invocation_start() and its end within ten seconds; the status's code.
  static int start(heddle_invocation *call) {
    std::vector<float> x(1000, 3.0f);
    int64_t size = 1000;
    heddle_tensor in{}, out{};
    in.data = x.data(), in.bytes = 4000, in.type = HEDDLE_F32, in.rank = 1, in.dims[0] = size;
    heddle_event *done = nullptr;
    heddle_status *status = heddle_invocation_start(call, &in, 1, &out, 1, nullptr, 0, nullptr, &done);
    if (!status)
      status = heddle_event_wait(done, 10'000'000'000);
    int code = heddle_status_get_code(status);
    heddle_status_release(status);
    heddle_event_release(done);
    heddle_tensor_reset(&out);
    return code;
  }
  // What the child of a fork returns; -1 when it hangs or dies.
  template <typename Body> static int inChild(Body &&body) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(body());
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string path_;
};

TEST_P(HostProcess, ChildComputesAfterStart) {
  heddle::Module module(path_, {GetParam()});
  heddle::Invocation call(module, "main");
  EXPECT_TRUE(computes(call));
  EXPECT_EQ(start(call.raw()), HEDDLE_OK);
  EXPECT_EQ(inChild([&] {
              heddle::Invocation another(module, "main");
              return computes(call) && start(call.raw()) == HEDDLE_OK && computes(another) &&
                             start(another.raw()) == HEDDLE_OK
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_EQ(start(call.raw()), HEDDLE_OK); // the parent's go on
  EXPECT_TRUE(computes(call));
}

TEST_P(HostProcess, ChildEndsAsAnyProcess) {
  heddle::Module module(path_, {GetParam()});
  heddle::Invocation call(module, "main");
  EXPECT_EQ(start(call.raw()), HEDDLE_OK);
  EXPECT_EQ(inChild([&] {
              start(call.raw());
              {
                heddle::Module gone = std::move(module);
              }
              heddle::Module again(path_, {GetParam()});
              heddle::Invocation another(again, "main");
              return computes(another) ? 0 : 1;
            }),
            0);
}

TEST_P(HostProcess, ForksWhileOtherThreadsCall) {
  heddle::Module module(path_, {GetParam()});
  std::atomic<bool> stop = false;
  std::atomic<int> calls[3] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      heddle::Invocation call(module, "main");
      for (; !stop; ++calls[i])
        EXPECT_TRUE(i == 0 ? start(call.raw()) == HEDDLE_OK : computes(call));
    });
  while (!calls[0] || !calls[1] || !calls[2])
    std::this_thread::yield();
  heddle::Invocation own(module, "main");
  for (int i = 0; i < 40; ++i)
    ASSERT_EQ(inChild([&] { return computes(own) && start(own.raw()) == HEDDLE_OK ? 0 : 1; }), 0) << i;
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
}

TEST_P(HostProcess, WhatRanAtTheForkFailsInTheChild) {
  heddle::Module module(path_, {GetParam()});
  heddle::Invocation call(module, "main");
  heddle_event *gate = nullptr, *done = nullptr;
  ASSERT_EQ(heddle_event_create(&gate), nullptr);
  std::vector<float> x(8, 1.0f);
  heddle_tensor in{}, out{};
  in.data = x.data(), in.bytes = 32, in.type = HEDDLE_F32, in.rank = 1, in.dims[0] = 8;
  ASSERT_EQ(heddle_invocation_start(call.raw(), &in, 1, &out, 1, &gate, 1, nullptr, &done), nullptr);
  EXPECT_EQ(inChild([&] {
              heddle_status *status = heddle_event_wait(done, HEDDLE_FOREVER);
              return static_cast<int>(heddle_status_get_code(status));
            }),
            HEDDLE_CANCELLED);
  EXPECT_EQ(inChild([&] { return start(call.raw()); }), HEDDLE_BUSY);
  EXPECT_EQ(heddle_event_signal(gate, nullptr), nullptr);
  EXPECT_EQ(heddle_event_wait(done, HEDDLE_FOREVER), nullptr);
  heddle_event_release(gate);
  heddle_event_release(done);
  heddle_tensor_reset(&out);
}

#if defined(__x86_64__)
TEST_P(HostProcess, FloatStateIsTheCallersOwn) {
  // Subnormals would be flushed, and are not; threads that the library starts would inherit that.
  unsigned before = _mm_getcsr(), flush = before | 0x8040;
  _mm_setcsr(flush);
  {
    heddle::Module module(path_, {GetParam()});
    heddle::Invocation call(module, "main");
    std::vector<float> x(1000, std::bit_cast<float>(5u)), y(1000);
    heddle::Tensor in[] = {heddle::Tensor::borrow(x, {1000})}, into[] = {heddle::Tensor::borrow(y, {1000})};
    call.call(in, into);
    EXPECT_EQ(_mm_getcsr() & 0xffc0, flush & 0xffc0);
    EXPECT_EQ(start(call.raw()), HEDDLE_OK);
    EXPECT_EQ(_mm_getcsr() & 0xffc0, flush & 0xffc0);
    for (float value : y)
      ASSERT_EQ(std::bit_cast<uint32_t>(value), 20u);
  }
  _mm_setcsr(before);
}
#endif

TEST_P(HostProcess, OverwrittenFileOfACopy) {
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  const char *device = GetParam();
  options.devices = &device;
  options.device_count = 1;
  options.copy_file = 1;
  heddle_module *raw = nullptr;
  ASSERT_EQ(heddle_module_load_file(path_.c_str(), &options, &raw), nullptr);
  heddle::Module module(raw);
  write(std::vector<std::byte>(64)); // in place, and shorter
  heddle::Invocation call(module, "main");
  EXPECT_TRUE(computes(call));
  heddle_artifact *artifact = nullptr;
  writeArtifact();
  ASSERT_EQ(heddle_artifact_open_file(path_.c_str(), &artifact), nullptr);
  heddle_status *status = heddle_module_load(artifact, &options, &raw);
  EXPECT_EQ(heddle_status_get_code(status), HEDDLE_INVALID_ARGUMENT);
  heddle_status_release(status);
  heddle_artifact_release(artifact);
}

TEST_P(HostProcess, NamesAreShownNotObeyed) {
  heddle_module *raw = nullptr;
  heddle_status *status = heddle_module_load_file("/no\x1b]0;x\x07\n\u202efile", nullptr, &raw);
  EXPECT_NE(std::string(heddle_status_message(status)).find("/no\\x1b]0;x\\x07\\n\\u{202e}file"), std::string::npos)
      << heddle_status_message(status);
  heddle_status_release(status);
}

INSTANTIATE_TEST_SUITE_P(Devices, HostProcess, testing::Values("local://0", "local://0-1", "local://0?discrete=yes"));

} // namespace
