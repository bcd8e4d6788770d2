// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a driver whose device has queues of its own implements, and the streams made of it.
//
// A queue takes work, hands it over in batches, and says when a batch is done. It is used by one thread at a time. Its
// operations are in order; each may wait for earlier ones. Tickets number batches and rise from 1.
//
//   HEDDLE_RETURN_IF_ERROR(queue.dispatch(dispatch));
//   StatusOr<uint64_t> ticket = queue.submit();
//   StatusOr<bool> done = queue.wait(*ticket, UINT64_MAX);
#ifndef HEDDLE_RUNTIME_HAL_ASYNCQUEUE_H
#define HEDDLE_RUNTIME_HAL_ASYNCQUEUE_H

#include "runtime/hal/Stream.h"

namespace heddle::hal {

class AsyncQueue {
public:
  virtual ~AsyncQueue() = default;
  // As in Stream, with the dispatch's label in failures; they return when the operation is recorded, with what is wrong
  // with it, or with the failure of earlier work that they had to wait for.
  virtual Status dispatch(const Dispatch &dispatch) = 0;
  virtual Status copy(void *to, const void *from, uint64_t bytes) = 0;
  virtual Status fill(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) = 0;
  // Hands over what was recorded. Gives the ticket of the last batch; 0 when there never was one. After a failure the
  // next call gives the ticket of what was handed over before.
  virtual StatusOr<uint64_t> submit() = 0;
  // Whether all batches up to the ticket are done within the time. A failure: the first one of those batches; it is
  // given for every later ticket too, until forget().
  virtual StatusOr<bool> wait(uint64_t ticket, uint64_t timeoutNs) = 0;
  virtual void forget() = 0;
};

// Each operation is done when it returns.
std::unique_ptr<Stream> createInlineStream(std::unique_ptr<AsyncQueue> queue);

// A thread feeds the queue and signals events. What is issued meanwhile goes into one batch; a batch is handed over
// when nothing more was issued, at record(), and whenever the queue likes. Kernels of batches that were handed over
// before a failure was seen still run. Io when the system gives no thread.
StatusOr<std::unique_ptr<Stream>> createQueuedStream(std::unique_ptr<AsyncQueue> queue);

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_ASYNCQUEUE_H
