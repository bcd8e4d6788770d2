// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/ExternalMemory.h"

#include "runtime/hal/NativeStream.h"

namespace heddle::hal {
namespace {

Status noDescriptors() {
  return Status(StatusCode::Unsupported, "the driver shares no memory by file descriptors; those of Vulkan do");
}

} // namespace

StatusOr<BufferRef> ExternalMemory::importPointer(void *, uint64_t) {
  return Status(StatusCode::Unsupported,
                "the driver's library has no pointers to memory of the device; use a file descriptor or a copy");
}
StatusOr<std::unique_ptr<NativeStream>> ExternalMemory::createNativeStream() {
  return Status(StatusCode::Unsupported, "the driver has no streams that libraries take; that of CUDA does");
}
StatusOr<BufferRef> ExternalMemory::allocateShared(uint64_t) { return noDescriptors(); }
StatusOr<int> ExternalMemory::exportDescriptor(Buffer &) { return noDescriptors(); }
StatusOr<BufferRef> ExternalMemory::importDescriptor(int, uint64_t) { return noDescriptors(); }

} // namespace heddle::hal
