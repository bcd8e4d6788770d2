#include "runtime/hal/InlineStream.h"

#include <cstring>

namespace heddle::hal {

Status InlineStream::copy(void *to, const void *from, uint64_t bytes) {
  if (bytes)
    std::memmove(to, from, bytes);
  return {};
}

Status InlineStream::fill(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) {
  if (bytes % patternBytes)
    return Status(StatusCode::InvalidArgument, "a fill of " + std::to_string(bytes) +
                                                   " bytes is not a multiple of its pattern of " +
                                                   std::to_string(patternBytes));
  auto *out = static_cast<std::byte *>(to);
  if (patternBytes == 1 || pattern == 0) {
    if (bytes)
      std::memset(out, static_cast<int>(pattern & 0xff), bytes);
    return {};
  }
  // Doubling: copy what is filled behind itself.
  uint64_t filled = std::min<uint64_t>(patternBytes, bytes);
  std::memcpy(out, &pattern, filled);
  while (filled < bytes) {
    uint64_t next = std::min(filled, bytes - filled);
    std::memcpy(out + filled, out, next);
    filled += next;
  }
  return {};
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

} // namespace heddle::hal
