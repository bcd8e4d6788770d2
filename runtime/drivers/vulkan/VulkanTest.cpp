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

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

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
            "the driver 'vulkan' has the options memory, memory-type, got 'memry'; did you mean 'memory'?");
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
  auto mapped = openDevice("vulkan://0?memory-type=mapped");
  ASSERT_TRUE(mapped.ok()) << mapped.status().text();
  keep = (*mapped)->allocate(1 << 20);
  const std::byte *first = (*(*mapped)->allocate(1 << 20))->address();
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ((*(*mapped)->allocate(1 << 20))->address(), first);
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
    auto found = [&](uint64_t offset, uint64_t bytes) {
      return pool->find(hal::View::of(*imported, offset, bytes)).has_value();
    };
    EXPECT_EQ((*imported)->address(), first);
    EXPECT_EQ(pool->find(hal::View::of(*imported))->host, first);
    EXPECT_TRUE(found(400, 600));
    EXPECT_TRUE(found(1000, 0)) << "the end of a buffer belongs to it";
    EXPECT_FALSE(found(0, 1001));
    EXPECT_FALSE(found(400, 601));
    EXPECT_FALSE(found(400, UINT64_MAX));
    EXPECT_FALSE(found(UINT64_MAX, 1));
    EXPECT_FALSE(found(1001, 1));
    EXPECT_FALSE(pool->find(hal::View::ofHost(first, 8))) << "only views of the buffer are known";
  }
  auto own = *pool->allocate(1000);
  EXPECT_TRUE(pool->find(hal::View::of(own)));
  EXPECT_FALSE(pool->find(hal::View::of(own, 0, uint64_t{1} << 40)));
  auto other = std::make_shared<vulkan::MemoryPool>(device, 1 << 20);
  EXPECT_FALSE(other->find(hal::View::of(own)));
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
  auto engine = std::move(*vulkan::createVulkanEngine(device, pool));
  auto buffer = *pool->allocate(1000);
  EXPECT_TRUE(engine->fill(hal::View::of(buffer), 7, 4).ok());
  StatusOr<bool> done = engine->awaitTicket(*engine->handOver(true), UINT64_MAX);
  EXPECT_TRUE(done.ok() && *done);
  EXPECT_EQ(idleWaits, 2);
  // The end of a queue waits for what was handed over, although what is left cannot be.
  device->functions.WaitSemaphores = countedWait;
  EXPECT_TRUE(engine->fill(hal::View::of(buffer), 8, 4).ok());
  EXPECT_TRUE(engine->handOver(true).ok());
  EXPECT_TRUE(engine->fill(hal::View::of(buffer), 9, 4).ok());
  device->functions.QueueSubmit = refusedSubmit;
  engine = {};
  EXPECT_EQ(semaphoreWaits, 1);
}

TEST(Vulkan, OtherDevicesMemoryIsRefused) {
  auto device = openDevice("vulkan");
  ASSERT_TRUE(device.ok());
  std::vector<std::byte> code = test::kernelCode(HEDDLE_TEST_KERNELS_SPIRV);
  auto executable = (*device)->load({"kernels", "spirv", code, {"mark"}});
  ASSERT_TRUE(executable.ok());
  int64_t host[4] = {};
  hal::DispatchLabel label{"main_0", "the dispatch comes from 'Add_3'"};
  auto elsewhere = *(*openDevice("vulkan", /*fresh=*/true))->allocate(32);
  const std::string refused = "binding 0 of a dispatch must be memory of vulkan, got memory of another device";
  for (const hal::View &view : {hal::View::ofHost(host, 32), hal::View::of(elsewhere)}) {
    hal::ViewDispatch dispatch((*executable)->kernels()[0], 4, {view}, {}, &label);
    Status status = (*(*device)->createInline())->dispatch(dispatch);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_EQ(status.message(), refused);
    hal::CommandBuffer commands;
    EXPECT_TRUE(commands.dispatch(dispatch).ok());
    EXPECT_EQ(hal::runToEnd(**(*device)->createQueue(), commands).message(), "dispatch 'main_0': " + refused);
  }
}

