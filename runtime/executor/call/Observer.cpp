// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Observer.h"

#include "runtime/executor/call/Clock.h"
#include "runtime/executor/call/Communicator.h"
#include "runtime/executor/load/Ranks.h"
#include "runtime/hal/Meeting.h"

namespace heddle {

using contract::Opcode;

class Observer::Measured final : public hal::Commands {
public:
  Measured(Observer &observer, hal::Commands &inner, uint32_t device, uint32_t index)
      : observer_(observer), inner_(inner), device_(static_cast<int32_t>(device)), index_(index) {}

  Status dispatch(const hal::Dispatch &dispatch) override {
    TraceKind kind = device_ == TraceSlice::kHost ? TraceKind::Collective : TraceKind::Dispatch;
    if (hal::Meeting::isIn(dispatch))
      return measureMeeting(dispatch);
    return measure(kind, [&] { return inner_.dispatch(dispatch); });
  }
  Status copy(const hal::View &to, const hal::View &from) override {
    return measure(TraceKind::Copy, [&] { return inner_.copy(to, from); }, to.bytes);
  }
  Status fill(const hal::View &to, uint64_t pattern, uint32_t patternBytes) override {
    return measure(TraceKind::Fill, [&] { return inner_.fill(to, pattern, patternBytes); }, to.bytes);
  }
  Status stamp(uint64_t *ns) override { return inner_.stamp(ns); }

private:
  template <typename Operation> Status measure(TraceKind kind, Operation &&operation, uint64_t bytes = 0) {
    TraceSlice &slice = observer_.add(kind, device_, index_);
    if (bytes)
      slice.bytes = bytes;
    HEDDLE_RETURN_IF_ERROR(inner_.stamp(&slice.beginNs));
    Status status = operation();
    HEDDLE_RETURN_IF_ERROR(inner_.stamp(&slice.endNs));
    return status;
  }

  // Several are in flight, so what does it takes the times.
  Status measureMeeting(const hal::Dispatch &dispatch) {
    TraceSlice &slice = observer_.add(TraceKind::Collective, device_, index_);
    std::vector<int64_t> constants(dispatch.constants.begin(), dispatch.constants.end());
    constants[hal::Meeting::kBegin] = hal::Meeting::addressOf(&slice.beginNs);
    constants[hal::Meeting::kEnd] = hal::Meeting::addressOf(&slice.endNs);
    hal::Dispatch timed = dispatch;
    timed.constants = constants;
    return inner_.dispatch(timed);
  }

