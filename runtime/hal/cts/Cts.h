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
  bool computes; // false for null: dispatches do nothing
};

// The URI in letters, for the names of tests.
std::string nameOf(const testing::TestParamInfo<CtsParameter> &info);

class Cts : public testing::TestWithParam<CtsParameter> {
protected:
  void SetUp() override;
  std::unique_ptr<Stream> stream(StreamMode mode);
  BufferRef buffer(uint64_t bytes);
  ExecutableSource source(std::vector<std::string> symbols);
  // A buffer of zeros.
  BufferRef zeros(uint64_t bytes);
  // What lies there, through a stream of the device.
  template <typename T> std::vector<T> read(const std::byte *address, size_t count) {
    std::vector<T> out(count);
    auto s = stream(StreamMode::Inline);
    EXPECT_TRUE(s->copy(out.data(), address, count * sizeof(T)).ok());
    return out;
  }
  template <typename T> std::vector<T> read(const BufferRef &buffer) {
    return read<T>(buffer->address(), buffer->bytes() / sizeof(T));
  }

  std::shared_ptr<Device> device_;
  std::vector<std::byte> code_;
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_CTS_CTS_H
