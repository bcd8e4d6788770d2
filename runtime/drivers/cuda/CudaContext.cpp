// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/cuda/CudaContext.h"

#include "runtime/base/Guarded.h"

namespace heddle::cuda {

// Memory of the device, or of the host as the device addresses it; or what others allocated and lent.
class CudaBuffer final : public hal::Buffer {
public:
  CudaBuffer(CUdeviceptr pointer, std::byte *imported, uint64_t bytes, std::shared_ptr<CudaContext> context,
             bool isLent = false)
      : Buffer(imported, bytes, context.get()), pointer_(pointer), isLent_(isLent), context_(std::move(context)) {}
  ~CudaBuffer() override {
    if (!isLent_)
      context_->release(pointer_, address(), bytes());
  }
  CUdeviceptr pointer() const { return pointer_; }

private:
  CUdeviceptr pointer_;
  bool isLent_;
  std::shared_ptr<CudaContext> context_;
};

StatusOr<std::shared_ptr<CudaContext>> CudaContext::open(const CudaApi &api, CUdevice device, DeviceInfo info,
                                                         uint64_t limit) {
  std::shared_ptr<CudaContext> context(new CudaContext(api, device, std::move(info), limit));
  HEDDLE_CUDA(*context, DevicePrimaryCtxRetain, &context->handle_, device);
  return context;
}

CudaContext::~CudaContext() {
  if (handle_)
    (void)api.DevicePrimaryCtxRelease(device_);
}

Status CudaContext::enter() const {
  HEDDLE_CUDA(*this, CtxSetCurrent, handle_);
  return {};
}

Status CudaContext::failure(CUresult result, const char *what) const {
  std::string spelt = api.spelling(result);
  switch (result) {
  case kOutOfMemory: return Status(StatusCode::OutOfMemory, "no memory on " + info.uri + " for " + what);
  case kIllegalAddress:
  case kLaunchTimeout:
  case kAssert:
  case kHardwareStackError:
  case kIllegalInstruction:
  case kMisalignedAddress:
  case kInvalidAddressSpace:
  case kInvalidProgramCounter:
  case kUncorrectableMemory:
  case kLaunchFailed:
    lost_.store(true, std::memory_order_relaxed);
    return Status(StatusCode::DeviceLost, "the device " + info.uri + " (" + info.description + ") is lost: " + what +
                                              " gave " + spelt +
                                              "; this process cannot use it again: give the program a fallback, or "
                                              "start a new process");
  default: return Status(StatusCode::Internal, std::string(what) + " failed on " + info.uri + ": " + spelt);
  }
}

StatusOr<hal::BufferRef> CudaContext::allocate(uint64_t bytes) {
  auto exhausted = [&](const std::string &why) {
    return Status(StatusCode::OutOfMemory, "cannot allocate " + std::to_string(bytes) + " bytes on " + info.uri + ": " +
                                               why + "; it holds " + std::to_string(budget_.used()) + " of " +
                                               std::to_string(info.memoryBytes) + " bytes");
  };
  if (bytes > INT64_MAX - 1)
    return exhausted("no device has so much");
  HEDDLE_RETURN_IF_ERROR(enter());
  if (!budget_.take(bytes))
    return exhausted("the device's memory limit is reached");
  CUdeviceptr pointer = 0;
  if (CUresult result = api.MemAlloc(&pointer, bytes + 1); result != kSuccess) { // there are no empty ones
    budget_.give(bytes);
    return result == kOutOfMemory ? exhausted("the device has no more memory") : failure(result, "cuMemAlloc");
  }
  if (auto *buffer = new (std::nothrow) CudaBuffer(pointer, nullptr, bytes, shared_from_this()))
    return hal::BufferRef(buffer);
  release(pointer, nullptr, bytes);
  return Status::outOfMemory();
}

StatusOr<hal::BufferRef> CudaContext::import(void *memory, uint64_t bytes) {
  auto refuse = [&](const std::string &why) {
    return Status(StatusCode::Unsupported,
                  "cannot import " + std::to_string(bytes) + " bytes of the host on " + info.uri + ": " + why);
  };
  if (!bytes)
    return refuse("there must be at least one");
  HEDDLE_RETURN_IF_ERROR(enter());
  if (CUresult result = api.MemHostRegister(memory, bytes, kHostRegisterPortableMapped); result != kSuccess)
    return refuse("cuMemHostRegister gave " + api.spelling(result));
  CUdeviceptr pointer = 0;
  if (CUresult result = api.MemHostGetDevicePointer(&pointer, memory, 0); result != kSuccess) {
    (void)api.MemHostUnregister(memory);
    return refuse("cuMemHostGetDevicePointer gave " + api.spelling(result));
  }
  auto *address = static_cast<std::byte *>(memory);
  if (auto *buffer = new (std::nothrow) CudaBuffer(pointer, address, bytes, shared_from_this()))
    return hal::BufferRef(buffer);
  release(pointer, address, bytes);
  return Status::outOfMemory();
}

StatusOr<hal::BufferRef> CudaContext::lend(void *pointer, uint64_t bytes) {
  HEDDLE_RETURN_IF_ERROR(enter());
  HEDDLE_CUDA(*this, StreamSynchronize, nullptr);
  CUdeviceptr at = reinterpret_cast<uintptr_t>(pointer);
  if (auto *buffer = new (std::nothrow) CudaBuffer(at, nullptr, bytes, shared_from_this(), /*isLent=*/true))
    return hal::BufferRef(buffer);
  return Status::outOfMemory();
}

std::optional<CUdeviceptr> CudaContext::find(const hal::View &view) const {
  if (!view.isIn(this))
    return std::nullopt;
  return static_cast<const CudaBuffer *>(view.buffer)->pointer() + view.offset;
}

void CudaContext::release(CUdeviceptr pointer, std::byte *imported, uint64_t bytes) {
  if (!imported)
    budget_.give(bytes);
  if (!guarded([&] { return enter(); }).ok())
    return;
  if (imported)
    (void)api.MemHostUnregister(imported);
  else
    (void)api.MemFree(pointer);
}

} // namespace heddle::cuda
