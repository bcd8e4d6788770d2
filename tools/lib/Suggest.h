// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names in error messages: what exists, and what was probably meant.
#ifndef HEDDLE_TOOLS_LIB_SUGGEST_H
#define HEDDLE_TOOLS_LIB_SUGGEST_H

#include "heddle/contract/Suggest.h"

#include <span>
#include <string>

namespace heddle::tools {

using contract::didYouMean;

// "'a', 'b', 'c'"; "none" for an empty list; after `limit` names "… (12 more)".
std::string quotedList(std::span<const std::string> names, size_t limit = 20);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_SUGGEST_H
