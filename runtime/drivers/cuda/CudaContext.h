// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CUDA device in use: its primary context, and the memory taken from it. Shared by all that is made from it;
// thread-safe.
#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_CUDACONTEXT_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_CUDACONTEXT_H

#include "runtime/drivers/cuda/CudaApi.h"
#include "runtime/hal/Buffer.h"
#include "runtime/match/DeviceInfo.h"

#include <optional>

namespace heddle::cuda {

class CudaContext : public std::enable_shared_from_this<CudaContext> {
public:
  static StatusOr<std::shared_ptr<CudaContext>> open(const CudaApi &api, CUdevice device, DeviceInfo info,
                                                     uint64_t limit);
  ~CudaContext();
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;

  // Makes the context the calling thread's. Before any use of `api`.
  Status enter() const;
  // A failure of the function named `what`: OutOfMemory, DeviceLost, else Internal.
  Status failure(CUresult result, const char *what) const;
  CUcontext handle() const { return handle_; }
  bool lost() const { return lost_.load(std::memory_order_relaxed); }

  // OutOfMemory says how much was asked for and how much is held.
  StatusOr<hal::BufferRef> allocate(uint64_t bytes);
  // Memory of the host that the device addresses, which must outlive the buffer.
  StatusOr<hal::BufferRef> import(void *address, uint64_t bytes);
  // A buffer over memory of the device that others allocated, which must outlive it. What they gave the default stream
  // is done then.
  StatusOr<hal::BufferRef> lend(void *pointer, uint64_t bytes);
  // As cuDeviceGet() counts it.
  CUdevice ordinal() const { return device_; }
  // The device's pointer for a view that lies in a buffer of this device; none for memory of others.
  std::optional<CUdeviceptr> find(const hal::View &view) const;

  const CudaApi &api;
  const DeviceInfo info;

private:
  CudaContext(const CudaApi &api, CUdevice device, DeviceInfo info, uint64_t limit)
      : api(api), info(std::move(info)), device_(device), budget_(limit) {}

  friend class CudaBuffer;
  // Gives back what a buffer held.
  void release(CUdeviceptr pointer, std::byte *imported, uint64_t bytes);

  CUdevice device_;
  CUcontext handle_ = nullptr;
  mutable std::atomic<bool> lost_{false};
  hal::MemoryBudget budget_;
};

// Returns from the function with the context's failure when a call fails.
#define HEDDLE_CUDA(context, function, ...)                                                                            \
  if (CUresult heddleResult_ = (context).api.function(__VA_ARGS__); heddleResult_ != kSuccess) [[unlikely]]            \
  return (context).failure(heddleResult_, "cu" #function)

} // namespace heddle::cuda

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_CUDACONTEXT_H