int submits = 0;
PFN_vkQueueSubmit realSubmit;
VKAPI_ATTR VkResult VKAPI_CALL countedSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence) {
  submits += count;
  return realSubmit(queue, count, infos, fence);
}

size_t threads() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

// Both queues have what they need when submit() returns, and the host does nothing from there on: it looks at the last
// bytes of memory that the device shares with it.
TEST(Vulkan, AQueueWaitsForAnotherOnTheDevice) {
  auto device = openLogical(vulkan::MemoryKind::Mapped);
  realSubmit = std::exchange(device->functions.QueueSubmit, countedSubmit);
  realWait = std::exchange(device->functions.WaitSemaphores, countedWait);
  auto pool = std::make_shared<vulkan::MemoryPool>(device, 64 << 20);
  constexpr uint64_t kBytes = 16 << 20;
  auto a = *pool->allocate(kBytes), b = *pool->allocate(kBytes);
  auto engine = [&] { return std::move(*vulkan::createVulkanEngine(device, pool)); };
  auto first = engines::createDeviceQueue(engine()), second = engines::createDeviceQueue(engine());
  hal::CommandBuffer fill, copy;
  EXPECT_TRUE(fill.fill(hal::View::of(a), 0x2a2a2a2a, 4).ok());
  EXPECT_TRUE(copy.copy(hal::View::of(b), hal::View::of(a)).ok());
  hal::Point ready{std::make_shared<hal::Semaphore>(), 1}, done{std::make_shared<hal::Semaphore>(), 1};
  hal::CommandBuffer clear;
  EXPECT_TRUE(clear.fill(hal::View::of(b), 0, 4).ok());
  EXPECT_TRUE(hal::runToEnd(*first, clear).ok() && hal::runToEnd(*second, clear).ok()); // layers have threads of theirs
  size_t before = threads();
  submits = 0;
  first->submit(&fill, {}, {&ready, 1});
  second->submit(&copy, {&ready, 1}, {&done, 1});
  EXPECT_EQ(submits, 2) << "each is one submission";
  EXPECT_EQ(threads(), before) << "nobody else is there to help";
  semaphoreWaits = 0; // a submission looks once whether it has to wait at all
  auto *last = reinterpret_cast<volatile const unsigned char *>(b->address() + kBytes - 1);
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (*last != 0x2a && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(*last, 0x2a);
  EXPECT_EQ(semaphoreWaits, 0) << "the host asked for nothing";
  EXPECT_TRUE(done.wait().ok());
  EXPECT_FALSE(ready.isPending());
}

int dispatches = 0, updates = 0;
PFN_vkCmdDispatch realDispatch;
PFN_vkUpdateDescriptorSets realUpdate;
VKAPI_ATTR void VKAPI_CALL countedDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
  ++dispatches;
  realDispatch(commands, x, y, z);
}
VKAPI_ATTR void VKAPI_CALL countedUpdate(VkDevice device, uint32_t count, const VkWriteDescriptorSet *writes,
                                         uint32_t copies, const VkCopyDescriptorSet *from) {
  ++updates;
  realUpdate(device, count, writes, copies, from);
}

