// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What crosses the boundary of a call to and from devices that do not use host memory, and what programs know nothing
// of: arguments are imported where that works and pays (and for that call only), and used where they are, or copied by
// the device if it is behind a bus; else they are copied through the driver's staging. Copies go to memory that is kept
// from call to call. Results go to where the caller wants them. An argument that lies in memory of the device that
// needs it, and a result that is to stay there, do not cross, and are used as they are. What lies on another device
// goes through memory of the host.
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
  // All are borrowed. `slots`: the devices that import. `statistics` counts what is copied.
  Boundary(std::span<const DeviceSlot> slots, const Function &function, Frame &frame, CallDevices &devices,
           Results &results, CallStatistics &statistics);
  // Labels what is staged; null: nobody looks.
  void observe(Observer *observer) { observer_ = observer; }

  // A new call.
  void begin() {
    outgrown_.clear();
    foreign_.clear();
  }
  // The argument lies in memory that the host cannot address, of this device.
  void addForeign(uint32_t argument, DeviceMemory &device) { foreign_.push_back({argument, &device}); }
  // Some argument has to be staged.
  bool stages() const { return !arguments_.empty() || !foreign_.empty(); }

  // Brings the arguments to the devices that need them; whoever may use or copy them waits for that.
  Status stageArguments();
  // Memory of a device for a result of so many bytes: the caller's, imported, or kept memory of the device.
  // OutOfMemory.
  Status place(uint32_t index, uint32_t device, uint64_t bytes, BufferRegister &to);
  // Issues the copies that bring results home (Results::home) which only their device can read, as far as to the host
  // where home is another device.
  Status stageResults();
  // What was imported is the caller's again. All streams are done.
  void release();

private:
  // The other side of a tensor of the caller.
  struct Staged {
    hal::BufferRef buffer;      // kept
    hal::BufferRef imported;    // the caller's memory as the device's, for this call
    bool refusesImport = false; // the driver said so once
    hal::BufferRef between;     // kept: memory of the host on the way to another device
  };
  struct Foreign {
    uint32_t argument;
    DeviceMemory *device;
  };
  bool isUsable(uint32_t argument) const;
  // Kernels read imported memory as fast as the device's own.
  bool computesOnHostMemory(uint32_t device) const;
  Status fetch(const Foreign &foreign);
  Status stageResult(uint32_t index);
  Status growHost(hal::BufferRef &buffer, uint64_t bytes);
  Status stageArgument(const StagedArgument &argument, Staged &staged);
  Status grow(Staged &staged, uint32_t device, uint64_t bytes);

  std::span<const DeviceSlot> slots_;
  const Function &function_;
  Frame &frame_;
  CallDevices &devices_;
  Results &callResults_;
  CallStatistics &statistics_;
  Observer *observer_ = nullptr;
  std::vector<Staged> arguments_;        // as Function::staged
  std::vector<Staged> results_;          // by result
  std::vector<Foreign> foreign_;         // of the running call
  std::vector<hal::BufferRef> fetched_;  // by argument: kept memory of the host for foreign ones
  std::vector<hal::BufferRef> outgrown_; // that registers of the running call may still name
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_BOUNDARY_H
