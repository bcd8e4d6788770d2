// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/cuda/CudaQueue.h"

#include "heddle/contract/PtxAbi.h"
#include "runtime/base/Guarded.h"
#include "runtime/drivers/common/Recordings.h"
#include "runtime/drivers/cuda/CudaBatch.h"
#include "runtime/hal/Device.h"
#include "runtime/hal/HostCommands.h"
#include "runtime/hal/HostMemory.h"
#include "runtime/hal/KernelStatus.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

namespace heddle::cuda {
namespace {

namespace ptx = contract::ptx;
namespace spirv = contract::spirv; // how a grid is refused

class CudaEngine final : public engines::Engine {
public:
  explicit CudaEngine(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}
  ~CudaEngine() override;
  Status start();

  Status dispatch(const hal::Dispatch &dispatch) override;
  Status copy(const hal::View &to, const hal::View &from) override;
  Status fill(const hal::View &to, uint64_t pattern, uint32_t patternBytes) override;
  Status stamp(uint64_t *ns) override;
  Status waitFor(Engine &other, uint64_t ticket) override;
  bool replay(const hal::CommandBuffer &commands) override;
  StatusOr<uint64_t> handOver(bool complete) override;
  StatusOr<bool> awaitTicket(uint64_t ticket, uint64_t timeoutNs) override;
  void retire(uint64_t ticket) override;
  Status takeFailure(uint64_t ticket) override { return failures_.take(ticket); }
  const void *family() const override { return context_.get(); }

private:
  static constexpr size_t kMostBatches = 8;

  StatusOr<Batch *> openBatch();
  // Pinned memory of the open batch, 16-byte aligned, at most Batch's size; hands over the batch when it is full.
  StatusOr<std::byte *> take(PinnedChunk Batch::*chunk, uint64_t size, uint64_t bytes);
  // Fills parameters_ but for the status word, which is last.
  Status describe(const hal::Dispatch &dispatch);
  // Has `use` take the launch.
  template <typename Use> Status withLaunch(const hal::Dispatch &dispatch, Use &&use);
  Status patch(Batch &batch, const hal::CommandBuffer &commands);
  Status set(CUdeviceptr to, unsigned value, uint32_t width, uint64_t count);
  Status drain();
  // The event of the ticket's batch, or of the first one behind; null: it was retired.
  CUevent eventOf(uint64_t ticket) const;
  Status upload(CUdeviceptr to, const std::byte *from, uint64_t bytes);
  Status download(std::byte *to, CUdeviceptr from, uint64_t bytes);
  Status fillStaged(CUdeviceptr to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes);
  void destroy(Batch &batch);

