// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/HostCommands.h"

#include "runtime/hal/HostMemory.h"

#include <chrono>
#include <cstring>

namespace heddle::hal {
namespace {

// Memory that the host is not told of.
class DiscreteBuffer final : public Buffer {
public:
  DiscreteBuffer(uint64_t bytes, BufferRef backing, const MemoryPool *owner)
      : Buffer(nullptr, bytes, owner), backing_(std::move(backing)) {}
  std::byte *memory() const { return backing_->address(); }

private:
  BufferRef backing_;
};

Status refuse(const std::string &what) {
  return Status(StatusCode::InvalidArgument, what + " is not in the memory of the device");
}

} // namespace

StatusOr<BufferRef> allocateDiscrete(MemoryPool &pool, uint64_t bytes) {
  StatusOr<BufferRef> backing = pool.allocate(bytes);
  if (!backing.ok())
    return backing;
  BufferRef buffer(new (std::nothrow) DiscreteBuffer(bytes, std::move(*backing), &pool));
  return buffer ? StatusOr<BufferRef>(std::move(buffer)) : Status::outOfMemory();
}

// Null for what is neither the device's nor the host's.
std::byte *HostCommands::find(const View &view) const {
  if (discrete_ && view.isIn(discrete_))
    return static_cast<const DiscreteBuffer *>(view.buffer)->memory() + view.offset;
  return view.address();
}

StatusOr<std::span<void *const>> HostCommands::translate(const Dispatch &dispatch) {
  bindings_.clear();
  for (const BoundView &bound : dispatch.views) {
    if (!bound.view.isIn(discrete_))
      return refuse("a binding");
    bindings_.push_back(find(bound.view));
  }
  return std::span<void *const>(bindings_);
}

Status HostCommands::copy(const View &to, const View &from) {
  if (!to.bytes)
    return {};
  std::byte *target = find(to), *source = find(from);
  if (!target || !source)
    return refuse("what is copied");
  std::memmove(target, source, to.bytes);
  return {};
}

Status HostCommands::fill(const View &to, uint64_t pattern, uint32_t patternBytes) {
  std::byte *target = find(to);
  if (to.bytes && (!target || (discrete_ && !to.isIn(discrete_))))
    return refuse("what is filled");
  return fillHost(target, to.bytes, pattern, patternBytes);
}

Status HostCommands::stamp(uint64_t *ns) {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  *ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return {};
}

Status refuseWorkgroups(int64_t workgroups) {
  return Status(StatusCode::InvalidArgument, "a dispatch has 0 to " + std::to_string(kMaxWorkgroups) +
                                                 " workgroups, got " + std::to_string(workgroups));
}

Status refuseElements(int64_t most) {
  return Status(StatusCode::InvalidArgument,
                "a tensor of the dispatch has more than the " + std::to_string(most) +
                    " elements that a kernel counts; use smaller inputs, or place this part "
                    "of the model on another device");
}

} // namespace heddle::hal
