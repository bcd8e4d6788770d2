// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of an opened Vulkan device: buffers cut from large blocks. A block is one allocation with one VkBuffer
// over it, mapped where the host sees the memory; a buffer knows its block, so a view is found without a look-up.
// Thread-safe.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_MEMORYPOOL_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_MEMORYPOOL_H

#include "runtime/drivers/vulkan/LogicalDevice.h"
#include "runtime/hal/Buffer.h"
#include "runtime/hal/RangeAllocator.h"

#include <list>
#include <mutex>

namespace heddle::vulkan {

// Where a view lies.
struct Location {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0; // of the view in the buffer
  uint64_t bufferBytes = 0;
  std::byte *host = nullptr; // where the host sees it; null: it does not
  uint64_t address = 0;      // as kernels see it; 0 on devices without bufferDeviceAddress
};

class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
public:
  MemoryPool(std::shared_ptr<LogicalDevice> device, uint64_t limit) : device_(std::move(device)), budget_(limit) {}
  ~MemoryPool();

  // OutOfMemory says how much was asked for and how much is held.
  StatusOr<hal::BufferRef> allocate(uint64_t bytes);
  // A buffer over memory of the host, which must outlive it. Unsupported when the device cannot.
  StatusOr<hal::BufferRef> import(void *address, uint64_t bytes);
  // A buffer in an allocation of its own, of which exportDescriptor() gives an opaque file descriptor, and one over
  // what such a descriptor of so many bytes stands for, here or in another process. It stays the caller's. Unsupported
  // where the device shares none, or not this buffer.
  StatusOr<hal::BufferRef> allocateShared(uint64_t bytes);
  StatusOr<int> exportDescriptor(hal::Buffer &buffer) const;
  StatusOr<hal::BufferRef> importDescriptor(int descriptor, uint64_t bytes);
  // No value unless all bytes are in a buffer of the pool.
  std::optional<Location> find(const hal::View &view) const;

private:
  friend class PooledBuffer;
  struct Block {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkBuffer buffer = VK_NULL_HANDLE;
    uint64_t address = 0;      // of the buffer, as kernels see it
    std::byte *base = nullptr; // where the host sees it; null: it does not
    uint64_t bytes = 0;
    bool imported = false; // memory of others, which does not count
    bool shared = false;   // by a file descriptor: it has one buffer
    hal::RangeAllocator ranges{0};
  };
  struct Place {
    Block *block;
    uint64_t offset;
  };

  StatusOr<Place> take(uint64_t bytes);
  void release(const Place &place, uint64_t bytes);
  StatusOr<Block *> addBlock(uint64_t bytes);
  Status fillBlock(Block &block, const void *next = nullptr, const void *allocationNext = nullptr);
  // `descriptor`: what is imported; -1 when the driver has it. Null: the buffer is to be exported.
  StatusOr<hal::BufferRef> addShared(uint64_t bytes, int *descriptor);
  Status fillImport(Block &block, void *first);
  Status bindBuffer(Block &block, uint64_t bytes, uint32_t types, const void *next, const void *allocationNext);
  void destroy(Block &block);
  Status exhausted(uint64_t bytes, const std::string &why) const;

  std::shared_ptr<LogicalDevice> device_;
  hal::MemoryBudget budget_;
  mutable std::mutex mutex_;
  std::list<Block> blocks_;
};

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_MEMORYPOOL_H
