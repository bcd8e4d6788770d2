// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs that nobody gave, for measuring: random numbers of the right types and sizes.
#ifndef HEDDLE_TOOLS_LIB_MAKEUP_H
#define HEDDLE_TOOLS_LIB_MAKEUP_H

#include "heddle/heddle.h"
#include "tools/lib/HostTensor.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::tools {

// Fills what is missing in `values`, one for each argument, with:
//   floats     from -1 to 1
//   integers   below the argument's of `bounds` (of tables that they are indices into), else 0 or 1
//   booleans   either
//   all ones   where "mask" is in the argument's name
// The same numbers for the same seed on every machine. A free size is that of a value that is there, else as `dims`
// (NAME=SIZE, or INPUT.DIMENSION=SIZE) say, else 1. Throws UsageError for a flag that is none, names nothing, or
// contradicts a value or another flag. Returns a line for people that says what was made, "" for nothing.
// `bounds`: by the names of arguments.
std::string makeUp(std::span<const heddle_value_info> arguments, std::span<const std::string> dims, uint64_t seed,
                   std::vector<std::optional<HostTensor>> &values, const std::map<std::string, int64_t> &bounds = {});

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_MAKEUP_H
