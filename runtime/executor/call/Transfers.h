// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of a program between memories of which one, or both, the host cannot address: done by a stream of whoever sees
// both ends, else through memory of the host, in the order of the stream on which the program issued them.
//
// One thread. The memory in between is kept from call to call.
//
//   HEDDLE_RETURN_IF_ERROR(transfers.copy(stream, {to, bytes, toFlags}, {from, bytes, fromFlags}));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_TRANSFERS_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_TRANSFERS_H

#include "runtime/executor/call/CallDevices.h"

namespace heddle {

class Transfers {
public:
  // Borrowed.
  explicit Transfers(CallDevices &devices) : devices_(devices) {}

  // Copies `to.bytes` bytes; both ranges have so many. What is issued on the stream later comes after the copy.
  Status copy(const StreamRegister &stream, const PlacedBuffer &to, const PlacedBuffer &from);
  // The first `from.bytes` (at most eight) bytes as a number, when all that was issued on the stream is done.
  StatusOr<uint64_t> read(const StreamRegister &stream, const PlacedBuffer &from);

private:
  // Host memory between two devices that cannot see each other's.
  struct Bounce {
    hal::BufferRef memory;
    hal::Point free; // when no copy uses it
  };
  Status copyThroughHost(const StreamRegister &stream, const PlacedBuffer &to, const PlacedBuffer &from);
  StatusOr<Bounce *> take(uint64_t bytes);

  CallDevices &devices_;
  std::vector<Bounce> bounces_;
  uint64_t word_ = 0; // what read() brings from a device
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_TRANSFERS_H
