// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work for a queue of the device, recorded in batches. A batch has a command buffer, descriptor sets, a ring of
// argument blocks and staging memory of its own, all used again when the batch is done; so nothing is allocated once a
// queue is warm. Used by one thread at a time.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_VULKANQUEUE_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_VULKANQUEUE_H

#include "runtime/drivers/common/DeviceQueue.h"
#include "runtime/drivers/vulkan/MemoryPool.h"
#include "runtime/drivers/vulkan/Pipelines.h"

namespace heddle::vulkan {

// Io or OutOfMemory when the device gives no queue.
StatusOr<std::unique_ptr<engines::Engine>> createVulkanEngine(std::shared_ptr<LogicalDevice> device,
                                                              std::shared_ptr<MemoryPool> pool);

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_VULKANQUEUE_H
