// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/Device.h"

namespace heddle::hal {
namespace {

// Host memory that somebody else owns.
class BorrowedBuffer final : public Buffer {
public:
  BorrowedBuffer(std::byte *address, uint64_t bytes) : Buffer(address, bytes) {}
};

} // namespace

StatusOr<BufferRef> Device::importHost(void *memory, uint64_t bytes) {
  if (readsHostMemory())
    return BufferRef(new BorrowedBuffer(static_cast<std::byte *>(memory), bytes));
  return Status(StatusCode::Unsupported, "the device '" + info().uri + "' cannot use memory of the host");
}

Status describeFailure(const DispatchLabel *label, Status failure) {
  if (!label || failure.ok())
    return failure;
  failure = std::move(failure).prefix("dispatch '" + label->name + "': ");
  return label->location.empty() ? std::move(failure) : std::move(failure).note(label->location);
}

StatusOr<std::unique_ptr<Queue>> Device::createHostQueue(HostWork work) {
  return hal::createHostQueue(std::move(work));
}

StatusOr<std::unique_ptr<Commands>> Device::createInline() {
  StatusOr<std::unique_ptr<Queue>> queue = createQueue();
  if (!queue.ok())
    return queue.takeStatus();
  return createBlockingCommands(std::move(*queue));
}

} // namespace heddle::hal
