// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a dispatch binds, as Vulkan wants it: the argument block's words (contract/SpirvAbi.h), descriptors, and the
// bytes that are accessed. Used again from dispatch to dispatch; one thread.
//
//   HEDDLE_RETURN_IF_ERROR(bindings.describe(dispatch, pipeline, pool, physical));
//   bindings.write(device, arguments, set, pipeline);
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_BINDINGS_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_BINDINGS_H

#include "runtime/drivers/vulkan/Batch.h"
#include "runtime/drivers/vulkan/MemoryPool.h"
#include "runtime/drivers/vulkan/Pipelines.h"

namespace heddle::vulkan {

// The kernel's pipeline, or the one by addresses where a tensor has more bytes than a descriptor surely reaches.
StatusOr<const Pipeline *> choosePipeline(const hal::Dispatch &dispatch, const PhysicalDevice &physical);

class Bindings {
public:
  // InvalidArgument for memory that is not the pool's.
  Status describe(const hal::Dispatch &dispatch, const Pipeline &pipeline, const MemoryPool &pool,
                  const PhysicalDevice &physical);
  // Fills the argument block, which has room for words().
  void writeArguments(const Piece &arguments) const;
  // Has the set name the tensors and the argument block.
  void writeSet(const LogicalDevice &device, const Piece &arguments, VkDescriptorSet set, const Pipeline &pipeline);

  uint64_t words() const { return words_.size(); }
  std::span<const MemoryAccess> accesses() const { return accesses_; }

private:
  std::vector<uint32_t> words_;
  std::vector<VkDescriptorBufferInfo> buffers_; // of tensors
  std::vector<MemoryAccess> accesses_;
  std::vector<VkWriteDescriptorSet> writes_;
};

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_BINDINGS_H
