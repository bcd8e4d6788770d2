// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/Replay.h"

namespace heddle::vulkan {

using hal::CommandBuffer;

// Of a copy or fill; none where nothing is done.
std::span<const MemoryAccess> Replay::accessesOf(const CommandBuffer::Command &command) {
  auto [to, from] = CommandBuffer::endsOf(command);
  ends_.clear();
  for (auto [view, writes] : {std::pair(to, true), std::pair(from, false)})
    if (std::optional<Location> place = pool_->find(view); place && to.bytes)
      ends_.push_back({place->buffer, place->offset, place->offset + to.bytes, writes});
  bool inPlace = ends_.size() == 2 && ends_[0].buffer == ends_[1].buffer && ends_[0].begin == ends_[1].begin;
  return inPlace ? std::span<const MemoryAccess>() : ends_;
}

// Looks whether the batch fits; `write`: it does, and gets what is new.
bool Replay::walk(const Batch &batch, const CommandBuffer &commands, bool write, bool otherViews) {
  Hazards hazards;
  size_t command = 0, launch = 0;
  for (auto *at = commands.begin(); at; at = commands.next(at)) {
    std::span<const MemoryAccess> accesses;
    if (at->kind == CommandBuffer::Kind::Dispatch) {
      hal::Dispatch dispatch = CommandBuffer::dispatchOf(*at);
      if (dispatch.workgroups == 0)
        continue;
      StatusOr<const Pipeline *> pipeline = choosePipeline(dispatch, device_->physical);
      const Batch::Launched &launched = batch.launched()[launch++];
      if (!pipeline.ok() || *pipeline != launched.pipeline ||
          !bindings_.describe(dispatch, **pipeline, *pool_, device_->physical).ok())
        return false;
      if (write) {
        bindings_.writeArguments(launched.arguments);
        if (otherViews)
          bindings_.writeSet(*device_, launched.arguments, launched.set, **pipeline);
      }
      accesses = bindings_.accesses();
    } else if (accesses = accessesOf(*at); accesses.empty()) {
      continue;
    }
    if (command == batch.ordered().size() || hazards.add(accesses) != batch.ordered()[command++])
      return false;
  }
  return true;
}

bool Replay::patch(Batch &batch, const CommandBuffer &commands, bool otherViews) {
  if (otherViews && !device_->changesDescriptors())
    return false;
  return walk(batch, commands, false, otherViews) && walk(batch, commands, true, otherViews);
}

} // namespace heddle::vulkan
