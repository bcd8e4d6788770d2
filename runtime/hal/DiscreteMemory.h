// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host memory that pretends not to be: buffers have reserved addresses, as those of a discrete GPU, and what computes
// and copies translates them. For `discrete=yes` of drivers that compute on the host, so that all that stages and
// uploads can be tried anywhere.
#ifndef HEDDLE_RUNTIME_HAL_DISCRETEMEMORY_H
#define HEDDLE_RUNTIME_HAL_DISCRETEMEMORY_H

#include "runtime/base/Fork.h"
#include "runtime/hal/MemoryPool.h"
#include "runtime/hal/Stream.h"

#include <map>
#include <shared_mutex>

namespace heddle::hal {

// Thread-safe; buffers keep it alive.
class DiscreteMemory : public std::enable_shared_from_this<DiscreteMemory> {
public:
  explicit DiscreteMemory(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)) {}
  StatusOr<BufferRef> allocate(uint64_t bytes);
  // Where the bytes really are; null for an address that is none of this memory's.
  std::byte *find(const void *address) const;
  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  void afterForkInChild() { makeAnew(mutex_); } // readers among the threads that are gone

private:
  friend class DiscreteBuffer;
  struct Entry {
    uint64_t bytes;
    std::byte *memory;
  };
  std::shared_ptr<MemoryPool> pool_;
  mutable std::shared_mutex mutex_;
  std::map<const std::byte *, Entry> entries_; // by reserved address
  ForkMember<DiscreteMemory> fork_{this};
};

// A stream on such memory: does what `inner` does, on translated addresses. Bindings must be in the memory; a copy has
// either end in it or in host memory.
std::unique_ptr<Stream> createDiscreteStream(std::unique_ptr<Stream> inner, std::shared_ptr<DiscreteMemory> memory);

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_DISCRETEMEMORY_H
