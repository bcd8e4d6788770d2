// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What heddle compare says of two sets of named values. Pure: no program runs here.
#ifndef HEDDLE_TOOLS_COMPARE_DIFFERENCES_H
#define HEDDLE_TOOLS_COMPARE_DIFFERENCES_H

#include "tools/lib/Compare.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::tools {

// A result of a program, by the name that both programs have for it.
struct NamedTensor {
  std::string name;
  TensorView value;
};

struct Differences {
  struct One {
    std::string name, text; // "3 of 6 elements differ; first at …"
  };
  size_t compared = 0;                         // how many names both have
  std::vector<One> different;                  // in the order of the first program
  std::vector<std::string> onlyOne, onlyOther; // names
};

// Compares what has the same name. `tolerance`: none: by type. Values of `other` are what was got, of `one` what was
// expected.
Differences findDifferences(std::span<const NamedTensor> one, std::span<const NamedTensor> other,
                            std::optional<Tolerance> tolerance);

// For people. `limit`: so many differences and names at most.
std::string toText(const Differences &found, const std::string &one, const std::string &other, size_t limit);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_COMPARE_DIFFERENCES_H
