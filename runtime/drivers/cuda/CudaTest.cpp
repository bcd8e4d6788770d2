// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conformance suite on CUDA's driver API, or rather on the fake of it (test/FakeCuda.cpp), and the calls it gets.
// On hardware the conformance suite alone makes sense: --gtest_filter='Cuda/Cts.*/cuda', with the real library.
#include "runtime/drivers/cuda/PtxModule.h"
#include "runtime/drivers/cuda/test/FakeCuda.h"
#include "runtime/hal/Registry.h"
#include "runtime/hal/cts/Cts.h"
#include "runtime/test/TestModules.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>

using namespace heddle;
using hal::Cts;
using hal::CtsParameter;
using hal::View;

namespace heddle::hal {

INSTANTIATE_TEST_SUITE_P(Cuda, Cts, testing::Values(CtsParameter{"cuda", true}, CtsParameter{"cuda://1", true}),
                         nameOf);

} // namespace heddle::hal

namespace {

// The library that the driver loaded: the fake, by this program's run path.
template <typename F> F *fake(const char *name) {
  static void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void *found = library ? dlsym(library, name) : nullptr;
  if (!found) {
    std::fprintf(stderr, "libcuda.so.1 is not the fake\n");
    std::abort();
  }
  return reinterpret_cast<F *>(found);
}
std::string calls() { return fake<decltype(fakeCudaLog)>("fakeCudaLog")(); }
void clearCalls() { fake<decltype(fakeCudaClear)>("fakeCudaClear")(); }
void failNext(const char *function, int result) { fake<decltype(fakeCudaFail)>("fakeCudaFail")(function, result); }

class Cuda : public testing::Test {
protected:
  void SetUp() override {
    device_ = *openDevice("cuda");
    code_ = test::kernelCode(HEDDLE_TEST_KERNELS_PTX);
    executable_ = std::move(*device_->load(source({"mark", "out_of_range"})));
  }
  void TearDown() override {
    executable_.reset();
    device_.reset();
  }
  // As the test's kernels are: workgroups of one invocation.
  hal::ExecutableSource source(std::vector<std::string> symbols, contract::Launch launch = {}) const {
    std::vector<contract::Launch> launches(symbols.size(), launch);
    return {"kernels", "ptx", code_, std::move(symbols), std::move(launches)};
  }

