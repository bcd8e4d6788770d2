// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transient memory of a call: one slab for each device, which only grows, and blocks that a program allocates and
// frees in the order of a stream. Both are kept from call to call, so that a warm call takes nothing from a device.
//
// A block that was freed on a queued stream is given out again when that point of the stream is reached. One thread.
//
//   memory.begin();                                                      // each call: everything is free again
//   HEDDLE_RETURN_IF_ERROR(memory.slab(device, bytes, frame.buffers[0]));
//   HEDDLE_RETURN_IF_ERROR(memory.allocate(device, bytes, frame.buffers[1]));
//   HEDDLE_RETURN_IF_ERROR(memory.free(frame.buffers[1], stream));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_CALLMEMORY_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_CALLMEMORY_H

#include "runtime/executor/call/CallDevices.h"

namespace heddle {

class CallMemory {
public:
  // `devices` is borrowed, and gives the memory.
  CallMemory(CallDevices &devices, size_t count) : devices_(devices), slabs_(count) {}

  void begin();
  // The device's slab, of at least this size: the same memory for every instruction of a call that asks, unless it has
  // to grow; what other registers name of the old one lives until the next call. OutOfMemory.
  Status slab(uint32_t device, uint64_t bytes, BufferRegister &to);
  // A block that nobody uses. Rather than take memory without end it waits for one that was freed and is in use.
  Status allocate(uint32_t device, uint64_t bytes, BufferRegister &to);
  // Gives the block back when what was issued on the stream is done, and unsets the register. InvalidArgument for what
  // is no block, or was freed.
  Status free(BufferRegister &buffer, const StreamRegister &stream);

  // Of slabs and blocks, in use or not.
  uint64_t bytes() const;
  // Hands all of it over: what bind functions bound lies there.
  void give(std::vector<hal::BufferRef> &to);

private:
  struct Slab {
    hal::BufferRef memory;
    bool used = false;                    // in this call
    std::vector<hal::BufferRef> outgrown; // that registers of the running call may still name
  };
  struct Block {
    hal::BufferRef buffer;
    uint32_t device;
    bool live;
    hal::Point freed; // when it may be used again
  };
  int32_t find(uint32_t device, uint64_t bytes, bool pending) const;

  CallDevices &devices_;
  std::vector<Slab> slabs_; // by device
  std::vector<Block> blocks_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_CALLMEMORY_H
