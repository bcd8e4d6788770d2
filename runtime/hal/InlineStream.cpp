// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/InlineStream.h"

#include "runtime/hal/HostMemory.h"

#include <cstring>

namespace heddle::hal {

Status InlineStream::copy(void *to, const void *from, uint64_t bytes) {
  if (bytes)
    std::memmove(to, from, bytes);
  return {};
}

Status InlineStream::fill(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) {
  return fillHost(to, bytes, pattern, patternBytes);
}

Status InlineStream::record(std::shared_ptr<Event> event) {
  event->signal();
  return {};
}

Status InlineStream::execute(std::function<void()> function) {
  function();
  return {};
}

Status refuseWorkgroups(int64_t workgroups) {
  return Status(StatusCode::InvalidArgument, "a dispatch has 0 to " + std::to_string(kMaxWorkgroups) +
                                                 " workgroups, got " + std::to_string(workgroups));
}

Status refuseElements(int64_t most) {
  return Status(StatusCode::InvalidArgument,
                "a tensor of the dispatch has more than the " + std::to_string(most) +
                    " elements that a kernel counts; use smaller inputs, or place this part "
                    "of the model on another device");
}

} // namespace heddle::hal
