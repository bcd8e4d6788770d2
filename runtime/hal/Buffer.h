// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a device: reference-counted, 64-byte aligned, contents undefined at first.
//
// `address()` is unique in the process, among buffers of all devices and host memory alike, and so is every address up
// to its end: views are plain arithmetic. For memory that the host cannot address a driver reserves address space of
// that size (reserveAddresses) and finds the buffer by the address. Whether it can be dereferenced the device says
// (Device.h). References may be taken and dropped by any thread; the last one frees. Zero bytes are allowed and have a
// valid address.
//
//   StatusOr<BufferRef> buffer = device.allocate(1024);
//   std::memset((*buffer)->address(), 0, (*buffer)->bytes());
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

class Buffer {
public:
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  std::byte *address() const { return address_; }
  uint64_t bytes() const { return bytes_; }
  // The buffer as callers of the C interface hold it (executor/load/HeldBuffer.h), which is this one; null: no such
  // one.
  virtual const HeldBuffer *held() const { return nullptr; }
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

protected:
  Buffer(std::byte *address, uint64_t bytes) : address_(address), bytes_(bytes) {}
  virtual ~Buffer() = default;

private:
  std::byte *address_;
  uint64_t bytes_;
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

// Addresses that no memory lies behind and nobody else gets: names for `bytes` bytes (at least one) of memory that the
// host cannot address. Page aligned. Touching them ends the process. OutOfMemory when the address space is used up.
StatusOr<std::byte *> reserveAddresses(uint64_t bytes);
void releaseAddresses(std::byte *first, uint64_t bytes);

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_BUFFER_H
