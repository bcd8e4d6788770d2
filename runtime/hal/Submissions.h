// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What queues that compute on threads of the host keep of their submissions (ThreadQueue.h, and those of drivers), and
// how they do one. Plain data without a lock: the queue has that.
//
//   submissions.push(commands, waits, signals);
//   Submission *next = submissions.pop();
//   Status status = perform(*next, device, [] { return false; });
//   settle(*next, std::move(status));
//   submissions.recycle(*next);
#ifndef HEDDLE_RUNTIME_HAL_SUBMISSIONS_H
#define HEDDLE_RUNTIME_HAL_SUBMISSIONS_H

#include "runtime/hal/Queue.h"

#include <vector>

namespace heddle::hal {

// Used again, so that a queue that was as long before allocates nothing.
struct Submission {
  const CommandBuffer::Command *next = nullptr; // null: all is done
  const CommandBuffer *commands = nullptr;
  std::vector<Point> waits, signals;
  Submission *behind = nullptr;
};

// Why the submission is left out from here on; ok: it is not.
inline Status abandoned(const Submission &submission) {
  for (const Point &point : submission.signals)
    if (point.semaphore->failed()) [[unlikely]]
      return point.semaphore->cause();
  return {};
}

// Does the commands that are left, or those before leave() says true, which is asked before each. What is left then is
// where `submission.next` stands. The first failure, with the dispatch's name, or why it is abandoned.
template <typename Leave> Status perform(Submission &submission, Commands &device, Leave &&leave) {
  while (const CommandBuffer::Command *at = submission.next) {
    if (leave())
      return {};
    submission.next = submission.commands->next(at); // the last one, if it is a call, may be the end of the buffer
    HEDDLE_RETURN_IF_ERROR(abandoned(submission));
    HEDDLE_RETURN_IF_ERROR(describeFailure(CommandBuffer::labelOf(*at), CommandBuffer::perform(*at, device)));
  }
  return abandoned(submission);
}

// The signals are reached, or fail with this.
void settle(const Submission &submission, Status status);

// In the order of submission.
class Submissions {
public:
  bool empty() const { return !first_; }
  // bad_alloc: it is not there.
  void push(const CommandBuffer *commands, std::span<const Point> waits, std::span<const Point> signals);
  // The first; null where there is none. recycle() is owed.
  Submission *pop();
  void recycle(Submission &submission);
  // In the child of a fork: all that waits fails, and `running`, which stays the parent's, too.
  void dropAfterFork(Submission *running);

private:
  std::vector<std::unique_ptr<Submission>> all_;
  Submission *first_ = nullptr, *last_ = nullptr, *spare_ = nullptr;
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_SUBMISSIONS_H
