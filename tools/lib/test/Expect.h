// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers of these tests: the text of an expected failure, and files in a folder of their own.
#ifndef HEDDLE_TOOLS_LIB_TEST_EXPECT_H
#define HEDDLE_TOOLS_LIB_TEST_EXPECT_H

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace heddle::tools::test {

// What the exception E thrown by `body` says; any other outcome is returned as a text in <>.
template <typename E, typename F> std::string messageOf(F &&body) {
  try {
    body();
  } catch (const E &error) {
    return error.what();
  } catch (const std::exception &error) {
    return std::string("<another exception: ") + error.what() + ">";
  }
  return "<no exception>";
}

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "heddle-test-XXXXXX").string();
    path_ = mkdtemp(path.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path(const std::string &name) const { return (path_ / name).string(); }
  std::string write(const std::string &name, const std::string &bytes) const {
    std::filesystem::remove(path(name)); // some file systems flush a file that is truncated and written again
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  static std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t files() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

private:
  std::filesystem::path path_;
};

} // namespace heddle::tools::test

#endif // HEDDLE_TOOLS_LIB_TEST_EXPECT_H
