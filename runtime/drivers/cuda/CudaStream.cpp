// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/cuda/CudaStream.h"

#include "runtime/base/Guarded.h"

namespace heddle::cuda {
namespace {

CUdeviceptr addressOf(const void *pointer) { return static_cast<CUdeviceptr>(reinterpret_cast<uintptr_t>(pointer)); }

class CudaStream final : public hal::NativeStream {
public:
  explicit CudaStream(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}
  ~CudaStream() override {
    if (!stream_ || !guarded([&] { return context_->enter(); }).ok())
      return;
    (void)context_->api.StreamSynchronize(stream_);
    if (event_)
      (void)context_->api.EventDestroy(event_);
    (void)context_->api.StreamDestroy(stream_);
  }
  Status start() {
    HEDDLE_RETURN_IF_ERROR(context_->enter());
    HEDDLE_CUDA(*context_, StreamCreate, &stream_, kStreamNonBlocking);
    HEDDLE_CUDA(*context_, EventCreate, &event_, kEventDisableTiming);
    return {};
  }

  const char *kind() const override { return "cuda"; }
  std::string hardware() const override { return context_->info.description; } // with its UUID
  Status enter() override { return context_->enter(); }
  void *handle() const override { return stream_; }
  void *pointerOf(const hal::View &view) const override {
    if (view.address()) // of the host, which libraries do not take
      return nullptr;
    return reinterpret_cast<void *>(static_cast<uintptr_t>(context_->find(view).value_or(0)));
  }
  Status copy(void *to, const void *from, uint64_t bytes) override {
    HEDDLE_CUDA(*context_, MemcpyDtoDAsync, addressOf(to), addressOf(from), bytes, stream_);
    return {};
  }
  Status fillZeros(void *to, uint64_t bytes) override {
    HEDDLE_CUDA(*context_, MemsetD8Async, addressOf(to), 0, bytes, stream_);
    return {};
  }
  Status mark() override {
    HEDDLE_CUDA(*context_, EventRecord, event_, stream_);
    return {};
  }
  StatusOr<bool> isDone() override {
    const CUresult result = context_->api.EventQuery(event_);
    if (result == kSuccess || result == kNotReady)
      return result == kSuccess;
    return context_->failure(result, "cuEventQuery");
  }

private:
  std::shared_ptr<CudaContext> context_;
  CUstream stream_ = nullptr;
  CUevent event_ = nullptr;
};

} // namespace

StatusOr<std::unique_ptr<hal::NativeStream>> createCudaStream(std::shared_ptr<CudaContext> context) {
  auto stream = std::make_unique<CudaStream>(std::move(context));
  HEDDLE_RETURN_IF_ERROR(stream->start());
  return std::unique_ptr<hal::NativeStream>(std::move(stream));
}

} // namespace heddle::cuda
