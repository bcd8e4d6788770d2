// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/Buffer.h"

#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::hal {
namespace {

constexpr uint64_t kHugePage = 2 << 20;
constexpr uint64_t kPopulateFrom = 64 << 10;

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

// Pages that a kernel touches first cost a fault each; a huge page is one fault, and many small ones are mapped by one
// system call for half of what faults cost. Both are advice, which a system may refuse.
void avoidFaults(void *memory, uint64_t bytes, bool huge) {
  if (huge) {
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
  } else if (bytes >= kPopulateFrom) {
    uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    uintptr_t first = reinterpret_cast<uintptr_t>(memory) / page * page;
    (void)madvise(reinterpret_cast<void *>(first), reinterpret_cast<uintptr_t>(memory) + bytes - first,
                  MADV_POPULATE_WRITE);
  }
}

std::byte *allocateAligned(uint64_t bytes) {
  bool huge = bytes >= kHugePage || kHugePage - bytes <= bytes / 2;
  uint64_t alignment = huge ? kHugePage : kBufferAlignment;
  uint64_t rounded = (std::max<uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  if (rounded < bytes || rounded > PTRDIFF_MAX)
    return nullptr;
  void *memory = std::aligned_alloc(alignment, rounded);
  if (memory)
    avoidFaults(memory, rounded, huge);
  return static_cast<std::byte *>(memory);
}

} // namespace

uint64_t Buffer::nextId() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

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
    if (auto *buffer = new (std::nothrow) HostBuffer(address, bytes, budget))
      return BufferRef(buffer);
  std::free(address);
  if (granted && budget)
    budget->give(bytes);
  std::string message = "cannot allocate " + std::to_string(bytes) + " bytes";
  if (!granted)
    message += ": " + std::to_string(budget->used()) + " of the device's " + std::to_string(budget->limit()) +
               " bytes are in use";
  return Status(StatusCode::OutOfMemory, std::move(message));
}

} // namespace heddle::hal
