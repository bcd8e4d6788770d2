// `local?discrete=yes`: the CPU with memory that the host pretends not to see, as that of a discrete GPU. Buffers have
// reserved addresses; what computes and copies translates them. So all that stages and uploads can be tried anywhere.
#ifndef HEDDLE_RUNTIME_DRIVERS_LOCAL_DISCRETEMEMORY_H
#define HEDDLE_RUNTIME_DRIVERS_LOCAL_DISCRETEMEMORY_H

#include "runtime/hal/MemoryPool.h"
#include "runtime/hal/Stream.h"

#include <map>
#include <shared_mutex>

namespace heddle::local {

// Thread-safe; buffers keep it alive.
class DiscreteMemory : public std::enable_shared_from_this<DiscreteMemory> {
public:
  explicit DiscreteMemory(std::shared_ptr<hal::MemoryPool> pool) : pool_(std::move(pool)) {}
  StatusOr<hal::BufferRef> allocate(uint64_t bytes);
  // Where the bytes really are; null for an address that is none of this memory's.
  std::byte *find(const void *address) const;

private:
  friend class DiscreteBuffer;
  struct Entry {
    uint64_t bytes;
    std::byte *memory;
  };
  std::shared_ptr<hal::MemoryPool> pool_;
  mutable std::shared_mutex mutex_;
  std::map<const std::byte *, Entry> entries_; // by reserved address
};

// A stream on such memory: does what `inner` does, on translated addresses. Bindings must be in the memory; a copy has
// either end in it or in host memory.
std::unique_ptr<hal::Stream> createDiscreteStream(std::unique_ptr<hal::Stream> inner,
                                                  std::shared_ptr<DiscreteMemory> memory);

} // namespace heddle::local

#endif // HEDDLE_RUNTIME_DRIVERS_LOCAL_DISCRETEMEMORY_H