  std::shared_ptr<CudaContext> context_;
  CUstream stream_ = nullptr;
  std::vector<uint64_t> parameters_; // of the dispatch at hand (PtxAbi.h)
  std::unique_ptr<Batch> open_;
  mutable std::mutex mutex_;                   // of working_, which other threads look into
  std::deque<std::unique_ptr<Batch>> working_; // the oldest first
  std::vector<std::unique_ptr<Batch>> free_;
  uint64_t submitted_ = 0, delivered_ = 0; // tickets; the last one that writes memory of the host
  engines::Failures failures_;
  engines::Recordings<Batch> recordings_;
};

Status CudaEngine::start() {
  HEDDLE_RETURN_IF_ERROR(context_->enter());
  free_.reserve(kMostBatches + 1);
  HEDDLE_CUDA(*context_, StreamCreate, &stream_, kStreamNonBlocking);
  return {};
}

CudaEngine::~CudaEngine() {
  if (!guarded([&] { return context_->enter(); }).ok())
    return;
  if (stream_) {
    (void)guarded([&] { return handOver(false); });
    (void)guarded([&] { return awaitTicket(submitted_, UINT64_MAX); });
    retire(submitted_);
    (void)context_->api.StreamDestroy(stream_);
  }
  for (auto &batch : working_)
    destroy(*batch);
  for (auto &batch : free_)
    destroy(*batch);
  if (open_)
    destroy(*open_);
  recordings_.forEach([&](Batch &batch) { destroy(batch); });
}

void CudaEngine::destroy(Batch &batch) {
  if (batch.event)
    (void)context_->api.EventDestroy(batch.event);
  for (PinnedChunk *chunk : {&batch.statuses, &batch.staging})
    if (chunk->host)
      (void)context_->api.MemFreeHost(chunk->host);
}

StatusOr<Batch *> CudaEngine::openBatch() {
  if (open_)
    return open_.get();
  if (free_.empty() && working_.size() >= kMostBatches) {
    uint64_t oldest = working_.front()->ticket;
    if (StatusOr<bool> done = awaitTicket(oldest, UINT64_MAX); !done.ok())
      return done.takeStatus();
    retire(oldest);
  }
  std::unique_ptr<CudaGraph> graph;
  if (recordings_.isKeeping()) {
    StatusOr<std::unique_ptr<CudaGraph>> made = CudaGraph::create(context_);
    if (!made.ok())
      return made.takeStatus();
    graph = std::move(*made);
  }
  if (free_.empty()) {
    auto batch = std::make_unique<Batch>();
    HEDDLE_CUDA(*context_, EventCreate, &batch->event, kEventDisableTiming);
    open_ = std::move(batch);
  } else {
    open_ = std::move(free_.back());
    free_.pop_back();
  }
  open_->graph = std::move(graph);
  open_->issued = false;
  open_->recording = 0;
  open_->statuses.used = open_->staging.used = 0;
  open_->launched.clear();
  open_->deliveries.clear();
  return open_.get();
}

StatusOr<std::byte *> CudaEngine::take(PinnedChunk Batch::*member, uint64_t size, uint64_t bytes) {
  if (open_ && (open_.get()->*member).used + bytes > size)
    if (StatusOr<uint64_t> ticket = handOver(false); !ticket.ok())
      return ticket.takeStatus();
  StatusOr<Batch *> batch = openBatch();
  if (!batch.ok())
    return batch.takeStatus();
  PinnedChunk &chunk = (*batch)->*member;
  if (!chunk.host) {
    void *host = nullptr;
    HEDDLE_CUDA(*context_, MemHostAlloc, &host, size, kHostAllocPortableMapped);
    if (CUresult result = context_->api.MemHostGetDevicePointer(&chunk.device, host, 0); result != kSuccess) {
      (void)context_->api.MemFreeHost(host);
      return context_->failure(result, "cuMemHostGetDevicePointer");
    }
    chunk.host = static_cast<std::byte *>(host);
    chunk.bytes = size;
  }
  std::byte *out = chunk.host + chunk.used;
  chunk.used = std::min(size, (chunk.used + bytes + 15) / 16 * 16);
  return out;
}

// Kernels and sets of memory, which graphs are made of.
bool canBeGraph(const hal::CommandBuffer &commands) {
  using Kind = hal::CommandBuffer::Kind;
  for (auto *at = commands.begin(); at; at = commands.next(at)) {
    auto [pattern, width] = hal::CommandBuffer::patternOf(*at);
    bool isSet = at->kind == Kind::Fill && width <= 4 && hal::CommandBuffer::endsOf(*at).first.offset % width == 0;
    if (at->kind != Kind::Dispatch && !isSet)
      return false;
  }
  return true;
}

bool CudaEngine::replay(const hal::CommandBuffer &commands) {
  if (open_ || !canBeGraph(commands) || !context_->enter().ok())
    return false;
  open_ = recordings_.take(commands, [&](Batch &batch, const hal::CommandBuffer &patched, auto) {
    return patch(batch, patched).ok() ? engines::Patch::Done : engines::Patch::Spoiled;
  });
  if (!open_)
    return false;
  open_->issued = false;
  for (const Batch::Launched &launched : open_->launched)
    std::memset(const_cast<std::byte *>(launched.status), 0, sizeof(int32_t));
  return true;
}

Status CudaEngine::patch(Batch &batch, const hal::CommandBuffer &commands) {
  size_t index = 0;
  for (auto *at = commands.begin(); at; at = commands.next(at)) {
    if (at->kind != hal::CommandBuffer::Kind::Dispatch || hal::CommandBuffer::dispatchOf(*at).workgroups == 0)
      continue;
    hal::Dispatch dispatch = hal::CommandBuffer::dispatchOf(*at);
    const std::byte *status = batch.launched[index].status;
    HEDDLE_RETURN_IF_ERROR(describe(dispatch));
    parameters_.push_back(batch.statuses.device + static_cast<uint64_t>(status - batch.statuses.host));
    HEDDLE_RETURN_IF_ERROR(
        withLaunch(dispatch, [&](const KernelNodeParams &node) { return batch.graph->change(index, node); }));
    ++index;
  }
  return {};
}

StatusOr<uint64_t> CudaEngine::handOver(bool complete) {
  if (!complete)
    recordings_.forget();
  if (!open_)
    return submitted_;
  HEDDLE_RETURN_IF_ERROR(context_->enter());
  if (open_->graph && !open_->issued) {
    HEDDLE_RETURN_IF_ERROR(open_->graph->launch(stream_));
    open_->issued = true;
  }
  HEDDLE_CUDA(*context_, EventRecord, open_->event, stream_);
  open_->ticket = submitted_ + 1;
  if (recordings_.isKeeping() && open_->graph)
    recordings_.keep(*open_);
  recordings_.forget();
  std::lock_guard lock(mutex_);
  working_.push_back(std::move(open_)); // what fails here stays open
  ++submitted_;
  return submitted_;
}

CUevent CudaEngine::eventOf(uint64_t ticket) const {
  std::lock_guard lock(mutex_);
  for (const std::unique_ptr<Batch> &batch : working_)
    if (batch->ticket >= ticket)
      return batch->event;
  return nullptr;
}

Status CudaEngine::waitFor(Engine &other, uint64_t ticket) {
  CUevent event = static_cast<CudaEngine &>(other).eventOf(ticket);
  if (!event)
    return {};
  HEDDLE_RETURN_IF_ERROR(context_->enter());
  HEDDLE_CUDA(*context_, StreamWaitEvent, stream_, event, 0);
  if (StatusOr<Batch *> batch = openBatch(); !batch.ok()) // so that a ticket stands for the wait
    return batch.takeStatus();
  return {};
}

// CUDA has no wait with a time limit: the event is looked at now and then. Tickets before are done when this one is.
StatusOr<bool> CudaEngine::awaitTicket(uint64_t ticket, uint64_t timeoutNs) {
  CUevent event = eventOf(ticket);
  if (!event)
    return true;
  HEDDLE_RETURN_IF_ERROR(context_->enter());
  if (timeoutNs == UINT64_MAX) {
    HEDDLE_CUDA(*context_, EventSynchronize, event);
    return true;
  }
  constexpr auto pause = std::chrono::microseconds(20);
  auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeoutNs);
  for (;;) {
    CUresult result = context_->api.EventQuery(event);
    if (result == kSuccess)
      return true;
    if (result != kNotReady)
      return context_->failure(result, "cuEventQuery");
    if (std::chrono::steady_clock::now() >= end)
      return false;
    std::this_thread::sleep_for(pause);
  }
}

void CudaEngine::retire(uint64_t ticket) {
  std::lock_guard lock(mutex_);
  while (!working_.empty() && working_.front()->ticket <= ticket) {
    Batch &batch = *working_.front();
    for (const Batch::Delivery &delivery : batch.deliveries)
      std::memcpy(delivery.to, delivery.from, delivery.bytes);
    Status kept = guarded([&] {
      failures_.add(batch.ticket, batch.kernelFailure());
      return Status();
    });
    (void)kept; // there is no memory to say what failed: the call that has none fails anyway
    recordings_.giveBack(working_.front());
    if (working_.front())
      free_.push_back(std::move(working_.front()));
    working_.pop_front();
  }
}

// All that was recorded is done, and what it brings to the host is there.
Status CudaEngine::drain() {
  StatusOr<uint64_t> ticket = handOver(false);
  if (!ticket.ok())
    return ticket.takeStatus();
  if (StatusOr<bool> done = awaitTicket(*ticket, UINT64_MAX); !done.ok())
    return done.takeStatus();
  retire(*ticket);
  return {};
}

Status CudaEngine::stamp(uint64_t *ns) {
  HEDDLE_RETURN_IF_ERROR(drain());
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  *ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return {};
}

Status CudaEngine::dispatch(const hal::Dispatch &dispatch) {
  if (dispatch.workgroups == spirv::kTooManyElements)
    return hal::refuseElements(spirv::kMaxElements);
  if (dispatch.workgroups < 0 || dispatch.workgroups > hal::kMaxWorkgroups)
    return hal::refuseWorkgroups(dispatch.workgroups);
  size_t n = dispatch.views.size(), constants = dispatch.constants.size();
  if (dispatch.workgroups > spirv::kMaxWorkgroups || n + constants > ptx::kMostParameters)
    return Status(StatusCode::Unsupported, "a dispatch on CUDA has at most " + std::to_string(spirv::kMaxWorkgroups) +
                                               " workgroups and " + std::to_string(ptx::kMostParameters) +
                                               " tensors and sizes, got " + std::to_string(dispatch.workgroups) +
                                               " and " + std::to_string(n + constants));
  if (dispatch.workgroups == 0)
    return {};
  HEDDLE_RETURN_IF_ERROR(describe(dispatch));
  HEDDLE_RETURN_IF_ERROR(context_->enter());
  StatusOr<std::byte *> status = take(&Batch::statuses, Batch::kStatusBytes, sizeof(int32_t));
  if (!status.ok())
    return status.takeStatus();
  std::memset(*status, 0, sizeof(int32_t));
  parameters_.push_back(open_->statuses.device + static_cast<uint64_t>(*status - open_->statuses.host));
  HEDDLE_RETURN_IF_ERROR(withLaunch(dispatch, [&](const KernelNodeParams &node) -> Status {
    if (open_->graph)
      return open_->graph->add(node);
    HEDDLE_CUDA(*context_, LaunchKernel, node.function, node.gridX, 1, 1, node.blockX, node.blockY, node.blockZ,
                node.sharedBytes, stream_, nullptr, node.extra);
    return {};
  }));
  open_->launched.push_back({*status, dispatch.label});
  return {};
}

Status CudaEngine::describe(const hal::Dispatch &dispatch) {
  parameters_.clear();
  for (size_t i = 0; i < dispatch.views.size(); ++i) {
    std::optional<CUdeviceptr> at = context_->find(dispatch.views[i].view);
    if (!at)
      return Status(StatusCode::InvalidArgument, "binding " + std::to_string(i) + " of a dispatch must be memory of " +
                                                     context_->info.uri + ", got memory of another device");
    parameters_.push_back(*at);
  }
  parameters_.insert(parameters_.end(), dispatch.constants.begin(), dispatch.constants.end());
  return {};
}

template <typename Use> Status CudaEngine::withLaunch(const hal::Dispatch &dispatch, Use &&use) {
  const auto &kernel = *static_cast<const CudaKernel *>(dispatch.kernel->native);
  size_t bytes = parameters_.size() * sizeof(parameters_[0]);
  void *extra[] = {reinterpret_cast<void *>(kLaunchParameters), parameters_.data(),
                   reinterpret_cast<void *>(kLaunchParameterBytes), &bytes, reinterpret_cast<void *>(kLaunchEnd)};
  const uint32_t *block = kernel.launch.block;
  return use(KernelNodeParams{kernel.function, static_cast<uint32_t>(dispatch.workgroups), 1, 1, block[0], block[1],
                              block[2], kernel.launch.sharedBytes, nullptr, extra});
}

Status CudaEngine::copy(const hal::View &to, const hal::View &from) {
  uint64_t bytes = to.bytes;
  if (!bytes)
    return {};
  HEDDLE_RETURN_IF_ERROR(context_->enter());
  std::optional<CUdeviceptr> target = context_->find(to), source = context_->find(from);
  std::byte *hostTarget = to.address(), *hostSource = from.address();
  if ((!target && !hostTarget) || (!source && !hostSource))
    return Status(StatusCode::InvalidArgument, "a copy on " + context_->info.uri +
                                                   " must be between its memory and the host's, got memory of "
                                                   "another device");
  if (target && source) {
    if (*target == *source)
      return {};
    if (*target < *source + bytes && *source < *target + bytes)
      return Status(StatusCode::InvalidArgument,
                    "source and destination of a copy on " + context_->info.uri + " must not overlap, got " +
                        std::to_string(bytes) + " bytes " +
                        std::to_string(*target > *source ? *target - *source : *source - *target) + " bytes apart");
    if (StatusOr<Batch *> batch = openBatch(); !batch.ok())
      return batch.takeStatus();
    if (hostSource && !hostTarget) { // imported: memory that is pinned
      HEDDLE_CUDA(*context_, MemcpyHtoDAsync, *target, hostSource, bytes, stream_);
    } else if (hostTarget && !hostSource) {
      HEDDLE_CUDA(*context_, MemcpyDtoHAsync, hostTarget, *source, bytes, stream_);
    } else {
      HEDDLE_CUDA(*context_, MemcpyDtoDAsync, *target, *source, bytes, stream_);
    }
    return {};
  }
  if (target)
    return upload(*target, hostSource, bytes);
  if (source)
    return download(hostTarget, *source, bytes);
  HEDDLE_RETURN_IF_ERROR(drain());
  std::memmove(hostTarget, hostSource, bytes);
  return {};
}

// Reads the memory at once, so what was to be brought there has to be there.
Status CudaEngine::upload(CUdeviceptr to, const std::byte *from, uint64_t bytes) {
  if (delivered_ > submitted_ || (!working_.empty() && delivered_ >= working_.front()->ticket))
    HEDDLE_RETURN_IF_ERROR(drain());
  for (uint64_t at = 0; at < bytes;) {
    uint64_t part = std::min(bytes - at, Batch::kStagingBytes);
    StatusOr<std::byte *> staging = take(&Batch::staging, Batch::kStagingBytes, part);
    if (!staging.ok())
      return staging.takeStatus();
    std::memcpy(*staging, from + at, part);
    HEDDLE_CUDA(*context_, MemcpyHtoDAsync, to + at, *staging, part, stream_);
    at += part;
  }
  return {};
}

Status CudaEngine::download(std::byte *to, CUdeviceptr from, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes;) {
    uint64_t part = std::min(bytes - at, Batch::kStagingBytes);
    StatusOr<std::byte *> staging = take(&Batch::staging, Batch::kStagingBytes, part);
    if (!staging.ok())
      return staging.takeStatus();
    HEDDLE_CUDA(*context_, MemcpyDtoHAsync, *staging, from + at, part, stream_);
    open_->deliveries.push_back({to + at, *staging, part});
    delivered_ = submitted_ + 1;
    at += part;
  }
  return {};
}

