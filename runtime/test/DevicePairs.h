// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two devices of a program, as calls find them: inline and queued, with and without memory that the host sees, and both
// symbols on one.
#ifndef HEDDLE_RUNTIME_TEST_DEVICEPAIRS_H
#define HEDDLE_RUNTIME_TEST_DEVICEPAIRS_H

#include <string>
#include <vector>

namespace heddle::test {

inline const std::vector<std::vector<std::string>> kPairs = {
    {"local://0", "local"},
    {"local", "local://0"},
    {"local://0"}, // a logical copy
    {"local://0?discrete=yes", "local"},
    {"local", "local?discrete=yes"},
    {"local://0?discrete=yes", "local?discrete=yes"},
    {"local://0?discrete=yes"},
};

// In a message.
inline std::string nameOf(const std::vector<std::string> &uris) {
  std::string name;
  for (const std::string &uri : uris)
    name += uri + " ";
  return name;
}

} // namespace heddle::test

#endif // HEDDLE_RUNTIME_TEST_DEVICEPAIRS_H
