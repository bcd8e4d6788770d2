// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An opened device: a source of buffers, queues and executables, which keep it alive. Thread-safe.
//
// Memory. Two answers, constant for a device, say who can use what:
//
//   hostAddressable()  the host, and with it every device that reads host memory, can use this device's buffers where
//                      they say (Buffer::address). Else they have no address, and are known as views only: in this
//                      device's bindings, and in copies on this device's queues.
//   readsHostMemory()  this device's kernels can use any memory that the host can, without being told. Else they can
//                      use this device's buffers and what importHost() gave.
//
//   local, null: yes, yes · an integrated GPU: perhaps, no · a discrete GPU: no, no
//
// Where the second is no, the executor uploads parameters once, and stages what crosses the boundary of a call.
#ifndef HEDDLE_RUNTIME_HAL_DEVICE_H
#define HEDDLE_RUNTIME_HAL_DEVICE_H

#include "runtime/hal/Buffer.h"
#include "runtime/hal/ExternalMemory.h"
#include "runtime/hal/OverlapQueue.h"
#include "runtime/match/DeviceInfo.h"

namespace heddle::hal {

class Device {
public:
  virtual ~Device() = default;
  const DeviceInfo &info() const { return info_; }
  // OutOfMemory when there is not so much, or the device's limit is reached.
  virtual StatusOr<BufferRef> allocate(uint64_t bytes) = 0;
  // Io when the system gives no thread.
  virtual StatusOr<std::unique_ptr<Queue>> createQueue() = 0;
  // A queue whose work is done by the threads of the device's cores: as many queues as are wanted keep the cores busy
  // and no more. `helped`: who waits for it (Queue::wait) is one of these threads. Not for functions of the host. Here:
  // createQueue().
  virtual StatusOr<std::unique_ptr<Queue>> createSharedQueue(bool helped) { return createQueue(); }
  // Threads of the host that do this work beside the device's own streams (hal/OverlapQueue.h), in the device's time
  // where that is not the host's. Its dispatches are meetings of ranks (hal/Meeting.h). Io when the system gives no
  // thread.
  virtual StatusOr<std::unique_ptr<Queue>> createHostQueue(HostWork work);
  // Does each command on the calling thread. By one thread at a time. Here: hands each to a queue, and waits.
  virtual StatusOr<std::unique_ptr<Commands>> createInline();
  // Unsupported for a format that is not in info().formats; Malformed when the code cannot be loaded or lacks a symbol.
  virtual StatusOr<std::unique_ptr<Executable>> load(const ExecutableSource &source) = 0;

  virtual bool hostAddressable() const { return true; }
  virtual bool readsHostMemory() const { return true; }
  // A buffer that is this host memory, without a copy, which kernels of this device may read and write. The memory must
  // outlive the buffer. Unsupported where the driver cannot (not at all, not this
  // alignment, not a mapped file): the caller copies then. Copies and kernels are ordered by queues, as for any
  // buffer.
  virtual StatusOr<BufferRef> importHost(void *memory, uint64_t bytes);
  // How its memory is shared with other libraries and processes; null: not at all. Lives as long as the device.
  virtual ExternalMemory *external() { return nullptr; }
  // The most bytes of a binding, those between its start and the multiple of 256 before it counted in. The executor
  // refuses larger ones on devices that do not read host memory, but for kernels that reach all of it.
  virtual uint64_t maxBindingBytes() const { return UINT64_MAX; }
  // The device has queues of its own (in hardware), so that work is issued and not done: the executor gives it queues
  // even for a call's own stream. Devices that compute on host threads answer no: there the calling thread works.
  virtual bool hasQueues() const { return false; }
  // The device's cores can work on several of its shared queues side by side, so the executor gives a call that has
  // several streams of it a queue for each, its own stream among them. Where there is one core the calling thread
  // works.
  virtual bool overlapsQueues() const { return false; }
  // Each command is to be submitted by itself, as soon as it is known: its place in time is when it was submitted.
  virtual bool isEager() const { return false; }
  // What is loaded there can run here as it is, so that it is loaded once for both.
  virtual bool sharesExecutables(const Device &other) const { return this == &other; }
  // The device failed for good (StatusCode::DeviceLost was returned): it is to be opened anew.
  virtual bool lost() const { return false; }

protected:
  explicit Device(DeviceInfo info) : info_(std::move(info)) {}

private:
  DeviceInfo info_;
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_DEVICE_H