Status CudaEngine::fill(const hal::View &to, uint64_t pattern, uint32_t patternBytes) {
  uint64_t bytes = to.bytes;
  if (bytes % patternBytes)
    return hal::refuseFill(bytes, patternBytes);
  if (!bytes)
    return {};
  HEDDLE_RETURN_IF_ERROR(context_->enter());
  std::optional<CUdeviceptr> at = context_->find(to);
  if (!at && !to.address())
    return Status(StatusCode::InvalidArgument,
                  "a fill on " + context_->info.uri + " must be of its memory, got memory of another device");
  if (!at) {
    HEDDLE_RETURN_IF_ERROR(drain());
    return hal::fillHost(to.address(), bytes, pattern, patternBytes);
  }
  if (StatusOr<Batch *> batch = openBatch(); !batch.ok())
    return batch.takeStatus();
  // The shortest period that gives the same bytes.
  uint64_t value = hal::repeatPattern(pattern, patternBytes);
  uint32_t period = 8;
  while (period > 1 && hal::repeatPattern(value, period / 2) == value)
    period /= 2;
  if (period == 8 || *at % period)
    return fillStaged(*at, bytes, pattern, patternBytes);
  return set(*at, static_cast<unsigned>(hal::repeatPattern(pattern, patternBytes) & (UINT64_MAX >> (64 - 8 * period))),
             period, bytes / period);
}

