// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of ranks with a CUDA device each, by NCCL: on fakes of both libraries, which this program's run path
// finds before any other. No machine with several GPUs ran it.
#include "RanksFixture.h"
#include "runtime/collectives/nccl/test/FakeNccl.h"
#include "runtime/drivers/cuda/test/FakeCuda.h"

#include <cmath>
#include <cstdlib>
#include <dlfcn.h>

using namespace heddle;
using namespace heddle::test;
using contract::test::device;
using contract::test::function;
using contract::test::value;

namespace {

template <typename F> F *fake(const char *library, const char *name) {
  return reinterpret_cast<F *>(dlsym(dlopen(library, RTLD_NOW), name));
}
template <typename F> F *nccl(const char *name) { return fake<F>("libnccl.so.2", name); }
std::string ncclLog() { return nccl<const char *()>("fakeNcclLog")(); }
size_t count(const std::string &text, const std::string &part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++n;
  return n;
}

class RankDevices : public testing::Test {
protected:
  void SetUp() override {
    unsetenv("HEDDLE_NCCL");
    nccl<void()>("fakeNcclClear")();
  }
};

// On CUDA, or on a processor where the rank has no such device.
fb::ModuleT onDevices(fb::ModuleT module) {
  module.executables.clear();
  module.devices[0] = device("device_0", {"cuda", "local"});
  module.devices[0]->alternatives[0]->formats = {"ptx"};
  return module;
}

const std::vector<std::string> kOwn = {"cuda://{rank}"};

std::vector<std::vector<float>> callAll(const RankModules &loaded, std::vector<std::vector<float>> x, int times = 1) {
  std::vector<std::vector<float>> y(x.size());
  loaded.threads.forEach([&](uint32_t r) {
    std::unique_ptr<Invocation> call = loaded.invocation(r);
    for (int i = 0; i < times; ++i)
      EXPECT_EQ(callVector(*call, x[r], y[r]).text(), "ok");
  });
  return y;
}

using Rows = std::vector<std::vector<float>>;
const Rows kX = {{1, 2, 3, 4}, {10, 20, 30, 40}};

// By the table in Collectives.h, with root 0 and shift 1.
Rows expected(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce: return {{11, 22, 33, 44}, {11, 22, 33, 44}};
  case CollectiveKind::AllGather: return {{1, 2, 3, 4, 10, 20, 30, 40}, {1, 2, 3, 4, 10, 20, 30, 40}};
  case CollectiveKind::ReduceScatter: return {{11, 22}, {33, 44}};
  case CollectiveKind::AllToAll: return {{1, 2, 10, 20}, {3, 4, 30, 40}};
  case CollectiveKind::Broadcast: return {kX[0], kX[0]};
  case CollectiveKind::Permute: return {kX[1], kX[0]};
  case CollectiveKind::Gather: return {{1, 2, 3, 4, 10, 20, 30, 40}, std::vector<float>(8)};
  case CollectiveKind::Scatter: return {{1, 2}, {3, 4}};
  }
  return {};
}

TEST_F(RankDevices, EachKindByNccl) {
  for (uint8_t k = 0; k < kUncutKinds; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    nccl<void()>("fakeNcclClear")();
    {
      RankModules loaded(onDevices(exchangeModule(kind)), 2, kOwn);
      ASSERT_TRUE(loaded.ok());
      EXPECT_EQ(loaded.modules[0]->ranks()->detour(), "");
      EXPECT_EQ(callAll(loaded, kX, 3), expected(kind)) << contract::spelling(kind);
    }
    // One communicator for all calls, which goes with the module.
    EXPECT_EQ(count(ncclLog(), "ncclCommInitRankConfig 2"), 2u);
    EXPECT_EQ(count(ncclLog(), "ncclCommDestroy"), 2u);
    EXPECT_GE(count(ncclLog(), "nccl"), 2u + 2u + 3u) << contract::spelling(kind);
  }
}

