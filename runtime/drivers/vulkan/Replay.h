// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a recorded batch do commands of the same shape: other constants, and other views where the device lets
// descriptors change under recorded commands. One thread.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_REPLAY_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_REPLAY_H

#include "runtime/drivers/vulkan/Bindings.h"

namespace heddle::vulkan {

class Replay {
public:
  Replay(std::shared_ptr<LogicalDevice> device, std::shared_ptr<MemoryPool> pool)
      : device_(std::move(device)), pool_(std::move(pool)) {}
  // False, with the batch as it was: other barriers are needed, other pipelines, or descriptors that may not change.
  bool patch(Batch &batch, const hal::CommandBuffer &commands, bool otherViews);

private:
  bool walk(const Batch &batch, const hal::CommandBuffer &commands, bool write, bool otherViews);
  std::span<const MemoryAccess> accessesOf(const hal::CommandBuffer::Command &command);

  std::shared_ptr<LogicalDevice> device_;
  std::shared_ptr<MemoryPool> pool_;
  Bindings bindings_;
  std::vector<MemoryAccess> ends_; // of a copy or fill
};

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_REPLAY_H
