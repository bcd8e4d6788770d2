// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The streams over a queue that fails.
#include "runtime/hal/AsyncQueue.h"

#include "gtest/gtest.h"

using namespace heddle;

namespace {

struct Log {
  uint64_t handedOver = 0, waitedFor = 0;
  bool refuseSubmit = false;
};

// A copy hands over its first half by itself, then records the rest or fails.
class HalfQueue final : public hal::AsyncQueue {
public:
  explicit HalfQueue(Log &log) : log_(log) {}
  Status dispatch(const hal::Dispatch &) override { return {}; }
  Status copy(void *, const void *, uint64_t bytes) override {
    ++log_.handedOver;
    open_ = true;
    return bytes > 100 ? Status(StatusCode::OutOfMemory, "no staging memory") : Status();
  }
  Status fill(void *, uint64_t, uint64_t, uint32_t) override { return {}; }
  StatusOr<uint64_t> submit() override {
    if (std::exchange(open_, false)) {
      if (log_.refuseSubmit)
        return Status(StatusCode::Internal, "cannot submit");
      ++log_.handedOver;
    }
    return log_.handedOver;
  }
  StatusOr<bool> wait(uint64_t ticket, uint64_t) override {
    log_.waitedFor = std::max(log_.waitedFor, ticket);
    return true;
  }
  void forget() override {}

private:
  Log &log_;
  bool open_ = false;
};

// The caller may free the memory as soon as it has the failure.
TEST(AsyncQueue, AFailureWaitsForWhatWasRecorded) {
  for (bool queued : {false, true})
    for (bool refuseSubmit : {false, true})
      for (uint64_t bytes : {50, 200}) {
        Log log;
        log.refuseSubmit = refuseSubmit;
        auto queue = std::make_unique<HalfQueue>(log);
        std::unique_ptr<hal::Stream> stream;
        if (queued)
          stream = std::move(*hal::createQueuedStream(std::move(queue)));
        else
          stream = hal::createInlineStream(std::move(queue));
        Status status = stream->copy(nullptr, nullptr, bytes);
        if (queued)
          status = stream->synchronize();
        EXPECT_EQ(status.message(), bytes > 100 ? "no staging memory" : refuseSubmit ? "cannot submit" : "ok");
        EXPECT_EQ(log.handedOver, refuseSubmit ? 1u : 2u);
        EXPECT_EQ(log.waitedFor, log.handedOver) << queued << refuseSubmit << bytes;
      }
}

} // namespace