// main(x) -> y: the collective writes over its operand.
fb::ModuleT inPlaceModule(CollectiveKind kind) {
  fb::ModuleT module = emptyModule();
  addMesh(module, "m", {{"x"}});
  addCollective(module, kind);
  auto main = function("main",
                       R"(
      const s1 4
      mul s2 s0 s1
      const s3 0
      mesh_size s9 g0 0
      move s5 s0
      const s6 )" + std::to_string(kind == CollectiveKind::AllToAll) +
                           R"(
      br_if s6 @cut @go
@cut  div_s s5 s0 s9
      br @go
@go   result b1 r0 x0 s2
      copy t0 b1 s3 b0 s3 s2
      comm_stream t1
      record e0 t0
      wait t1 e0
      collective t1 j0 b1 b1 s5
      record e1 t1
      wait t0 e1
      set_result r0 b1 [s0]
      return)",
                       10, 2, 2, 2);
  addSymbol(*main, "n", 0, 1 << 20);
  main->arguments.push_back(value("x", ElementType::F32, {symbol(0)}));
  main->results.push_back(value("y", ElementType::F32, {symbol(0)}));
  module.functions.push_back(std::move(main));
  return module;
}

TEST_F(RankDevices, InPlace) {
  for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllToAll, CollectiveKind::Permute}) {
    RankModules loaded(onDevices(inPlaceModule(kind)), 2, kOwn);
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(callAll(loaded, kX, 2), expected(kind)) << contract::spelling(kind);
  }
  EXPECT_EQ(count(ncclLog(), "ncclAllReduce"), 2u * 2);
  EXPECT_EQ(count(ncclLog(), "ncclSend"), 2u * 2 * 2 + 2 * 2);
}

// A library that puts work on streams later than it says.
TEST_F(RankDevices, ALibraryThatTakesItsTime) {
  for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::Gather, CollectiveKind::AllToAll}) {
    RankModules loaded(onDevices(exchangeModule(kind)), 2, kOwn);
    ASSERT_TRUE(loaded.ok());
    nccl<void(int)>("fakeNcclSlow")(5);
    EXPECT_EQ(callAll(loaded, kX, 3), expected(kind)) << contract::spelling(kind);
    nccl<void(int)>("fakeNcclSlow")(0);
  }
}

// What NCCL does otherwise than we goes through the host, in a module that has channels.
TEST_F(RankDevices, WhatNcclDoesOtherwise) {
  fb::ModuleT source = exchangeModule(CollectiveKind::AllReduce);
  source.collectives[0]->reduction = static_cast<uint8_t>(contract::Reduction::Max);
  RankModules loaded(onDevices(std::move(source)), 2, kOwn);
  ASSERT_TRUE(loaded.ok());
  Rows y = callAll(loaded, {{1, NAN, -0.0f}, {2, 1, 0.0f}});
  for (const std::vector<float> &one : y) {
    EXPECT_EQ(one[0], 2);
    EXPECT_TRUE(std::isnan(one[1]));
    EXPECT_FALSE(std::signbit(one[2]));
  }
  EXPECT_EQ(count(ncclLog(), "ncclAllReduce"), 0u);
  EXPECT_EQ(count(ncclLog(), "ncclCommInitRank"), 2u);
}

TEST_F(RankDevices, NothingAndRowsWithoutElements) {
  RankModules loaded(onDevices(exchangeModule(CollectiveKind::AllReduce)), 2, kOwn);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(callAll(loaded, {{}, {}}), (Rows{{}, {}}));
  EXPECT_EQ(callAll(loaded, kX), expected(CollectiveKind::AllReduce));
}

// Whatever stands in the way, the collectives go through the host, and the module says why; on all ranks alike.
TEST_F(RankDevices, ReasonsForTheHost) {
  struct Case {
    std::vector<std::string> uris;
    const char *off, *why;
  };
  for (const Case &one : {Case{{"cuda://0"}, nullptr, "rank 0 and rank 1 share Fake A100, GPU-"},
                          Case{kOwn, "off", "HEDDLE_NCCL is off"}, Case{{"local://0"}, nullptr, ""}}) {
    if (one.off)
      setenv("HEDDLE_NCCL", one.off, 1);
    RankModules loaded(onDevices(exchangeModule(CollectiveKind::AllGather)), 2, one.uris);
    unsetenv("HEDDLE_NCCL");
    ASSERT_TRUE(loaded.ok());
    for (const std::shared_ptr<Module> &module : loaded.modules)
      EXPECT_EQ(module->ranks()->detour().substr(0, std::string(one.why).size()), one.why);
    EXPECT_EQ(callAll(loaded, kX), expected(CollectiveKind::AllGather));
  }
  EXPECT_EQ(ncclLog(), "");
  // Devices of two kinds.
  AlignedBytes bytes = build(*std::make_unique<fb::ModuleT>(onDevices(exchangeModule(CollectiveKind::AllGather))));
  RankThreads threads(2);
  threads.forEach([&](uint32_t r) {
    auto loaded = Module::load(*Artifact::openMemory(bytes), std::vector<std::string>{r ? "local://0" : "cuda://0"},
                               runBindFunction, {}, 0, true, {threads.world, r, ""});
    ASSERT_TRUE(loaded.ok()) << loaded.status().text();
    EXPECT_EQ((*loaded)->ranks()->detour(), "rank 1 has no CUDA device for it, rank 0 has NCCL");
  });
}

