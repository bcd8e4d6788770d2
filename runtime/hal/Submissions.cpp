// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/Submissions.h"

#include "runtime/base/Guarded.h"

namespace heddle::hal {
namespace {

void failAfterFork(const Submission &submission) {
  for (const Point &point : submission.signals)
    point.semaphore->failAfterFork(guarded([] {
      return Status(StatusCode::Cancelled, "the process was forked while the work ran; it is done in the parent only");
    }));
}

} // namespace

void settle(const Submission &submission, Status status) {
  for (const Point &point : submission.signals)
    if (status.ok())
      point.semaphore->signal(point.value);
    else
      point.semaphore->fail(status.clone());
}

// A submission stays spare until all of it is described.
void Submissions::push(const CommandBuffer *commands, std::span<const Point> waits, std::span<const Point> signals) {
  if (!spare_)
    spare_ = all_.emplace_back(std::make_unique<Submission>()).get();
  Submission &submission = *spare_;
  submission.commands = commands;
  submission.next = commands ? commands->begin() : nullptr;
  submission.waits.assign(waits.begin(), waits.end());
  submission.signals.assign(signals.begin(), signals.end());
  spare_ = submission.behind;
  submission.behind = nullptr;
  (last_ ? last_->behind : first_) = &submission;
  last_ = &submission;
}

Submission *Submissions::pop() {
  Submission *taken = first_;
  if (taken) {
    first_ = taken->behind;
    last_ = first_ ? last_ : nullptr;
  }
  return taken;
}

void Submissions::recycle(Submission &submission) {
  submission.waits.clear();
  submission.signals.clear();
  submission.behind = spare_;
  spare_ = &submission;
}

void Submissions::dropAfterFork(Submission *running) {
  if (running)
    failAfterFork(*running); // the thread that is gone was at work on it
  while (Submission *submission = pop()) {
    failAfterFork(*submission);
    recycle(*submission);
  }
}

} // namespace heddle::hal
