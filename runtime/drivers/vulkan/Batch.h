// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One command buffer with all that its commands need, used again and again.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_BATCH_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_BATCH_H

#include "runtime/drivers/vulkan/Hazards.h"
#include "runtime/drivers/vulkan/LogicalDevice.h"
#include "runtime/hal/Commands.h"

namespace heddle::vulkan {

struct Pipeline;

// A part of a chunk.
struct Piece {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  std::byte *mapped = nullptr;
};

class Batch {
public:
  // The most that one batch takes.
  static constexpr uint32_t kMostSets = 256;
  static constexpr uint32_t kMostDescriptors = 2048;
  static constexpr uint64_t kArgumentBytes = 64 << 10;
  static constexpr uint64_t kStagingBytes = 4 << 20;

  static StatusOr<std::unique_ptr<Batch>> create(std::shared_ptr<LogicalDevice> device);
  ~Batch();

  // What a dispatch of the batch was recorded with.
  struct Launched {
    Piece arguments; // the first word tells the kernel's failure
    const hal::DispatchLabel *label;
    VkDescriptorSet set;
    const Pipeline *pipeline;
  };

  // Ready to record, nothing in it. The device must be done with it. `reusable`: it may be handed over more than once.
  Status begin(bool reusable);
  // Ready to be handed over as it was recorded, by other waits. The device must be done with it.
  void rewind();
  // It brings nothing to the host, and nothing from there.
  bool canBeKept() const { return reusable_ && deliveries_.empty() && stamps_.empty() && !stagingUsed_; }
  std::span<const Launched> launched() const { return launched_; }
  // By command that accesses buffers: it has a barrier before it.
  const std::vector<bool> &ordered() const { return ordered_; }
  // The batch begins when the semaphore has the value.
  void waitFor(VkSemaphore semaphore, uint64_t value);
  // Ends recording and hands over; `semaphore` gets `ticket` when the batch is done.
  Status submit(HardwareQueue &queue, VkSemaphore semaphore, uint64_t ticket);

  // Whether a dispatch of so many descriptors and words still fits.
  bool fits(uint32_t descriptors, uint64_t words) const;
  StatusOr<VkDescriptorSet> allocateSet(VkDescriptorSetLayout layout, uint32_t descriptors);
  // An argument block.
  Piece takeArguments(uint64_t words);
  // A dispatch was recorded: the first word of its arguments is looked at when the batch is done.
  void launch(const Launched &launched) { launched_.push_back(launched); }
  // Staging memory; no value when so much is not left. At most kStagingBytes.
  StatusOr<std::optional<Piece>> takeStaging(uint64_t bytes);
  // Orders the next command after those before that it has to wait for. Call before each one that accesses buffers.
  void order(std::span<const MemoryAccess> accesses);

  // What `from`, staging memory, has when the batch is done goes to memory of the host.
  void deliver(std::byte *to, const Piece &from, uint64_t bytes) { deliveries_.push_back({to, from.mapped, bytes}); }
  // Writes the time when all before is done and nothing behind has begun, once the batch is done. False: it has no room
  // for one more.
  StatusOr<bool> stamp(uint64_t *ns);

  // Of a batch that is done: what it delivers is where it belongs. `offsetNs`: what the device's clock lacks to the
  // host's.
  void finish(int64_t offsetNs);
  // The failure of the first kernel that failed, of a batch that is done.
  Status kernelFailure() const;

  VkCommandBuffer commands = VK_NULL_HANDLE;
  uint64_t ticket = 0;
  uint64_t recording = 0; // engines::Recordings; 0: none

private:
  explicit Batch(std::shared_ptr<LogicalDevice> device) : device_(std::move(device)) {}
  Status createAll();
  void barrier(VkPipelineStageFlags toStages, VkAccessFlags toAccess);

  std::shared_ptr<LogicalDevice> device_;
  VkCommandPool commandPool_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptorPool_ = VK_NULL_HANDLE;
  HostChunk arguments_, staging_;
  uint64_t argumentsUsed_ = 0, stagingUsed_ = 0;
  uint32_t setsUsed_ = 0, descriptorsUsed_ = 0;
  std::vector<Launched> launched_;
  std::vector<bool> ordered_;
  bool reusable_ = false, recorded_ = false;
  struct Delivery {
    std::byte *to;
    const std::byte *from;
    uint64_t bytes;
  };
  std::vector<Delivery> deliveries_;
  static constexpr uint32_t kMostStamps = 64;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  std::vector<uint64_t *> stamps_;
  std::vector<VkSemaphore> waits_;
  std::vector<uint64_t> waitValues_;
  Hazards hazards_;
};

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_BATCH_H
