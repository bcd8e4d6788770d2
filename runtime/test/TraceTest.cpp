// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a traced call reports (runtime/executor/call/Trace.h).
#include "ExecutorFixture.h"

using namespace heddle;
using namespace heddle::test;
using contract::test::function;

namespace {

// Two devices that are core 0 each: a on device_0, scaled there; copied to device_1 behind an event; scaled there.
fb::ModuleT twoDevices() {
  fb::ModuleT module = emptyModule();
  module.devices.push_back(contract::test::device("device_1", {"local"}));
  auto main = function("main", R"(
    const s0 16
    const s1 0
    const s2 1
    const s3 4
    slab b1 x0 s0
    slab b2 x1 s0
    stream t1 x1 0
    result b3 r0 x1 s0
    fill t0 b1 s1 s0 s1 4
    dispatch t0 4.0 s2 s1 [b1] [s3]
    record e0 t0
    wait t1 e0
    copy t1 b2 s1 b1 s1 s0
    copy t1 b3 s1 b2 s1 s0
    record e1 t1
    await e1
    set_result r0 b3 [s3]
    return)",
                       4, 4, 2, 2);
  main->results.push_back(contract::test::value("y", ElementType::F32, {size(4)}));
  module.functions.push_back(std::move(main));
  return module;
}

std::vector<TraceSlice> traceOf(Invocation &call) {
  std::vector<TraceSlice> slices;
  call.setTrace([&](const TraceSlice &slice) { slices.push_back(slice); });
  std::vector<float> y(4);
  heddle_tensor out = tensorOf(y);
  Status status = call.call({}, {&out, 1});
  EXPECT_TRUE(status.ok()) << status.text();
  return slices;
}

TEST(Trace, SlicesOfTwoDevices) {
  Loaded loaded(twoDevices(), {"local://0", "local://0"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  std::vector<TraceSlice> all = traceOf(*loaded.calls[0]), work;
  for (const TraceSlice &slice : all) {
    EXPECT_GT(slice.beginNs, 0u) << slice.name;
    EXPECT_LE(slice.beginNs, slice.endNs) << slice.name;
    if (slice.kind != TraceKind::Host)
      work.push_back(slice);
  }
  ASSERT_EQ(work.size(), 7u);
  std::vector<TraceKind> kinds;
  for (const TraceSlice &slice : work)
    kinds.push_back(slice.kind);
  EXPECT_EQ(kinds, (std::vector{TraceKind::Fill, TraceKind::Dispatch, TraceKind::Record, TraceKind::Wait,
                                TraceKind::Copy, TraceKind::Copy, TraceKind::Record}));
  EXPECT_STREQ(work[1].name, "work");
  EXPECT_EQ(work[1].device, 0);
  EXPECT_EQ(work[1].bytes, 16u);
  EXPECT_EQ(work[3].device, 1);
  EXPECT_EQ(work[3].event, work[2].event);
  EXPECT_NE(work[2].event, work[6].event);
  EXPECT_EQ(work[4].fromDevice, 0);
  EXPECT_EQ(work[4].toDevice, 1);
  EXPECT_EQ(work[4].bytes, 16u);
  EXPECT_EQ(work[5].fromDevice, 1);
  EXPECT_EQ(work[5].toDevice, 1);
  EXPECT_GE(work[4].beginNs, work[2].endNs); // the copy waited
}

TEST(Trace, HostInstructionsAreASliceEach) {
  Loaded loaded(twoDevices(), {"local://0", "local://0"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  std::vector<std::string> names;
  uint64_t last = 0;
  for (const TraceSlice &slice : traceOf(*loaded.calls[0]))
    if (slice.kind == TraceKind::Host) {
      names.push_back(slice.name);
      EXPECT_EQ(slice.device, TraceSlice::kHost);
      EXPECT_GE(slice.beginNs, last);
      last = slice.endNs;
    }
  EXPECT_EQ(names,
            (std::vector<std::string>{"slab", "slab", "result", "fill", "dispatch", "wait", "copy", "copy", "await"}));
}

// An inline stream that waits for another device is the program waiting: a deadline ends it, traced or not.
TEST(Trace, DeadlineEndsAWait) {
  fb::ModuleT module = emptyModule();
  module.devices.push_back(contract::test::device("device_1", {"local"}));
  std::string code = "const s0 8\nconst s1 0\nconst s2 1\nconst s3 3000000\nslab b0 x1 s0\nstream t1 x1 0\n";
  for (int i = 0; i < 600; ++i)
    code += "dispatch t1 4.0 s2 s1 [b0] [s3]\n"; // about 1 ms each
  module.functions.push_back(function("main", code + "record e0 t1\nwait t0 e0\nreturn", 4, 1, 2, 1));
  Loaded loaded(std::move(module), {"local://0", "local://0"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  Invocation &call = *loaded.calls[0];
  call.setTimeout(50'000'000);
  call.setTrace([](const TraceSlice &) {});
  uint64_t start = nowNs();
  EXPECT_EQ(call.call({}, {}).code(), StatusCode::DeadlineExceeded);
  EXPECT_LT(nowNs() - start, 300'000'000u);
}

TEST(Trace, OffAgainAndFailures) {
  Loaded loaded(twoDevices(), {"local://0", "local://0"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  Invocation &call = *loaded.calls[0];
  size_t slices = 0;
  call.setTrace([&](const TraceSlice &) { ++slices; });
  call.setTrace({});
  std::vector<float> y(4);
  heddle_tensor out = tensorOf(y);
  EXPECT_TRUE(call.call({}, {&out, 1}).ok());
  EXPECT_EQ(slices, 0u);
  EXPECT_EQ(traceOf(call).size(), 16u);

  // What was done before a failure is handed out.
  fb::ModuleT failing = emptyModule();
  failing.messages = {"stop here"};
  failing.functions.push_back(
      function("main", "const s0 8\nconst s1 0\nslab b0 x0 s0\nfill t0 b0 s1 s0 s1 8\nfail m0", 2, 1));
  Loaded fails(std::move(failing), {"local://0"});
  std::vector<std::string> names;
  fails.calls[0]->setTrace([&](const TraceSlice &slice) { names.push_back(slice.name); });
  EXPECT_FALSE(fails.calls[0]->call({}, {}).ok());
  EXPECT_EQ(names, (std::vector<std::string>{"slab", "fill", "fill"}));
}

} // namespace
