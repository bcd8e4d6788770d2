// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream of a device for libraries of its maker, which put work there that no driver knows of: collectives between
// devices (collectives/DeviceGroup.h). Order with the driver's queues is made by the host: what the work needs is done
// before, and isDone() is asked before others use what it wrote. One thread at a time. Keeps the device alive.
//
//   HEDDLE_RETURN_IF_ERROR(stream->enter());
//   library.put(stream->pointerOf(view), stream->handle());
//   HEDDLE_RETURN_IF_ERROR(stream->mark());
//   while (!*stream->isDone()) …
#ifndef HEDDLE_RUNTIME_HAL_NATIVESTREAM_H
#define HEDDLE_RUNTIME_HAL_NATIVESTREAM_H

#include "runtime/hal/Buffer.h"

#include <string>

namespace heddle::hal {

class NativeStream {
public:
  virtual ~NativeStream() = default;
  // What kind of handle it is: "cuda".
  virtual const char *kind() const = 0;
  // The same for all streams of one piece of hardware, in whatever process, and for no other one.
  virtual std::string hardware() const = 0;
  // Makes the device the calling thread's, as the library expects; before any other method but the two above.
  virtual Status enter() = 0;
  // Of cuda a CUstream.
  virtual void *handle() const = 0;
  // Where the library finds the view; null: it is not the device's memory.
  virtual void *pointerOf(const View &view) const = 0;
  // Behind what the stream holds, in the device's memory.
  virtual Status copy(void *to, const void *from, uint64_t bytes) = 0;
  virtual Status fillZeros(void *to, uint64_t bytes) = 0;
  // isDone() speaks of what the stream holds now.
  virtual Status mark() = 0;
  // Does not wait. A failure: the device's, and of its kernels.
  virtual StatusOr<bool> isDone() = 0;
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_NATIVESTREAM_H
