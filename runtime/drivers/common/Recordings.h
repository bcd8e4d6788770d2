// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an engine has made of commands that come again and again: batches that are handed over as they were recorded.
// Commands that come for the second time are kept; the least recently used give way. One thread.
//
// A batch has a number `recording`, 0 at first, and goes round: take() gives it out, giveBack() takes it when the
// device is done with it.
//
//   if (std::unique_ptr<Batch> batch = recordings.take(commands, patch)) …   // hand it over
//   else if (recordings.isKeeping()) …                                       // record so that it can be, and
//     recordings.keep(*batch);
#ifndef HEDDLE_RUNTIME_DRIVERS_COMMON_RECORDINGS_H
#define HEDDLE_RUNTIME_DRIVERS_COMMON_RECORDINGS_H

#include "runtime/drivers/common/Recording.h"

#include <algorithm>
#include <memory>

namespace heddle::engines {

// What became of a batch that was to do other commands. Spoiled: it does neither these nor the old ones.
enum class Patch : uint8_t { Done, Refused, Spoiled };

template <typename Batch> class Recordings {
public:
  // A recorded batch that does these commands; null: there is none. `patch(batch, commands)` makes one of the same
  // shape do them.
  template <typename Patcher> std::unique_ptr<Batch> take(const hal::CommandBuffer &commands, Patcher &&patch) {
    keeping_ = 0;
    if (!Recording::canKeep(commands))
      return nullptr;
    for (size_t i = 0; i < entries_.size(); ++i) {
      Entry &entry = entries_[i];
      if (entry.atWork)
        continue;
      Recording::Match match = entry.commands->match(commands);
      if (match == Recording::Match::Other)
        continue;
      Patch patched =
          match == Recording::Match::Same || !entry.batch ? Patch::Done : patch(*entry.batch, commands, match);
      if (patched == Patch::Spoiled)
        entry.commands = std::make_unique<Recording>(hal::CommandBuffer()); // matches nothing
      if (patched != Patch::Done)
        continue;
      if (match != Recording::Match::Same)
        entry.commands = std::make_unique<Recording>(commands);
      std::unique_ptr<Batch> batch = std::move(entry.batch);
      keeping_ = batch ? 0 : entry.id;
      entry.atWork = batch != nullptr;
      std::rotate(entries_.begin() + static_cast<ptrdiff_t>(i), entries_.begin() + static_cast<ptrdiff_t>(i) + 1,
                  entries_.end());
      return batch;
    }
    note(commands);
    return nullptr;
  }
  // What is recorded now is to be kept.
  bool isKeeping() const { return keeping_ != 0; }
  // It is not, after all: it failed, or cannot be played again.
  void forget() { keeping_ = 0; }
  // The batch does just those commands.
  void keep(Batch &batch) {
    batch.recording = std::exchange(keeping_, 0);
    for (Entry &entry : entries_)
      if (entry.id == batch.recording)
        entry.atWork = true;
  }
  // Takes a kept batch; leaves what is not kept, or not any more.
  void giveBack(std::unique_ptr<Batch> &batch) {
    for (Entry &entry : entries_)
      if (batch->recording && entry.id == batch->recording) {
        entry.batch = std::move(batch);
        entry.atWork = false;
        return;
      }
  }

  // Sees each batch that is here, none that is at work.
  template <typename Visit> void forEach(Visit &&visit) {
    for (Entry &entry : entries_)
      if (entry.batch)
        visit(*entry.batch);
  }
  // The batch, which take() gave, is of no use any more.
  void lose(const Batch &batch) {
    std::erase_if(entries_, [&](const Entry &entry) { return batch.recording && entry.id == batch.recording; });
  }

private:
  static constexpr size_t kMost = 16; // kept at a time
  struct Entry {
    std::unique_ptr<Recording> commands; // what the batch does
    std::unique_ptr<Batch> batch;        // null: seen once, or at work
    uint64_t id;                         // its batch's `recording`; from 1 on
    bool atWork = false;                 // given out by take()
  };

  // Remembers that the commands came once, in place of what was used longest ago.
  void note(const hal::CommandBuffer &commands) {
    if (entries_.size() == kMost) {
      auto idle = std::find_if(entries_.begin(), entries_.end(), [](const Entry &entry) { return !entry.atWork; });
      if (idle == entries_.end())
        return;
      entries_.erase(idle);
    }
    entries_.push_back({std::make_unique<Recording>(commands), nullptr, ++lastId_});
  }

  std::vector<Entry> entries_; // the least recently used first
  uint64_t keeping_ = 0;       // the entry that what is recorded now is for; 0: none
  uint64_t lastId_ = 0;        // that was given to an entry
};

} // namespace heddle::engines

#endif // HEDDLE_RUNTIME_DRIVERS_COMMON_RECORDINGS_H
