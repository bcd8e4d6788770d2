// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/Batch.h"

#include "runtime/hal/Device.h"
#include "runtime/hal/KernelStatus.h"

#include "heddle/contract/SpirvAbi.h"

#include <cstring>

namespace heddle::vulkan {
namespace {

namespace spirv = contract::spirv;
constexpr VkPipelineStageFlags kWork = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags kReads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

uint64_t argumentBytes(uint64_t words) {
  return (words * 4 + spirv::kDescriptorAlignment - 1) / spirv::kDescriptorAlignment * spirv::kDescriptorAlignment;
}

} // namespace

StatusOr<std::unique_ptr<Batch>> Batch::create(std::shared_ptr<LogicalDevice> device) {
  std::unique_ptr<Batch> batch(new Batch(std::move(device)));
  HEDDLE_RETURN_IF_ERROR(batch->createAll());
  return batch;
}

Status Batch::createAll() {
  const LogicalDevice &d = *device_;
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool.queueFamilyIndex = d.physical.queueFamily;
  HEDDLE_VK(d, CreateCommandPool, d.handle, &pool, nullptr, &commandPool_);
  VkCommandBufferAllocateInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  buffer.commandPool = commandPool_;
  buffer.commandBufferCount = 1;
  HEDDLE_VK(d, AllocateCommandBuffers, d.handle, &buffer, &commands);
  VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kMostDescriptors};
  VkDescriptorPoolCreateInfo descriptors{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  descriptors.flags = d.changesDescriptors() ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0;
  descriptors.maxSets = kMostSets;
  descriptors.poolSizeCount = 1;
  descriptors.pPoolSizes = &size;
  HEDDLE_VK(d, CreateDescriptorPool, d.handle, &descriptors, nullptr, &descriptorPool_);
  StatusOr<HostChunk> arguments = d.createChunk(kArgumentBytes);
  if (!arguments.ok())
    return arguments.takeStatus();
  arguments_ = *arguments;
  return {};
}

Batch::~Batch() {
  const LogicalDevice &d = *device_;
  d.destroyChunk(arguments_);
  d.destroyChunk(staging_);
  if (queries_)
    d.functions.DestroyQueryPool(d.handle, queries_, nullptr);
  d.functions.DestroyDescriptorPool(d.handle, descriptorPool_, nullptr);
  d.functions.DestroyCommandPool(d.handle, commandPool_, nullptr);
}

Status Batch::begin(bool reusable) {
  const LogicalDevice &d = *device_;
  argumentsUsed_ = stagingUsed_ = 0;
  setsUsed_ = descriptorsUsed_ = 0;
  launched_.clear();
  ordered_.clear();
  reusable_ = reusable;
  recorded_ = false;
  recording = 0;
  deliveries_.clear();
  stamps_.clear();
  waits_.clear();
  waitValues_.clear();
  hazards_.clear();
  HEDDLE_VK(d, ResetCommandPool, d.handle, commandPool_, 0);
  HEDDLE_VK(d, ResetDescriptorPool, d.handle, descriptorPool_, 0);
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = reusable ? 0 : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  HEDDLE_VK(d, BeginCommandBuffer, commands, &info);
  return {};
}

void Batch::barrier(VkPipelineStageFlags toStages, VkAccessFlags toAccess) {
  VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = kWrites;
  memory.dstAccessMask = toAccess;
  device_->functions.CmdPipelineBarrier(commands, kWork, toStages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void Batch::order(std::span<const MemoryAccess> accesses) {
  ordered_.push_back(hazards_.add(accesses));
  if (ordered_.back())
    barrier(kWork, kReads | kWrites);
}

void Batch::rewind() {
  waits_.clear();
  waitValues_.clear();
  for (const Launched &launched : launched_)
    std::memset(launched.arguments.mapped, 0, sizeof(int32_t));
}

void Batch::waitFor(VkSemaphore semaphore, uint64_t value) {
  waits_.reserve(waits_.size() + 1);
  waitValues_.reserve(waitValues_.size() + 1);
  waits_.push_back(semaphore);
  waitValues_.push_back(value);
}

StatusOr<bool> Batch::stamp(uint64_t *ns) {
  const LogicalDevice &d = *device_;
  if (stamps_.size() == kMostStamps)
    return false;
  if (!queries_) {
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = kMostStamps;
    HEDDLE_VK(d, CreateQueryPool, d.handle, &info, nullptr, &queries_);
  }
  auto index = static_cast<uint32_t>(stamps_.size());
  stamps_.push_back(ns);
  if (index == 0)
    d.functions.CmdResetQueryPool(commands, queries_, 0, kMostStamps);
  barrier(kWork, kReads | kWrites);
  d.functions.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, index);
  barrier(kWork, kReads | kWrites);
  return true;
}

void Batch::finish(int64_t offsetNs) {
  for (const Delivery &delivery : deliveries_)
    std::memcpy(delivery.to, delivery.from, delivery.bytes);
  const LogicalDevice &d = *device_;
  for (uint32_t i = 0; i < stamps_.size(); ++i) {
    uint64_t ticks = 0;
    (void)d.functions.GetQueryPoolResults(d.handle, queries_, i, 1, sizeof(ticks), &ticks, sizeof(ticks),
                                          VK_QUERY_RESULT_64_BIT);
    *stamps_[i] = static_cast<uint64_t>(d.physical.toNs(ticks) + offsetNs);
  }
}

Status Batch::submit(HardwareQueue &queue, VkSemaphore semaphore, uint64_t number) {
  const LogicalDevice &d = *device_;
  ticket = number;
  if (!recorded_) {
    barrier(VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
    HEDDLE_VK(d, EndCommandBuffer, commands);
    recorded_ = true;
  }
  VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  timeline.waitSemaphoreValueCount = static_cast<uint32_t>(waitValues_.size());
  timeline.pWaitSemaphoreValues = waitValues_.data();
  timeline.signalSemaphoreValueCount = 1;
  timeline.pSignalSemaphoreValues = &ticket;
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.pNext = &timeline;
  std::vector<VkPipelineStageFlags> stages(waits_.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  info.waitSemaphoreCount = static_cast<uint32_t>(waits_.size());
  info.pWaitSemaphores = waits_.data();
  info.pWaitDstStageMask = stages.data();
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &semaphore;
  std::lock_guard lock(queue.mutex);
  HEDDLE_VK(d, QueueSubmit, queue.handle, 1, &info, VK_NULL_HANDLE);
  return {};
}

bool Batch::fits(uint32_t descriptors, uint64_t words) const {
  return setsUsed_ < kMostSets && descriptorsUsed_ + descriptors <= kMostDescriptors &&
         argumentsUsed_ + argumentBytes(words) <= kArgumentBytes;
}

StatusOr<VkDescriptorSet> Batch::allocateSet(VkDescriptorSetLayout layout, uint32_t descriptors) {
  const LogicalDevice &d = *device_;
  VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = descriptorPool_;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  HEDDLE_VK(d, AllocateDescriptorSets, d.handle, &info, &set);
  ++setsUsed_;
  descriptorsUsed_ += descriptors;
  return set;
}

Piece Batch::takeArguments(uint64_t words) {
  Piece piece{arguments_.buffer, argumentsUsed_, arguments_.mapped + argumentsUsed_};
  argumentsUsed_ += argumentBytes(words);
  return piece;
}

StatusOr<std::optional<Piece>> Batch::takeStaging(uint64_t bytes) {
  if (!staging_.buffer) {
    StatusOr<HostChunk> chunk = device_->createChunk(kStagingBytes);
    if (!chunk.ok())
      return chunk.takeStatus();
    staging_ = *chunk;
  }
  if (stagingUsed_ + bytes > kStagingBytes)
    return std::optional<Piece>();
  Piece piece{staging_.buffer, stagingUsed_, staging_.mapped + stagingUsed_};
  stagingUsed_ = std::min(kStagingBytes, (stagingUsed_ + bytes + 255) / 256 * 256);
  return std::optional<Piece>(piece);
}

Status Batch::kernelFailure() const {
  for (const Launched &launched : launched_) {
    int32_t status;
    std::memcpy(&status, launched.arguments.mapped, sizeof(status));
    if (status)
      return hal::describeFailure(launched.label, hal::kernelFailure(status));
  }
  return {};
}

} // namespace heddle::vulkan
