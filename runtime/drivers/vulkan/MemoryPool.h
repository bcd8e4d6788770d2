// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of an opened Vulkan device: buffers cut from large blocks, and from an address back to its block.
//
// A block is one allocation with one VkBuffer over it. Where the host sees the memory, a buffer's address is where it
// is mapped; else addresses come from reserved address space that nobody can read or write, so that views stay plain
// arithmetic and every address of the process means one thing. Thread-safe.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_MEMORYPOOL_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_MEMORYPOOL_H

#include "runtime/drivers/vulkan/LogicalDevice.h"
#include "runtime/hal/Buffer.h"
#include "runtime/hal/RangeAllocator.h"

#include <map>
#include <shared_mutex>

namespace heddle::vulkan {

// Where an address lies.
struct Location {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0; // of the address in the buffer
  uint64_t bufferBytes = 0;
  bool mapped = false;  // the host can use the address
  uint64_t address = 0; // of the place as kernels see it; 0 on devices without bufferDeviceAddress
};

class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
public:
  MemoryPool(std::shared_ptr<LogicalDevice> device, uint64_t limit) : device_(std::move(device)), budget_(limit) {}
  ~MemoryPool();

  // OutOfMemory says how much was asked for and how much is held.
  StatusOr<hal::BufferRef> allocate(uint64_t bytes);
  // A buffer over memory of the host, which must outlive it. Unsupported when the device cannot.
  StatusOr<hal::BufferRef> import(void *address, uint64_t bytes);
  // No value unless all bytes are the device's: within one of its blocks, or within what a caller imported, whose pages
  // hold memory of others too. The end of a buffer belongs to it.
  std::optional<Location> find(const void *address, uint64_t bytes) const;
  void release(std::byte *address, uint64_t bytes);

private:
  struct Block {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkBuffer buffer = VK_NULL_HANDLE;
    uint64_t address = 0; // of the buffer, as kernels see it
    std::byte *base = nullptr;
    uint64_t bytes = 0;
    bool mapped = false;
    bool imported = false;
    uint64_t first = 0, end = 0; // what the buffers may use of it
    hal::RangeAllocator ranges{0};
  };

  StatusOr<std::byte *> take(uint64_t bytes);
  StatusOr<Block *> addBlock(uint64_t bytes);
  Status fillBlock(Block &block);
  Status fillImport(Block &block, void *first);
  Status bindBuffer(Block &block, uint64_t bytes, uint32_t types, const void *next, const void *allocationNext);
  void destroy(Block &block);
  Status exhausted(uint64_t bytes, const std::string &why) const;

  std::shared_ptr<LogicalDevice> device_;
  hal::MemoryBudget budget_;
  mutable std::shared_mutex mutex_;
  std::map<const std::byte *, Block> blocks_; // by base
};

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_MEMORYPOOL_H
