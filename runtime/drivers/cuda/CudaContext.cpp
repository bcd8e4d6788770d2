// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/cuda/CudaContext.h"

#include "runtime/base/Guarded.h"

#include <algorithm>

namespace heddle::cuda {
namespace {

class CudaBuffer final : public hal::Buffer {
public:
  CudaBuffer(std::byte *address, uint64_t bytes, std::shared_ptr<CudaContext> context)
      : Buffer(address, bytes), context_(std::move(context)) {}
  ~CudaBuffer() override { context_->release(address(), bytes()); }

private:
  std::shared_ptr<CudaContext> context_;
};

class LentBuffer final : public hal::Buffer {
public:
  LentBuffer(std::byte *address, uint64_t bytes, std::shared_ptr<CudaContext> context)
      : Buffer(address, bytes), context_(std::move(context)) {}
  ~LentBuffer() override { context_->endLoan(address(), bytes()); }

private:
  std::shared_ptr<CudaContext> context_;
};

} // namespace

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
  if (CUresult result = api.MemAlloc(&pointer, bytes + 1); result != kSuccess) {
    budget_.give(bytes);
    return result == kOutOfMemory ? exhausted("the device has no more memory") : failure(result, "cuMemAlloc");
  }
  auto *address = reinterpret_cast<std::byte *>(static_cast<uintptr_t>(pointer));
  return keep(address, bytes, {bytes + 1, pointer, false});
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
  return keep(address, bytes, {bytes, pointer, true});
}

StatusOr<hal::BufferRef> CudaContext::keep(std::byte *address, uint64_t bytes, const Range &range) {
  Status kept = guarded([&] {
    std::lock_guard lock(mutex_);
    ranges_[address] = range;
    return Status();
  });
  auto *buffer = kept.ok() ? new (std::nothrow) CudaBuffer(address, bytes, shared_from_this()) : nullptr;
  if (buffer)
    return hal::BufferRef(buffer);
  giveBack(address, bytes, range);
  return Status::outOfMemory();
}

StatusOr<hal::BufferRef> CudaContext::lend(void *pointer, uint64_t bytes) {
  HEDDLE_RETURN_IF_ERROR(enter());
  HEDDLE_CUDA(*this, StreamSynchronize, nullptr);
  auto *address = static_cast<std::byte *>(pointer);
  {
    std::lock_guard lock(mutex_);
    loans_.push_back({address, bytes});
  }
  if (auto *buffer = new (std::nothrow) LentBuffer(address, bytes, shared_from_this()))
    return hal::BufferRef(buffer);
  endLoan(address, bytes);
  return Status::outOfMemory();
}

void CudaContext::endLoan(std::byte *address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  auto loan = std::find_if(loans_.begin(), loans_.end(),
                           [&](const Loan &l) { return l.address == address && l.bytes == bytes; });
  loans_.erase(loan);
}

std::optional<CUdeviceptr> CudaContext::find(const void *address, uint64_t bytes) const {
  auto *at = static_cast<const std::byte *>(address);
  std::lock_guard lock(mutex_);
  auto next = ranges_.upper_bound(at);
  if (next != ranges_.begin()) {
    auto &[first, range] = *std::prev(next);
    uint64_t offset = static_cast<uint64_t>(at - first);
    if (offset < range.bytes && bytes <= range.bytes - offset)
      return range.device + offset;
  }
  for (const Loan &loan : loans_)
    if (at >= loan.address && at <= loan.address + loan.bytes &&
        bytes <= loan.bytes - static_cast<uint64_t>(at - loan.address))
      return reinterpret_cast<uintptr_t>(at);
  return std::nullopt;
}

void CudaContext::release(std::byte *address, uint64_t bytes) {
  Range range;
  {
    std::lock_guard lock(mutex_);
    range = ranges_.find(address)->second;
  }
  giveBack(address, bytes, range);
}

void CudaContext::giveBack(std::byte *address, uint64_t bytes, const Range &range) {
  {
    std::lock_guard lock(mutex_);
    ranges_.erase(address);
  }
  if (!guarded([&] { return enter(); }).ok())
    return;
  if (range.imported) {
    (void)api.MemHostUnregister(address);
    return;
  }
  (void)api.MemFree(range.device);
  budget_.give(bytes);
}

} // namespace heddle::cuda
