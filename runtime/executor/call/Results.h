// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The results of a call: where the caller wants them (home), where the program puts them, and how they get from there
// to here. What has to leave a device that the host cannot read is brought by the boundary (Boundary.h).
//
// A result lies in the caller's storage where that was given, in the memory of a donated argument, or in new memory
// that the caller gets: of the host, or of the device where it is to stay. One that a global keeps (`held`) lies in
// memory of its device, which the turn (Turn.h) lends and takes back. One thread.
//
//   HEDDLE_RETURN_IF_ERROR(results.begin(given));
//   HEDDLE_RETURN_IF_ERROR(results.place(index, device, bytes, frame.buffers[2])); // the program asks for storage
//   HEDDLE_RETURN_IF_ERROR(results.set(op, frame));                                // and says what the result is
//   HEDDLE_RETURN_IF_ERROR(results.deliver());
//   results.finish(given);
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_RESULTS_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_RESULTS_H

#include "runtime/executor/call/CallDevices.h"
#include "runtime/executor/load/HeldBuffer.h"

namespace heddle {

// One result while a call runs.
struct CallResult {
  std::byte *given = nullptr;           // the caller's storage, or the name of what the host cannot address
  uint64_t givenBytes = 0;              // of it
  const heddle_tensor *donor = nullptr; // the argument in whose memory it lies, while there is room
  bool held = false;                    // a global's next value: `storage` is memory of its device
  hal::BufferRef storage;               // what the caller gets, where it gave none
  hal::Device *storedOn = nullptr;      // whose memory `storage` is; null: the host's
  // In whose memory the caller has it, or wants it where it gave none. Null: the host's.
  DeviceMemory *home = nullptr;
  PlacedBuffer place{.flags = kHostMemory}; // there: the memory, and where none was given who can use what is made
  bool set = false;                         // by `set_result`, and what it said:
  BufferRegister value;
  uint64_t bytes = 0;
  int64_t dims[HEDDLE_MAX_RANK];

  // The donor's memory, where the result fits.
  std::byte *donated() const {
    return donor && bytes <= donor->bytes ? static_cast<std::byte *>(donor->data) : nullptr;
  }
  // `storage` is where the caller wants it.
  bool isStoredHome() const { return storage && (!home || storedOn == &home->device()); }
};

// Where a result goes.
struct Home {
  PlacedBuffer at;
  DeviceMemory *device; // whose memory it is; null: the host's
};

class Results {
public:
  // All are borrowed. `statistics` counts what is copied.
  Results(std::span<const DeviceSlot> slots, const Function &function, CallDevices &devices,
          CallStatistics &statistics);

  // A new call: checks the caller's storage (its number and alignment), and forgets the last call's results.
  Status begin(std::span<const heddle_tensor> given);
  // The donated arguments, of the same call: they lend their memory, and it may be written where the program does.
  Status donate(std::span<const heddle_tensor> arguments, std::span<const heddle_tensor> given, Frame &frame);
  // The result's storage, its donor or where it stays is memory of this device.
  void setHome(uint32_t index, DeviceMemory *device, const PlacedBuffer &place) {
    results_[index].home = device;
    results_[index].place = place;
  }
  // The caller gave storage for some result.
  bool anyGiven() const;
  // Storage that was given has room for so many bytes; InvalidArgument says how many it needs.
  Status checkRoom(uint32_t index, uint64_t bytes) const;

  // Storage of so many bytes on a device: the caller's where the device can use it, else the device's own. OutOfMemory.
  Status place(uint32_t index, uint32_t device, uint64_t bytes, BufferRegister &to);
  // What the program returns, with its sizes. InvalidArgument: no buffer, too few bytes, a negative size.
  Status set(const SetResultOp &op, const Frame &frame);

  // Where the caller gets the result: its own storage, donated memory, else new memory.
  StatusOr<Home> home(uint32_t index);
  // Brings each result that the host can read to its home, and makes buffers for callers of what stays on devices.
  // Donated memory last: another result may be what lies there.
  Status deliver();
  // Tells the caller: memory, sizes, owner.
  void finish(std::span<heddle_tensor> given);

  size_t size() const { return results_.size(); }
  CallResult &operator[](size_t index) { return results_[index]; }
  const CallResult &operator[](size_t index) const { return results_[index]; }

private:
  Status deliver(uint32_t index);
  Status bring(uint32_t index);

  std::span<const DeviceSlot> slots_;
  const Function &function_;
  CallDevices &devices_;
  CallStatistics &statistics_;
  std::vector<CallResult> results_;
  std::vector<heddle_tensor> donors_;    // by Function::donations: the caller's tensor
  std::vector<hal::BufferRef> outgrown_; // what registers of the running call, or other results, may still name
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_RESULTS_H
