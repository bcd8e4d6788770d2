// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host memory of one device: counts against its limit, and keeps blocks that were given back for the next who asks for
// about as much. Large blocks only, where the system would map and clear pages anew; up to a bound. Thread-safe;
// buffers keep the pool alive.
//
//   auto pool = std::make_shared<MemoryPool>(limit);
//   StatusOr<BufferRef> buffer = pool->allocate(1 << 20);
#ifndef HEDDLE_RUNTIME_HAL_MEMORYPOOL_H
#define HEDDLE_RUNTIME_HAL_MEMORYPOOL_H

#include "runtime/base/Fork.h"
#include "runtime/hal/Buffer.h"

#include <mutex>
#include <vector>

namespace heddle::hal {

class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
public:
  explicit MemoryPool(uint64_t limit = UINT64_MAX) : budget_(std::make_shared<MemoryBudget>(limit)) {}
  // OutOfMemory says what was asked for, what is in use, and the limit. Kept blocks give way first.
  StatusOr<BufferRef> allocate(uint64_t bytes);
  // Bytes of buffers that are in use or kept.
  uint64_t usedBytes() const { return budget_->used(); }
  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  void afterForkInChild() { mutex_.unlock(); }

private:
  friend class PooledBuffer;
  void giveBack(BufferRef block);
  BufferRef takeKept(uint64_t bytes);
  bool dropKept(); // whether there were any

  std::shared_ptr<MemoryBudget> budget_;
  std::mutex mutex_;
  std::vector<BufferRef> kept_;
  uint64_t keptBytes_ = 0;
  ForkMember<MemoryPool> fork_{this};
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_MEMORYPOOL_H
