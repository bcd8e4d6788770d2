// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conformance suite on Vulkan, with memory that the host sees and with staging, and what is particular to the
// driver.
#include "heddle/contract/SpirvAbi.h"
#include "runtime/drivers/vulkan/FloatControls.h"
#include "runtime/drivers/vulkan/Hazards.h"
#include "runtime/drivers/vulkan/MemoryPool.h"
#include "runtime/drivers/vulkan/SpirvModule.h"
#include "runtime/drivers/vulkan/VulkanQueue.h"
#include "runtime/hal/Registry.h"
#include "runtime/hal/cts/Cts.h"
#include "runtime/test/TestModules.h"

#include <cstring>

using namespace heddle;
using hal::Cts;
using hal::CtsParameter;

namespace heddle::hal {

INSTANTIATE_TEST_SUITE_P(Vulkan, Cts,
                         testing::Values(CtsParameter{"vulkan", true},
                                         CtsParameter{"vulkan://0?memory-type=discrete", true}),
                         nameOf);

} // namespace heddle::hal

namespace {

bool has(const std::vector<std::string> &list, const char *name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

TEST(Vulkan, DescribesTheDevice) {
  StatusOr<DeviceInfo> info = queryDevice("vulkan://0");
  ASSERT_TRUE(info.ok()) << info.status().text();
  EXPECT_EQ(info->uri, "vulkan://0");
  EXPECT_EQ(info->formats, std::vector<std::string>{"spirv"});
  EXPECT_GT(info->memoryBytes, 0u);
  for (const char *limit : {"maxStorageBufferRange", "maxComputeSharedMemorySize", "subgroupSize"})
    EXPECT_TRUE(std::any_of(info->limits.begin(), info->limits.end(), [&](const auto &entry) {
      return entry.first == limit && entry.second > 0;
    })) << limit;
  if (info->description.find("llvmpipe") != std::string::npos) {
    EXPECT_TRUE(has(info->features, "shaderInt64"));
    EXPECT_TRUE(has(info->features, "storageBuffer8BitAccess"));
  }
}

TEST(Vulkan, RefusesWrongUris) {
  EXPECT_EQ(queryDevice("vulkan://99").status().code(), StatusCode::NotFound);
  EXPECT_EQ(queryDevice("vulkan://x").status().message(),
            "a Vulkan device is vulkan://N, N being a number of `heddle devices`, got 'vulkan://x'");
  EXPECT_EQ(queryDevice("vulkan?memory-type=fast").status().message(),
            "memory-type= takes mapped or discrete, got 'fast'");
  EXPECT_EQ(queryDevice("vulkan?memry=1m").status().message(),
            "the driver 'vulkan' has the options memory, memory-type, got 'memry' (did you mean 'memory'?)");
}

TEST(Vulkan, MemoryLimit) {
  auto device = openDevice("vulkan?memory=1m");
  ASSERT_TRUE(device.ok()) << device.status().text();
  auto first = (*device)->allocate(800 << 10);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*device)->allocate(700 << 10).status().message(),
            "cannot allocate 716800 bytes on vulkan?memory=1m: the device's memory limit is reached; it holds 819200 "
            "of 1048576 bytes");
  *first = {};
  EXPECT_TRUE((*device)->allocate(800 << 10).ok());
}

TEST(Vulkan, LargestBinding) {
  auto device = openDevice("vulkan");
  ASSERT_TRUE(device.ok());
  for (const auto &[name, value] : (*device)->info().limits)
    if (name == "maxStorageBufferRange")
      EXPECT_EQ((*device)->maxBindingBytes(), static_cast<uint64_t>(value));
}

