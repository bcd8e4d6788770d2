// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/Commands.h"

#include "runtime/base/Guarded.h"

#include <cstring>
#include <new>

namespace heddle::hal {
namespace {

using Command = CommandBuffer::Command;

// Behind it: bindings, constants, views.
struct DispatchCommand {
  Command command;
  const Kernel *kernel;
  const DispatchLabel *label;
  int64_t workgroups, scratchBytes;
  uint32_t bindings, constants, views, pad;

  void **bindingsOf() { return reinterpret_cast<void **>(this + 1); }
  int64_t *constantsOf() { return reinterpret_cast<int64_t *>(bindingsOf() + bindings); }
  BoundView *viewsOf() { return reinterpret_cast<BoundView *>(constantsOf() + constants); }
};
struct CopyCommand {
  Command command;
  View to, from;
};
struct FillCommand {
  Command command;
  View to;
  uint64_t pattern, patternBytes;
};
struct StampCommand {
  Command command;
  uint64_t *ns;
};
struct CallCommand {
  Command command;
  void (*function)(void *);
  void *user;
};

template <typename T> T &as(const Command &command) { return *reinterpret_cast<T *>(const_cast<Command *>(&command)); }

} // namespace

Status CommandBuffer::grow(size_t units) {
  size_t capacity = std::max<size_t>({1024, 2 * capacity_, used_ + units});
  std::unique_ptr<uint64_t[]> larger(new (std::nothrow) uint64_t[capacity]);
  if (!larger)
    return Status::outOfMemory();
  if (used_)
    std::memcpy(larger.get(), units_.get(), used_ * sizeof(uint64_t));
  units_ = std::move(larger);
  capacity_ = capacity;
  return {};
}

// Null where there is no memory.
template <typename T> T *CommandBuffer::append(Kind kind, size_t extraUnits) {
  static_assert(sizeof(T) % sizeof(uint64_t) == 0 && std::is_trivially_copyable_v<T>);
  size_t units = sizeof(T) / sizeof(uint64_t) + extraUnits;
  if (used_ + units > capacity_) [[unlikely]]
    if (!grow(units).ok())
      return nullptr;
  auto *out = reinterpret_cast<T *>(units_.get() + used_);
  out->command = {kind, static_cast<uint32_t>(units)};
  used_ += units;
  ++count_;
  return out;
}

Status CommandBuffer::dispatch(const Dispatch &d) {
  constexpr size_t kViewUnits = sizeof(BoundView) / sizeof(uint64_t);
  auto *to =
      append<DispatchCommand>(Kind::Dispatch, d.bindings.size() + d.constants.size() + kViewUnits * d.views.size());
  if (!to) [[unlikely]]
    return Status::outOfMemory();
  to->kernel = d.kernel;
  to->label = d.label;
  to->workgroups = d.workgroups;
  to->scratchBytes = d.scratchBytes;
  to->bindings = static_cast<uint32_t>(d.bindings.size());
  to->constants = static_cast<uint32_t>(d.constants.size());
  to->views = static_cast<uint32_t>(d.views.size());
  to->pad = 0;
  std::copy(d.bindings.begin(), d.bindings.end(), to->bindingsOf());
  std::copy(d.constants.begin(), d.constants.end(), to->constantsOf());
  std::copy(d.views.begin(), d.views.end(), to->viewsOf());
  return {};
}

Status CommandBuffer::copy(const View &to, const View &from) {
  auto *command = append<CopyCommand>(Kind::Copy);
  if (!command)
    return Status::outOfMemory();
  command->to = to;
  command->from = from;
  readsHost_ |= !from.buffer;
  return {};
}

Status CommandBuffer::fill(const View &to, uint64_t pattern, uint32_t patternBytes) {
  auto *command = append<FillCommand>(Kind::Fill);
  if (!command)
    return Status::outOfMemory();
  command->to = to;
  command->pattern = pattern;
  command->patternBytes = patternBytes;
  return {};
}

Status CommandBuffer::stamp(uint64_t *ns) {
  auto *command = append<StampCommand>(Kind::Stamp);
  if (!command)
    return Status::outOfMemory();
  command->ns = ns;
  return {};
}

Status CommandBuffer::call(void (*function)(void *), void *user) {
  auto *command = append<CallCommand>(Kind::Call);
  if (!command)
    return Status::outOfMemory();
  command->function = function;
  command->user = user;
  return {};
}

Status CommandBuffer::perform(const Command &command, Commands &device) {
  switch (command.kind) {
  case Kind::Dispatch: return device.dispatch(dispatchOf(command));
  case Kind::Copy: return device.copy(as<CopyCommand>(command).to, as<CopyCommand>(command).from);
  case Kind::Fill: {
    auto &f = as<FillCommand>(command);
    return device.fill(f.to, f.pattern, static_cast<uint32_t>(f.patternBytes));
  }
  case Kind::Stamp: return device.stamp(as<StampCommand>(command).ns);
  case Kind::Call:
    (void)guarded([&] {
      as<CallCommand>(command).function(as<CallCommand>(command).user);
      return Status();
    });
    return {};
  }
  return {};
}

Dispatch CommandBuffer::dispatchOf(const Command &command) {
  auto &d = as<DispatchCommand>(command);
  return {d.kernel, d.workgroups,          d.scratchBytes, {d.bindingsOf(), d.bindings}, {d.constantsOf(), d.constants},
          d.label,  {d.viewsOf(), d.views}};
}

std::pair<View, View> CommandBuffer::endsOf(const Command &command) {
  if (command.kind == Kind::Copy)
    return {as<CopyCommand>(command).to, as<CopyCommand>(command).from};
  return {as<FillCommand>(command).to, {}};
}

std::pair<uint64_t, uint64_t> CommandBuffer::patternOf(const Command &command) {
  if (command.kind != Kind::Fill)
    return {};
  return {as<FillCommand>(command).pattern, as<FillCommand>(command).patternBytes};
}

const DispatchLabel *CommandBuffer::labelOf(const Command &command) {
  return command.kind == Kind::Dispatch ? as<DispatchCommand>(command).label : nullptr;
}

} // namespace heddle::hal
