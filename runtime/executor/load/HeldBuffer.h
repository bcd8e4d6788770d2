// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that callers of the C interface hold between calls: buffers of devices that they allocated or imported, and
// results that stayed on a device.
//
// A HeldBuffer is a hal::Buffer that also knows its device, keeps it alive, and tells whoever lent the memory when it
// is gone. Any thread. Everything that asks where a caller's memory is does so by `Place`, a buffer and an offset.
//
//   auto memory = std::make_shared<DeviceMemory>(device);
//   StatusOr<hal::BufferRef> buffer = memory->allocate(64);
//   HEDDLE_RETURN_IF_ERROR(memory->write((*buffer)->address(), bytes, 64));
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_HELDBUFFER_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_HELDBUFFER_H

#include "runtime/base/Fork.h"
#include "runtime/hal/Device.h"

#include <mutex>

namespace heddle {

// The way to a device's memory outside of calls. Thread-safe; keeps the device.
class DeviceMemory : public std::enable_shared_from_this<DeviceMemory> {
public:
  explicit DeviceMemory(std::shared_ptr<hal::Device> device) : device_(std::move(device)), forks_(forkCount()) {}
  hal::Device &device() const { return *device_; }

  // A HeldBuffer of new memory. OutOfMemory.
  StatusOr<hal::BufferRef> allocate(uint64_t bytes);
  // One of a buffer of the device that the runtime had for itself.
  StatusOr<hal::BufferRef> hold(hal::BufferRef memory);

  // Copy between memory of the device and the host, and wait. DeviceLost in the child of a fork, where the device has
  // queues of its own.
  Status read(void *to, const hal::View &from) { return copy(hal::View::ofHost(to, from.bytes), from); }
  Status write(const hal::View &to, const void *from) { return copy(to, hal::View::ofHost(from, to.bytes)); }

  // A thread that is gone may have been copying.
  void beforeFork() {}
  void afterForkInParent() {}
  void afterForkInChild() { makeAnew(mutex_); }

private:
  Status copy(const hal::View &to, const hal::View &from);

  std::shared_ptr<hal::Device> device_;
  uint32_t forks_; // of the process that made the device
  std::mutex mutex_;
  std::unique_ptr<hal::Commands> commands_; // made at first use; never where the host addresses the memory
  ForkMember<DeviceMemory> fork_{this};
};

class HeldBuffer final : public hal::Buffer {
public:
  // Called once, when the last reference is dropped.
  struct Release {
    void (*function)(void *user) = nullptr;
    void *user = nullptr;
  };
  // `device` null: memory of the host at `address`, and `memory` is null. Else `memory` is one of its buffers.
  // OutOfMemory, and nothing is released then.
  static StatusOr<hal::BufferRef> make(std::shared_ptr<DeviceMemory> device, hal::BufferRef memory, std::byte *address,
                                       uint64_t bytes, bool readOnly, Release release);
  ~HeldBuffer() override;

  const HeldBuffer *held() const override { return this; }
  // Null: memory of the host.
  DeviceMemory *device() const { return device_.get(); }
  // What the device itself knows.
  hal::Buffer *memory() const { return memory_.get(); }
  // Where its memory begins, for checks of what overlaps: an address of the host or of the device's library, else a
  // number that is no address at all. Unique in the process, 64-byte aligned as the memory is; not to be dereferenced.
  std::byte *name() const { return name_; }
  bool readOnly() const { return readOnly_; }

private:
  HeldBuffer(std::shared_ptr<DeviceMemory> device, hal::BufferRef memory, std::byte *address, uint64_t bytes,
             bool readOnly, Release release);

  std::shared_ptr<DeviceMemory> device_;
  hal::BufferRef memory_;
  std::byte *name_;
  bool readOnly_;
  Release release_;
};

// Where a caller's memory is: in a buffer, or (null) at an address of the host.
struct Place {
  hal::Buffer *buffer = nullptr;
  uint64_t offset = 0;
  std::byte *host = nullptr;

  const HeldBuffer *held() const { return buffer ? buffer->held() : nullptr; }
  // The device in whose memory it is; null: the host's.
  DeviceMemory *device() const { return held() ? held()->device() : nullptr; }
  bool readOnly() const { return held() && held()->readOnly(); }
  // As queues of the device know it.
  hal::View view(uint64_t bytes) const {
    if (device())
      return {held()->memory(), offset, bytes};
    return hal::View::ofHost(hostAddress(), bytes);
  }
  // Null where the host cannot address it, and where there is no memory.
  std::byte *hostAddress() const {
    if (!buffer)
      return host;
    return buffer->address() ? hal::advance(buffer->address(), offset) : nullptr;
  }
  // HeldBuffer::name() of this place; null: there is no memory.
  std::byte *name() const { return device() ? hal::advance(held()->name(), offset) : hostAddress(); }
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_HELDBUFFER_H
