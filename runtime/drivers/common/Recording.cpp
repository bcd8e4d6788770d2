// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/common/Recording.h"

#include <algorithm>

namespace heddle::engines {
namespace {

using hal::CommandBuffer;
using Kind = CommandBuffer::Kind;

template <typename Visit> void forEachBuffer(const CommandBuffer::Command &command, Visit &&visit) {
  if (command.kind == Kind::Dispatch) {
    for (const hal::BoundView &bound : CommandBuffer::dispatchOf(command).views)
      visit(bound.view.buffer);
    return;
  }
  auto [to, from] = CommandBuffer::endsOf(command);
  visit(to.buffer);
  visit(from.buffer);
}

uint64_t idOf(const hal::Buffer *buffer) { return buffer ? buffer->id() : 0; }

bool isSame(const hal::View &a, const hal::View &b) {
  return a.buffer == b.buffer && a.offset == b.offset && a.bytes == b.bytes;
}

// Equal but for constants and the identity of buffers.
bool isSame(const CommandBuffer::Command &a, const CommandBuffer::Command &b) {
  if (a.kind != Kind::Dispatch) {
    auto [to, from] = CommandBuffer::endsOf(a);
    auto [otherTo, otherFrom] = CommandBuffer::endsOf(b);
    return isSame(to, otherTo) && isSame(from, otherFrom) && CommandBuffer::patternOf(a) == CommandBuffer::patternOf(b);
  }
  hal::Dispatch x = CommandBuffer::dispatchOf(a), y = CommandBuffer::dispatchOf(b);
  return std::equal(x.views.begin(), x.views.end(), y.views.begin(), y.views.end(),
                    [](const auto &one, const auto &two) { return isSame(one.view, two.view); });
}

bool haveSameConstants(const CommandBuffer::Command &a, const CommandBuffer::Command &b) {
  if (a.kind != Kind::Dispatch)
    return true;
  hal::Dispatch x = CommandBuffer::dispatchOf(a), y = CommandBuffer::dispatchOf(b);
  return std::equal(x.constants.begin(), x.constants.end(), y.constants.begin(), y.constants.end());
}

bool haveOneShape(const CommandBuffer::Command &a, const CommandBuffer::Command &b) {
  if (a.kind != Kind::Dispatch)
    return isSame(a, b);
  hal::Dispatch x = CommandBuffer::dispatchOf(a), y = CommandBuffer::dispatchOf(b);
  return x.kernel == y.kernel && x.label == y.label && x.workgroups == y.workgroups &&
         x.views.size() == y.views.size() && x.constants.size() == y.constants.size() &&
         std::equal(x.views.begin(), x.views.end(), y.views.begin(),
                    [](const auto &one, const auto &two) { return one.writes == two.writes; });
}

} // namespace

bool Recording::canKeep(const CommandBuffer &commands) {
  if (commands.size() < kLeast)
    return false;
  for (auto *at = commands.begin(); at; at = commands.next(at)) {
    if (at->kind == Kind::Stamp || at->kind == Kind::Call)
      return false;
    if (at->kind == Kind::Dispatch)
      continue;
    auto [to, from] = CommandBuffer::endsOf(*at);
    if (!to.buffer || (at->kind == Kind::Copy && !from.buffer))
      return false;
  }
  return true;
}

Recording::Recording(const CommandBuffer &commands) {
  for (auto *at = commands.begin(); at; at = commands.next(at)) {
    (void)CommandBuffer::perform(*at, commands_); // without memory it is another one
    forEachBuffer(*at, [&](const hal::Buffer *buffer) { buffers_.push_back(idOf(buffer)); });
  }
}

Recording::Match Recording::match(const CommandBuffer &commands) const {
  if (commands.size() != commands_.size()) // also where there was no memory for all
    return Match::Other;
  bool same = true, constants = true;
  size_t view = 0;
  auto *kept = commands_.begin();
  for (auto *at = commands.begin(); at; at = commands.next(at), kept = commands_.next(kept)) {
    if (at->kind != kept->kind || at->units != kept->units)
      return Match::Other;
    if (!haveOneShape(*at, *kept))
      return Match::Other;
    bool equal = isSame(*at, *kept);
    forEachBuffer(*at, [&](const hal::Buffer *buffer) {
      equal &= view < buffers_.size() && buffers_[view] == idOf(buffer);
      ++view;
    });
    if (!equal && at->kind != Kind::Dispatch)
      return Match::Other;
    same &= equal;
    constants &= haveSameConstants(*at, *kept);
  }
  return !same ? Match::Views : constants ? Match::Same : Match::Constants;
}

} // namespace heddle::engines