// How the two ranks' calls end when the library fails as `plan` has it.
std::vector<Status> callTwo(const RankModules &loaded, uint64_t timeoutNs = 0) {
  std::vector<Status> statuses(2);
  loaded.threads.forEach([&](uint32_t r) {
    std::unique_ptr<Invocation> call = loaded.invocation(r);
    call->setTimeout(timeoutNs);
    std::vector<float> x = kX[r], y;
    statuses[r] = callVector(*call, x, y);
  });
  return statuses;
}

TEST_F(RankDevices, TheLibraryFails) {
  struct Case {
    void (*plan)();
    uint64_t timeoutNs;
    const char *says;
  };
  for (const Case &one : {Case{[] { nccl<void(const char *, int)>("fakeNcclFail")("ncclAllReduce", 3); }, 0,
                               "NCCL: all_reduce 'meet': internal error"},
                          Case{[] { nccl<void(int)>("fakeNcclHang")(1), nccl<void(int)>("fakeNcclAsyncError")(3); }, 0,
                               "NCCL: a collective: internal error"},
                          Case{[] { nccl<void(int)>("fakeNcclHang")(1); }, kSecond / 5, "deadline"}}) {
    RankModules loaded(onDevices(exchangeModule(CollectiveKind::AllReduce)), 2, kOwn);
    ASSERT_TRUE(loaded.ok());
    one.plan();
    const std::vector<Status> statuses = callTwo(loaded, one.timeoutNs);
    nccl<void(int)>("fakeNcclAsyncError")(0);
    bool isSaid = false;
    for (const Status &status : statuses) { // a rank whose part was done has nothing to complain of
      EXPECT_EQ(count(status.text(), "all_reduce 'meet': all_reduce 'meet'"), 0u) << status.text();
      isSaid |= status.text().find(one.says) != std::string::npos;
    }
    EXPECT_TRUE(isSaid) << statuses[0].text() << "\n" << statuses[1].text();
    for (const Status &status : callTwo(loaded)) // the world has ended
      EXPECT_FALSE(status.ok());
  }
  EXPECT_GE(count(ncclLog(), "ncclCommAbort"), 3u); // whoever was in a collective
  nccl<void()>("fakeNcclClear")();
  RankModules next(onDevices(exchangeModule(CollectiveKind::AllReduce)), 2, kOwn);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(callAll(next, kX), expected(CollectiveKind::AllReduce));
}

// Found on the host, before anything is put on a device.
TEST_F(RankDevices, ARankNeverComes) {
  for (const std::vector<std::string> &uris : {std::vector<std::string>{"local://0"}, {"local?discrete=yes"}, kOwn}) {
    RankModules loaded(onDevices(exchangeModule(CollectiveKind::AllReduce)), 2, uris);
    ASSERT_TRUE(loaded.ok());
    std::vector<float> x = kX[0], y;
    std::unique_ptr<Invocation> call = loaded.invocation(0);
    call->setTimeout(kSecond / 5);
    const Status status = callVector(*call, x, y);
    EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
    EXPECT_NE(status.text().find("rank 1"), std::string::npos) << uris[0] << ": " << status.text();
  }
  EXPECT_EQ(count(ncclLog(), "ncclAllReduce"), 0u);
}

TEST_F(RankDevices, LoadsThatFail) {
  nccl<void(const char *, int)>("fakeNcclFail")("ncclCommInitRankConfig", 3);
  RankModules loaded(onDevices(exchangeModule(CollectiveKind::AllReduce)), 2, kOwn);
  for (const Status &status : loaded.statuses)
    EXPECT_NE(status.text().find("NCCL does not join the devices (ncclCommInitRank): internal error"),
              std::string::npos)
        << status.text();
}

} // namespace
