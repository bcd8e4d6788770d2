// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queue of a device that works by itself: what drivers of GPUs have in common. A driver records commands and hands
// them over in batches (Engine); here is which submission a batch belongs to, what it waits for, and how it ends.
//
// submit() records and hands over on the caller's thread. A wait for work of the same family of devices is the
// device's: no thread of the host stands in between. What the device cannot wait for (a value that the host signals,
// another driver's work), and what reads memory of the host before that is written, is put off, and with it all that
// is submitted later: a thread, made when it is first needed, waits and hands over in its place.
//
// Whoever waits for a semaphore that such a queue will signal settles its submissions: failures of kernels are seen
// then, and are the signals'. A submission that the device did after a failed one has failed, too.
#ifndef HEDDLE_RUNTIME_DRIVERS_COMMON_DEVICEQUEUE_H
#define HEDDLE_RUNTIME_DRIVERS_COMMON_DEVICEQUEUE_H

#include "runtime/hal/Queue.h"

namespace heddle::engines {

// A driver's part. Used by one thread at a time, but for awaitTicket(). Batches are in order and have tickets that rise
// from 1; what is recorded is kept for the batch that is handed over next.
//
// Commands return when they are recorded, with what is wrong with them; they may hand over full batches, and wait for
// earlier ones.
class Engine : public hal::Commands {
public:
  // The next batch begins when the other engine's ticket is done, which was handed over: on the device. The engine is
  // of the same family.
  virtual Status waitFor(Engine &other, uint64_t ticket) = 0;
  // Before commands are recorded, and nothing was since the last hand-over. True: an earlier recording of them will be
  // handed over instead. Else what is recorded until then is these commands, and may be kept.
  virtual bool replay(const hal::CommandBuffer &) { return false; }
  // Hands over what was recorded: `complete`, or not all that was announced. The ticket of the last batch, 0 when there
  // never was one. After a failure the next call gives the ticket of what was handed over before.
  virtual StatusOr<uint64_t> handOver(bool complete) = 0;
  // Whether the ticket is done within the time. Any thread, at any time. A failure: the device's; nothing of the ticket
  // runs any more.
  virtual StatusOr<bool> awaitTicket(uint64_t ticket, uint64_t timeoutNs) = 0;
  // Batches up to the ticket, which is done, are free again; what they brought to the host is there.
  virtual void retire(uint64_t ticket) = 0;
  // The first failure of kernels in the batches up to the ticket, which were retired; each is given once.
  virtual Status takeFailure(uint64_t ticket) = 0;
  // Engines of one family wait for one another.
  virtual const void *family() const = 0;
  // The device belongs to another process (the parent of a fork): nothing of it may be used.
  virtual bool isForeign() const { return false; }
};

// The failures that kernels and devices left, by ticket. Plain data.
class Failures {
public:
  void add(uint64_t ticket, Status failure) {
    if (!failure.ok())
      all_.push_back({ticket, std::move(failure)});
  }
  Status take(uint64_t ticket) {
    Status first;
    while (!all_.empty() && all_.front().ticket <= ticket) {
      if (first.ok())
        first = std::move(all_.front().cause);
      all_.pop_front();
    }
    return first;
  }

private:
  struct Failure {
    uint64_t ticket;
    Status cause;
  };
  std::deque<Failure> all_;
};

std::unique_ptr<hal::Queue> createDeviceQueue(std::unique_ptr<Engine> engine);

} // namespace heddle::engines

#endif // HEDDLE_RUNTIME_DRIVERS_COMMON_DEVICEQUEUE_H
