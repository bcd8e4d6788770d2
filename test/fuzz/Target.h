// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the libFuzzer targets share.
#ifndef HEDDLE_TEST_FUZZ_TARGET_H
#define HEDDLE_TEST_FUZZ_TARGET_H

#include "tools/lib/Error.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <unistd.h>

namespace heddle::fuzz {

inline void require(bool holds) {
  if (!holds)
    std::abort();
}

// A folder of this process with one file in memory, for what reads files.
class File {
public:
  explicit File(const std::string &name) {
    char folder[] = "/dev/shm/heddle-fuzz-XXXXXX";
    require(mkdtemp(folder));
    folder_ = folder;
    path = folder_ + "/" + name;
  }
  ~File() {
    unlink(path.c_str());
    rmdir(folder_.c_str());
  }
  void write(std::string_view text) {
    std::FILE *file = std::fopen(path.c_str(), "wb");
    require(file && std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fclose(file) == 0);
  }
  const std::string &folder() const { return folder_; }
  std::string path;

private:
  std::string folder_;
};

// The body works, or throws an error of the tools with words. More memory than there is counts as words.
template <typename Body> void worksOrSays(Body &&body) {
  try {
    body();
  } catch (const tools::UsageError &error) {
    require(error.what()[0] != '\0');
  } catch (const tools::Failure &error) {
    require(error.what()[0] != '\0');
  } catch (const std::bad_alloc &) {
    return;
  }
}

// Takes the first byte of an input, which says what the rest is for.
inline unsigned takeChoice(std::string_view &text, unsigned count) {
  if (text.empty())
    return 0;
  unsigned choice = static_cast<unsigned char>(text.front()) % count;
  text.remove_prefix(1);
  return choice;
}

} // namespace heddle::fuzz

#endif // HEDDLE_TEST_FUZZ_TARGET_H
