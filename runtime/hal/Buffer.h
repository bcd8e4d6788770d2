// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a device: reference-counted, contents undefined at first. A buffer is a handle and a size. Where the host
// can address the memory, `address()` says where, 64-byte aligned; else it is null, and only queues of the device reach
// it. References may be taken and dropped by any thread; the last one frees. Zero bytes are allowed.
//
// A view is a range of bytes: of a buffer, or of host memory that has none. Plain data, which keeps nothing alive.
//
//   StatusOr<BufferRef> buffer = device.allocate(1024);
//   View second = View::of(*buffer, 512, 512);
//   commands.copy(second, View::ofHost(numbers, 512));
#ifndef HEDDLE_RUNTIME_HAL_BUFFER_H
#define HEDDLE_RUNTIME_HAL_BUFFER_H

#include "runtime/base/Status.h"

#include <atomic>
#include <cstddef>

namespace heddle {
class HeldBuffer;
}

namespace heddle::hal {

inline constexpr uint64_t kBufferAlignment = 64;

// `bytes` further on, whatever lies there: what the host cannot see has a distance from null for an address.
inline std::byte *advance(std::byte *address, uint64_t bytes) {
  return reinterpret_cast<std::byte *>(reinterpret_cast<uintptr_t>(address) + bytes);
}

class Buffer {
public:
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  // Null where the host cannot address the memory.
  std::byte *address() const { return address_; }
  uint64_t bytes() const { return bytes_; }
  // The buffer as callers of the C interface hold it (executor/load/HeldBuffer.h), which is this one; null: no such
  // one.
  virtual const HeldBuffer *held() const { return nullptr; }
  // Whose it is: a driver compares this with its own before it looks into a buffer. Null: of the host.
  const void *owner() const { return owner_; }
  // No other buffer of the process has it, or had.
  uint64_t id() const { return id_; }
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

protected:
  Buffer(std::byte *address, uint64_t bytes, const void *owner = nullptr)
      : address_(address), bytes_(bytes), owner_(owner), id_(nextId()) {}
  virtual ~Buffer() = default;

private:
  std::byte *address_;
  uint64_t bytes_;
  const void *owner_;
  uint64_t id_;
  static uint64_t nextId();
  std::atomic<uint32_t> references_{1};
};

// Holds one reference.
class BufferRef {
public:
  BufferRef() = default;
  explicit BufferRef(Buffer *owned) : buffer_(owned) {}
  BufferRef(const BufferRef &other) : buffer_(other.buffer_) {
    if (buffer_)
      buffer_->retain();
  }
  BufferRef(BufferRef &&other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef &operator=(BufferRef other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferRef() {
    if (buffer_)
      buffer_->release();
  }
  Buffer *operator->() const { return buffer_; }
  Buffer *get() const { return buffer_; }
  Buffer *take() { return std::exchange(buffer_, nullptr); }
  explicit operator bool() const { return buffer_; }

private:
  Buffer *buffer_ = nullptr;
};

struct View {
  Buffer *buffer = nullptr; // null: host memory, and `offset` is its address
  uint64_t offset = 0;
  uint64_t bytes = 0;

  static View of(const BufferRef &buffer, uint64_t offset, uint64_t bytes) { return {buffer.get(), offset, bytes}; }
  static View of(const BufferRef &buffer) { return {buffer.get(), 0, buffer->bytes()}; }
  static View ofHost(const void *address, uint64_t bytes) {
    return {nullptr, reinterpret_cast<uintptr_t>(address), bytes};
  }
  // Where the host sees it; null where it does not.
  std::byte *address() const {
    if (!buffer)
      return reinterpret_cast<std::byte *>(offset);
    return buffer->address() ? advance(buffer->address(), offset) : nullptr;
  }
  // Memory of that owner, all of it within its buffer.
  bool isIn(const void *owner) const {
    return buffer && buffer->owner() == owner && offset <= buffer->bytes() && bytes <= buffer->bytes() - offset;
  }
};

// Counts the bytes that buffers hold against a limit. Shared by a device and its buffers.
class MemoryBudget {
public:
  explicit MemoryBudget(uint64_t limit = UINT64_MAX) : limit_(limit) {}
  bool take(uint64_t bytes);
  void give(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  uint64_t limit() const { return limit_; }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }

private:
  uint64_t limit_;
  std::atomic<uint64_t> used_{0};
};

// Host memory; huge pages are asked for where they help. `budget` may be null. OutOfMemory says how much was asked for.
StatusOr<BufferRef> allocateHostBuffer(uint64_t bytes, std::shared_ptr<MemoryBudget> budget = nullptr);

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_BUFFER_H