TEST(Vulkan, CommandsWaitForThoseTheyConflictWith) {
  int a = 0, b = 0;
  auto read = [](const void *buffer, uint64_t begin, uint64_t end) {
    return vulkan::MemoryAccess{buffer, begin, end, false};
  };
  auto write = [](const void *buffer, uint64_t begin, uint64_t end) {
    return vulkan::MemoryAccess{buffer, begin, end, true};
  };
  vulkan::Hazards hazards;
  auto add = [&](std::vector<vulkan::MemoryAccess> next) { return hazards.add(next); };
  EXPECT_TRUE(add({read(&a, 0, 8), write(&a, 8, 16)})) << "the first of all";
  EXPECT_FALSE(add({read(&a, 0, 8), write(&a, 16, 24)})) << "reads the same, writes beside";
  EXPECT_FALSE(add({read(&b, 8, 24), write(&b, 0, 8)})) << "other memory";
  EXPECT_TRUE(add({read(&a, 23, 32)})) << "reads what was written";
  EXPECT_FALSE(add({write(&a, 8, 16)})) << "the barrier before ordered it";
  EXPECT_TRUE(add({write(&a, 15, 17)})) << "writes what was written";
  EXPECT_FALSE(add({read(&a, 40, 48)}));
  EXPECT_TRUE(add({write(&a, 44, 45)})) << "writes what is read";
  hazards.clear();
  EXPECT_TRUE(add({}));
  for (size_t i = 0; i < vulkan::Hazards::kMost; ++i)
    EXPECT_FALSE(add({read(&a, 0, 1)}));
  EXPECT_TRUE(add({read(&a, 0, 1)})) << "as many as are looked through";
}

TEST(Vulkan, MemoryIsUsedAgain) {
  auto device = openDevice("vulkan://0?memory-type=discrete");
  ASSERT_TRUE(device.ok());
  auto keep = (*device)->allocate(1 << 20);
  const std::byte *first = (*(*device)->allocate(1 << 20))->address();
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ((*(*device)->allocate(1 << 20))->address(), first);
}

std::shared_ptr<vulkan::LogicalDevice> openLogical(vulkan::MemoryKind memory) {
  const vulkan::Instance *instance = *vulkan::Instance::get();
  return *vulkan::LogicalDevice::open(*instance, vulkan::physicalDevices(*instance).at(0), memory);
}

// Pages of an import hold memory of others, which copies must not reach through the import.
TEST(Vulkan, AnImportEndsWhereTheCallerSaid) {
  auto device = openLogical(vulkan::MemoryKind::Discrete);
  if (!device->physical.importsHostMemory)
    GTEST_SKIP() << "no imports";
  auto pool = std::make_shared<vulkan::MemoryPool>(device, 1 << 20);
  std::vector<std::byte> host(3 << 16);
  std::byte *first = host.data() + (1 << 16) + 100;
  {
    auto imported = pool->import(first, 1000);
    ASSERT_TRUE(imported.ok()) << imported.status().text();
    EXPECT_TRUE(pool->find(first, 1000));
    EXPECT_TRUE(pool->find(first + 400, 600));
    EXPECT_TRUE(pool->find(first + 1000, 0)) << "the end of a buffer belongs to it";
    EXPECT_FALSE(pool->find(first, 1001));
    EXPECT_FALSE(pool->find(first + 400, 601));
    EXPECT_FALSE(pool->find(first + 400, UINT64_MAX));
    EXPECT_FALSE(pool->find(first - 1, 1));
    EXPECT_FALSE(pool->find(first + 1001, 1));
  }
  auto own = *pool->allocate(1000);
  EXPECT_TRUE(pool->find(own->address(), 1000));
  EXPECT_FALSE(pool->find(own->address(), uint64_t{1} << 40));
}

int idleWaits = 0, semaphoreWaits = 0;
PFN_vkQueueWaitIdle realWaitIdle;
PFN_vkWaitSemaphores realWait;
VKAPI_ATTR VkResult VKAPI_CALL countedWaitIdle(VkQueue queue) {
  return ++idleWaits == 1 ? VK_ERROR_OUT_OF_HOST_MEMORY : realWaitIdle(queue);
}
VKAPI_ATTR VkResult VKAPI_CALL refusedWait(VkDevice, const VkSemaphoreWaitInfo *, uint64_t) {
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}
VKAPI_ATTR VkResult VKAPI_CALL countedWait(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout) {
  ++semaphoreWaits;
  return realWait(device, info, timeout);
}
VKAPI_ATTR VkResult VKAPI_CALL refusedSubmit(VkQueue, uint32_t, const VkSubmitInfo *, VkFence) {
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}

