#include "runtime/hal/Buffer.h"

#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace heddle::hal {
namespace {

constexpr uint64_t kHugePage = 2 << 20;

class HostBuffer final : public Buffer {
public:
  HostBuffer(std::byte *address, uint64_t bytes, std::shared_ptr<MemoryBudget> budget)
      : Buffer(address, bytes), budget_(std::move(budget)) {}
  ~HostBuffer() override {
    std::free(address());
    if (budget_)
      budget_->give(bytes());
  }

private:
  std::shared_ptr<MemoryBudget> budget_;
};

std::byte *allocateAligned(uint64_t bytes) {
  uint64_t alignment = bytes >= kHugePage ? kHugePage : kBufferAlignment;
  uint64_t rounded = (std::max<uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  if (rounded < bytes || rounded > PTRDIFF_MAX)
    return nullptr;
  void *memory = std::aligned_alloc(alignment, rounded);
  if (memory && alignment == kHugePage)
    madvise(memory, rounded, MADV_HUGEPAGE);
  return static_cast<std::byte *>(memory);
}

} // namespace

bool MemoryBudget::take(uint64_t bytes) {
  uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_ || used > limit_ - bytes)
      return false;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return true;
}

StatusOr<BufferRef> allocateHostBuffer(uint64_t bytes, std::shared_ptr<MemoryBudget> budget) {
  bool granted = !budget || budget->take(bytes);
  std::byte *address = granted ? allocateAligned(bytes) : nullptr;
  if (address)
    return BufferRef(new HostBuffer(address, bytes, std::move(budget)));
  if (budget && granted)
    budget->give(bytes);
  return Status(StatusCode::OutOfMemory, "cannot allocate " + std::to_string(bytes) + " bytes" +
                                             (granted ? "" : ": the device's memory limit is reached"));
}

} // namespace heddle::hal
