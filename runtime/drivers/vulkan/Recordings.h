// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches that were recorded once and are handed over again, with other constants, and with other views where the
// device lets descriptors change under a recorded command buffer. One thread.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_RECORDINGS_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_RECORDINGS_H

#include "runtime/drivers/common/Recording.h"
#include "runtime/drivers/vulkan/Bindings.h"

namespace heddle::vulkan {

class Recordings {
public:
  Recordings(std::shared_ptr<LogicalDevice> device, std::shared_ptr<MemoryPool> pool)
      : device_(std::move(device)), pool_(std::move(pool)) {}

  // A recorded batch that does these commands, ready to be handed over; null: there is none. Notes the commands, so
  // that what is recorded for them now can be kept.
  std::unique_ptr<Batch> take(const hal::CommandBuffer &commands);
  // Something is recorded that may be kept.
  bool isKeeping() const { return keeping_ != nullptr; }
  void forget() { keeping_ = nullptr; }
  // The batch has just those commands: it is asked back by giveBack().
  void keep(Batch &batch);
  // Takes a kept batch that is done; what is not kept (any more) stays.
  void giveBack(std::unique_ptr<Batch> &batch);

private:
  static constexpr size_t kMost = 16;
  struct Entry {
    std::unique_ptr<engines::Recording> commands;
    std::unique_ptr<Batch> batch; // null: at work
    uint64_t id;
  };
  bool patch(Batch &batch, const hal::CommandBuffer &commands);

  std::shared_ptr<LogicalDevice> device_;
  std::shared_ptr<MemoryPool> pool_;
  std::vector<Entry> entries_; // the oldest first
  std::unique_ptr<engines::Recording> keeping_;
  uint64_t lastId_ = 0;
  Bindings bindings_;
};

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_RECORDINGS_H