TEST(Vulkan, BatchesAreKeptUntilTheDeviceIsDone) {
  auto device = openLogical(vulkan::MemoryKind::Discrete);
  realWaitIdle = std::exchange(device->functions.QueueWaitIdle, countedWaitIdle);
  realWait = std::exchange(device->functions.WaitSemaphores, refusedWait);
  auto pool = std::make_shared<vulkan::MemoryPool>(device, 1 << 20);
  auto queue = std::move(*vulkan::createVulkanQueue(device, pool));
  auto buffer = *pool->allocate(1000);
  EXPECT_TRUE(queue->fill(buffer->address(), 1000, 7, 4).ok());
  StatusOr<bool> done = queue->wait(*queue->submit(), UINT64_MAX);
  EXPECT_TRUE(done.ok() && *done);
  EXPECT_EQ(idleWaits, 2);
  // The end of a queue waits for what was handed over, although what is left cannot be.
  device->functions.WaitSemaphores = countedWait;
  EXPECT_TRUE(queue->fill(buffer->address(), 1000, 8, 4).ok());
  EXPECT_TRUE(queue->submit().ok());
  EXPECT_TRUE(queue->fill(buffer->address(), 1000, 9, 4).ok());
  device->functions.QueueSubmit = refusedSubmit;
  queue = {};
  EXPECT_EQ(semaphoreWaits, 1);
}

TEST(Vulkan, OtherDevicesMemoryIsRefused) {
  auto device = openDevice("vulkan");
  ASSERT_TRUE(device.ok());
  std::vector<std::byte> code = test::kernelCode(HEDDLE_TEST_KERNELS_SPIRV);
  auto executable = (*device)->load({"kernels", "spirv", code, {"mark"}});
  ASSERT_TRUE(executable.ok());
  int64_t host[4] = {};
  void *bindings[] = {host};
  hal::DispatchLabel label{"main_0", "the dispatch comes from 'Add_3'"};
  for (hal::StreamMode mode : {hal::StreamMode::Inline, hal::StreamMode::Queued}) {
    auto stream = (*device)->createStream(mode);
    ASSERT_TRUE(stream.ok());
    Status status = (*stream)->dispatch({&(*executable)->kernels()[0], 4, 0, bindings, {}, &label});
    if (status.ok())
      status = (*stream)->synchronize();
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_EQ(status.message(), std::string(mode == hal::StreamMode::Queued ? "dispatch 'main_0': " : "") +
                                    "binding 0 of a dispatch must be memory of vulkan, got memory of another device");
  }
}

TEST(Vulkan, TheSameCodeIsCompiledOnce) {
  auto device = openDevice("vulkan");
  ASSERT_TRUE(device.ok());
  std::vector<std::byte> code = test::kernelCode(HEDDLE_TEST_KERNELS_SPIRV);
  auto first = (*device)->load({"a", "spirv", code, {"mark"}});
  auto second = (*device)->load({"b", "spirv", code, {"nothing", "mark"}});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ((*first)->kernels()[0].native, (*second)->kernels()[1].native);
}

TEST(Vulkan, QueuedFailureNamesItsDispatch) {
  auto device = openDevice("vulkan");
  ASSERT_TRUE(device.ok());
  std::vector<std::byte> code = test::kernelCode(HEDDLE_TEST_KERNELS_SPIRV);
  auto executable = (*device)->load({"kernels", "spirv", code, {"mark", "out_of_range"}});
  ASSERT_TRUE(executable.ok());
  auto buffer = (*device)->allocate(64);
  auto stream = (*device)->createStream(hal::StreamMode::Queued);
  void *bindings[] = {(*buffer)->address()};
  int64_t at = 1;
  hal::DispatchLabel good{"good", ""}, bad{"bad", "the dispatch comes from 'Gather_7'"};
  (void)(*stream)->dispatch({&(*executable)->kernels()[0], 4, 0, bindings, {}, &good});
  (void)(*stream)->dispatch({&(*executable)->kernels()[1], 4, 0, bindings, {&at, 1}, &bad});
  (void)(*stream)->dispatch({&(*executable)->kernels()[0], 4, 0, bindings, {}, &good});
  EXPECT_EQ((*stream)->synchronize().text(),
            "dispatch 'bad': an index is out of range; check the indices given to the model\n"
            "the dispatch comes from 'Gather_7'");
}

