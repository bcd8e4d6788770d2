// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/DiscreteMemory.h"

namespace heddle::hal {

class DiscreteBuffer final : public Buffer {
public:
  DiscreteBuffer(std::byte *address, uint64_t bytes, BufferRef backing, std::shared_ptr<DiscreteMemory> memory)
      : Buffer(address, bytes), backing_(std::move(backing)), memory_(std::move(memory)) {}
  ~DiscreteBuffer() override {
    {
      std::lock_guard lock(memory_->mutex_);
      memory_->entries_.erase(address());
    }
    releaseAddresses(address(), bytes());
  }

private:
  BufferRef backing_;
  std::shared_ptr<DiscreteMemory> memory_;
};

StatusOr<BufferRef> DiscreteMemory::allocate(uint64_t bytes) {
  StatusOr<BufferRef> backing = pool_->allocate(bytes);
  if (!backing.ok())
    return backing.takeStatus();
  StatusOr<std::byte *> address = reserveAddresses(bytes);
  if (!address.ok())
    return address.takeStatus();
  std::byte *memory = (*backing)->address();
  BufferRef buffer(new (std::nothrow) DiscreteBuffer(*address, bytes, std::move(*backing), shared_from_this()));
  if (!buffer) {
    releaseAddresses(*address, bytes);
    return Status::outOfMemory();
  }
  std::lock_guard lock(mutex_);
  entries_[*address] = {bytes, memory};
  return buffer;
}

std::byte *DiscreteMemory::find(const void *address) const {
  const auto *at = static_cast<const std::byte *>(address);
  std::shared_lock lock(mutex_);
  auto after = entries_.upper_bound(at);
  if (after == entries_.begin())
    return nullptr;
  const auto &[first, entry] = *std::prev(after);
  uint64_t offset = static_cast<uint64_t>(at - first);
  return offset <= entry.bytes ? entry.memory + offset : nullptr;
}

namespace {

class DiscreteStream final : public Stream {
public:
  DiscreteStream(std::unique_ptr<Stream> inner, std::shared_ptr<DiscreteMemory> memory)
      : inner_(std::move(inner)), memory_(std::move(memory)) {}

  Status dispatch(const Dispatch &dispatch) override {
    bindings_.clear();
    for (void *binding : dispatch.bindings) {
      bindings_.push_back(memory_->find(binding));
      if (!bindings_.back())
        return refuse("a binding");
    }
    Dispatch translated = dispatch;
    translated.bindings = bindings_;
    return inner_->dispatch(translated);
  }
  Status copy(void *to, const void *from, uint64_t bytes) override {
    void *own = memory_->find(to);
    const void *source = memory_->find(from);
    return inner_->copy(own ? own : to, source ? source : from, bytes);
  }
  Status fill(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) override {
    void *own = memory_->find(to);
    return own ? inner_->fill(own, bytes, pattern, patternBytes) : refuse("what is filled");
  }
  Status record(std::shared_ptr<Event> event) override { return inner_->record(std::move(event)); }
  Status wait(std::shared_ptr<Event> event) override { return inner_->wait(std::move(event)); }
  Status execute(std::function<void()> function) override { return inner_->execute(std::move(function)); }
  Status synchronize() override { return inner_->synchronize(); }

private:
  static Status refuse(const std::string &what) {
    return Status(StatusCode::InvalidArgument, what + " is not in the memory of the device");
  }
  std::unique_ptr<Stream> inner_;
  std::shared_ptr<DiscreteMemory> memory_;
  std::vector<void *> bindings_;
};

} // namespace

std::unique_ptr<Stream> createDiscreteStream(std::unique_ptr<Stream> inner, std::shared_ptr<DiscreteMemory> memory) {
  return std::make_unique<DiscreteStream>(std::move(inner), std::move(memory));
}

} // namespace heddle::hal
