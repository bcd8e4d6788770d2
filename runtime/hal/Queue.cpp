// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/Queue.h"

namespace heddle::hal {
namespace {

class BlockingCommands final : public Commands {
public:
  explicit BlockingCommands(std::unique_ptr<Queue> queue) : queue_(std::move(queue)) {}

  Status dispatch(const Dispatch &dispatch) override {
    Dispatch unnamed = dispatch;
    unnamed.label = nullptr;
    return run([&] { return commands_.dispatch(unnamed); });
  }
  Status copy(const View &to, const View &from) override {
    return run([&] { return commands_.copy(to, from); });
  }
  Status fill(const View &to, uint64_t pattern, uint32_t patternBytes) override {
    return run([&] { return commands_.fill(to, pattern, patternBytes); });
  }
  Status stamp(uint64_t *ns) override {
    return run([&] { return commands_.stamp(ns); });
  }

private:
  template <typename Record> Status run(Record &&record) {
    commands_.clear();
    HEDDLE_RETURN_IF_ERROR(record());
    return runToEnd(*queue_, commands_);
  }
  std::unique_ptr<Queue> queue_;
  CommandBuffer commands_;
};

} // namespace

Status runToEnd(Queue &queue, const CommandBuffer &commands) {
  auto done = std::make_shared<Semaphore>();
  Point end{done, 1};
  queue.submit(&commands, {}, {&end, 1});
  Status status = done->wait(1);
  queue.drain();
  return status;
}

std::unique_ptr<Commands> createBlockingCommands(std::unique_ptr<Queue> queue) {
  return std::make_unique<BlockingCommands>(std::move(queue));
}

} // namespace heddle::hal
