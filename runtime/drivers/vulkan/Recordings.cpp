// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/Recordings.h"

#include <algorithm>

namespace heddle::vulkan {

using hal::CommandBuffer;
using Match = engines::Recording::Match;

std::unique_ptr<Batch> Recordings::take(const CommandBuffer &commands) {
  keeping_ = nullptr;
  if (!engines::Recording::canKeep(commands))
    return nullptr;
  for (size_t i = 0; i < entries_.size(); ++i) {
    Entry &entry = entries_[i];
    if (!entry.batch)
      continue;
    Match match = entry.commands->match(commands);
    if (match == Match::Other)
      continue;
    if (match == Match::Patched) {
      if (!patch(*entry.batch, commands))
        continue;
      entry.commands = std::make_unique<engines::Recording>(commands);
    }
    std::unique_ptr<Batch> batch = std::move(entry.batch);
    std::rotate(entries_.begin() + static_cast<ptrdiff_t>(i), entries_.begin() + static_cast<ptrdiff_t>(i) + 1,
                entries_.end());
    batch->rewind();
    return batch;
  }
  keeping_ = std::make_unique<engines::Recording>(commands);
  return nullptr;
}

// Writes what differs into a recorded batch. False, with nothing that matters written: other barriers are needed, other
// pipelines, or descriptors that may not change.
bool Recordings::patch(Batch &batch, const CommandBuffer &commands) {
  if (!device_->changesDescriptors())
    return false;
  Hazards hazards;
  size_t command = 0, launch = 0;
  for (bool write : {false, true}) {
    hazards.clear();
    command = launch = 0;
    for (auto *at = commands.begin(); at; at = commands.next(at)) {
      std::vector<MemoryAccess> ends;
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
          bindings_.writeSet(*device_, launched.arguments, launched.set, **pipeline);
        }
        accesses = bindings_.accesses();
      } else {
        auto [to, from] = CommandBuffer::endsOf(*at);
        for (auto [view, writes] : {std::pair(to, true), std::pair(from, false)})
          if (std::optional<Location> place = pool_->find(view); place && to.bytes)
            ends.push_back({place->buffer, place->offset, place->offset + to.bytes, writes});
        bool inPlace = ends.size() == 2 && ends[0].buffer == ends[1].buffer && ends[0].begin == ends[1].begin;
        if (ends.empty() || inPlace) // nothing is done
          continue;
        accesses = ends;
      }
      if (command == batch.ordered().size() || hazards.add(accesses) != batch.ordered()[command++])
        return false;
    }
  }
  return true;
}

void Recordings::keep(Batch &batch) {
  std::unique_ptr<engines::Recording> commands = std::move(keeping_);
  if (!batch.canBeKept())
    return;
  if (entries_.size() == kMost) { // the one that was not used for the longest time
    auto idle =
        std::find_if(entries_.begin(), entries_.end(), [](const Entry &entry) { return entry.batch != nullptr; });
    if (idle == entries_.end())
      return;
    entries_.erase(idle);
  }
  batch.recording = ++lastId_;
  entries_.push_back({std::move(commands), nullptr, lastId_});
}

void Recordings::giveBack(std::unique_ptr<Batch> &batch) {
  for (Entry &entry : entries_)
    if (batch->recording && entry.id == batch->recording) {
      entry.batch = std::move(batch);
      return;
    }
}

} // namespace heddle::vulkan
