// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "did you mean": the nearest of the names that exist.
#ifndef HEDDLE_TOOLS_LIB_SUGGEST_H
#define HEDDLE_TOOLS_LIB_SUGGEST_H

#include <span>
#include <string>
#include <string_view>

namespace heddle::tools {

// "; did you mean 'run'?", or "" when no candidate is near (more than a third of the letters differ). A swap of two
// neighbouring letters counts as one difference; case does not count.
std::string didYouMean(std::string_view word, std::span<const std::string> candidates);

// "'a', 'b', 'c'"; "none" for an empty list; after `limit` names "… (12 more)".
std::string quotedList(std::span<const std::string> names, size_t limit = 20);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_SUGGEST_H