  std::shared_ptr<hal::Device> device_;
  std::vector<std::byte> code_;
  std::unique_ptr<hal::Executable> executable_;
};

TEST_F(Cuda, CallsOfADispatch) {
  auto queue = std::move(*device_->createQueue());
  auto out = *device_->allocate(80);
  std::vector<int64_t> host(10);
  hal::CommandBuffer commands;
  EXPECT_TRUE(commands.fill(View::of(out), 0, 4).ok());
  EXPECT_TRUE(commands.dispatch(hal::ViewDispatch(executable_->kernels()[0], 10, {View::of(out)})).ok());
  EXPECT_TRUE(commands.dispatch(hal::ViewDispatch(executable_->kernels()[1], 10, {View::of(out)}, {99})).ok());
  EXPECT_TRUE(commands.copy(View::ofHost(host.data(), 80), View::of(out)).ok());
  clearCalls();
  EXPECT_TRUE(hal::runToEnd(*queue, commands).ok());
  EXPECT_EQ(calls(), "cuEventCreate 2\n"
                     "cuMemsetD8Async 0 x 80\n"
                     "cuMemHostAlloc 65536 flags 3\n"
                     "cuLaunchKernel mark grid 10 1 1 block 1 1 1 shared 0\n"
                     "cuLaunchKernel out_of_range grid 10 1 1 block 1 1 1 shared 0\n"
                     "cuMemHostAlloc 4194304 flags 3\n"
                     "cuMemcpyDtoHAsync 80\n"
                     "cuEventRecord\n"
                     "cuEventSynchronize\n");
  for (int64_t w = 0; w < 10; ++w)
    EXPECT_EQ(host[w], w + 1);
}

size_t threads() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

// Submitted and left alone: the device has all it needs, and no thread of the host is there to help.
TEST_F(Cuda, AQueueWaitsForAnotherOnTheDevice) {
  size_t before = threads();
  auto first = std::move(*device_->createQueue()), second = std::move(*device_->createQueue());
  auto a = *device_->allocate(80), b = *device_->allocate(80);
  hal::CommandBuffer mark, copy;
  EXPECT_TRUE(mark.fill(View::of(a), 0, 8).ok());
  EXPECT_TRUE(mark.dispatch(hal::ViewDispatch(executable_->kernels()[0], 10, {View::of(a)})).ok());
  EXPECT_TRUE(copy.copy(View::of(b), View::of(a)).ok());
  hal::Point ready{std::make_shared<hal::Semaphore>(), 1}, done{std::make_shared<hal::Semaphore>(), 1};
  clearCalls();
  first->submit(&mark, {}, {&ready, 1});
  second->submit(&copy, {&ready, 1}, {&done, 1});
  EXPECT_EQ(threads(), before);
  EXPECT_NE(calls().find("cuEventRecord\ncuStreamWaitEvent\n"), std::string::npos) << calls();
  EXPECT_EQ(calls().find("Synchronize"), std::string::npos) << "nothing waited on the host";
  EXPECT_TRUE(done.wait().ok());
  EXPECT_FALSE(ready.isPending()) << "settled with what came behind it";
  std::vector<int64_t> got(10);
  EXPECT_TRUE((*device_->createInline())->copy(View::ofHost(got.data(), 80), View::of(b)).ok());
  EXPECT_EQ(got[9], 10);
}

size_t countOf(const std::string &what) {
  size_t n = 0;
  std::string text = calls();
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
    ++n;
  return n;
}

// A region of 100 commands that comes again is kept as a graph; from then on it is one launch.
TEST_F(Cuda, RegionsAreReplayed) {
  auto queue = std::move(*device_->createQueue());
  auto buffer = [&] { return *device_->allocate(80); };
  auto last = [&](const hal::BufferRef &of) {
    int64_t word = 0;
    EXPECT_TRUE((*device_->createInline())->copy(View::ofHost(&word, 8), View::of(of, 72, 8)).ok());
    return word;
  };
  auto region = [&](const hal::BufferRef &to, int64_t at) {
    hal::CommandBuffer commands;
    EXPECT_TRUE(commands.fill(View::of(to), 0, 4).ok());
    for (int i = 0; i < 98; ++i)
      EXPECT_TRUE(commands.dispatch(hal::ViewDispatch(executable_->kernels()[0], 10, {View::of(to)})).ok());
    EXPECT_TRUE(commands.dispatch(hal::ViewDispatch(executable_->kernels()[1], 10, {View::of(to)}, {at})).ok());
    clearCalls();
    return hal::runToEnd(*queue, commands);
  };
  auto a = buffer(), b = buffer();
  EXPECT_TRUE(region(a, 99).ok());
  EXPECT_EQ(countOf("cuLaunchKernel"), 99u);
  EXPECT_TRUE(region(a, 99).ok());
  EXPECT_EQ(countOf("cuGraphAddKernelNode"), 99u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(region(a, 99).ok());
    EXPECT_EQ(calls(), "cuGraphLaunch\ncuEventRecord\ncuEventSynchronize\n");
    EXPECT_EQ(last(a), 980);
  }
  EXPECT_EQ(region(a, 5).code(), StatusCode::KernelFailed) << "another constant";
  EXPECT_EQ(countOf("cuGraphExecKernelNodeSetParams"), 99u);
  EXPECT_EQ(countOf("cuLaunchKernel"), 0u);
  EXPECT_TRUE(region(a, 99).ok()) << "the failure is forgotten";
  EXPECT_TRUE(region(b, 99).ok()) << "the fill is of another buffer: issued";
  EXPECT_EQ(countOf("cuLaunchKernel"), 99u);
  EXPECT_EQ(last(b), 980);
}

TEST_F(Cuda, FillsTakeTheWidestSet) {
  auto device = std::move(*device_->createInline());
  auto out = *device_->allocate(64);
  struct Case {
    uint64_t at, pattern;
    uint32_t bytes;
    const char *call;
  };
  for (Case c : {Case{0, 0x07, 1, "cuMemsetD8Async 7 x 16"}, Case{2, 0x0102, 2, "cuMemsetD16Async 258 x 8"},
                 Case{4, 0x01020304, 4, "cuMemsetD32Async 16909060 x 4"},
                 Case{8, 0x0102030401020304, 8, "cuMemsetD32Async 16909060 x 4"},
                 Case{8, 0x0102030405060708, 8, "cuMemcpyHtoDAsync 16"}, Case{1, 0x0102, 2, "cuMemcpyHtoDAsync 16"}}) {
    clearCalls();
    EXPECT_TRUE(device->fill(View::of(out, c.at, 16), c.pattern, c.bytes).ok());
    EXPECT_NE(calls().find(std::string(c.call) + "\n"), std::string::npos) << c.call << " in\n" << calls();
  }
}

TEST_F(Cuda, WhatIsTakenIsGivenBack) {
  auto count = [](const std::string &text, const std::string &what) {
    size_t n = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
      ++n;
    return n;
  };
  clearCalls();
  {
    auto device = *openDevice("cuda", /*fresh=*/true);
    auto executable = std::move(*device->load(source({"mark"})));
    auto buffer = *device->allocate(100);
    int64_t host[10] = {};
    EXPECT_TRUE((*device->createInline())->copy(View::of(buffer, 0, 80), View::ofHost(host, 80)).ok());
  }
  std::string text = calls();
  EXPECT_EQ(count(text, "cuDevicePrimaryCtxRetain"), 1u);
  for (auto [taken, given] :
       {std::pair("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease"), std::pair("cuMemAlloc", "cuMemFree\n"),
        std::pair("cuMemHostAlloc", "cuMemFreeHost"), std::pair("cuStreamCreate", "cuStreamDestroy"),
        std::pair("cuEventCreate", "cuEventDestroy"), std::pair("cuGraphCreate", "cuGraphDestroy"),
        std::pair("cuModuleLoadDataEx", "cuModuleUnload")})
    EXPECT_EQ(count(text, taken), count(text, given)) << taken;
}

TEST_F(Cuda, OutOfMemoryHasSizes) {
  failNext("cuMemAlloc", 2);
  EXPECT_EQ(device_->allocate(1000).status().message(),
            "cannot allocate 1000 bytes on cuda: the device has no more memory; it holds 0 of 1073741824 bytes");
  EXPECT_TRUE(device_->allocate(1000).ok());
  EXPECT_EQ((*openDevice("cuda?memory=1k"))->allocate(2000).status().message(),
            "cannot allocate 2000 bytes on cuda?memory=1k: the device's memory limit is reached; it holds 0 of 1024 "
            "bytes");
}

TEST_F(Cuda, ALostDeviceSaysSo) {
  auto device = *openDevice("cuda", /*fresh=*/true);
  auto commands = std::move(*device->createInline());
  auto buffer = *device->allocate(64);
  EXPECT_FALSE(device->lost());
  failNext("cuEventSynchronize", 700);
  Status status = commands->fill(View::of(buffer), 0, 1);
  EXPECT_EQ(status.code(), StatusCode::DeviceLost);
  EXPECT_NE(status.message().find("is lost: cuEventSynchronize gave CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos)
      << status.message();
  EXPECT_TRUE(device->lost());
}

TEST_F(Cuda, CodesAfterWhichTheContextIsOfNoUse) {
  for (int code : {214, 700, 702, 710, 714, 715, 716, 717, 718, 719}) {
    auto device = *openDevice("cuda", /*fresh=*/true);
    auto commands = std::move(*device->createInline());
    auto buffer = *device->allocate(64);
    failNext("cuEventSynchronize", code);
    Status status = commands->fill(View::of(buffer), 0, 1);
    EXPECT_EQ(status.code(), StatusCode::DeviceLost) << code;
    EXPECT_NE(status.message().find("give the program a fallback, or start a new process"), std::string::npos)
        << status.message();
  }
}

TEST_F(Cuda, CopiesDoNotOverlap) {
  auto commands = std::move(*device_->createInline());
  auto buffer = *device_->allocate(64);
  auto at = [&](uint64_t offset) { return View::of(buffer, offset, 16); };
  EXPECT_EQ(commands->copy(at(8), at(0)).message(),
            "source and destination of a copy on cuda must not overlap, got 16 bytes 8 bytes apart");
  EXPECT_EQ(commands->copy(at(0), at(8)).code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(commands->copy(at(0), at(0)).ok());
  EXPECT_TRUE(commands->copy(at(16), at(0)).ok());
  EXPECT_EQ(commands->copy(at(56), at(0)).message(),
            "a copy on cuda must be between its memory and the host's, got memory of another device");
}

// What lies behind an import is the host's alone.
TEST_F(Cuda, AnImportEndsWhereTheCallerSaid) {
  auto commands = std::move(*device_->createInline());
  std::vector<std::byte> host(100, std::byte{1});
  auto imported = device_->importHost(host.data(), 40);
  ASSERT_TRUE(imported.ok()) << imported.status().text();
  auto buffer = *device_->allocate(100);
  clearCalls();
  EXPECT_TRUE(commands->copy(View::of(buffer, 0, 40), View::of(*imported)).ok());
  EXPECT_TRUE(commands->copy(View::of(*imported), View::of(buffer, 0, 40)).ok());
  EXPECT_NE(calls().find("cuMemcpyHtoDAsync 40\n"), std::string::npos) << calls();
  EXPECT_NE(calls().find("cuMemcpyDtoHAsync 40\n"), std::string::npos) << calls();
  EXPECT_FALSE(View::of(*imported, 0, 41).isIn((*imported)->owner()));
  EXPECT_TRUE(commands->copy(View::of(buffer), View::ofHost(host.data(), 100)).ok());
  EXPECT_NE(calls().find("cuMemcpyHtoDAsync 100\n"), std::string::npos) << calls();
}

TEST_F(Cuda, TheDriversWordsAboutBadCode) {
  std::string text = ".version 7.0\n.visible .entry mark() {}";
  std::span<const std::byte> code = std::as_bytes(std::span(text.data(), text.size()));
  EXPECT_EQ(device_->load({"kernels", "ptx", code, {"mark"}, {contract::Launch()}}).status().message(),
            "the code of executable 'kernels' must be a PTX module: the driver refuses it (CUDA_ERROR_INVALID_PTX): "
            "ptxas fatal: no .target; compile the model again");
}

TEST_F(Cuda, DescribesDevices) {
  DeviceInfo info = *queryDevice("cuda://1");
  EXPECT_EQ(info.description, "Fake H100, GPU-10111213-1415-1617-1819-1a1b1c1d1e1f");
  EXPECT_EQ(info.formats, std::vector<std::string>{"ptx"});
  EXPECT_EQ(info.cores, 108u);
  auto has = [&](const char *name) {
    return std::find(info.features.begin(), info.features.end(), name) != info.features.end();
  };
  EXPECT_TRUE(has("sm_80") && has("sm_90") && has("sm_90a") && has("ptx82") && has("convention2"));
  EXPECT_NE(std::find(info.limits.begin(), info.limits.end(),
                      std::pair<std::string, uint64_t>("maxSharedMemoryPerBlockOptin", 166912)),
            info.limits.end());
  EXPECT_FALSE(has("sm_100") || has("ptx83"));
  EXPECT_EQ(queryDevice("cuda://GPU-10111213-1415-1617-1819-1a1b1c1d1e1f")->description, info.description);
  EXPECT_EQ(queryDevice("cuda://2").status().message(),
            "this machine has 2 CUDA devices, got 'cuda://2'; see `heddle devices`");
}

TEST(CudaApi, AbsentLibrarySaysWhatToInstall) {
  EXPECT_EQ(cuda::CudaApi::load("libnosuchcuda.so.1").status().message(),
            "NVIDIA's driver library libnosuchcuda.so.1 is not installed; it comes with the driver of the GPU (Debian: "
            "libcuda1)");
  EXPECT_EQ(cuda::CudaApi::load("libc.so.6").status().code(), StatusCode::Unsupported);
}

// Nothing of a launch is read in the text.
TEST_F(Cuda, LaunchRecordsSayHow) {
  EXPECT_EQ(device_->load({"kernels", "ptx", code_, {"mark"}}).status().message(),
            "the code of executable 'kernels' must be a PTX module: it has no launch records; compile the model again");
  EXPECT_EQ(
      device_->load(source({"mark"}, {{2048, 1, 1}})).status().message(),
      "executable 'kernels' has 2048 invocations in a workgroup, and cuda takes 1024; compile for smaller ones, or "
      "use another device");
  EXPECT_EQ(device_->load(source({"mark"}, {{1, 1, 1}, 200000})).status().message(),
            "executable 'kernels' has 200000 bytes shared by a workgroup, and cuda takes 166912; compile for smaller "
            "ones, or use another device");
}

TEST_F(Cuda, SharedMemoryAboveWhatEveryDeviceHasIsAskedFor) {
  auto commands = std::move(*device_->createInline());
  auto out = *device_->allocate(8);
  EXPECT_TRUE(commands->fill(View::of(out), 0, 1).ok());
  for (uint32_t bytes : {49152u, 49153u, 166912u}) {
    clearCalls();
    auto executable = std::move(*device_->load(source({"mark"}, {{1, 1, 1}, bytes})));
    EXPECT_TRUE(commands->dispatch(hal::ViewDispatch(executable->kernels()[0], 1, {View::of(out)})).ok()) << bytes;
    std::string asked = "cuFuncSetAttribute mark 8 " + std::to_string(bytes) + "\n";
    EXPECT_EQ(calls().find(asked) != std::string::npos, bytes > 49152) << calls();
    EXPECT_NE(calls().find("block 1 1 1 shared " + std::to_string(bytes)), std::string::npos) << calls();
  }
}

// The fake counts the bytes of parameters, and knows the workgroups that code requires.
TEST_F(Cuda, WhatKernelsAreNotMadeForIsRefused) {
  auto commands = std::move(*device_->createInline());
  auto out = *device_->allocate(8);
  View view = View::of(out);
  auto run = [&](const hal::Kernel &kernel, std::vector<View> views, std::vector<int64_t> constants = {}) {
    return commands->dispatch(hal::ViewDispatch(kernel, 1, std::move(views), std::move(constants)));
  };
  const hal::Kernel &mark = executable_->kernels()[0], &outOfRange = executable_->kernels()[1];
  EXPECT_FALSE(run(mark, {view, view}).ok());
  EXPECT_FALSE(run(mark, {view}, {0}).ok());
  EXPECT_FALSE(run(outOfRange, {view}).ok());
  EXPECT_TRUE(run(mark, {view}).ok());
  auto wide = std::move(*device_->load(source({"mark"}, {{2, 1, 1}})));
  EXPECT_FALSE(run(wide->kernels()[0], {view}).ok());
  EXPECT_EQ(run(mark, {view}, std::vector<int64_t>(511)).message(),
            "a dispatch on CUDA has at most 2147483647 workgroups and 511 tensors and sizes, got 1 and 512");
}

} // namespace