// `width` bytes in each of the elements.
Status CudaEngine::set(CUdeviceptr to, unsigned value, uint32_t width, uint64_t count) {
  if (open_->graph)
    return open_->graph->add(MemsetNodeParams{to, 0, value, width, count, 1});
  if (width == 1) {
    HEDDLE_CUDA(*context_, MemsetD8Async, to, static_cast<unsigned char>(value), count, stream_);
  } else if (width == 2) {
    HEDDLE_CUDA(*context_, MemsetD16Async, to, static_cast<unsigned short>(value), count, stream_);
  } else {
    HEDDLE_CUDA(*context_, MemsetD32Async, to, value, count, stream_);
  }
  return {};
}

// For patterns of 8 bytes and addresses that memset does not take: the beginning is copied, then doubled.
Status CudaEngine::fillStaged(CUdeviceptr to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) {
  uint64_t filled = std::min<uint64_t>(bytes, 64 << 10);
  StatusOr<std::byte *> staging = take(&Batch::staging, Batch::kStagingBytes, filled);
  if (!staging.ok())
    return staging.takeStatus();
  HEDDLE_RETURN_IF_ERROR(hal::fillHost(*staging, filled, pattern, patternBytes));
  HEDDLE_CUDA(*context_, MemcpyHtoDAsync, to, *staging, filled, stream_);
  while (filled < bytes) {
    uint64_t next = std::min(filled, bytes - filled);
    HEDDLE_CUDA(*context_, MemcpyDtoDAsync, to + filled, to, next, stream_);
    filled += next;
  }
  return {};
}

} // namespace

StatusOr<std::unique_ptr<engines::Engine>> createCudaEngine(std::shared_ptr<CudaContext> context) {
  auto engine = std::make_unique<CudaEngine>(std::move(context));
  HEDDLE_RETURN_IF_ERROR(engine->start());
  return std::unique_ptr<engines::Engine>(std::move(engine));
}

} // namespace heddle::cuda
