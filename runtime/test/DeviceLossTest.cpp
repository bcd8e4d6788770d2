// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that stops working: the call fails with that cause, the next one works, or the program's alternatives serve.
#include "ExecutorFixture.h"
#include "runtime/executor/call/Recovery.h"

using namespace heddle;
using namespace heddle::test;

namespace {

// main(x: n) -> 4 x, on one device that is `cuda` (which null stands for) or else the CPU.
fb::ModuleT quadrupleOn(std::vector<const char *> drivers) {
  fb::ModuleT module = quadrupleModule();
  module.devices[0] = contract::test::device("device_0", std::move(drivers));
  return module;
}

struct Live {
  Live(fb::ModuleT &&source, std::vector<std::string> uris, LiveModule::OnLoss onLoss) : bytes(build(source)) {
    auto loaded = LiveModule::load(*Artifact::openMemory(bytes), std::move(uris), onLoss, runBindFunction);
    EXPECT_TRUE(loaded.ok()) << loaded.status().text();
    module = *loaded;
    call = std::move(*RecoveringInvocation::create(module, 0));
  }
  // The status of a call, and y.
  Status run() {
    std::vector<float> x = {1, 2, 3};
    y.assign(3, 0);
    heddle_tensor in = tensorOf(x), out = tensorOf(y);
    return call->call({&in, 1}, {&out, 1});
  }
  AlignedBytes bytes;
  std::shared_ptr<LiveModule> module;
  std::unique_ptr<RecoveringInvocation> call;
  std::vector<float> y;
};

TEST(DeviceLoss, TheCallFailsAndTheNextOneWorks) {
  Live live(quadrupleOn({"cuda"}), {"null?lose=3"}, LiveModule::OnLoss::Reopen);
  EXPECT_TRUE(live.run().ok()); // two dispatches
  Status lost = live.run();
  EXPECT_EQ(lost.code(), StatusCode::DeviceLost);
  EXPECT_EQ(lost.text(), "dispatch 'scale': the device 'null?lose=3' was lost\nin '/Mul_3'");
  EXPECT_TRUE(live.run().ok());
  EXPECT_EQ(live.module->warnings(), "the device null?lose=3 was lost; the program was loaded anew\n");
}

// Another invocation of the module, which saw nothing, follows.
TEST(DeviceLoss, AllInvocationsFollow) {
  Live live(quadrupleOn({"cuda"}), {"null?lose=5"}, LiveModule::OnLoss::Reopen);
  auto second = std::move(*RecoveringInvocation::create(live.module, 0));
  second->setTimeout(1'000'000'000);
  EXPECT_TRUE(live.run().ok());
  EXPECT_TRUE(live.run().ok());
  EXPECT_EQ(live.run().code(), StatusCode::DeviceLost);
  EXPECT_TRUE(live.run().ok());
  std::swap(live.call, second);
  EXPECT_TRUE(live.run().ok());
  EXPECT_EQ(&live.call->invocation().module(), &second->invocation().module());
}

TEST(DeviceLoss, FallbackUsesTheProgramsAlternatives) {
  Live live(quadrupleOn({"cuda", "local"}), {"null?lose=4", "local://0"}, LiveModule::OnLoss::Fallback);
  EXPECT_EQ(live.module->current()->devices()[0].info.uri, "null?lose=4");
  EXPECT_TRUE(live.run().ok());
  EXPECT_EQ(live.y, (std::vector<float>{0, 0, 0})) << "null computes nothing";
  Status status = live.run();
  EXPECT_TRUE(status.ok()) << status.text();
  EXPECT_EQ(live.y, (std::vector<float>{4, 8, 12}));
  EXPECT_EQ(live.module->current()->devices()[0].info.uri, "local://0");
  EXPECT_EQ(live.module->current()->devices()[0].match.alternative, 1u);
  EXPECT_TRUE(live.run().ok());
}

TEST(DeviceLoss, FallbackWithoutAnAlternativeSaysSo) {
  Live live(quadrupleOn({"cuda"}), {"null?lose=1", "local://0"}, LiveModule::OnLoss::Fallback);
  Status status = live.run();
  EXPECT_EQ(status.code(), StatusCode::DeviceLost);
  EXPECT_EQ(status.text(),
            "dispatch 'scale': the device 'null?lose=1' was lost\nin "
            "'/Mul_3'\nthe program's device 'device_0' needs cuda, got no device that fits; name one with "
            "--device, or see `heddle devices`\n"
            "cuda: null?lose=1 refused: it was lost while it ran the program\n"
            "cuda: local://0 refused: its driver is 'local'\n"
            "while the program was loaded anew, without null?lose=1");
}

// The other device's work ends cleanly, and the loss is the cause that is reported.
TEST(DeviceLoss, OnAQueuedStream) {
  fb::ModuleT module = emptyModule();
  module.devices.push_back(contract::test::device("device_1", {"cuda", "local"}));
  module.functions.push_back(contract::test::function(
      "main",
      "const s0 64\nconst s1 0\nconst s2 1\nslab b0 x0 s0\nslab b1 x1 s0\nstream t1 x1 0\n"
      "dispatch t0 4.0 s2 s1 [b0] [s0]\ndispatch t1 4.0 s2 s1 [b1] [s0]\nrecord e0 t1\nwait t0 e0\n"
      "dispatch t0 4.0 s2 s1 [b0] [s0]\nreturn",
      3, 2, 2, 1));
  Live live(std::move(module), {"local://0", "null?lose=2"}, LiveModule::OnLoss::Fallback);
  auto call = [&] { return live.call->call({}, {}); };
  EXPECT_EQ(live.module->current()->devices()[1].info.driver, "null");
  EXPECT_TRUE(call().ok());
  Status status = call();
  EXPECT_TRUE(status.ok()) << status.text();
  EXPECT_EQ(live.module->current()->devices()[1].match.note, "a second logical copy of local://0");
}

TEST(DeviceLoss, AsynchronousCallsFailAndTheNextOneWorks) {
  Live live(quadrupleOn({"cuda"}), {"null?lose=2&memory=1m"}, LiveModule::OnLoss::Fallback);
  std::vector<float> x = {1, 2, 3}, y(3);
  heddle_tensor in = tensorOf(x), out = tensorOf(y);
  auto done = live.call->start({&in, 1}, {&out, 1}, {}, nullptr);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ((*done)->wait(1).code(), StatusCode::DeviceLost);
  EXPECT_EQ(live.run().code(), StatusCode::NotFound) << "nothing is left to load it on";
}

} // namespace
