// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/VulkanQueue.h"

#include "runtime/base/Guarded.h"
#include "runtime/drivers/common/Recordings.h"
#include "runtime/drivers/vulkan/Replay.h"
#include "runtime/hal/Device.h"
#include "runtime/hal/HostCommands.h"
#include "runtime/hal/HostMemory.h"

#include "heddle/contract/SpirvAbi.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace heddle::vulkan {
namespace {

namespace spirv = contract::spirv;

MemoryAccess written(const Location &at, uint64_t bytes) { return {at.buffer, at.offset, at.offset + bytes, true}; }

void orderWrite(Batch &batch, const Location &at, uint64_t bytes) {
  MemoryAccess access = written(at, bytes);
  batch.order({&access, 1});
}

class VulkanEngine final : public engines::Engine {
public:
  VulkanEngine(std::shared_ptr<LogicalDevice> device, std::shared_ptr<MemoryPool> pool)
      : device_(std::move(device)), pool_(std::move(pool)), hardware_(device_->nextQueue()), replay_(device_, pool_) {}
  ~VulkanEngine() override;
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
  const void *family() const override { return device_.get(); }
  bool isForeign() const override { return device_->isParents(); }

private:
  static constexpr size_t kMostBatches = 8;

  StatusOr<Batch *> openBatch();
  Status drain();
  VkResult waitIdle();
  Status compareClocks();
  Status record(Batch &batch, const hal::Dispatch &dispatch, const Pipeline &pipeline);
  Status copyOnDevice(const Location &to, const Location &from, uint64_t bytes);
  Status upload(const Location &to, const std::byte *from, uint64_t bytes);
  Status download(std::byte *to, const Location &from, uint64_t bytes);
  Status fillStaged(const Location &to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes);
  StatusOr<Piece> stage(uint64_t bytes);
  void recordCopy(const Batch &batch, VkBuffer to, uint64_t toOffset, VkBuffer from, uint64_t fromOffset,
                  uint64_t bytes);