// vulkan_validation proves nothing without the layers.
TEST(Vulkan, LayersAreThereWhenAskedFor) {
  const char *layers = std::getenv("VK_INSTANCE_LAYERS");
  if (!layers)
    GTEST_SKIP() << "no layers asked for";
  ASSERT_TRUE(queryDevice("vulkan").ok());
  std::ifstream maps("/proc/self/maps");
  std::string text((std::istreambuf_iterator<char>(maps)), {});
  EXPECT_NE(text.find("VkLayer_khronos_validation"), std::string::npos) << layers;
}

TEST(Vulkan, AbsentLoaderSaysWhatToInstall) {
  StatusOr<const vulkan::Instance *> instance = vulkan::Instance::create("libnosuchvulkan.so.1");
  ASSERT_FALSE(instance.ok());
  EXPECT_EQ(instance.status().message(),
            "the Vulkan loader libnosuchvulkan.so.1 is not installed (Debian: libvulkan1); also install a driver for "
            "your GPU, or lavapipe, which computes on the CPU (mesa-vulkan-drivers)");
}

TEST(SpirvModule, FindsEntryPointsAndBindings) {
  StatusOr<vulkan::SpirvModule> module = vulkan::SpirvModule::parse(test::kernelCode(HEDDLE_TEST_KERNELS_SPIRV));
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(module->entryPoints, (std::vector<std::string>{"mark", "out_of_range", "matmul4", "nothing"}));
  EXPECT_EQ(module->descriptors, 4u);
}

