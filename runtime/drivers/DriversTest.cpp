// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conformance suite on every driver, and what is particular to each.
#include "runtime/drivers/local/CpuFeatures.h"
#include "runtime/drivers/local/LocalDriver.h"
#include "runtime/hal/Registry.h"
#include "runtime/hal/cts/Cts.h"

#include <algorithm>

using namespace heddle;
using hal::Cts;
using hal::CtsParameter;

namespace heddle::hal {

INSTANTIATE_TEST_SUITE_P(Null, Cts,
                         testing::Values(CtsParameter{"null", false}, CtsParameter{"null?memory=64m", false},
                                         CtsParameter{"null?discrete=yes", false}),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Local, Cts,
                         testing::Values(CtsParameter{"local", true}, CtsParameter{"local?cpu=generic", true},
                                         CtsParameter{"local?discrete=yes", true}),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(LocalShared, Cts,
                         testing::Values(CtsParameter{"local", true, true},
                                         CtsParameter{"local?discrete=yes", true, true}),
                         nameOf);

} // namespace heddle::hal

namespace {

TEST(LocalDriver, Cores) {
  EXPECT_EQ(*local::parseCores("0-2,5"), (std::vector<int>{0, 1, 2, 5}));
  EXPECT_EQ(*local::parseCores("3,1,1"), (std::vector<int>{1, 3}));
  for (const char *bad : {"", "a", "1-", "-1", "2-1", "0,", ",0", "0 1", "9999999", "0-1-2"})
    EXPECT_FALSE(local::parseCores(bad).ok()) << bad;
  EXPECT_EQ(local::parseCores("x").status().message(),
            "a set of cores is numbers below 1024 and ranges like 0-3,6, got 'x'");
  EXPECT_EQ(queryDevice("local://900").status().code(), StatusCode::NotFound);
}

#if defined(__x86_64__)
TEST(LocalDriver, HidesFeatures) {
  auto all = queryDevice("local"), v2 = queryDevice("local?cpu=x86-64-v2");
  ASSERT_TRUE(all.ok() && v2.ok());
  auto has = [](const DeviceInfo &info, const char *name) {
    return std::find(info.features.begin(), info.features.end(), name) != info.features.end();
  };
  EXPECT_TRUE(has(*all, "sse4.2"));
  EXPECT_TRUE(has(*v2, "sse4.2"));
  EXPECT_FALSE(has(*v2, "avx2"));
  EXPECT_EQ(
      queryDevice("local?cpu=x86-64-v9").status().message(),
      "cpu= takes host, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, generic, haswell, skylake, alderlake, "
      "skylake-avx512, cascadelake, cooperlake, icelake-server, sapphirerapids, graniterapids, znver1, znver2, znver3, "
      "znver4, znver5; got 'x86-64-v9'; did you mean 'x86-64-v2'?");
}
#endif

TEST(LocalDriver, MemoryLimit) {
  auto device = openDevice("local?memory=1m");
  ASSERT_TRUE(device.ok());
  EXPECT_EQ((*device)->info().memoryBytes, 1u << 20);
  auto first = (*device)->allocate(800 << 10);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*device)->allocate(800 << 10).status().message(),
            "cannot allocate 819200 bytes: 819200 of the device's 1048576 bytes are in use");
  *first = {};
  EXPECT_TRUE((*device)->allocate(800 << 10).ok());
}

// A block that was given back is the next one's, and gives way where the limit needs it.
TEST(LocalDriver, MemoryIsKept) {
  auto device = openDevice("local://0?memory=1m");
  ASSERT_TRUE(device.ok());
  const std::byte *address;
  {
    auto first = (*device)->allocate(400 << 10);
    ASSERT_TRUE(first.ok());
    address = (*first)->address();
  }
  auto again = (*device)->allocate(390 << 10);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->address(), address);
  EXPECT_EQ((*again)->bytes(), 390u << 10);
  *again = {};
  EXPECT_TRUE((*device)->allocate(900 << 10).ok());
}

TEST(LocalDriver, Threads) {
  size_t allowed = local::allowedCores().size();
  auto three = queryDevice("local?threads=3");
  ASSERT_TRUE(three.ok()) << three.status().text();
  EXPECT_EQ(three->cores, 3u);
  EXPECT_EQ(three->streams, 3u);
  EXPECT_EQ(three->units.size(), allowed); // anywhere
  EXPECT_EQ(queryDevice("local://0?threads=2")->units, std::vector<int>{0});
  for (const char *bad : {"0", "-1", "x", "1025", "4 "})
    EXPECT_EQ(queryDevice(std::string("local?threads=") + bad).status().message(),
              std::string("threads= takes a number from 1 to 1024, got '") + bad + "'");
}

