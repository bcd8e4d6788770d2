// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever operation of a device fails, at load, while binding or in a call: the failure is reported with its cause in
// bounded time, nothing is leaked (the asan preset sees that), and the next attempt works.
#include "ExecutorFixture.h"
#include "FaultyDevices.h"

#include <chrono>

using namespace heddle;
using namespace heddle::test;

namespace {

const int kNoCache = setenv("HEDDLE_CACHE_DIR", "", 1);

// y = 8 x over two devices: memory, streams, events, copies, and a parameter packed at bind time; and `double`.
fb::ModuleT twoDevices() {
  fb::ModuleT module = quadrupleModule();
  module.functions.clear();
  module.devices.push_back(contract::test::device("device_1", {"local", "sim", "null"}));
  module.devices[0] = contract::test::device("device_0", {"local", "sim", "null"});
  module.bounds.push_back(std::make_unique<fb::BoundT>());
  module.bounds[0]->buffer = true;
  module.layouts.push_back(std::make_unique<fb::LayoutT>());
  module.layouts[0]->perm = {0};
  auto bind = contract::test::function("__bind", "pack_parameter b0 p0 x1 y0\nbind_buffer n0 b0\nreturn", 1, 1);
  bind->bind = true;
  auto main = contract::test::function("main", R"(
      const s1 4
      mul s2 s0 s1
      const s3 16
      ceildiv_s s3 s0 s3
      const s4 0
      slab b1 x0 s2
      alloc b2 x1 s2
      alloc b3 x1 s2
      slab b4 x0 s2
      result b5 r0 x0 s2
      parameter b6 p0
      bound_buffer b7 n0
      stream t1 x1 0
      fill t0 b1 s4 s2 s4 4
      dispatch t0 0.0 s3 s4 [b0 b6 b1] [s0]
      record e0 t0
      wait t1 e0
      copy t1 b2 s4 b1 s4 s2
      dispatch t1 0.0 s3 s4 [b2 b7 b3] [s0]
      record e0 t1
      wait t0 e0
      copy t0 b4 s4 b3 s4 s2
      free t1 b3
      free t1 b2
      dispatch t0 0.0 s3 s4 [b4 b6 b5] [s0]
      set_result r0 b5 [s0]
      return)",
                                       5, 8, 2, 1);
  addSymbol(*main, "n", 1, 100000);
  main->arguments.push_back(contract::test::value("x", ElementType::F32, {symbol(0)}));
  main->results.push_back(contract::test::value("y", ElementType::F32, {symbol(0)}));
  module.functions.push_back(std::move(bind));
  module.functions.push_back(std::move(main));
  addDoubledGlobal(module);
  return module;
}

struct Case {
  const char *name;
  std::vector<std::string> uris;
  bool computes = true;
};

struct Fault : testing::TestWithParam<Case> {
  Fault()
      : bytes([] {
          fb::ModuleT module = twoDevices();
          return build(module);
        }()) {}

  Status load() {
    StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::openMemory(bytes);
    if (!artifact.ok())
      return artifact.takeStatus();
    StatusOr<std::shared_ptr<Module>> loaded = Module::load(*artifact, GetParam().uris, runBindFunction);
    if (!loaded.ok())
      return loaded.takeStatus();
    module = *loaded;
    StatusOr<std::unique_ptr<Invocation>> created = Invocation::create(module, *module->entryPoints()[0]);
    if (!created.ok())
      return created.takeStatus();
    invocation = std::move(*created);
    return {};
  }

  // With results of the caller's, or the library's.
  Status call(bool give) {
    std::vector<float> x(40), y(40);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i);
    heddle_tensor in = tensorOf(x), out = give ? tensorOf(y) : heddle_tensor{};
    Status status = invocation->call({&in, 1}, {&out, 1});
    if (status.ok() && GetParam().computes)
      for (size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(static_cast<float *>(out.data)[i], 8 * x[i]) << i;
    if (out.owner)
      reinterpret_cast<hal::Buffer *>(out.owner)->release();
    return status;
  }

  // Load unless that was done, and three calls; the first failure.
  Status attempt() {
    if (!invocation)
      HEDDLE_RETURN_IF_ERROR(load());
    for (bool give : {true, false, true})
      HEDDLE_RETURN_IF_ERROR(call(give));
    return {};
  }

  AlignedBytes bytes;
  std::shared_ptr<Module> module;
  std::unique_ptr<Invocation> invocation;
};

TEST_P(Fault, EveryOperationMayFailOnce) {
  constexpr int most = 400;
  int n = 1;
  for (; n < most; ++n) {
    invocation.reset();
    module.reset();
    Faults::arm(n);
    auto start = std::chrono::steady_clock::now();
    Status status = attempt();
    auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!Faults::disarm()) {
      EXPECT_TRUE(status.ok()) << status.text();
      break;
    }
    // An import that fails is a copy instead.
    if (!status.ok())
      EXPECT_NE(status.text().find("injected: "), std::string::npos) << n << ": " << status.text();
    EXPECT_LT(seconds, 20) << n;
    Status next = attempt();
    EXPECT_TRUE(next.ok()) << "after '" << status.text() << "': " << next.text();
  }
  EXPECT_LT(n, most);
  EXPECT_GT(n, 20) << "operations were not counted";
}

// What a failed call would have kept is as before it, whatever failed, also in the very first one.
TEST_P(Fault, StateIsAsBeforeAFailedCall) {
  constexpr int most = 100;
  for (bool first : {true, false}) {
    int n = 1;
    for (bool fired = true; fired && n < most; ++n) {
      invocation.reset();
      ASSERT_TRUE(load().ok());
      auto twice = std::move(*Invocation::create(module, *module->entryPoints()[1]));
      ASSERT_TRUE(twice->setState(std::make_shared<State>(*module)).ok());
      float expected = 2;
      auto call = [&] {
        heddle_tensor out{};
        Status status = twice->call({}, {&out, 1});
        if (status.ok() && GetParam().computes)
          EXPECT_EQ(*static_cast<float *>(out.data), expected *= 2) << n;
        if (out.owner)
          reinterpret_cast<hal::Buffer *>(out.owner)->release();
        return status;
      };
      if (!first)
        ASSERT_TRUE(call().ok());
      Faults::arm(n);
      Status status = call();
      fired = Faults::disarm();
      EXPECT_TRUE(fired || status.ok()) << status.text();
      for (int i = 0; i < 2; ++i) {
        Status next = call();
        EXPECT_TRUE(next.ok()) << n << ": after '" << status.text() << "': " << next.text();
      }
    }
    EXPECT_GT(n, 3) << "operations were not counted";
    EXPECT_LT(n, most);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Fault,
                         testing::Values(Case{"local", {"local://0", "local"}},
                                         Case{"localDiscrete", {"local://0?discrete=yes", "local"}},
                                         Case{"bothDiscrete", {"local://0?discrete=yes", "local?discrete=yes"}},
                                         Case{"sim", {"sim://a", "sim://b"}},
                                         Case{"null", {"null", "null?discrete=yes"}, false}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
