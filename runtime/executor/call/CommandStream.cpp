// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/CommandStream.h"

namespace heddle {

CommandStream::CommandStream(std::unique_ptr<hal::Queue> queue, bool eager, bool &pending)
    : queue_(std::move(queue)), eager_(eager), pending_(pending) {
  openNext();
}

Status CommandStream::begin() {
  open_->clear();
  waits_.clear();
  if (!timeline_->failed()) [[likely]]
    return {};
  timeline_ = std::make_shared<hal::Semaphore>();
  submitted_ = 0;
  for (Recorded &recorded : ring_)
    recorded.doneAt = 0;
  return {};
}

Status CommandStream::waitFor(hal::Point point) {
  if (!point.semaphore || point.semaphore == timeline_)
    return {};
  if (!open_->empty())
    flush();
  waits_.push_back(std::move(point));
  pending_ = true;
  return {};
}

// The oldest buffer whose commands are done, or a new one.
void CommandStream::openNext() {
  if (!ring_.empty() && timeline_->query(ring_.front().doneAt) == hal::SemaphoreState::Reached) {
    ring_.push_back(std::move(ring_.front()));
    ring_.pop_front();
  } else {
    ring_.emplace_back();
  }
  open_ = ring_.back().commands.get();
  open_->clear();
}

void CommandStream::flush() {
  if (!isPending())
    return;
  hal::Point end{timeline_, ++submitted_};
  queue_->submit(open_->empty() ? nullptr : open_, waits_, {&end, 1});
  waits_.clear();
  if (open_->empty())
    return;
  ring_.back().doneAt = submitted_;
  openNext();
}

void CommandStream::abandon(Status cause) {
  open_->clear();
  waits_.clear();
  timeline_->fail(std::move(cause));
}

Status CommandStream::drain() {
  queue_->drain();
  return timeline_->cause();
}

} // namespace heddle