  Observer &observer_;
  hal::Commands &inner_;
  int32_t device_;
  uint32_t index_;
};

std::unique_ptr<hal::Commands> Observer::observed(hal::Commands &stream, uint32_t device, uint32_t index) {
  return std::make_unique<Measured>(*this, stream, device, index);
}

StatusOr<uint64_t> Observer::record(hal::Commands &stream, uint32_t device, uint32_t index) {
  TraceSlice &slice = add(TraceKind::Record, static_cast<int32_t>(device), index);
  slice.event = ++events_;
  HEDDLE_RETURN_IF_ERROR(stream.stamp(&slice.beginNs));
  return events_;
}

TraceSlice &Observer::add(TraceKind kind, int32_t device, uint32_t stream) {
  TraceSlice &slice = slices_.emplace_back(current_);
  slice.kind = kind;
  slice.device = device;
  slice.stream = stream;
  if (kind != TraceKind::Copy)
    slice.fromDevice = slice.toDevice = TraceSlice::kHost;
  if (kind != TraceKind::Collective)
    slice.groupSize = slice.groupFirst = 0, slice.sequence = 0;
  return slice;
}

void Observer::start() {
  slices_.clear();
  events_ = 0;
  sequences_.assign(ranks_ ? ranks_->channels() : 0, 0);
  current_ = {};
  hostBeginNs_ = 0;
}

void Observer::finish() {
  for (TraceSlice &slice : slices_) {
    if (slice.kind == TraceKind::Record)
      slice.endNs = slice.beginNs;
    sink_(slice);
  }
  slices_.clear();
}

void Observer::label(const char *name, uint64_t bytes, int32_t fromDevice, int32_t toDevice) {
  current_ = {};
  current_.name = name;
  current_.bytes = bytes;
  current_.fromDevice = fromDevice;
  current_.toDevice = toDevice;
}

void Observer::describeDispatch(const DispatchOp &op) {
  const fb::Export &exported = *module_.executables()->Get(op.executable)->exports()->Get(op.exported);
  current_.name = exported.name() ? exported.name()->c_str() : "?";
  const auto *locations = module_.locations();
  if (!*current_.source && locations && exported.location() < locations->size())
    if (const auto *name = locations->Get(exported.location())->name())
      current_.source = name->c_str();
  for (uint32_t i = 0; i < op.bindings; ++i)
    current_.bytes += static_cast<uint64_t>(frame_.buffers[op.bindingRegisters()[i] & kRegisterMask].bytes);
}

// Memory of the caller is the host's.
static int32_t ownerOf(const BufferRegister &buffer) {
  uint32_t slot = buffer.flags & kSlotMask;
  return slot ? static_cast<int32_t>(slot - 1) : TraceSlice::kHost;
}

void Observer::describeCopy(const CopyOp &op) {
  current_.fromDevice = ownerOf(frame_.buffers[op.from]);
  current_.toDevice = ownerOf(frame_.buffers[op.to]);
}

void Observer::describeCollective(const CollectiveOp &op, std::span<const contract::Cut> cuts) {
  const BoundCollective &bound = ranks_->collective(op.collective);
  collectives::Request request = bound.request;
  request.count = static_cast<uint64_t>(std::max<int64_t>(frame_.scalars[op.count], 0));
  current_.name = bound.title.c_str();
  uint32_t location = module_.collectives()->Get(op.collective)->location();
  if (const auto *locations = module_.locations(); locations && location < locations->size())
    if (const auto *name = locations->Get(location)->name())
      current_.source = name->c_str();
  request.cuts = cuts.empty() ? nullptr : cuts.data();
  if (bound.group && collectives::checkSizes(request, bound.members).ok())
    current_.bytes = collectives::sourceBytes(request, bound.group->rank(), bound.members) +
                     collectives::targetBytes(request, bound.group->rank(), bound.members);
  current_.groupSize = bound.members;
  current_.groupFirst = bound.firstRank;
  current_.sequence = sequences_[bound.channel]++;
}

// Scalars and views are too short to show and far too many.
static bool isShown(Opcode opcode) {
  switch (opcode) {
  case Opcode::Dispatch:
  case Opcode::DispatchVariant:
  case Opcode::Copy:
  case Opcode::Fill:
  case Opcode::Read:
  case Opcode::Wait:
  case Opcode::Await:
  case Opcode::Plan:
  case Opcode::Slab:
  case Opcode::Alloc:
  case Opcode::Collective:
  case Opcode::CollectiveCut:
  case Opcode::Result: return true;
  default: return false;
  }
}

void Observer::begin(const Head &head) {
  Opcode opcode = static_cast<Opcode>(head.opcode);
  current_ = {};
  current_.name = contract::info(opcode).mnemonic;
  if (!isShown(opcode))
    return;
  const fb::Location *location = function_.locationOf(module_, head);
  if (location && location->name())
    current_.source = location->name()->c_str();
  if (opcode == Opcode::Dispatch)
    describeDispatch(reinterpret_cast<const DispatchOp &>(head));
  if (opcode == Opcode::Copy)
    describeCopy(reinterpret_cast<const CopyOp &>(head));
  if (opcode == Opcode::Collective)
    describeCollective(reinterpret_cast<const CollectiveOp &>(head), {});
  if (opcode == Opcode::CollectiveCut)
    describeCollective(reinterpret_cast<const CollectiveOp &>(head),
                       Cuts(reinterpret_cast<const CollectiveCutOp &>(head), frame_.scalars).all());
  hostBeginNs_ = nowNs();
}

void Observer::end(const Head &head) {
  Opcode opcode = static_cast<Opcode>(head.opcode);
  if (!isShown(opcode))
    return;
  TraceSlice &slice = add(TraceKind::Host, TraceSlice::kHost, 0);
  slice.beginNs = hostBeginNs_;
  slice.endNs = nowNs();
  slice.name = contract::info(opcode).mnemonic;
}

} // namespace heddle