// Devices of the same cores, be it by another name, have one set of workers between them.
TEST(LocalDriver, DevicesSayTheirCores) {
  EXPECT_EQ(queryDevice("local://0")->units, std::vector<int>{0});
  EXPECT_GE(queryDevice("local")->units.size(), queryDevice("local")->cores); // a quota may grant less
}

TEST(LocalDriver, KeptMemoryGivesWayToSmallBuffers) {
  auto device = openDevice("local://0?memory=1m");
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE((*device)->allocate(1'000'000).ok()); // given back and kept
  StatusOr<hal::BufferRef> small = (*device)->allocate(60'000);
  EXPECT_TRUE(small.ok()) << small.status().text();
}

TEST(LocalDriver, DiscreteMemoryIsNotTheHosts) {
  auto device = openDevice("local://0?discrete=yes");
  ASSERT_TRUE(device.ok());
  EXPECT_FALSE((*device)->hostAddressable());
  EXPECT_FALSE((*device)->readsHostMemory());
  int64_t word = 42, back = 0;
  EXPECT_EQ((*device)->importHost(&word, 8).status().code(), StatusCode::Unsupported);
  auto buffer = (*device)->allocate(64);
  auto commands = (*device)->createInline();
  ASSERT_TRUE(buffer.ok() && commands.ok());
  hal::View second = hal::View::of(*buffer, 8, 8), third = hal::View::of(*buffer, 16, 8);
  EXPECT_TRUE((*commands)->copy(second, hal::View::ofHost(&word, 8)).ok());
  EXPECT_TRUE((*commands)->copy(third, second).ok());
  EXPECT_TRUE((*commands)->copy(hal::View::ofHost(&back, 8), third).ok());
  EXPECT_EQ(back, 42);
  EXPECT_EQ((*commands)->fill(hal::View::ofHost(&word, 8), 0, 8).message(),
            "what is filled is not in the memory of the device");
  auto other = *(*openDevice("null?discrete=yes"))->allocate(64);
  EXPECT_EQ((*commands)->copy(hal::View::of(other), hal::View::of(*buffer)).message(),
            "what is copied is not in the memory of the device");
  EXPECT_EQ((*commands)->fill(hal::View::of(*buffer, 60, 8), 0, 8).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(queryDevice("local?discrete=maybe").status().message(), "discrete= takes yes or no, got 'maybe'");
}

TEST(Registry, UnknownAndAbsentDrivers) {
  EXPECT_EQ(queryDevice("locl").status().message(),
            "the drivers are cuda, vulkan, local, sim, null (cpu is local, gpu is cuda or vulkan), got 'locl'; did you "
            "mean 'local'?");
  EXPECT_EQ(queryDevice("null://3").status().message(), "the null device has no parts, got 'null://3'");
}

TEST(Registry, NamesOfKinds) {
  auto cpu = queryDevice("cpu?memory=1m"), gpu = queryDevice("gpu");
  ASSERT_TRUE(cpu.ok()) << cpu.status().text();
  EXPECT_EQ(cpu->uri, "local?memory=1m");
  EXPECT_EQ(cpu->driver, "local");
  EXPECT_EQ(*openDevice("cpu://0"), *openDevice("local://0")); // one device
  EXPECT_EQ(queryDevice("cpux").status().notes().size(), 0u);
  std::string first; // GPU
  for (const char *driver : {"cuda", "vulkan"})
    for (const DeviceInfo &info : (*findDriver(driver))->enumerate())
      if (first.empty() && info.available && !info.isSoftware)
        first = info.uri;
  if (!first.empty()) {
    ASSERT_TRUE(gpu.ok()) << gpu.status().text();
    EXPECT_EQ(gpu->uri, first);
  } else {
    EXPECT_EQ(gpu.status().code(), StatusCode::NotFound);
    EXPECT_TRUE(gpu.status().message().starts_with("'gpu' is the first GPU of cuda or vulkan, and neither has one"));
    EXPECT_GE(gpu.status().notes().size(), 2u) << "each says why it has none";
  }
}

TEST(Registry, DevicesAreSharedByUri) {
  EXPECT_EQ(*openDevice("local://0"), *openDevice("local://0"));
  auto shared = *openDevice("local://0");
  EXPECT_NE(*openDevice("local://0", /*fresh=*/true), shared);
  EXPECT_NE(*openDevice("local"), shared);
}

TEST(Registry, EnumerationSaysWhyADeviceIsAbsent) {
  int defaults = 0;
  for (const DeviceInfo &info : enumerateDevices()) {
    EXPECT_EQ(info.available, info.reason.empty()) << info.uri;
    defaults += info.isDefault;
  }
  EXPECT_EQ(defaults, 1);
}

} // namespace
