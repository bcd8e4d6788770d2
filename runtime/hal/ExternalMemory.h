// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that a device shares with other libraries of the process (by the pointers of its own library) and with other
// processes (by file descriptors). A driver implements what its library has; the rest is Unsupported, with the reason.
// Thread-safe. Buffers made here keep the device alive and are used as any of its buffers.
//
//   if (hal::ExternalMemory *external = device.external())
//     buffer = external->importPointer(pointer, bytes);
#ifndef HEDDLE_RUNTIME_HAL_EXTERNALMEMORY_H
#define HEDDLE_RUNTIME_HAL_EXTERNALMEMORY_H

#include "runtime/hal/Buffer.h"

#include <memory>

namespace heddle::hal {

// A device as DLPack numbers it (DLDevice); type 0: DLPack has no words for its memory.
struct DlpackDevice {
  int32_t type = 0, index = 0;
};

class NativeStream;

class ExternalMemory {
public:
  virtual ~ExternalMemory() = default;

  virtual DlpackDevice dlpackDevice() const { return {}; }
  // A buffer over memory at a pointer of the device's library, which must outlive it. What the library's default stream
  // was given before is done when this returns.
  virtual StatusOr<BufferRef> importPointer(void *pointer, uint64_t bytes);
  // The library's pointer to the beginning of one of the device's buffers; null: it has none.
  virtual void *pointerOf(Buffer &buffer) const { return (void)buffer, nullptr; }

  // A stream that the library's own functions take. Unsupported.
  virtual StatusOr<std::unique_ptr<NativeStream>> createNativeStream();

  // A buffer that exportDescriptor() takes. Memory of its own, so not for many small ones.
  virtual StatusOr<BufferRef> allocateShared(uint64_t bytes);
  // An opaque file descriptor of a buffer of allocateShared(), the caller's to close.
  virtual StatusOr<int> exportDescriptor(Buffer &buffer);
  // A buffer over what exportDescriptor() gave for so many bytes, here or in another process, on the same device. The
  // descriptor stays the caller's.
  virtual StatusOr<BufferRef> importDescriptor(int descriptor, uint64_t bytes);
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_EXTERNALMEMORY_H
