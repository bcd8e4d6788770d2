// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs of a call for measuring and comparing: what is given, defaults, and the rest made up.
#ifndef HEDDLE_TOOLS_SESSION_MADEINPUTS_H
#define HEDDLE_TOOLS_SESSION_MADEINPUTS_H

#include "heddle/heddle.hpp"
#include "tools/lib/HostTensor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::tools {

// One for each argument of the entry point: `values` where there is one (empty: none at all), else the text of --input
// for it, its default, or what makeUp() makes with `dims` and `seed`, which is said on standard error. Throws
// UsageError.
// `artifact`: the file, whose report says how far integers may go that are indices.
std::vector<HostTensor> makeInputs(const Module &module, uint32_t entryPoint, const std::string &artifact,
                                   std::span<const std::string> texts, std::span<const std::string> dims, uint64_t seed,
                                   std::vector<std::optional<HostTensor>> values = {});

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_SESSION_MADEINPUTS_H
