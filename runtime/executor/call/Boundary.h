// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What crosses the boundary of a call to and from devices that do not use host memory, and what programs know nothing
// of: arguments are imported where that works and pays (and for that call only), else copied into memory that is kept
// from call to call; results come back the same way.
//
// A program on devices that share the host's memory has nothing staged, and pays for none of this. One thread.
//
//   HEDDLE_RETURN_IF_ERROR(boundary.stageArguments());   // registers name memory of the devices now
//   … the program runs; a result is given memory by place() …
//   HEDDLE_RETURN_IF_ERROR(boundary.stageResults());
//   status = devices.drain(std::move(status));
//   boundary.release();
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_BOUNDARY_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_BOUNDARY_H

#include "runtime/executor/call/Results.h"

namespace heddle {

class Boundary {
public:
  // All are borrowed. `slots`: the devices that import.
  Boundary(std::span<const DeviceSlot> slots, const Function &function, Frame &frame, CallDevices &devices,
           Results &results);
  // Labels what is staged; null: nobody looks.
  void observe(Observer *observer) { observer_ = observer; }

  // A new call.
  void begin() { outgrown_.clear(); }
  // Some argument has to be staged.
  bool stages() const { return !arguments_.empty(); }

  // Brings the arguments to the devices that need them; whoever may use or copy them waits for that.
  Status stageArguments();
  // Memory of a device for a result of so many bytes: the caller's, imported, or kept memory of the device.
  // OutOfMemory.
  Status place(uint32_t index, uint32_t device, uint64_t bytes, BufferRegister &to);
  // Issues the copies that bring results home (Results::home) which only their device can read.
  Status stageResults();
  // What was imported is the caller's again. All streams are done.
  void release();

private:
  // The other side of a tensor of the caller.
  struct Staged {
    hal::BufferRef buffer;      // kept
    hal::BufferRef imported;    // the caller's memory as the device's, for this call
    bool refusesImport = false; // the driver said so once
  };
  Status stageArgument(const StagedArgument &argument, Staged &staged);
  Status grow(Staged &staged, uint32_t device, uint64_t bytes);

  std::span<const DeviceSlot> slots_;
  const Function &function_;
  Frame &frame_;
  CallDevices &devices_;
  Results &callResults_;
  Observer *observer_ = nullptr;
  std::vector<Staged> arguments_;        // as Function::staged
  std::vector<Staged> results_;          // by result
  std::vector<hal::BufferRef> outgrown_; // that registers of the running call may still name
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_BOUNDARY_H
