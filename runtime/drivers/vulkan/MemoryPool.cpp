// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/MemoryPool.h"

#include "heddle/contract/SpirvAbi.h"
#include "runtime/base/Guarded.h"

#include <algorithm>
#include <bit>
#include <fcntl.h>
#include <unistd.h>

namespace heddle::vulkan {
namespace {

// Buffers up to half a block share blocks.
constexpr uint64_t kBlockBytes = 32 << 20;
constexpr uint64_t kGranule = contract::spirv::kDescriptorAlignment;
constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

uint64_t roundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
// Bytes a buffer takes: one more than it has, so that its end lies in the block.
uint64_t footprint(uint64_t bytes) { return roundUp(bytes + 1, kGranule); }

} // namespace

class PooledBuffer final : public hal::Buffer {
public:
  PooledBuffer(const MemoryPool::Place &place, uint64_t bytes, std::shared_ptr<MemoryPool> pool)
      : Buffer(place.block->base ? place.block->base + place.offset : nullptr, bytes, pool.get()), place_(place),
        pool_(std::move(pool)) {}
  ~PooledBuffer() override { pool_->release(place_, bytes()); }
  const MemoryPool::Block &block() const { return *place_.block; }
  Location at(uint64_t offset) const {
    const MemoryPool::Block &block = *place_.block;
    uint64_t in = place_.offset + offset;
    return {block.buffer, in, block.bytes, block.base ? block.base + in : nullptr,
            block.address ? block.address + in : 0};
  }

private:
  MemoryPool::Place place_;
  std::shared_ptr<MemoryPool> pool_;
};

MemoryPool::~MemoryPool() {
  for (Block &block : blocks_)
    destroy(block);
}

Status MemoryPool::exhausted(uint64_t bytes, const std::string &why) const {
  return Status(StatusCode::OutOfMemory, "cannot allocate " + std::to_string(bytes) + " bytes on " +
                                             device_->physical.info.uri + ": " + why + "; it holds " +
                                             std::to_string(budget_.used()) + " of " +
                                             std::to_string(device_->physical.info.memoryBytes) + " bytes");
}

StatusOr<hal::BufferRef> MemoryPool::allocate(uint64_t bytes) {
  uint64_t most = std::min<uint64_t>(device_->physical.maxAllocation, INT64_MAX) - kGranule;
  if (bytes > most)
    return exhausted(bytes, "the device allocates at most " + std::to_string(most) + " bytes at once");
  if (!budget_.take(bytes))
    return exhausted(bytes, "the device's memory limit is reached");
  std::unique_lock lock(mutex_);
  StatusOr<Place> place = take(footprint(bytes));
  if (!place.ok()) {
    budget_.give(bytes);
    if (place.status().code() != StatusCode::OutOfMemory)
      return place.takeStatus();
    return exhausted(bytes, "the device has no more memory");
  }
  lock.unlock();
  auto *buffer = new (std::nothrow) PooledBuffer(*place, bytes, shared_from_this());
  if (!buffer) {
    release(*place, bytes);
    return Status::outOfMemory();
  }
  return hal::BufferRef(buffer);
}

StatusOr<MemoryPool::Place> MemoryPool::take(uint64_t bytes) {
  if (bytes <= kBlockBytes / 2)
    for (Block &block : blocks_)
      if (!block.imported && !block.shared && block.bytes == kBlockBytes)
        if (std::optional<uint64_t> at = block.ranges.take(bytes))
          return Place{&block, *at};
  StatusOr<Block *> block = addBlock(bytes <= kBlockBytes / 2 ? kBlockBytes : bytes);
  if (!block.ok() && block.status().code() == StatusCode::OutOfMemory && bytes <= kBlockBytes / 2)
    block = addBlock(bytes);
  if (!block.ok())
    return block.takeStatus();
  return Place{*block, *(*block)->ranges.take(bytes)};
}

StatusOr<MemoryPool::Block *> MemoryPool::addBlock(uint64_t bytes) {
  Block &block = blocks_.emplace_back();
  block.bytes = bytes;
  Status status = guarded([&] {
    block.ranges = hal::RangeAllocator(bytes);
    return fillBlock(block);
  });
  if (status.ok())
    return &block;
  destroy(block);
  blocks_.pop_back();
  return status;
}

Status MemoryPool::bindBuffer(Block &block, uint64_t bytes, uint32_t types, const void *next,
                              const void *allocationNext) {
  const LogicalDevice &d = *device_;
  VkBufferCreateInfo buffer{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  buffer.pNext = next;
  buffer.size = bytes;
  buffer.usage = kUsage | (d.hasAddresses() ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0);
  HEDDLE_VK(d, CreateBuffer, d.handle, &buffer, nullptr, &block.buffer);
  VkMemoryRequirements needs;
  d.functions.GetBufferMemoryRequirements(d.handle, block.buffer, &needs);
  if (!(types & needs.memoryTypeBits))
    return Status(StatusCode::Unsupported, "no memory of " + d.physical.info.uri + " fits a storage buffer");
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.pNext = allocationNext;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocation.pNext = d.hasAddresses() ? &flags : allocationNext;
  allocation.allocationSize = block.imported && !block.shared ? bytes : needs.size;
  allocation.memoryTypeIndex = static_cast<uint32_t>(std::countr_zero(types & needs.memoryTypeBits));
  HEDDLE_VK(d, AllocateMemory, d.handle, &allocation, nullptr, &block.memory);
  HEDDLE_VK(d, BindBufferMemory, d.handle, block.buffer, block.memory, 0);
  if (d.hasAddresses()) {
    VkBufferDeviceAddressInfo which{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    which.buffer = block.buffer;
    block.address = d.functions.GetBufferDeviceAddress(d.handle, &which);
  }
  return {};
}

Status MemoryPool::fillBlock(Block &block, const void *next, const void *allocationNext) {
  const LogicalDevice &d = *device_;
  bool mapped = device_->memory == MemoryKind::Mapped;
  uint32_t type = mapped ? *d.physical.mappedType : d.physical.discreteType;
  HEDDLE_RETURN_IF_ERROR(bindBuffer(block, block.bytes, 1u << type, next, allocationNext));
  void *base = nullptr;
  if (mapped)
    HEDDLE_VK(d, MapMemory, d.handle, block.memory, 0, VK_WHOLE_SIZE, 0, &base);
  block.base = static_cast<std::byte *>(base);
  return {};
}

Status MemoryPool::fillImport(Block &block, void *first) {
  const LogicalDevice &d = *device_;
  constexpr auto handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkMemoryHostPointerPropertiesEXT properties{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  HEDDLE_VK(d, GetMemoryHostPointerPropertiesEXT, d.handle, handleType, first, &properties);
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = handleType;
  VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
  import.handleType = handleType;
  import.pHostPointer = first;
  return bindBuffer(block, block.bytes, properties.memoryTypeBits, &external, &import);
}

StatusOr<hal::BufferRef> MemoryPool::import(void *address, uint64_t bytes) {
  const PhysicalDevice &physical = device_->physical;
  auto refuse = [&](const std::string &why) {
    return Status(StatusCode::Unsupported,
                  "cannot import " + std::to_string(bytes) + " bytes of the host on " + physical.info.uri + ": " + why);
  };
  if (!physical.importsHostMemory)
    return refuse("it has no " VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  uintptr_t first = reinterpret_cast<uintptr_t>(address) / physical.importAlignment * physical.importAlignment;
  uintptr_t end = roundUp(reinterpret_cast<uintptr_t>(address) + bytes, physical.importAlignment);
  if (!bytes || end - first > physical.maxAllocation)
    return refuse("it imports 1 to " + std::to_string(physical.maxAllocation) + " bytes");
  auto *base = reinterpret_cast<std::byte *>(first);
  std::unique_lock lock(mutex_);
  if (std::any_of(blocks_.begin(), blocks_.end(), [&](const Block &other) {
        return other.base && other.base < base + (end - first) && base < other.base + other.bytes;
      }))
    return refuse("some of its pages are imported already");
  Block &block = blocks_.emplace_back();
  block.base = base;
  block.bytes = end - first;
  block.imported = true;
  if (Status status = fillImport(block, base); !status.ok()) {
    destroy(block);
    blocks_.pop_back();
    return refuse(status.message());
  }
  lock.unlock();
  Place place{&block, reinterpret_cast<uintptr_t>(address) - first};
  auto *buffer = new (std::nothrow) PooledBuffer(place, bytes, shared_from_this());
  if (!buffer) {
    release(place, bytes);
    return Status::outOfMemory();
  }
  return hal::BufferRef(buffer);
}

StatusOr<hal::BufferRef> MemoryPool::addShared(uint64_t bytes, int *descriptor) {
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR};
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  import.fd = descriptor ? *descriptor : -1;
  const void *allocationNext = &exported;
  if (descriptor)
    allocationNext = &import;
  std::unique_lock lock(mutex_);
  Block &block = blocks_.emplace_back();
  block.bytes = footprint(bytes); // the same for who exports and who imports
  block.imported = descriptor != nullptr;
  block.shared = true;
  Status status = fillBlock(block, &external, allocationNext);
  if (descriptor && block.memory)
    *descriptor = -1;
  if (!status.ok()) {
    destroy(block);
    blocks_.pop_back();
    return status;
  }
  lock.unlock();
  auto *buffer = new (std::nothrow) PooledBuffer({&block, 0}, bytes, shared_from_this());
  if (buffer)
    return hal::BufferRef(buffer);
  release({&block, 0}, bytes);
  return Status::outOfMemory();
}

StatusOr<hal::BufferRef> MemoryPool::allocateShared(uint64_t bytes) {
  if (!device_->physical.sharesDescriptors)
    return Status(StatusCode::Unsupported, "the device " + device_->physical.info.uri +
                                               " shares no memory by file descriptors "
                                               "(" VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME ")");
  if (bytes > std::min<uint64_t>(device_->physical.maxAllocation, INT64_MAX) - kGranule)
    return exhausted(bytes, "the device does not allocate so much at once");
  if (!budget_.take(bytes))
    return exhausted(bytes, "the device's memory limit is reached");
  StatusOr<hal::BufferRef> buffer = guarded([&] { return addShared(bytes, nullptr); });
  if (!buffer.ok())
    budget_.give(bytes);
  return buffer;
}

StatusOr<int> MemoryPool::exportDescriptor(hal::Buffer &buffer) const {
  const Block *block = buffer.owner() == this ? &static_cast<PooledBuffer &>(buffer).block() : nullptr;
  if (!block || !block->shared || block->imported)
    return Status(StatusCode::Unsupported, "the buffer was not allocated to be shared; allocate one that is");
  VkMemoryGetFdInfoKHR which{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  which.memory = block->memory;
  which.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int descriptor = -1;
  HEDDLE_VK(*device_, GetMemoryFdKHR, device_->handle, &which, &descriptor);
  return descriptor;
}

StatusOr<hal::BufferRef> MemoryPool::importDescriptor(int descriptor, uint64_t bytes) {
  auto refuse = [&](const std::string &why) {
    return Status(StatusCode::Unsupported, "cannot import a file descriptor of " + std::to_string(bytes) +
                                               " bytes on " + device_->physical.info.uri + ": " + why);
  };
  if (!device_->physical.sharesDescriptors)
    return refuse("it has no " VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  if (bytes > std::min<uint64_t>(device_->physical.maxAllocation, INT64_MAX) - kGranule)
    return refuse("the device does not allocate so much at once");
  int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0)
    return refuse("it is not open");
  StatusOr<hal::BufferRef> buffer = guarded([&] { return addShared(bytes, &own); });
  if (own >= 0)
    close(own);
  return buffer.ok() ? std::move(buffer) : refuse(buffer.status().message());
}

std::optional<Location> MemoryPool::find(const hal::View &view) const {
  if (!view.isIn(this))
    return std::nullopt;
  return static_cast<const PooledBuffer *>(view.buffer)->at(view.offset);
}

void MemoryPool::release(const Place &place, uint64_t bytes) {
  std::unique_lock lock(mutex_);
  Block &block = *place.block;
  if (!block.imported)
    budget_.give(bytes);
  if (!block.imported && !block.shared) {
    block.ranges.give(place.offset, footprint(bytes));
    if (!block.ranges.empty())
      return;
    // One empty block is kept for the next small buffer.
    if (block.bytes == kBlockBytes && std::none_of(blocks_.begin(), blocks_.end(), [&](const Block &other) {
          return &other != &block && !other.imported && !other.shared && other.bytes == kBlockBytes &&
                 other.ranges.empty();
        }))
      return;
  }
  destroy(block);
  blocks_.remove_if([&](const Block &other) { return &other == &block; });
}

void MemoryPool::destroy(Block &block) {
  device_->functions.DestroyBuffer(device_->handle, block.buffer, nullptr);
  device_->functions.FreeMemory(device_->handle, block.memory, nullptr);
}

} // namespace heddle::vulkan
