// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What inline streams on host memory have in common: everything but the dispatch. Base of null's and local's.
#ifndef HEDDLE_RUNTIME_HAL_INLINESTREAM_H
#define HEDDLE_RUNTIME_HAL_INLINESTREAM_H

#include "runtime/hal/Stream.h"

namespace heddle::hal {

class InlineStream : public Stream {
public:
  Status copy(void *to, const void *from, uint64_t bytes) override;
  Status fill(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) override;
  Status record(std::shared_ptr<Event> event) override;
  Status wait(std::shared_ptr<Event> event) override { return event->wait(); }
  Status execute(std::function<void()> function) override;
  Status synchronize() override { return {}; }
};

// The failure for a number of workgroups outside [0, kMaxWorkgroups].
Status refuseWorkgroups(int64_t workgroups);
// That for a tensor with more elements than a kernel of a GPU counts.
Status refuseElements(int64_t most);

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_INLINESTREAM_H
