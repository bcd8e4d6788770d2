// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Observer.h"

#include "runtime/executor/call/Wait.h"

namespace heddle {

using contract::Opcode;

// Does what the inner stream does, with a time before and after each operation.
class Observer::Stream final : public hal::Stream {
public:
  Stream(Observer &observer, uint32_t device, uint32_t index, bool queued)
      : observer_(observer), device_(static_cast<int32_t>(device)), index_(index), queued_(queued) {}

  Status dispatch(const hal::Dispatch &dispatch) override {
    return measure(TraceKind::Dispatch, [&] { return inner_->dispatch(dispatch); });
  }
  Status copy(void *to, const void *from, uint64_t bytes) override {
    return measure(TraceKind::Copy, [&] { return inner_->copy(to, from, bytes); }, bytes);
  }
  Status fill(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) override {
    return measure(TraceKind::Fill, [&] { return inner_->fill(to, bytes, pattern, patternBytes); }, bytes);
  }
  Status record(std::shared_ptr<hal::Event> event) override {
    TraceSlice &slice = observer_.add(TraceKind::Record, device_, index_);
    slice.event = observer_.recorded_[event.get()] = ++observer_.events_;
    HEDDLE_RETURN_IF_ERROR(inner_->stamp(&slice.beginNs));
    return inner_->record(std::move(event));
  }
  Status wait(std::shared_ptr<hal::Event> event) override {
    auto recorded = observer_.recorded_.find(event.get());
    uint64_t number = recorded == observer_.recorded_.end() ? 0 : recorded->second;
    auto wait = [&] {
      if (!queued_) // the program waits: it may be stopped
        HEDDLE_RETURN_IF_ERROR(waitFor(*event, observer_.clock_));
      return inner_->wait(std::move(event));
    };
    return measure(TraceKind::Wait, wait, 0, number);
  }
  Status execute(std::function<void()> function) override { return inner_->execute(std::move(function)); }
  Status synchronize() override { return inner_->synchronize(); }
  void abandon() override { inner_->abandon(); }
  Status stamp(uint64_t *ns) override { return inner_->stamp(ns); }

  void setInner(std::unique_ptr<hal::Stream> stream) { inner_ = std::move(stream); }
  std::unique_ptr<hal::Stream> takeInner() { return std::move(inner_); }

private:
  template <typename Operation>
  Status measure(TraceKind kind, Operation &&operation, uint64_t bytes = 0, uint64_t event = 0) {
    TraceSlice &slice = observer_.add(kind, device_, index_);
    if (bytes)
      slice.bytes = bytes;
    slice.event = event;
    HEDDLE_RETURN_IF_ERROR(inner_->stamp(&slice.beginNs));
    Status status = operation();
    HEDDLE_RETURN_IF_ERROR(inner_->stamp(&slice.endNs));
    return status;
  }

  std::unique_ptr<hal::Stream> inner_;
  Observer &observer_;
  int32_t device_;
  uint32_t index_;
  bool queued_;
};

std::unique_ptr<hal::Stream> Observer::wrapper(uint32_t device, uint32_t index, bool queued) {
  auto traced = std::make_unique<Stream>(*this, device, index, queued);
  streams_.push_back(traced.get());
  return traced;
}

std::unique_ptr<hal::Stream> Observer::wrap(std::unique_ptr<hal::Stream> wrapper, std::unique_ptr<hal::Stream> stream) {
  static_cast<Stream &>(*wrapper).setInner(std::move(stream));
  return wrapper;
}

std::unique_ptr<hal::Stream> Observer::unwrap(std::unique_ptr<hal::Stream> stream) {
  return static_cast<Stream &>(*stream).takeInner();
}

TraceSlice &Observer::add(TraceKind kind, int32_t device, uint32_t stream) {
  TraceSlice &slice = slices_.emplace_back(current_);
  slice.kind = kind;
  slice.device = device;
  slice.stream = stream;
  if (kind != TraceKind::Copy)
    slice.fromDevice = slice.toDevice = TraceSlice::kHost;
  return slice;
}

void Observer::start() {
  slices_.clear();
  owners_.clear();
  recorded_.clear();
  events_ = 0;
  current_ = {};
  hostBeginNs_ = 0;
}

// An event after the last operation of each stream: their times are written before it is reached. A failed stream
// reaches it, too, with the failure that the call has returned.
void Observer::finish() {
  for (Stream *stream : streams_) {
    auto done = std::make_shared<hal::Event>();
    if (stream->execute([done] { done->signal(); }).ok())
      (void)done->wait();
  }
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

void Observer::describeCopy(const CopyOp &op) {
  current_.fromDevice = ownerOf(frame_.buffers[op.from].address);
  current_.toDevice = ownerOf(frame_.buffers[op.to].address);
}

int32_t Observer::ownerOf(const std::byte *address) const {
  auto after = owners_.upper_bound(address);
  if (after == owners_.begin() || address >= std::prev(after)->second.end)
    return TraceSlice::kHost;
  return std::prev(after)->second.device;
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
  uint32_t device = 0;
  if (opcode == Opcode::Slab || opcode == Opcode::Alloc)
    device = reinterpret_cast<const StorageOp &>(head).device;
  else if (opcode == Opcode::Result)
    device = reinterpret_cast<const ResultOp &>(head).device;
  else
    return;
  const BufferRegister &buffer = frame_.buffers[head.first];
  owners_[buffer.address] = {buffer.address + buffer.bytes, static_cast<int32_t>(device)};
}

} // namespace heddle
