// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program for any kind of device, in a file: tests of heddle/buffers.h run it on each that the machine has.
#ifndef HEDDLE_RUNTIME_TEST_BUFFERFIXTURE_H
#define HEDDLE_RUNTIME_TEST_BUFFERFIXTURE_H

#include "BufferModule.h"
#include "heddle/buffers.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

namespace heddle::test {

// With the URI of a device.
class Buffers : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    path_ = testing::TempDir() + "buffers_" + std::to_string(getpid()) + ".heddle";
    fb::ModuleT source = bufferModule();
    std::vector<std::byte> bytes = buildForAll(source);
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    try {
      heddle::DeviceList list(GetParam());
      module_.emplace(path_, std::vector<std::string>{GetParam()});
    } catch (const heddle::Error &error) {
      GTEST_SKIP() << error.what();
    }
  }
  void TearDown() override { std::remove(path_.c_str()); }

  heddle::Module &module() { return *module_; }
  const std::string &artifact() const { return path_; }
  // The device's memory is its own: what is on the host has to be copied.
  static bool isApart() { return std::string_view(GetParam()) != "local://0"; }
  // A buffer with these values at `offset`.
  template <typename T> heddle::Buffer filled(const std::vector<T> &values, uint64_t offset = 0) {
    heddle::Buffer buffer(module(), 0, offset + values.size() * sizeof(T));
    buffer.write(offset, values.data(), values.size() * sizeof(T));
    return buffer;
  }
  static std::vector<float> read(const heddle::View &view) {
    std::vector<float> out(view.bytes() / sizeof(float));
    view.read(out.data());
    return out;
  }
  // The text of the failure, "ok" for none.
  template <typename Body> static std::string failure(Body &&body) {
    try {
      body();
    } catch (const heddle::Error &error) {
      return error.what();
    }
    return "ok";
  }

  // a, twice a, and their product with ...
  std::vector<float> a_ = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  std::vector<float> two_ = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2};
  std::vector<float> twice_ = {2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32};

private:
  std::string path_;
  std::optional<heddle::Module> module_;
};

inline std::string nameOfDevice(const testing::TestParamInfo<const char *> &info) {
  std::string name = info.param;
  for (char &c : name)
    c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

} // namespace heddle::test

#endif // HEDDLE_RUNTIME_TEST_BUFFERFIXTURE_H
