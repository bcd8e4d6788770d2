// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What crosses the boundary of a call to a GPU whose memory the host can address, and whose kernels need staging.
#include "ExecutorFixture.h"
#include "runtime/hal/Registry.h"

using namespace heddle;
using namespace heddle::test;

namespace {

class Staging : public testing::Test {
protected:
  void SetUp() override {
    StatusOr<DeviceInfo> info = queryDevice("vulkan");
    if (!info.ok())
      GTEST_SKIP() << info.status().text();
  }

  static fb::ModuleT program(const std::string &code, uint32_t arguments, uint32_t buffers, uint32_t streams) {
    fb::ModuleT module = emptyModule({"vulkan"});
    module.executables.clear();
    module.devices.push_back(contract::test::device("device_1", {"vulkan"}));
    auto main = contract::test::function("main", "const s1 4\nmul s2 s0 s1\nconst s3 0\n" + code + "\nreturn", 4,
                                         buffers, streams);
    addSymbol(*main, "n", 1, 1 << 24);
    for (uint32_t i = 0; i < arguments; ++i)
      main->arguments.push_back(contract::test::value("x", ElementType::F32, {symbol(0)}));
    main->results.push_back(contract::test::value("y", ElementType::F32, {symbol(0)}));
    module.functions.push_back(std::move(main));
    return module;
  }
};

// The second device copies the last of eight arguments, which the first is still uploading when the program begins.
TEST_F(Staging, CopiesOfAnotherDeviceWaitForTheUpload) {
  Loaded loaded(program("slab b9 x0 s2\nfill t0 b9 s3 s2 s3 4\nstream t1 x1 0\nresult b8 r0 x1 s2\ncopy t1 b8 s3 b7 s3 "
                        "s2\nset_result r0 b8 [s0]",
                        8, 10, 2),
                {"vulkan", "vulkan"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  for (int round = 0; round < 5; ++round) {
    std::vector<float> x(1'000'000, static_cast<float>(round + 1)), y(x.size());
    std::vector<heddle_tensor> in(8, tensorOf(x));
    heddle_tensor out = tensorOf(y);
    Status status = loaded.calls[0]->call(in, {&out, 1});
    ASSERT_TRUE(status.ok()) << status.text();
    EXPECT_TRUE(y == x) << round;
  }
}

// Memory of the caller is imported in every call, and is the caller's again when the call ends.
TEST_F(Staging, ImportsEndWithTheCall) {
  Loaded loaded(program("result b1 r0 x0 s2\ncopy t0 b1 s3 b0 s3 s2\nset_result r0 b1 [s0]", 1, 2, 1), {"vulkan"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  hal::Device &device = *loaded.module->devices()[0].device;
  std::vector<float> x, y;
  for (std::vector<float> *values : {&x, &y}) {
    values->reserve(3'002'048); // no page is of both
    values->resize(3'000'000);
  }
  if (!device.importHost(x.data(), x.size() * sizeof(float)).ok())
    GTEST_SKIP() << "the device does not import memory of the host";
  for (int round = 0; round < 3; ++round) {
    x.assign(x.size(), static_cast<float>(round));
    heddle_tensor in = tensorOf(x), out = tensorOf(y);
    Status status = loaded.calls[0]->call({&in, 1}, {&out, 1});
    ASSERT_TRUE(status.ok()) << status.text();
    EXPECT_TRUE(y == x);
    EXPECT_EQ(loaded.calls[0]->statistics().allocations, 0u) << round;
    EXPECT_TRUE(device.importHost(x.data(), x.size() * sizeof(float)).ok()) << "free to be imported by others";
    EXPECT_TRUE(device.importHost(y.data(), y.size() * sizeof(float)).ok());
  }
}

} // namespace
