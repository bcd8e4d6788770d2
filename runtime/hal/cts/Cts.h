// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conformance suite: what every driver must do, as headers of hal/ say. A driver instantiates it with its URIs:
//
//   INSTANTIATE_TEST_SUITE_P(Local, Cts, testing::Values(CtsParameter{"local://0", true}));
#ifndef HEDDLE_RUNTIME_HAL_CTS_CTS_H
#define HEDDLE_RUNTIME_HAL_CTS_CTS_H

#include "runtime/hal/Device.h"

#include <gtest/gtest.h>

namespace heddle::hal {

struct CtsParameter {
  std::string uri;
  bool computes;         // false for null: dispatches do nothing
  bool isShared = false; // its queues are those of Device::createSharedQueue
};

// The URI in letters, for the names of tests.
std::string nameOf(const testing::TestParamInfo<CtsParameter> &info);

// Does what is recorded, inline or by a queue, up to the end.
class Runner {
public:
  explicit Runner(std::unique_ptr<Commands> inlined) : inlined_(std::move(inlined)) {}
  explicit Runner(std::unique_ptr<Queue> queue) : queue_(std::move(queue)) {}
  template <typename Record> Status run(Record &&record) {
    if (inlined_)
      return record(*inlined_);
    commands_.clear();
    Status status = record(commands_);
    return status.ok() ? runToEnd(*queue_, commands_) : std::move(status);
  }

private:
  std::unique_ptr<Commands> inlined_; // null: queued
  std::unique_ptr<Queue> queue_;
  CommandBuffer commands_;
};

// A dispatch of views, whatever the device takes.
class ViewDispatch {
public:
  ViewDispatch(const Kernel &kernel, int64_t workgroups, std::vector<View> views, std::vector<int64_t> constants = {},
               const DispatchLabel *label = nullptr)
      : constants_(std::move(constants)) {
    for (const View &view : views) {
      views_.push_back({view, true});
      addresses_.push_back(view.address());
    }
    dispatch_ = {&kernel, workgroups, 0, addresses_, constants_, label, views_};
  }
  operator const Dispatch &() const { return dispatch_; }

private:
  std::vector<BoundView> views_;
  std::vector<void *> addresses_;
  std::vector<int64_t> constants_;
  Dispatch dispatch_;
};

class Cts : public testing::TestWithParam<CtsParameter> {
protected:
  void SetUp() override;
  std::unique_ptr<Queue> queue();
  std::unique_ptr<Commands> inlined();
  BufferRef buffer(uint64_t bytes);
  ExecutableSource source(std::vector<std::string> symbols);
  // A buffer of zeros.
  BufferRef zeros(uint64_t bytes);
  // What lies there, through commands of the device.
  template <typename T> std::vector<T> read(const View &view) {
    std::vector<T> out(view.bytes / sizeof(T));
    Status status = inlined()->copy(View::ofHost(out.data(), view.bytes), view);
    EXPECT_TRUE(status.ok()) << status.text();
    return out;
  }
  template <typename T> std::vector<T> read(const BufferRef &buffer) { return read<T>(View::of(buffer)); }

  std::shared_ptr<Device> device_;
  std::vector<std::byte> code_;
  std::vector<Runner> runners_; // one inline, one by a queue
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_CTS_CTS_H