  std::shared_ptr<LogicalDevice> device_;
  std::shared_ptr<MemoryPool> pool_;
  HardwareQueue &hardware_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;
  std::unique_ptr<Batch> open_;
  std::deque<std::unique_ptr<Batch>> working_; // handed over, the oldest first
  std::vector<std::unique_ptr<Batch>> free_;
  uint64_t submitted_ = 0, delivered_ = 0; // tickets; the last one that writes memory of the host
  engines::Failures failures_;
  std::optional<int64_t> clockOffsetNs_; // the host's clock less the device's
  Bindings bindings_;
  engines::Recordings<Batch> recordings_;
  Replay replay_;
};

Status VulkanEngine::start() {
  const LogicalDevice &d = *device_;
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  info.pNext = &type;
  free_.reserve(kMostBatches + 1);
  HEDDLE_VK(d, CreateSemaphore, d.handle, &info, nullptr, &semaphore_);
  return {};
}

VulkanEngine::~VulkanEngine() {
  if (device_->isParents())
    return;
  if (semaphore_) {
    (void)guarded([&] { return handOver(false); });
    (void)guarded([&] { return awaitTicket(submitted_, UINT64_MAX); });
    retire(submitted_);
    (void)waitIdle(); // a batch is not done with its semaphores when they have their values
  }
  device_->functions.DestroySemaphore(device_->handle, semaphore_, nullptr);
}

StatusOr<Batch *> VulkanEngine::openBatch() {
  if (open_)
    return open_.get();
  if (free_.empty() && working_.size() >= kMostBatches) {
    uint64_t oldest = working_.front()->ticket;
    StatusOr<bool> done = awaitTicket(oldest, UINT64_MAX);
    if (!done.ok())
      return done.takeStatus();
    retire(oldest);
  }
  std::unique_ptr<Batch> batch;
  if (free_.empty()) {
    StatusOr<std::unique_ptr<Batch>> made = Batch::create(device_);
    if (!made.ok())
      return made.takeStatus();
    batch = std::move(*made);
  } else {
    batch = std::move(free_.back());
    free_.pop_back();
  }
  HEDDLE_RETURN_IF_ERROR(batch->begin(/*reusable=*/recordings_.isKeeping()));
  open_ = std::move(batch);
  return open_.get();
}

bool VulkanEngine::replay(const hal::CommandBuffer &commands) {
  if (open_)
    return false;
  open_ = recordings_.take(commands, [&](Batch &batch, const hal::CommandBuffer &patched, auto match) {
    bool done = replay_.patch(batch, patched, match == engines::Recording::Match::Views);
    return done ? engines::Patch::Done : engines::Patch::Refused;
  });
  if (open_)
    open_->rewind();
  return open_ != nullptr;
}

StatusOr<uint64_t> VulkanEngine::handOver(bool complete) {
  if (!complete)
    recordings_.forget();
  if (!open_)
    return submitted_;
  working_.push_back(nullptr); // nothing may fail when the device has it
  std::unique_ptr<Batch> batch = std::move(open_);
  Status status = guarded([&] { return batch->submit(hardware_, semaphore_, submitted_ + 1); });
  if (!status.ok()) {
    recordings_.lose(*batch);
    working_.pop_back();
    return status;
  }
  if (recordings_.isKeeping() && batch->canBeKept())
    recordings_.keep(*batch);
  recordings_.forget();
  working_.back() = std::move(batch);
  return ++submitted_;
}

StatusOr<bool> VulkanEngine::awaitTicket(uint64_t ticket, uint64_t timeoutNs) {
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore_;
  info.pValues = &ticket;
  VkResult result = device_->functions.WaitSemaphores(device_->handle, &info, timeoutNs);
  if (result == VK_TIMEOUT)
    return false;
  if (result < VK_SUCCESS && result != VK_ERROR_DEVICE_LOST)
    result = waitIdle();
  if (result < VK_SUCCESS)
    return device_->failure(result, "vkWaitSemaphores");
  return true;
}

Status VulkanEngine::waitFor(Engine &other, uint64_t ticket) {
  StatusOr<Batch *> batch = openBatch();
  if (!batch.ok())
    return batch.takeStatus();
  (*batch)->waitFor(static_cast<VulkanEngine &>(other).semaphore_, ticket);
  return {};
}

// Until the device is done with all batches, or lost: what they use must not be freed before.
VkResult VulkanEngine::waitIdle() {
  for (;;) {
    {
      std::lock_guard lock(hardware_.mutex);
      VkResult result = device_->functions.QueueWaitIdle(hardware_.handle);
      if (result >= VK_SUCCESS || result == VK_ERROR_DEVICE_LOST)
        return result;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // the host has no memory
  }
}

void VulkanEngine::retire(uint64_t ticket) {
  while (!working_.empty() && working_.front()->ticket <= ticket) {
    Batch &batch = *working_.front();
    batch.finish(clockOffsetNs_.value_or(0));
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
Status VulkanEngine::drain() {
  StatusOr<uint64_t> ticket = handOver(false);
  if (!ticket.ok())
    return ticket.takeStatus();
  if (StatusOr<bool> done = awaitTicket(*ticket, UINT64_MAX); !done.ok())
    return done.takeStatus();
  retire(*ticket);
  return {};
}

// The device's clock has an origin of its own: a batch that does nothing but look at it tells the difference.
Status VulkanEngine::compareClocks() {
  auto now = [] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  HEDDLE_RETURN_IF_ERROR(drain());
  StatusOr<Batch *> batch = openBatch();
  if (!batch.ok())
    return batch.takeStatus();
  uint64_t device = 0;
  if (StatusOr<bool> stamped = (*batch)->stamp(&device); !stamped.ok())
    return stamped.takeStatus();
  int64_t before = now();
  HEDDLE_RETURN_IF_ERROR(drain());
  int64_t after = now();
  clockOffsetNs_ = before + (after - before) / 2 - static_cast<int64_t>(device);
  return {};
}

Status VulkanEngine::stamp(uint64_t *ns) {
  if (!device_->physical.timestampBits) {
    HEDDLE_RETURN_IF_ERROR(drain());
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    *ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    return {};
  }
  if (!clockOffsetNs_)
    HEDDLE_RETURN_IF_ERROR(compareClocks());
  for (;;) {
    StatusOr<Batch *> batch = openBatch();
    if (!batch.ok())
      return batch.takeStatus();
    StatusOr<bool> stamped = (*batch)->stamp(ns);
    if (!stamped.ok())
      return stamped.takeStatus();
    if (*stamped)
      return {};
    if (StatusOr<uint64_t> ticket = handOver(false); !ticket.ok())
      return ticket.takeStatus();
  }
}

Status VulkanEngine::dispatch(const hal::Dispatch &dispatch) {
  if (dispatch.workgroups == spirv::kTooManyElements)
    return hal::refuseElements(spirv::kMaxElements);
  if (dispatch.workgroups < 0 || dispatch.workgroups > hal::kMaxWorkgroups)
    return hal::refuseWorkgroups(dispatch.workgroups);
  if (dispatch.workgroups > spirv::kMaxWorkgroups)
    return Status(StatusCode::Unsupported, "a dispatch on Vulkan has at most " + std::to_string(spirv::kMaxWorkgroups) +
                                               " workgroups, got " + std::to_string(dispatch.workgroups));
  if (dispatch.workgroups == 0)
    return {};
  StatusOr<const Pipeline *> chosen = choosePipeline(dispatch, device_->physical);
  if (!chosen.ok())
    return chosen.takeStatus();
  const Pipeline &pipeline = **chosen;
  uint64_t words = spirv::argumentWords(static_cast<uint32_t>(dispatch.views.size()),
                                        static_cast<uint32_t>(dispatch.constants.size()));
  if (words * 4 > Batch::kArgumentBytes)
    return Status(StatusCode::Unsupported, "a dispatch on Vulkan has at most " + std::to_string(Batch::kArgumentBytes) +
                                               " bytes of arguments, got " + std::to_string(words * 4));
  if (open_ && !open_->fits(pipeline.descriptors, words))
    if (StatusOr<uint64_t> ticket = handOver(false); !ticket.ok())
      return ticket.takeStatus();
  StatusOr<Batch *> batch = openBatch();
  if (!batch.ok())
    return batch.takeStatus();
  HEDDLE_RETURN_IF_ERROR(record(**batch, dispatch, pipeline));
  spirv::Grid grid = spirv::gridOf(dispatch.workgroups, device_->physical.maxGroupsX);
  device_->functions.CmdDispatch((*batch)->commands, grid.x, grid.y, 1);
  return {};
}

Status VulkanEngine::record(Batch &batch, const hal::Dispatch &dispatch, const Pipeline &pipeline) {
  HEDDLE_RETURN_IF_ERROR(bindings_.describe(dispatch, pipeline, *pool_, device_->physical));
  Piece arguments = batch.takeArguments(bindings_.words());
  StatusOr<VkDescriptorSet> set = batch.allocateSet(pipeline.setLayout, pipeline.descriptors);
  if (!set.ok())
    return set.takeStatus();
  batch.launch({arguments, dispatch.label, *set, &pipeline});
  bindings_.writeArguments(arguments);
  bindings_.writeSet(*device_, arguments, *set, pipeline);
  batch.order(bindings_.accesses());
  const DeviceFunctions &f = device_->functions;
  f.CmdBindPipeline(batch.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
  f.CmdBindDescriptorSets(batch.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, spirv::kDescriptorSet, 1,
                          &*set, 0, nullptr);
  return {};
}

Status VulkanEngine::copy(const hal::View &to, const hal::View &from) {
  uint64_t bytes = to.bytes;
  if (!bytes)
    return {};
  std::optional<Location> target = pool_->find(to), source = pool_->find(from);
  if (target && source)
    return copyOnDevice(*target, *source, bytes);
  std::byte *hostTarget = to.address(), *hostSource = from.address();
  if ((!target && !hostTarget) || (!source && !hostSource))
    return Status(StatusCode::InvalidArgument, "a copy on " + device_->physical.info.uri +
                                                   " must be between its memory and the host's, got memory of "
                                                   "another device");
  bool idle = !open_ && working_.empty();
  if (target && (!target->host || !idle))
    return upload(*target, hostSource, bytes);
  if (source && (!source->host || !idle))
    return download(hostTarget, *source, bytes);
  HEDDLE_RETURN_IF_ERROR(drain());
  std::memmove(hostTarget, hostSource, bytes);
  return {};
}

void VulkanEngine::recordCopy(const Batch &batch, VkBuffer to, uint64_t toOffset, VkBuffer from, uint64_t fromOffset,
                              uint64_t bytes) {
  VkBufferCopy region{fromOffset, toOffset, bytes};
  device_->functions.CmdCopyBuffer(batch.commands, from, to, 1, &region);
}

Status VulkanEngine::copyOnDevice(const Location &to, const Location &from, uint64_t bytes) {
  if (to.buffer == from.buffer && to.offset < from.offset + bytes && from.offset < to.offset + bytes) {
    if (to.offset == from.offset)
      return {};
    return Status(StatusCode::InvalidArgument, "source and destination of a copy on " + device_->physical.info.uri +
                                                   " must not overlap, got " + std::to_string(bytes) +
                                                   " bytes at offsets " + std::to_string(from.offset) + " and " +
                                                   std::to_string(to.offset));
  }
  StatusOr<Batch *> batch = openBatch();
  if (!batch.ok())
    return batch.takeStatus();
  MemoryAccess both[] = {written(to, bytes), {from.buffer, from.offset, from.offset + bytes, false}};
  (*batch)->order(both);
  recordCopy(**batch, to.buffer, to.offset, from.buffer, from.offset, bytes);
  return {};
}

// Staging memory in the open batch, of at most Batch::kStagingBytes.
StatusOr<Piece> VulkanEngine::stage(uint64_t bytes) {
  for (;;) {
    StatusOr<Batch *> batch = openBatch();
    if (!batch.ok())
      return batch.takeStatus();
    StatusOr<std::optional<Piece>> piece = (*batch)->takeStaging(bytes);
    if (!piece.ok())
      return piece.takeStatus();
    if (*piece)
      return **piece;
    if (StatusOr<uint64_t> ticket = handOver(false); !ticket.ok())
      return ticket.takeStatus();
  }
}

// Reads the memory at once, so what was to be brought there has to be there.
Status VulkanEngine::upload(const Location &to, const std::byte *from, uint64_t bytes) {
  if (delivered_ > submitted_ || (!working_.empty() && delivered_ >= working_.front()->ticket))
    HEDDLE_RETURN_IF_ERROR(drain());
  for (uint64_t at = 0; at < bytes;) {
    uint64_t part = std::min(bytes - at, Batch::kStagingBytes);
    StatusOr<Piece> piece = stage(part);
    if (!piece.ok())
      return piece.takeStatus();
    std::memcpy(piece->mapped, from + at, part);
    orderWrite(*open_, {to.buffer, to.offset + at}, part);
    recordCopy(*open_, to.buffer, to.offset + at, piece->buffer, piece->offset, part);
    at += part;
  }
  return {};
}

Status VulkanEngine::download(std::byte *to, const Location &from, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes;) {
    uint64_t part = std::min(bytes - at, Batch::kStagingBytes);
    StatusOr<Piece> piece = stage(part);
    if (!piece.ok())
      return piece.takeStatus();
    MemoryAccess read{from.buffer, from.offset + at, from.offset + at + part, false};
    open_->order({&read, 1});
    recordCopy(*open_, piece->buffer, piece->offset, from.buffer, from.offset + at, part);
    open_->deliver(to + at, *piece, part);
    delivered_ = submitted_ + 1;
    at += part;
  }
  return {};
}

Status VulkanEngine::fill(const hal::View &to, uint64_t pattern, uint32_t patternBytes) {
  uint64_t bytes = to.bytes;
  if (bytes % patternBytes)
    return hal::refuseFill(bytes, patternBytes);
  if (!bytes)
    return {};
  std::optional<Location> at = pool_->find(to);
  if (!at && !to.address())
    return Status(StatusCode::InvalidArgument,
                  "a fill on " + device_->physical.info.uri + " must be of its memory, got memory of another device");
  if (!at) {
    HEDDLE_RETURN_IF_ERROR(drain());
    return hal::fillHost(to.address(), bytes, pattern, patternBytes);
  }
  uint64_t repeated = hal::repeatPattern(pattern, patternBytes);
  bool words = at->offset % 4 == 0 && bytes % 4 == 0 && (repeated >> 32) == (repeated & UINT32_MAX);
  if (!words)
    return fillStaged(*at, bytes, pattern, patternBytes);
  StatusOr<Batch *> batch = openBatch();
  if (!batch.ok())
    return batch.takeStatus();
  orderWrite(**batch, *at, bytes);
  device_->functions.CmdFillBuffer((*batch)->commands, at->buffer, at->offset, bytes, static_cast<uint32_t>(repeated));
  return {};
}

// For what vkCmdFillBuffer cannot do: patterns of 8 bytes, and places that are not words.
Status VulkanEngine::fillStaged(const Location &to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) {
  uint64_t unit = std::min<uint64_t>(bytes, 64 << 10);
  StatusOr<Piece> piece = stage(unit);
  if (!piece.ok())
    return piece.takeStatus();
  HEDDLE_RETURN_IF_ERROR(hal::fillHost(piece->mapped, unit, pattern, patternBytes));
  std::vector<VkBufferCopy> regions;
  for (uint64_t at = 0; at < bytes; at += unit)
    regions.push_back({piece->offset, to.offset + at, std::min(unit, bytes - at)});
  orderWrite(*open_, to, bytes);
  device_->functions.CmdCopyBuffer(open_->commands, piece->buffer, to.buffer, static_cast<uint32_t>(regions.size()),
                                   regions.data());
  return {};
}

} // namespace

StatusOr<std::unique_ptr<engines::Engine>> createVulkanEngine(std::shared_ptr<LogicalDevice> device,
                                                              std::shared_ptr<MemoryPool> pool) {
  auto engine = std::make_unique<VulkanEngine>(std::move(device), std::move(pool));
  HEDDLE_RETURN_IF_ERROR(engine->start());
  return std::unique_ptr<engines::Engine>(std::move(engine));
}

} // namespace heddle::vulkan