TEST(SpirvModule, TwoModules) {
  auto code = [](std::initializer_list<uint32_t> words) {
    auto bytes = std::as_bytes(std::span(words.begin(), words.size()));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  constexpr uint32_t magic = 0x07230203, entryPoint = 4 << 16 | 15, capability = 2 << 16 | 17;
  constexpr uint32_t compute = 5, addresses = 5347, k = 'k', l = 'l';
  auto both = vulkan::SpirvModule::parse(code({magic, 0, 0, 0, 0, entryPoint, compute,   1,          k, //
                                               magic, 0, 0, 0, 0, capability, addresses, entryPoint, compute, 1, k}));
  ASSERT_TRUE(both.ok()) << both.status().text();
  EXPECT_EQ(both->words.size(), 9u);
  EXPECT_FALSE(both->usesAddresses);
  ASSERT_TRUE(both->large);
  EXPECT_EQ(both->large->words.size(), 11u);
  EXPECT_TRUE(both->large->usesAddresses);
  auto fails = [&](std::initializer_list<uint32_t> words) {
    return vulkan::SpirvModule::parse(code(words)).status().message();
  };
  std::string differ = "its second module must have the entry points of the first and reach tensors by addresses";
  EXPECT_EQ(fails({magic, 0, 0, 0, 0, magic, 0, 0, 0, 0}), differ);
  EXPECT_EQ(fails({magic, 0, 0, 0, 0, entryPoint, compute,   1,          k, //
                   magic, 0, 0, 0, 0, capability, addresses, entryPoint, compute, 1, l}),
            differ);
  EXPECT_EQ(fails({magic, 0, 0, 0, 0, magic, 0}), "it does not start as SPIR-V");
  EXPECT_EQ(fails({magic, 0, 0, 0, 0, magic, 0, 0, 0, 0, magic, 0, 0, 0, 0}), "it has more than two modules");
}

TEST(FloatControls, OfTheFloatsThatAModuleUses) {
  constexpr uint32_t magic = 0x07230203, capability = 2 << 16 | 17, model = 3 << 16 | 14, entryPoint = 4 << 16 | 15;
  constexpr uint32_t mode = 4 << 16 | 16, real = 3 << 16 | 22, shader = 1, compute = 5, name = 'k';
  constexpr uint32_t preserve = 4461, rounds = 4462;
  VkPhysicalDeviceFloatControlsProperties device{};
  device.shaderSignedZeroInfNanPreserveFloat32 = device.shaderRoundingModeRTEFloat32 = VK_TRUE;
  device.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
  auto asked = [&](std::vector<uint32_t> words) {
    return vulkan::withFloatControls(words, vulkan::readFloatControls(device));
  };
  const std::vector<uint32_t> start{magic, 0, 0, 0, 0, capability, shader, model, 0, 1, entryPoint, compute, 7, name};
  EXPECT_EQ(asked(start), start) << "uses no floats";
  auto with = [&](std::vector<uint32_t> more) {
    std::vector<uint32_t> words = start;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  std::vector<uint32_t> got = asked(with({real, 2, 32}));
  const std::vector<uint32_t> capabilities{capability, shader, capability, preserve + 5, capability, rounds + 5};
  EXPECT_TRUE(std::equal(capabilities.begin(), capabilities.end(), got.begin() + 5));
  EXPECT_EQ(std::memcmp(&got[12], "SPV_KHR_float_controls", 23), 0);
  const std::vector<uint32_t> end{name, mode, 7, preserve, 32, mode, 7, rounds, 32, real, 2, 32};
  EXPECT_TRUE(std::equal(end.rbegin(), end.rend(), got.rbegin()));
  EXPECT_EQ(asked(got), got) << "asks already";
  // Rounding is not supported for 64 bits, and must be the same for all.
  got = asked(with({real, 2, 32, real, 3, 64}));
  const std::vector<uint32_t> one{name, mode, 7, preserve, 32, real, 2, 32, real, 3, 64};
  EXPECT_TRUE(std::equal(one.rbegin(), one.rend(), got.rbegin()));
}

TEST(Vulkan, TooManyElementsAreRefused) {
  auto device = openDevice("vulkan://0");
  ASSERT_TRUE(device.ok());
  auto executable = (*device)->load({"kernels", "spirv", test::kernelCode(HEDDLE_TEST_KERNELS_SPIRV), {"nothing"}});
  ASSERT_TRUE(executable.ok());
  auto stream = (*device)->createStream(hal::StreamMode::Inline);
  ASSERT_TRUE(stream.ok());
  EXPECT_EQ((*stream)->dispatch({&(*executable)->kernels()[0], contract::spirv::kTooManyElements, 0, {}, {}}).message(),
            "a tensor of the dispatch has more than the 2147483647 elements that a kernel counts; use smaller inputs, "
            "or place this part of the model on another device");
}

TEST(SpirvModule, CutAnywhereIsRefusedOrRead) {
  std::vector<std::byte> code = test::kernelCode(HEDDLE_TEST_KERNELS_SPIRV);
  for (size_t bytes = 0; bytes < code.size(); ++bytes) {
    StatusOr<vulkan::SpirvModule> module = vulkan::SpirvModule::parse(std::span(code).first(bytes));
    EXPECT_TRUE(module.ok() || module.status().code() == StatusCode::Malformed);
    if (bytes % 4)
      EXPECT_EQ(module.status().message(), "its size is not that of words");
  }
}

TEST(RangeAllocator, BestFitAndJoin) {
  hal::RangeAllocator ranges(100);
  EXPECT_EQ(*ranges.take(30), 0u);
  EXPECT_EQ(*ranges.take(20), 30u);
  EXPECT_EQ(*ranges.take(50), 50u);
  EXPECT_FALSE(ranges.take(1));
  ranges.give(0, 30);
  ranges.give(50, 50);
  EXPECT_EQ(*ranges.take(25), 0u) << "the smaller hole";
  ranges.give(30, 20);
  EXPECT_EQ(ranges.largestFree(), 75u);
  ranges.give(0, 25);
  EXPECT_TRUE(ranges.empty());
  EXPECT_EQ(*ranges.take(100), 0u);
}

} // namespace