// A region of 100 dispatches that comes again is kept; from then on it is one submission, and nothing is recorded.
TEST(Vulkan, RegionsAreReplayed) {
  auto device = openLogical(vulkan::MemoryKind::Mapped);
  realSubmit = std::exchange(device->functions.QueueSubmit, countedSubmit);
  realDispatch = std::exchange(device->functions.CmdDispatch, countedDispatch);
  realUpdate = std::exchange(device->functions.UpdateDescriptorSets, countedUpdate);
  auto pool = std::make_shared<vulkan::MemoryPool>(device, 64 << 20);
  std::shared_ptr<vulkan::PipelineLibrary> library = std::move(*vulkan::PipelineLibrary::create(device));
  auto code = test::kernelCode(HEDDLE_TEST_KERNELS_SPIRV);
  auto executable = std::move(*library->load({"kernels", "spirv", code, {"mark", "out_of_range"}}, library));
  auto queue = engines::createDeviceQueue(std::move(*vulkan::createVulkanEngine(device, pool)));
  auto buffer = [&] {
    hal::BufferRef out = *pool->allocate(64 * 8);
    std::memset(out->address(), 0, 64 * 8);
    return out;
  };
  auto last = [](const hal::BufferRef &of) { return reinterpret_cast<const int64_t *>(of->address())[63]; };
  // Half of them on each buffer: the barriers are the same as long as the two are apart.
  auto region = [&](const hal::BufferRef &a, const hal::BufferRef &b, int64_t at) {
    hal::CommandBuffer commands;
    for (int i = 0; i < 99; ++i)
      EXPECT_TRUE(
          commands.dispatch(hal::ViewDispatch(executable->kernels()[0], 64, {hal::View::of(i % 2 ? a : b)})).ok());
    EXPECT_TRUE(commands.dispatch(hal::ViewDispatch(executable->kernels()[1], 64, {hal::View::of(a)}, {at})).ok());
    submits = dispatches = updates = 0;
    return hal::runToEnd(*queue, commands);
  };
  auto a = buffer(), b = buffer();
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(region(a, b, 99).ok());
    EXPECT_EQ(dispatches, 100);
    EXPECT_EQ(submits, 1);
  }
  EXPECT_TRUE(region(a, b, 99).ok());
  EXPECT_EQ(dispatches, 0) << "as it was";
  EXPECT_EQ(updates, 0);
  EXPECT_EQ(submits, 1);
  EXPECT_EQ(last(a), 3 * 49 * 64);
  EXPECT_EQ(last(b), 3 * 50 * 64);
  int recorded = device->changesDescriptors() ? 0 : 100;
  EXPECT_EQ(region(a, b, 5).code(), StatusCode::KernelFailed) << "another constant";
  EXPECT_EQ(dispatches, 0);
  EXPECT_TRUE(region(a, b, 99).ok()) << "the failure is forgotten";
  EXPECT_EQ(last(b), 5 * 50 * 64);
  auto c = buffer();
  EXPECT_TRUE(region(a, c, 99).ok()) << "another buffer";
  EXPECT_EQ(dispatches, recorded);
  EXPECT_EQ(submits, 1);
  EXPECT_EQ(last(c), 50 * 64);
  EXPECT_TRUE(region(a, a, 99).ok()) << "other barriers: recorded anew";
  EXPECT_EQ(dispatches, 100);
  EXPECT_EQ(last(a), (6 * 49 + 99) * 64);
  c = {};
  c = buffer(); // in the same place, and another one all the same
  EXPECT_TRUE(region(a, c, 99).ok());
  EXPECT_EQ(last(c), 50 * 64);
  for (int i = 1; i <= 40; ++i) // more than are kept
    EXPECT_TRUE(region(i % 2 ? a : b, i % 3 ? b : c, 99 + i % 20).ok());
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
  hal::DispatchLabel good{"good", ""}, bad{"bad", "the dispatch comes from 'Gather_7'"};
  auto dispatch = [&](int kernel, std::vector<int64_t> constants, const hal::DispatchLabel &label) {
    return hal::ViewDispatch((*executable)->kernels()[kernel], 4, {hal::View::of(*buffer)}, std::move(constants),
                             &label);
  };
  hal::CommandBuffer commands;
  EXPECT_TRUE(commands.dispatch(dispatch(0, {}, good)).ok());
  EXPECT_TRUE(commands.dispatch(dispatch(1, {1}, bad)).ok());
  EXPECT_TRUE(commands.dispatch(dispatch(0, {}, good)).ok());
  EXPECT_EQ(hal::runToEnd(**(*device)->createQueue(), commands).text(),
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
  auto commands = (*device)->createInline();
  ASSERT_TRUE(commands.ok());
  EXPECT_EQ(
      (*commands)->dispatch({&(*executable)->kernels()[0], contract::spirv::kTooManyElements, 0, {}, {}}).message(),
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
