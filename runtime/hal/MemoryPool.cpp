// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/MemoryPool.h"

#include "runtime/base/Guarded.h"

namespace heddle::hal {
namespace {

constexpr uint64_t kKeepFrom = 64 << 10, kKeepMost = 64 << 20;

} // namespace

class PooledBuffer final : public Buffer {
public:
  PooledBuffer(BufferRef block, uint64_t bytes, std::shared_ptr<MemoryPool> pool)
      : Buffer(block->address(), bytes), block_(std::move(block)), pool_(std::move(pool)) {}
  ~PooledBuffer() override { pool_->giveBack(std::move(block_)); }

private:
  BufferRef block_;
  std::shared_ptr<MemoryPool> pool_;
};

// The smallest kept block that fits and wastes at most a quarter.
BufferRef MemoryPool::takeKept(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  size_t best = kept_.size();
  for (size_t i = 0; i < kept_.size(); ++i) {
    uint64_t size = kept_[i]->bytes();
    if (size >= bytes && size - bytes <= bytes / 4 && (best == kept_.size() || size < kept_[best]->bytes()))
      best = i;
  }
  if (best == kept_.size())
    return {};
  BufferRef block = std::move(kept_[best]);
  kept_.erase(kept_.begin() + static_cast<ptrdiff_t>(best));
  keptBytes_ -= block->bytes();
  return block;
}

void MemoryPool::giveBack(BufferRef block) {
  std::lock_guard lock(mutex_);
  uint64_t bytes = block->bytes();
  if (keptBytes_ + bytes > kKeepMost)
    return;
  Status kept = guarded([&] { // else the block goes back to the system
    kept_.push_back(std::move(block));
    return Status();
  });
  keptBytes_ += kept.ok() ? bytes : 0;
}

bool MemoryPool::dropKept() {
  std::vector<BufferRef> dropped;
  {
    std::lock_guard lock(mutex_);
    dropped.swap(kept_);
    keptBytes_ = 0;
  }
  return !dropped.empty();
}

StatusOr<BufferRef> MemoryPool::allocate(uint64_t bytes) {
  BufferRef block = bytes < kKeepFrom ? BufferRef() : takeKept(bytes);
  if (!block) {
    StatusOr<BufferRef> made = allocateHostBuffer(bytes, budget_);
    if (!made.ok() && dropKept())
      made = allocateHostBuffer(bytes, budget_);
    if (!made.ok() || bytes < kKeepFrom)
      return made;
    block = std::move(*made);
  }
  return BufferRef(new PooledBuffer(std::move(block), bytes, shared_from_this()));
}

} // namespace heddle::hal
